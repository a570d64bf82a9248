"""Agents by their folder, wherever a name is taken: loading, environments, matches, tournaments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import pytest

import planetwars_env as pw
from planetwars_env.arena.contestants import contestant_of, fingerprint_player
from planetwars_env.learn.agent import Agent, load_agent, save_agent
from planetwars_env.learn.config import TrainConfig

SMALL = {"task": {"fractions": [0.5, 1.0]}, "network": {"width": 8, "rounds": 1}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An agent that has learned nothing."""
    folder = tmp_path_factory.mktemp("agents") / "newborn"
    folder.mkdir()
    config = TrainConfig.from_dict(SMALL)
    save_agent(folder, config, Agent("newborn", config).network.state_dict(), {})
    return folder


def test_an_agents_folder_is_an_opponent_and_a_player_like_the_agent_itself(folder: Path) -> None:
    replays = [pw.play_match(agent, "ai1", "rings", max_turns=30) for agent in (str(folder), load_agent(folder))]
    assert replays[0] == replays[1]
    assert replays[0].players == ("newborn", "ai1")
    rewards = []
    for opponent in (str(folder), load_agent(folder)):
        env = gymnasium.make("PlanetWars-v0", opponent=opponent, graphs="rings", player=2, max_turns=20)
        observation, _ = env.reset(seed=1)
        rewards.append([observation["planets"].tobytes(), *(env.step(env.action_space.sample() * 0)[1:3])])
    assert rewards[0] == rewards[1]


def test_other_weights_are_another_contestant(folder: Path, tmp_path: Path) -> None:
    config = TrainConfig.from_dict(SMALL)
    weights = {name: part + 1 for name, part in load_agent(folder).network.state_dict().items()}
    save_agent(tmp_path, config, weights, {})
    assert (
        fingerprint_player(contestant_of(str(folder)))
        == fingerprint_player(contestant_of(str(folder)))
        != fingerprint_player(contestant_of(str(tmp_path)))
    )


def test_a_folder_without_an_agent_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"no agent in {tmp_path}"):
        pw.load_player(tmp_path)


class Halfway:
    """Has act and nothing else of a policy."""

    def act(self, observation: dict[str, Any]) -> Any:
        return observation


def test_a_policy_that_lacks_something_is_told_what() -> None:
    message = r"policy 'Halfway' has act, but lacks limits, fractions, max_orders: derive its class from pw.Policy"
    with pytest.raises(ValueError, match=message):
        pw.evaluate(Halfway(), "random", graphs="duel", games=2)
    with pytest.raises(ValueError, match=message):
        pw.play_match(Halfway, "random", "duel")
    with pytest.raises(ValueError, match=message):
        pw.make("PlanetWars-v0", opponent=Halfway(), graphs="duel")


def test_what_does_not_play_is_told_what_a_player_is() -> None:
    with pytest.raises(ValueError, match=r"has neither take_turn\(view\) nor act\(observation\)"):
        pw.evaluate(object(), "random", graphs="duel", games=2)


def waits(view: Any) -> list[Any]:
    return []


def sleeps(seen: Any) -> list[Any]:
    return [pw.Move(planet.id, 0, 1) for planet in seen.owned_by(1)]


@pytest.mark.parametrize("function", [waits, sleeps])
def test_a_function_of_views_is_told_to_become_a_class(function: Any) -> None:
    with pytest.raises(ValueError, match=rf"{function.__name__} ?(\(view\) )?is a function of views.*class Mine"):
        pw.play_match(function, "noop", "duel")


@pytest.mark.parametrize(
    ("name", "bot"), [("RandomStrategy", "random"), ("AI3Strategy", "ai3"), ("ai1strategy", "ai1")]
)
def test_the_names_of_the_course_get_a_hint(name: str, bot: str) -> None:
    with pytest.raises(ValueError, match=f"of the course is called '{bot}' here"):
        pw.load_player(name)
