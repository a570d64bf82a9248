"""The PettingZoo environments: PettingZoo's own checkers, and agreement with games that are played without them."""

import copy
import importlib
import pickle
import re
import sys
import warnings
from functools import partial
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, parallel_seed_test, render_test, seed_test

import planetwars_env as pw
from planetwars_env.envs import pettingzoo as module
from planetwars_env.envs.registration import RULES_OF_IDS
from planetwars_env.shipped import pip_line
from support.arrays import assert_same
from support.environments import both_actions, both_observations, every_id
from support.short_games import RUSH_ORDER, RUSH_TURN, TWO_PLANETS, soon_lost

# What the checkers say about every environment with a mask, with whole turns, and when they try an option of their own.
EXPECTED = "Observation is not a NumPy array|(Observation|Action) space for each agent probably|unknown options"


def choose(env: Any, rng: np.random.Generator) -> Any:
    """A legal action of the agent to move; now and then any other, or one that ends an order's turn."""
    agent = env.agent_selection
    mask, space = env.action_mask(agent), env.action_space(agent)
    if isinstance(space, spaces.Discrete):
        if (draw := rng.random()) < 0.3:
            return 0 if draw < 0.2 else int(rng.integers(space.n))
        return int(rng.choice(np.flatnonzero(mask)))
    if rng.random() < 0.2:
        return rng.integers(space.nvec)
    return (mask.reshape(len(space.nvec), -1) * rng.random((len(space.nvec), space.nvec[0]))).argmax(axis=1)


def waiting(env: Any) -> Any:
    space = env.action_space("player_1")
    return 0 if isinstance(space, spaces.Discrete) else np.zeros(space.shape, np.int64)


# --- PettingZoo's checkers ---------------------------------------------------------------------------------------


@every_id
@both_actions
@both_observations
def test_the_checkers_of_pettingzoo_pass(name: str, actions: str, observation: str) -> None:
    arguments: dict[str, Any] = {"rules": RULES_OF_IDS[name], "actions": actions, "observation": observation}
    make = partial(pw.pettingzoo_env, **arguments, max_turns=30)
    make_parallel = partial(pw.pettingzoo_parallel_env, **arguments, max_turns=30)
    interfaces = {key: partial(getattr(module, key), **arguments) for key in ("env", "parallel_env", "raw_env")}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=EXPECTED)
        api_test(make(), num_cycles=150)
        parallel_api_test(make_parallel(), num_cycles=150)
        seed_test(make, num_cycles=50)
        parallel_seed_test(make_parallel, num_cycles=50)
        max_cycles_test(SimpleNamespace(**interfaces))


def test_the_render_checker_passes_in_every_mode_and_pictures_show_both_sides() -> None:
    render_test(partial(pw.pettingzoo_env, graphs="duel"))
    env = pw.pettingzoo_env(graphs="rings", render_mode="ansi")
    env.reset(seed=0)
    assert "without fog" in env.render() and "player 1 to move" in env.render()
    env.close()
    env.close()


# --- the same game as without it ---------------------------------------------------------------------------------


@every_id
@both_actions
@pytest.mark.parametrize("max_turns", [1, 31])
def test_it_is_the_environment_in_which_one_agent_plays_both_sides(name: str, actions: str, max_turns: int) -> None:
    """Turn by turn, game after game: who is asked, what both see and may do, the true state, and who has won."""
    arguments: dict[str, Any] = {"graphs": "fair", "actions": actions, "max_turns": max_turns, "max_orders": 3}
    ours = pw.pettingzoo_env(rules=RULES_OF_IDS[name], observation="tensors", **arguments)
    theirs: Any = gymnasium.make(name, opponent="self", player=1, **arguments).unwrapped
    rng, ends = np.random.default_rng(1), 0
    ours.reset(seed=5)
    seen, info = theirs.reset(seed=5)
    for _ in range(250):
        agent, me = ours.agent_selection, theirs.player
        info.pop("rewards", None)  # PettingZoo has them in a place of its own
        del info["opponent"], info["graph_name"]  # PettingZoo's hold no names
        assert agent == f"player_{me}" and info.items() <= ours.infos[agent].items()
        assert_shown(ours, theirs, actions, seen)
        action = choose(ours, rng)
        ours.step(action)
        seen, reward, terminated, truncated, info = theirs.step(action)
        assert set(ours.terminations.values()) == {terminated} and set(ours.truncations.values()) == {truncated}
        if terminated or truncated:
            ends += 1
            assert (ours.rewards[f"player_{me}"], ours.rewards[f"player_{3 - me}"]) == (reward, -reward)
            assert [ours.rewards["player_1"], ours.rewards["player_2"]] == info["rewards"].tolist()
            assert_shown(ours, theirs, actions, seen)
            ours.reset()
            seen, info = theirs.reset()
    assert ends


def assert_shown(ours: Any, theirs: Any, actions: str, seen: dict[str, Any]) -> None:
    """Both agents are shown the position, whoever is to move; the other one may only wait."""
    assert ours.game.to_dict() == theirs.game.to_dict()
    other, _ = theirs.game.observe(3 - theirs.player, actions=actions, max_orders=3)
    for player, expected in ((theirs.player, {**seen}), (3 - theirs.player, other)):
        agent, mask = f"player_{player}", expected.pop("action_mask")
        shown = ours.observe(agent)
        assert_same(shown["observation"], expected)
        assert np.array_equal(ours.action_mask(agent), mask)
        in_place = shown["action_mask"] if actions == "order" else ours.infos[agent]["action_mask"]
        assert in_place.dtype == np.int8 and np.array_equal(in_place, mask)


@every_id
@both_actions
@pytest.mark.parametrize("player", [1, 2])
@pytest.mark.parametrize("reward", ["win", pw.Shaped(0.9), lambda t: t.after.my_people - 2 * t.before.opponent_planets])
def test_an_agent_earns_what_it_would_against_the_other_as_opponent(
    name: str, actions: str, player: int, reward: Any
) -> None:
    arguments: dict[str, Any] = {"graphs": "fair", "actions": actions, "observation": "flat"}
    arguments |= {"max_turns": 12, "reward": reward}
    ours = pw.pettingzoo_env(rules=RULES_OF_IDS[name], **arguments)
    theirs: Any = gymnasium.make(name, opponent="noop", player=player, **arguments).unwrapped
    ours.reset(seed=3)
    theirs.reset(seed=3)
    me, rng = f"player_{player}", np.random.default_rng(4)
    expected: tuple[Any, ...] | None = None
    for agent in ours.agent_iter():
        observation, earned, terminated, truncated, info = ours.last()
        if agent == me and expected is not None:
            seen, *numbers, told = expected
            assert told.pop("opponent") == "noop" and told.pop("graph_name") and "opponent" not in info
            assert [earned, terminated, truncated] == numbers
            assert told.items() <= info.items() and np.array_equal(observation["observation"], seen)
        if terminated or truncated:
            ours.step(None)
        elif agent != me:
            ours.step(waiting(ours))
        else:
            action = choose(ours, rng)
            ours.step(action)
            expected = theirs.step(action)
    assert expected is not None and (expected[2] or expected[3])


# --- turns and ends ----------------------------------------------------------------------------------------------


def test_an_agent_stays_selected_until_it_ends_its_turn_or_has_given_all_its_orders() -> None:
    env = pw.pettingzoo_env(max_orders=3)
    env.reset(seed=0)
    selected = []
    for action in (288, 288, 0, 288, 288, 288, 0, 0):  # 288 is illegal here, and counts all the same
        selected.append(env.agent_selection[-1])
        env.step(action)
    assert "".join(selected) == "11122212"
    assert env.infos["player_1"]["turn"] == 5 and not env.game.shuttles()


@both_actions
def test_an_agent_that_never_came_to_move_is_told_that_it_has_lost(actions: str) -> None:
    env = pw.pettingzoo_env(graphs=soon_lost(), actions=actions, max_orders=1, limits=pw.Limits(**TWO_PLANETS))
    env.reset(seed=0)
    env.step(RUSH_TURN if actions == "turn" else RUSH_ORDER)
    assert env.terminations == {"player_1": True, "player_2": True} and not any(env.truncations.values())
    assert env.rewards == {"player_1": 1, "player_2": -1}
    last = {}
    for agent in env.agent_iter():
        last[agent] = env.last()[1]
        with pytest.raises(ValueError, match="None"):
            env.step(waiting(env))
        env.step(None)
    assert last == {"player_1": 1, "player_2": -1} and env.agents == [] and env.infos == {}
    env.reset(seed=0)
    assert env.agents == ["player_1", "player_2"] and not any(env.terminations.values())


def test_a_step_in_parallel_is_the_action_of_whoever_is_to_move() -> None:
    par = pw.pettingzoo_parallel_env(graphs="rings", observation="tensors", actions="turn")
    aec = pw.pettingzoo_env(graphs="rings", observation="tensors", actions="turn")
    aec.reset(seed=1)
    observations, _ = par.reset(seed=1)
    assert par.metadata["is_parallelizable"] and set(observations) == {"player_1", "player_2"}
    rng, active = np.random.default_rng(2), "player_1"
    for _ in range(20):
        assert active == aec.agent_selection
        action = choose(aec, rng)
        aec.step(action)
        actions = {"player_1": 52 * np.ones(21), "player_2": 52 * np.ones(21), active: action}
        observations, rewards, *_, infos = par.step(actions)
        assert_same(observations, {agent: aec.observe(agent) for agent in aec.agents})
        assert rewards == aec.rewards
        active = infos["player_1"]["active_agent"]
    assert set(par.agents) == {"player_1", "player_2"}


# --- seeds, copies, spaces ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_as_its_original_would(copied: Any) -> None:
    env = pw.pettingzoo_env(graphs="rings", actions="turn").unwrapped
    env.reset(seed=1)
    play(env, 9)
    twin = copied(env)
    assert repr(play(env, 9)) == repr(play(twin, 9))


def play(env: Any, steps: int) -> list[Any]:
    rng, told = np.random.default_rng(1), []
    for _ in range(steps):
        told.append(copy.deepcopy(env.last()))
        env.step(choose(env, rng))
    return told


def test_whole_turns_are_sampled_by_the_flat_mask() -> None:
    env = pw.pettingzoo_env(actions="turn", graphs="rings")
    env.reset(seed=0)
    space, mask = env.action_space("player_1"), env.infos["player_1"]["action_mask"]
    space.seed(0)
    samples = [space.sample(mask) for _ in range(30)]
    assert all(mask.reshape(21, -1)[np.arange(21), sample].all() for sample in samples)
    assert len({sample.tobytes() for sample in samples}) > 1
    assert space.contains(samples[0]) and space.contains(space.sample())
    assert space == spaces.MultiDiscrete(space.nvec)


# --- what is wrong, and what would be right ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rules": "CHESS"}, "unknown rules 'CHESS': choose one of 'PLANETWARS'"),
        ({"render_mode": "film"}, "unknown render_mode 'film'"),
        ({"graphs": "large"}, "pass limits=pw.LARGE"),
    ],
)
def test_wrong_arguments_are_told(arguments: dict[str, Any], words: str) -> None:
    for make in (pw.pettingzoo_env, pw.pettingzoo_parallel_env):
        with pytest.raises(ValueError, match=words):
            make(**arguments)
        with pytest.raises(TypeError, match="opponent"):
            make(opponent="random")  # pyright: ignore[reportCallIssue]
    for make in (module.env, module.parallel_env):
        with pytest.raises(ValueError, match="pass one of them"):
            make(max_cycles=3, max_turns=3)


def test_wrong_options_and_agents_are_told() -> None:
    env = pw.pettingzoo_env(graphs=["duel", "k4"])
    with pytest.raises(ValueError, match="graph must be whole numbers from 0 to 1"):
        env.reset(options={"graph": 2})
    with pytest.warns(UserWarning, match=r"unknown options \['bord'\] are left aside: choose from graph"):
        env.reset(options={"bord": 1})
    env.reset(options={"graph": 1})
    assert env.game.graph.name == "k4"
    for ask in (env.observe, env.action_space, env.observation_space):
        with pytest.raises(ValueError, match="unknown agent 'player_3': choose one of player_1, player_2"):
            ask("player_3")


def test_a_missing_pettingzoo_is_answered_with_the_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "planetwars_env.envs.pettingzoo")
    with pytest.raises(ImportError, match=re.escape(pip_line("pettingzoo"))):
        importlib.import_module("planetwars_env.envs.pettingzoo")


@both_actions
@pytest.mark.parametrize("observation", ["tensors", "flat", "derived"])
def test_the_mask_may_stand_in_the_info_with_either_kind_of_actions(actions: str, observation: str) -> None:
    arguments: dict[str, Any] = {"graphs": "fair", "max_turns": 20, "actions": actions, "observation": observation}
    plain, usual = pw.pettingzoo_env(mask="info", **arguments), pw.pettingzoo_env(**arguments)
    plain.reset(seed=3)
    usual.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(40):
        for agent in plain.agents:
            seen = plain.observe(agent)
            assert_same(seen, usual.observe(agent)["observation"])
            assert plain.observation_space(agent).contains(seen)
            mask = plain.infos[agent]["action_mask"]
            assert mask.dtype == np.int8 and np.array_equal(mask, usual.unwrapped.action_mask(agent))
            assert plain.action_space(agent).contains(plain.action_space(agent).sample(mask))
        if not plain.agents or any(plain.terminations.values()) or any(plain.truncations.values()):
            break
        action = choose(usual, rng)
        plain.step(action)
        usual.step(action)
    with pytest.raises(ValueError, match="unknown mask 'infos': choose one of 'observation', 'info'"):
        pw.pettingzoo_env(mask="infos")


@both_actions
def test_a_plain_box_is_what_flatten_and_black_death_of_supersuit_need(actions: str) -> None:
    """They read a Box for every agent and answer zeros in its place; SuperSuit itself runs where it is installed."""
    par = pw.pettingzoo_parallel_env(mask="info", actions=actions, graphs="duel", max_turns=6)
    parallel_api_test(par, num_cycles=30)
    space = par.observation_space("player_1")
    assert isinstance(space, spaces.Box) and space.contains(np.zeros_like(par.reset(seed=0)[0]["player_1"]))
    supersuit = pytest.importorskip("supersuit")
    wrapped = supersuit.black_death_v3(supersuit.flatten_v0(par))
    parallel_api_test(wrapped, num_cycles=30)
    wrapped.reset(seed=0)
    for _ in range(200):
        observations, rewards, *_ = wrapped.step(
            {agent: wrapped.action_space(agent).sample() for agent in module.AGENTS}
        )
        assert set(observations) == set(rewards) == set(module.AGENTS)
        assert all(wrapped.observation_space(agent).contains(seen) for agent, seen in observations.items())
        if not wrapped.agents:
            break
    assert not wrapped.agents
    api_test(supersuit.flatten_v0(pw.pettingzoo_env(mask="info", actions=actions, graphs="duel", max_turns=6)))


@both_actions
def test_the_state_is_the_position_without_fog(actions: str) -> None:
    """The same in both forms, whoever is observed, with the player to move at its end."""
    arguments: dict[str, Any] = {"graphs": "fair", "actions": actions, "max_turns": 30}
    env, par = pw.pettingzoo_env(**arguments), pw.pettingzoo_parallel_env(**arguments)
    env.reset(seed=1)
    par.reset(seed=1)
    assert np.array_equal(env.state(), par.state()) and par.state_space == env.state_space  # pyright: ignore[reportAttributeAccessIssue]
    rng = np.random.default_rng(0)
    for _ in range(30):
        state, people = env.state(), np.array(env.game.people())
        assert env.state_space.contains(state) and (state[-1] == 1) == (env.agent_selection == "player_1")
        planets = state[: 21 * 27].reshape(27, 21)
        assert planets[7:9, : len(people)] == pytest.approx(people.T * 0.01)
        assert planets[1].sum() == len(people)
        env.step(choose(env, rng))
        if any(env.terminations.values()) or any(env.truncations.values()):
            break
