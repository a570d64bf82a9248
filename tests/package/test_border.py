"""Input of callers, policies and files is checked before a kernel reads it: shapes, kinds and ranges."""

import copy
import pathlib
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import planetwars_env as pw
from planetwars_env.arena.contestants import contestant_of, fingerprint_player
from planetwars_env.arena.evaluation import evaluate
from planetwars_env.arena.isolation import Isolated
from planetwars_env.bots.bot_games import place_games, play_on
from planetwars_env.bots.catalogue import resolve_player
from planetwars_env.bots.strategy import player_competes, player_name
from planetwars_env.envs.arguments import EnvArguments
from planetwars_env.envs.vector import PlanetWarsVectorEnv
from planetwars_env.shipped import agent_folder
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.fields import AGENT_PLAYER, OPPONENT_INDEX, STAGE
from planetwars_env.sim.setup import Autoreset

WRONG_SHAPES_AND_KINDS = {
    "transposed": lambda right: right.T if right.ndim > 1 else right[:, None],
    "one too few": lambda right: right[..., :-1],
    "one number": lambda right: np.int64(0),
    "empty": lambda right: right[:0],
    "floats": lambda right: right.astype(float),
    "not a number": lambda right: np.full(right.shape, np.nan),
    "booleans": lambda right: right.astype(bool),
    "objects": lambda right: right.astype(object),
    "beyond 64 bits": lambda right: np.full(right.shape, 2**80, object),
    "texts": lambda right: right.astype(str),
}
WRONG_NUMBERS = {
    "below 0": lambda right: right - 1,
    "far below 0": lambda right: np.full(right.shape, -(2**63)),
    "too large": lambda right: right + 10_000,
    "far too large": lambda right: np.full(right.shape, 2**64 - 1, np.uint64),
}
WIDTHS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]


def answering(change, max_orders):
    """A policy that waits, its answer changed by a function."""

    def act(observation):
        games = len(observation["clock"])
        return change(np.zeros(games if max_orders else (games, 21), np.int64))

    return pw.FunctionPolicy(act, fractions=(0.5, 1.0), max_orders=max_orders, name="answering")


def as_opponent(policy):
    envs = PlanetWarsVectorEnv(3, opponent=policy, graphs="rings", player=1)
    envs.reset(seed=0)
    for _ in range(3):
        envs.step(np.zeros((3, 21), int))


def in_evaluation(policy):
    evaluate(policy, ["noop"], "rings", 4, pw.SPACE_EXPLORERS)


def in_a_match(policy):
    pw.play_match(policy, "noop", "rings", max_turns=10)


INTERFACES = [as_opponent, in_evaluation, in_a_match]


@pytest.mark.parametrize("max_orders", [0, 3])
@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("change", [*WRONG_SHAPES_AND_KINDS, *WRONG_NUMBERS])
def test_a_wrong_answer_of_a_policy_is_refused_by_name(interface, change, max_orders) -> None:
    if max_orders and interface is in_a_match and change == "one too few":
        change = "empty"
    with pytest.raises(ValueError, match="the actions of policy 'answering' must") as caught:
        interface(answering({**WRONG_SHAPES_AND_KINDS, **WRONG_NUMBERS}[change], max_orders))
    if change in WRONG_SHAPES_AND_KINDS:
        assert "integers of shape (" in str(caught.value)


@pytest.mark.parametrize("max_orders", [0, 3])
@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("width", WIDTHS)
def test_integers_of_any_width_and_lists_are_answers(interface, width, max_orders) -> None:
    interface(answering(lambda right: right.astype(width), max_orders))
    interface(answering(lambda right: right.tolist(), max_orders))


def environments(actions):
    single = gymnasium.make("PlanetWars-v0", graphs="rings", actions=actions, disable_env_checker=True)
    return {"single": single.unwrapped, "vector": PlanetWarsVectorEnv(2, graphs="rings", actions=actions)}


@pytest.mark.parametrize("interface", ["single", "vector"])
@pytest.mark.parametrize("actions", ["turn", "order"])
@pytest.mark.parametrize("change", WRONG_SHAPES_AND_KINDS)
def test_actions_of_a_wrong_shape_or_kind_are_refused(interface, actions, change) -> None:
    env = environments(actions)[interface]
    env.reset(seed=0)
    right = np.zeros(env.action_space.shape, np.int64)
    if right.ndim == 0 and change in ("transposed", "one too few", "one number", "empty"):
        wrong = np.zeros((1,), int)
    elif change == "transposed" and right.ndim == 1:
        wrong = right[:, None]
    else:
        wrong = WRONG_SHAPES_AND_KINDS[change](right)
    before = env.action_masks().copy()
    with pytest.raises(ValueError, match=r"the actions? must be integers of shape \("):
        env.step(wrong)
    np.testing.assert_array_equal(env.action_masks(), before)


@pytest.mark.parametrize("interface", ["single", "vector"])
@pytest.mark.parametrize("actions", ["turn", "order"])
@pytest.mark.parametrize("change", WRONG_NUMBERS)
def test_an_illegal_choice_does_nothing_in_an_environment(interface, actions, change) -> None:
    envs = [environments(actions)[interface] for _ in range(2)]
    seen = []
    for env in envs:
        env.reset(seed=0)
        waiting = np.zeros(env.action_space.shape, np.int64)
        illegal = WRONG_NUMBERS[change](waiting) if env is envs[0] else waiting
        for _ in range(20):
            env.step(illegal)
            if actions == "order" and env is envs[0]:
                env.step(waiting)  # an illegal order leaves the turn open
        seen.append(env.step(waiting)[0])
    for key in seen[0]:
        if key != "clock":
            np.testing.assert_array_equal(seen[0][key], seen[1][key])


# --- indices and positions from callers --------------------------------------------------------------------------


def batch_of(games=3):
    batch = Batch(games, EnvArguments("PLANETWARS", opponent="ai2", graphs="test").setup(Autoreset.SAME_STEP))
    batch.seed(0)
    batch.reset()
    return batch


@pytest.mark.parametrize("row", [-1, 3, 2**31, 2**40])
def test_a_row_that_is_none_of_the_batch_is_refused(row: int) -> None:
    batch = batch_of()
    for attack in (lambda: batch.game(row), lambda: batch.copy_game(row, 0), lambda: batch.copy_game(0, row)):
        with pytest.raises(IndexError, match="the row of a game must lie between 0 and 2"):
            attack()


@pytest.mark.parametrize(("board", "player"), [(100, None), (-2, None), (10**6, None), (None, 3), (None, -5)])
def test_a_board_or_player_that_there_is_not_is_refused(board, player) -> None:
    with pytest.raises(ValueError, match=r"the next (board|player) of a game must lie between"):
        batch_of().reset(graph=board, player=player)


@pytest.mark.parametrize("number", [-7, 10**6])
@pytest.mark.parametrize("column", [AGENT_PLAYER, OPPONENT_INDEX, STAGE])
def test_players_of_a_file_are_checked(column: int, number: int) -> None:
    batch = batch_of()
    batch.buffers.control[1, column] = number
    with pytest.raises(ValueError, match="of a game must lie between"):
        batch.check()


def test_games_and_boards_outside_the_arrays_are_refused() -> None:
    batch = batch_of()
    with pytest.raises(IndexError, match="the board of a game"):
        place_games(batch.board, pw.PLANETWARS, [100], [0], 10)
    with pytest.raises(ValueError, match=r"codes of the bots must be integers of shape \(3, 2\)"):
        play_on(batch.state, batch.board, np.ones((2, 2), np.int64), 5)


def test_garbage_for_a_position_is_a_value_error() -> None:
    game = pw.Game(pw.load_graph("rings"))
    for turn in range(9):
        game.play([pw.Move(1, 2, 1)] if turn % 2 == 0 else [])
    state = game.to_dict()
    assert pw.Game.from_dict(game.graph, state).to_dict() == state
    rng, refused = np.random.default_rng(0), 0
    values = [-1, 2**31, 2**70, 1.5, np.nan, None, "1", [], {}, True]
    for _ in range(400):
        wild = copy.deepcopy(state)
        key = ("turn", "winner", "planets", "shuttles")[rng.integers(4)]
        if isinstance(wild[key], list) and rng.random() < 0.8:
            row = wild[key][rng.integers(len(wild[key]))]
            row[rng.integers(len(row))] = values[rng.integers(len(values))]
        else:
            wild[key] = values[rng.integers(len(values))]
        try:
            pw.Game.from_dict(game.graph, wild).advance()
        except ValueError:
            refused += 1
    assert refused > 250
    crowd = {**state, "shuttles": [[*state["shuttles"][0][:3], 2**15, state["shuttles"][0][4]]] * 2**17}
    with pytest.raises(ValueError, match="the people of shuttles that are one"):
        pw.Game.from_dict(game.graph, crowd)


# --- names and what players state about themselves ---------------------------------------------------------------


class ByMethods:
    """A strategy that answers by methods and properties."""

    @property
    def name(self):
        return "by a property"

    def compete(self):
        return False

    def take_turn(self, view):
        return []


class Unnamed:
    def take_turn(self, view):
        return []


class Odd(Unnamed):
    name = 3
    compete = "no"


def test_name_and_compete_may_be_methods_and_properties() -> None:
    for player in (ByMethods, ByMethods()):
        assert player_name(player) == "by a property" and player_competes(player) is False
    assert player_name(Unnamed) == player_name(Unnamed()) == "Unnamed" and player_competes(Unnamed) is True
    assert player_name(lambda: ByMethods()) == "<lambda>"
    assert resolve_player(ByMethods).name == "by a property"
    assert pw.play_match(ByMethods, ByMethods(), "rings", max_turns=4).players == ("by a property",) * 2
    with pytest.raises(ValueError, match="the name of Odd must be a text, not 3"):
        player_name(Odd)
    with pytest.raises(ValueError, match="compete of Odd must be True or False, not 'no'"):
        player_competes(Odd)


def test_an_isolated_strategy_is_asked_by_its_methods(tmp_path) -> None:
    path = tmp_path / "asked.py"
    path.write_text(
        "class Asked:\n    def name(self):\n        return 'asked'\n    def compete(self):\n        return False\n"
        "    def take_turn(self, view):\n        return []\n"
    )
    with Isolated(str(path)) as strategy:
        assert strategy.compete is False and strategy.name == "asked"


def test_a_module_that_is_edited_has_another_fingerprint(tmp_path, monkeypatch) -> None:
    package = tmp_path / "border_strategies"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('nobody may run this here')")
    file = package / "one.py"
    file.write_text("class One: pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    before = fingerprint_player(contestant_of("border_strategies.one:One"))
    assert fingerprint_player(contestant_of("border_strategies.one:Two")) != before
    file.write_text("class One: a = 1\n")
    after = fingerprint_player(contestant_of("border_strategies.one:One"))
    assert before != after


@pytest.mark.parametrize("name", ["AI1", "Ai1", "PLANNER", "Graph-PlanetWars"])
def test_players_are_known_in_any_case(name: str, tmp_path, monkeypatch) -> None:
    assert resolve_player(name).name == contestant_of(name).name == name.lower()
    assert contestant_of(name).spec == contestant_of(name.lower()).spec
    monkeypatch.chdir(tmp_path)
    (tmp_path / name.swapcase()).mkdir()
    assert agent_folder(name.swapcase()) == pathlib.Path(name.swapcase())  # a folder of that name comes first


def test_rules_limits_pools_and_modes_are_known_in_any_case() -> None:
    assert len(pw.load_pool("TEST")) == 100 and pw.load_graph("Test/3").name == "test/3"
    assert pw.load_graph("RINGS").name == "rings"
    env = pw.PlanetWarsEnv(rules="space_explorers", limits="large", graphs="FAIR")
    assert env.action_space.shape == (pw.LARGE.planets,) and len(env.graphs) == 100
    for text in ("NEXT_STEP", "next_step", "NextStep", AutoresetMode.NEXT_STEP):
        assert PlanetWarsVectorEnv(1, autoreset_mode=text).metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"limits": "LARG"}, "unknown limits 'LARG'.*'CLASSIC', 'LARGE'; did you mean 'LARGE'"),
        ({"limits": (60, 120)}, "unknown limits"),
        ({"autoreset_mode": "SAMESTEPS"}, "unknown autoreset_mode 'SAMESTEPS'.*did you mean 'SAME_STEP'"),
        ({"autoreset_mode": 1}, "unknown autoreset_mode 1"),
        ({"rules": "planetwar"}, "unknown rules 'planetwar'.*did you mean 'PLANETWARS'"),
    ],
)
def test_a_misspelt_name_is_answered_with_the_closest(arguments, said) -> None:
    with pytest.raises(ValueError, match=said):
        PlanetWarsVectorEnv(1, **arguments)


# --- copies and pickles ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("graphs", ["train", "large", "rings"])
def test_copies_share_the_boards_and_pickles_name_the_pool(graphs: str) -> None:
    env = pw.PlanetWarsEnv(opponent="ai2", graphs=graphs, limits=pw.LARGE)
    env.reset(seed=1)
    twin, thawed = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    for array, other in zip(env._batch.board, twin._batch.board, strict=True):
        assert array is other and not other.flags.writeable
    assert twin.graphs is env.graphs and list(thawed.graphs) == list(env.graphs)
    assert [graph.name for graph in thawed.graphs] == [graph.name for graph in env.graphs]
    assert len(pickle.dumps(env)) < 150_000  # 2.5 MB with the boards of the pool
    for action in (np.arange(60) % 5, np.ones(60, int)):
        seen = [one.step(action)[0] for one in (env, twin, thawed)]
        for other in seen[1:]:
            assert all(np.array_equal(seen[0][key], part) for key, part in other.items())
