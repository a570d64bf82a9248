"""The single environment: what Gymnasium demands, how games begin and end, rewards."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import FlattenObservation, RecordEpisodeStatistics, TimeLimit

import planetwars_env as pw
from planetwars_env.codec.layout import VISIBLE
from planetwars_env.envs.single import PlanetWarsEnv
from support.arrays import assert_same
from support.environments import both_actions, both_observations, every_form, every_id, make, make_form, wait
from support.opponents import Rusher
from support.short_games import RUSH_ORDER, RUSH_TURN, TWO_PLANETS, soon_lost

no_bounds_on_people = pytest.mark.filterwarnings("ignore:.*A Box observation space m.* value is -?infinity")


def rush(actions: str) -> Any:
    return np.array(RUSH_TURN) if actions == "turn" else RUSH_ORDER


# --- Gymnasium's rules -------------------------------------------------------------------------------------------


@no_bounds_on_people
@pytest.mark.parametrize("render_mode", [None, "ansi"])
@every_id
@both_actions
@both_observations
def test_gymnasiums_checker_passes(name: str, actions: str, observation: str, render_mode: str | None) -> None:
    module = "" if render_mode else "planetwars_env:"  # an id is found with its module before it, too
    env: Any = gymnasium.make(f"{module}{name}", actions=actions, observation=observation, render_mode=render_mode)
    check_env(env.unwrapped)
    assert env.unwrapped.spec.max_episode_steps is None


@no_bounds_on_people
@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
@every_form
def test_gymnasiums_checker_passes_with_every_form_of_observations(form: str) -> None:
    env = make_form(form, graphs="validation", opponent="ai3", disable_env_checker=True)
    check_env(env, skip_render_check=True)
    assert env.get_wrapper_attr("action_masks")().shape == (21 * 118,)


def test_seeds_draw_board_player_and_opponent() -> None:
    env = make(graphs="validation", opponent=["noop", "random"])
    drawn = []
    for seed in range(60):
        env.reset(seed=seed)
        drawn.append((env.game.graph.name, env.player))
    assert {player for _, player in drawn} == {1, 2}
    assert len({name for name, _ in drawn}) > 25
    env.reset()
    following = env.game.graph.name, env.player, env.reset()[1]
    env.reset(seed=59)
    env.reset()
    assert following == (env.game.graph.name, env.player, env.reset()[1])


def test_usual_wrappers_work() -> None:
    env: Any = RecordEpisodeStatistics(TimeLimit(FlattenObservation(make(observation="flat")), 5))
    env.reset(seed=0)
    for _ in range(5):
        *_, truncated, info = env.step(env.action_space.sample())
    assert truncated and info["episode"]["l"] == 5
    flattened = FlattenObservation(make())
    assert flattened.reset(seed=0)[0] in flattened.observation_space


def test_text_shows_what_the_agent_sees() -> None:
    env = make(render_mode="ansi", graphs="line", player=2)
    env.reset(seed=0)
    text = env.render()
    assert "player 2 to move" in text and text.count("?") == 3 * 4
    env.close()
    env.close()  # closing twice is safe
    with pytest.raises(ValueError, match=r"render_mode 'crayon'.*ansi"):
        PlanetWarsEnv(render_mode="crayon")
    assert make().render() is None


# --- spaces ------------------------------------------------------------------------------------------------------


def test_spaces_have_the_documented_shapes() -> None:
    env = make()
    shapes = {key: space.shape for key, space in env.observation_space.spaces.items()}
    documented = {"planets": (21, 27), "edges": (72, 4), "edge_index": (72, 2), "clock": (2,), "action_mask": (2478,)}
    assert shapes == documented
    assert env.action_space.nvec.tolist() == [118] * 21
    assert make(actions="order").action_space.n == 1 + 72 * 9
    assert make(observation="flat").observation_space.shape == (21 * 27 + 72 * 4 + 2,)


@pytest.mark.parametrize("observation", ["tensors", "flat", "derived"])
@both_actions
def test_the_rest_of_the_observation_stays_as_it_is_and_the_state_is_the_game(observation: str, actions: str) -> None:
    arguments = {"opponent": "ai3", "graphs": "fair", "observation": observation, "actions": actions, "max_turns": 40}
    plain, env = make(**arguments), make(privileged=True, **arguments)
    (seen, _), (shown, _) = plain.reset(seed=4), env.reset(seed=4)
    env.action_space.seed(1)
    hidden = 0
    for _ in range(60):
        assert env.observation_space.contains(shown)
        state = shown.pop("state")
        assert_same(seen, shown if observation != "flat" else shown["observation"])
        planets = state["planets"] if observation != "flat" else state[: 21 * 27].reshape(27, 21).T
        people = np.array(env.game.people())
        me = env.player - 1
        assert planets[: len(people), 7] == pytest.approx(people[:, me] * 0.01)
        assert planets[: len(people), 8] == pytest.approx(people[:, 1 - me] * 0.01)
        assert (planets[: len(people), VISIBLE] == 1).all() and not planets[len(people) :].any()
        if observation != "flat":
            hidden += int((seen["planets"][:, VISIBLE] < planets[:, VISIBLE]).sum())
        action = env.action_space.sample(mask=env.sample_mask())
        seen, *_, ended, cut, _ = plain.step(action)
        shown = env.step(action)[0]
        if ended or cut:
            (seen, _), (shown, _) = plain.reset(), env.reset()
    assert hidden or observation == "flat"


# --- how turns end -----------------------------------------------------------------------------------------------


def test_an_order_leaves_the_turn_to_the_same_player_until_zero_ends_it() -> None:
    env = make(actions="order", graphs="k4", opponent="noop", player=1, limits=pw.Limits(4, 6, 3, 8))
    observation, _ = env.reset(seed=0)
    assert observation["clock"].tolist() == pytest.approx([2 / 500, 0])
    observation, _, _, _, info = env.step(1)
    assert (env.game.turn, info["turn"]) == (1, 1)
    assert observation["clock"].tolist() == pytest.approx([2 / 500, 1 / 8])
    observation, *_ = env.step(0)
    assert env.game.turn == 3 and observation["clock"].tolist() == pytest.approx([4 / 500, 0])


@pytest.mark.parametrize("max_orders", [1, 2, 3])
@pytest.mark.parametrize("order", [1, 288, 500])
def test_the_last_order_allowed_ends_the_turn_legal_or_not(max_orders: int, order: int) -> None:
    env = make(actions="order", graphs="k4", opponent="noop", player=1, max_orders=max_orders)
    env.reset(seed=0)
    turns = []
    for _ in range(2 * max_orders):
        turns.append(env.step(order)[4]["turn"])
    assert turns == [1] * (max_orders - 1) + [3] * max_orders + [5]


def test_orders_of_one_turn_are_taken_from_what_the_earlier_ones_left() -> None:
    env = make(actions="order", graphs="duel", opponent="noop", player=1)
    env.reset(seed=0)
    assert env.game.people()[0] == (2, 0)
    observation, *_ = env.step(5)  # half of two
    assert env.game.people()[0] == (1, 0) and observation["action_mask"][1:19].tolist() == [1] * 9 + [0] * 9
    observation, *_ = env.step(9)  # the whole of the one who is left: nobody lives there and no order is legal any more
    assert env.game.people()[0] == (0, 0) and observation["action_mask"].tolist() == [1] + [0] * 648


def test_the_reward_comes_with_the_order_that_ends_the_turn() -> None:
    env = make(actions="order", graphs=soon_lost(), opponent="noop", player=1)
    env.reset(seed=0)
    assert env.step(RUSH_ORDER)[1:4] == (0, False, False)
    assert env.step(0)[1:4] == (1, True, False)


# --- how games end -----------------------------------------------------------------------------------------------


@both_actions
def test_player_1_wins_before_player_2_ever_moves(actions: str) -> None:
    env = make(
        graphs=soon_lost(), opponent="noop", player=1, actions=actions, max_orders=1, limits=pw.Limits(**TWO_PLANETS)
    )
    env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(rush(actions))
    assert (reward, terminated, truncated) == (1, True, False)
    assert info == {
        "turn": 2, "winner": 1, "my_planets": 1, "opponent_planets": 0, "my_people": 1, "opponent_people": 0, "player": 1,
        "won": 1, "opponent": "noop", "graph": 0, "graph_name": "doomed", "is_success": True,
    }  # fmt: skip
    assert observation["action_mask"].sum() == (2 if actions == "turn" else 1)


@both_actions
@pytest.mark.parametrize("opponent", [Rusher, "random"])
def test_player_2_is_shown_a_game_that_was_over_before_it_moved(actions: str, opponent: Any) -> None:
    env = make(graphs=soon_lost(), opponent=opponent, player=2, actions=actions)
    seed = next(seed for seed in range(100) if env.reset(seed=seed) and env.game.over)
    observation, info = env.reset(seed=seed)
    assert info["winner"] == 1 and info["turn"] == 2
    waiting = env.action_masks().reshape(21, -1)[:, 1:] if actions == "turn" else env.action_masks()[1:]
    assert not waiting.any() and env.action_masks().sum() == (21 if actions == "turn" else 1)
    env.action_space.seed(0)
    again, reward, terminated, truncated, info = env.step(env.action_space.sample())
    assert (reward, terminated, truncated) == (-1, True, False)
    assert all(np.array_equal(observation[key], again[key]) for key in observation)
    assert info["my_planets"] == 0


@every_id
@both_actions
@pytest.mark.parametrize("player", [1, 2])
@pytest.mark.parametrize("max_turns", [1, 2, 3, None])
def test_the_turn_limit_ends_a_game(name: str, actions: str, player: int, max_turns: int | None) -> None:
    """It cuts battles off; SpaceExplorers counts the people. Where player 2 never moves, `reset` shows that all is over."""
    env = make(name, graphs="rings", opponent="noop", player=player, actions=actions, max_turns=max_turns)
    env.reset(seed=0)
    last = max_turns or {"PlanetWars-v0": 500, "PlanetWarsHalfStep-v0": 1000, "SpaceExplorers-v0": 100}[name]
    moves = max(1, (last + 2 - player) // 2)
    for step in range(1, moves + 1):
        assert env.game.over == (last < player)
        _, reward, terminated, truncated, info = env.step(wait(env))
        explorers = name.startswith("SpaceExplorers")
        assert (terminated, truncated) == (explorers and step == moves, not explorers and step == moves)
    assert (reward, info["turn"], info["winner"]) == (0, last, 0)  # rings is symmetric, so nobody is ahead
    assert info["is_success"] is False and env.game.cut_off == truncated


@every_id
def test_info_tells_the_true_state(name: str) -> None:
    env = make(name, graphs="validation", opponent="random")
    env.action_space.seed(1)
    _, info = env.reset(seed=1)
    for _ in range(30):
        game, me = env.game, env.player
        state = game.to_dict()
        people = {who: sum(row[1 + who] for row in state["planets"]) for who in (1, 2)}
        flying = {who: sum(row[3] for row in state["shuttles"] if row[2] == who) for who in (1, 2)}
        planets = {who: sum(row[1] == who for row in state["planets"]) for who in (1, 2)}
        assert info == {
            "turn": game.turn,
            "winner": game.winner,
            "my_planets": planets[me],
            "opponent_planets": planets[3 - me],
            "my_people": people[me] + flying[me],
            "opponent_people": people[3 - me] + flying[3 - me],
            "player": me,
            "won": 0,
            "opponent": "random",
            "graph": env.graphs.index(game.graph),
            "graph_name": game.graph.name,
        }
        *_, terminated, truncated, info = env.step(env.action_space.sample())
        assert all(type(value) in (int, str, bool) for value in info.values())
        if terminated or truncated:
            assert info["won"] == (0 if not game.winner else 1 if game.winner == me else -1)
            _, info = env.reset()


# --- rewards -----------------------------------------------------------------------------------------------------


def potential_of(info: dict[str, int]) -> float:
    people = (info["my_people"] - info["opponent_people"]) / max(1, info["my_people"] + info["opponent_people"])
    planets = (info["my_planets"] - info["opponent_planets"]) / max(1, info["my_planets"] + info["opponent_planets"])
    return (people + planets) / 2


@both_actions
@pytest.mark.parametrize(("name", "max_turns"), [("PlanetWars-v0", 21), ("SpaceExplorers-v0", 21)])
def test_discounted_shaping_adds_up_to_the_potential_at_the_ends(name: str, max_turns: int, actions: str) -> None:
    """The sum telescopes to gamma^T phi(last) - phi(first), with phi(last) = 0 where the game has terminated."""
    gamma, scale = 0.9, 2.0
    arguments = {"graphs": "fair", "opponent": "random", "actions": actions, "max_orders": 3}
    env = make(name, reward=pw.Shaped(gamma, scale), max_turns=max_turns, **arguments)
    env.action_space.seed(4)
    for seed in range(10):
        _, info = env.reset(seed=seed)
        first, total, discount, done = scale * potential_of(info), 0.0, 1.0, False
        while not done:
            _, reward, terminated, truncated, info = env.step(env.action_space.sample(mask=env.sample_mask()))
            won = 0 if truncated or not (terminated and info["winner"]) else 1 if info["winner"] == env.player else -1
            total += discount * (reward - won)
            discount *= gamma
            done = terminated or truncated
        last = 0.0 if terminated else scale * potential_of(info)
        assert total == pytest.approx(discount * last - first)


def test_any_function_of_the_transition_may_be_the_reward() -> None:
    def planets_gained(transition: pw.Transition) -> Any:
        assert transition.won.shape == transition.terminated.shape == (1,) and transition.terminated.dtype == bool
        return transition.after.my_planets - transition.before.my_planets

    env = make(graphs="line", opponent="noop", player=1, reward=planets_gained)
    env.reset(seed=0)
    half = np.zeros(21, np.int64)
    half[0] = 2
    assert [env.step(action)[1] for action in (half, wait(env), wait(env))] == [1, 0, 0]
    assert type(env.step(wait(env))[1]) is float


@pytest.mark.parametrize("gamma", [-0.1, 1.1, float("nan")])
def test_a_discount_outside_0_to_1_is_refused(gamma: float) -> None:
    with pytest.raises(ValueError, match="gamma must lie between 0 and 1"):
        pw.Shaped(gamma)
