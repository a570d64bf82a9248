"""Agents by their folder, wherever a name is taken: loading, environments, matches, tournaments."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import planetwars_env as pw
from planetwars_env.arena.contestants import contestant_of
from planetwars_env.arena.ledger import Ledger
from planetwars_env.arena.tournament import Plan, run_tournament
from planetwars_env.bots.strategy import BatchPolicy
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


def test_an_agent_is_loaded_by_its_folder(folder: Path) -> None:
    for name in (folder, str(folder)):
        agent: Any = pw.load_strategy(name)
        assert isinstance(agent, BatchPolicy)
        assert agent.name == "newborn"


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


def test_an_agent_takes_part_in_a_tournament(folder: Path, tmp_path: Path) -> None:
    contestants = [contestant_of(str(folder)), contestant_of("noop")]
    assert contestants[0].label == "newborn"
    with Ledger(tmp_path / "games.sqlite") as ledger:
        run_tournament(Plan(contestants, [pw.load_graph("rings")], pw.PLANETWARS, 2, 20), ledger, jobs=1)
        assert {(row.first, row.second) for row in ledger.rows()} == {("newborn", "noop"), ("noop", "newborn")}


def test_other_weights_are_another_contestant(folder: Path, tmp_path: Path) -> None:
    config = TrainConfig.from_dict(SMALL)
    weights = {name: part + 1 for name, part in load_agent(folder).network.state_dict().items()}
    save_agent(tmp_path, config, weights, {})
    assert contestant_of(str(folder)).print == contestant_of(str(folder)).print != contestant_of(str(tmp_path)).print


def test_a_folder_without_an_agent_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"no agent in {tmp_path}"):
        pw.load_strategy(tmp_path)


def test_where_torch_is_missing_the_pip_line_is_told(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['torch'] = None; import planetwars_env as pw; "
        f"pw.load_strategy('ai3'); pw.load_strategy({str(tmp_path)!r})"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert answer.stderr.strip().splitlines()[-1] == (
        f"ImportError: the agent in {tmp_path} needs torch, which is not installed: "
        'pip install "planetwars-env[agents]"'
    )
