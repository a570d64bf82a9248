"""The examples for other tools (scripts/examples/): each learns, and says by its exit status whether it did.

Those of RLlib, TorchRL and Tianshou, and the checkers of these tools, run where the tools are installed: in .venv-old,
which `make test-all` sets up.
"""

import importlib
import importlib.util
import os
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import planetwars_env as pw
from support.paths import ROOT

FOLDER = ROOT / "scripts" / "examples"
EXAMPLES = sorted(path.name for path in FOLDER.glob("*.py") if path.name != "exam.py")
SEEDLESS = ("rounds.py", "textarena_two_players.py")
NEEDS = {
    "rllib_selfplay.py": ('"planetwars-env[rllib]"', "tree"),
    "torchrl_ppo.py": ('"planetwars-env[torchrl]"', "torchrl"),
    "tianshou_dqn.py": ('"planetwars-env[tianshou]"', "tianshou"),
    "pyg_ppo.py": ('"planetwars-env[pyg]"', "torch_geometric"),
    "textarena_two_players.py": ("textarena", "textarena"),
}
"""Names for pip by example, and a module that tells whether it is installed."""
LEARNING = [name for name in NEEDS if name not in SEEDLESS]
K4: dict[str, Any] = {"graphs": "k4", "limits": pw.Limits(4, 6, 3, 8), "fractions": (0.5, 1.0)}
SHARE = re.compile(r"(trained|chance): won (\d+) and drew \d+ of (\d+) held-out games against random")


def absent(name: str) -> bool:
    return name in NEEDS and importlib.util.find_spec(NEEDS[name][1]) is None


def needs(name: str) -> pytest.MarkDecorator:
    """Skips where the tool of an example is not installed, and says how to install it."""
    return pytest.mark.skipif(
        absent(name), reason=f"{NEEDS[name][1]} is not installed: pip install {NEEDS[name][0]}, see docs/tools.md"
    )


def run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(FOLDER / name), *arguments]
    environment = {**os.environ, "COLUMNS": "200"}
    return subprocess.run(command, capture_output=True, text=True, timeout=1500, env=environment)


def learned(name: str, *arguments: str) -> None:
    """It ends well, and the figures it prints bear that out. What it printed, and its CPU time, is shown by pytest -rP."""
    before = cpu_of_children()
    result = run(name, *arguments)
    print(name, *arguments, f"{cpu_of_children() - before:.0f} s of CPU time", result.stdout, sep="\n")
    assert result.returncode == 0, result.stdout + result.stderr
    shares = {who: int(wins) / int(games) for who, wins, games in SHARE.findall(result.stdout)}
    assert shares["trained"] > shares["chance"] + 0.05


def cpu_of_children() -> float:
    used = os.times()
    return used.children_user + used.children_system


@pytest.mark.slow
def test_a_league_outside_the_trainer_learns() -> None:
    learned("league.py", "--steps", "25000", "--copies", "2")


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("algorithm", ["ppo", "a2c", "dqn", "maskable-ppo", "recurrent-ppo"])
def test_every_algorithm_of_stable_baselines_learns(algorithm: str) -> None:
    learned("sb3.py", "--algorithm", algorithm)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", ["cleanrl_ppo.py", *(pytest.param(name, marks=needs(name)) for name in LEARNING)])
def test_an_example_learns_as_it_is(name: str) -> None:
    learned(name)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("sb3.py", "--network perceptron --steps 1 --games 20"),
        pytest.param("cleanrl_ppo.py", "--steps 1", marks=pytest.mark.slow),
        pytest.param("league.py", "--steps 1 --copies 1", marks=pytest.mark.slow),
    ],
)
def test_an_example_that_learned_nothing_says_so(name: str, arguments: str) -> None:
    result = run(name, *arguments.split())
    assert result.returncode == 1, result.stderr
    assert "Not clearly better than chance: train for more --steps." in result.stdout


@pytest.mark.slow
def test_a_graph_network_is_for_algorithms_that_take_masks() -> None:
    result = run("sb3.py", "--network", "graph", "--algorithm", "a2c")
    assert result.returncode == 2
    assert "choose --algorithm maskable-ppo" in result.stderr


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if absent(name) else pytest.mark.slow) for name in EXAMPLES]
)
def test_an_example_has_help_or_names_the_extra_that_is_missing(name: str) -> None:
    result = run(name, "--help")
    if absent(name):
        assert result.returncode == 1
        assert result.stderr.startswith("Error: ") and f"pip install {NEEDS[name][0]}" in result.stderr
    else:
        assert result.returncode == 0, result.stderr
        assert f"python scripts/examples/{name}" in result.stdout or name == "textarena_two_players.py"
        assert "--seed" in result.stdout or name in SEEDLESS


def test_the_page_on_tools_names_every_example() -> None:
    page = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    assert [name for name in EXAMPLES if f"python scripts/examples/{name}" not in page] == []


# --- the tools' own checkers -----------------------------------------------------------------------------------------


@needs("torchrl_ppo.py")
@pytest.mark.parametrize("actions", ["turn", "order"])
def test_the_checker_of_torchrl_passes(actions: str) -> None:
    """For one game and for the native vector environment, with TorchRL's masks where it has them."""
    import gymnasium
    from gymnasium.vector import AutoresetMode
    from torchrl.envs import ActionMask, GymWrapper, TransformedEnv, check_env_specs  # pyright: ignore

    from planetwars_env.envs.vector import PlanetWarsVectorEnv

    single = GymWrapper(gymnasium.make("PlanetWars-v0", actions=actions, **K4))
    check_env_specs(single)
    envs = PlanetWarsVectorEnv(4, actions=actions, autoreset_mode=AutoresetMode.DISABLED, **K4)
    many = GymWrapper(envs, categorical_action_encoding=True)
    check_env_specs(many)
    if actions == "order":
        masked = TransformedEnv(single, ActionMask())
        check_env_specs(masked)
        check_env_specs(TransformedEnv(many, ActionMask()))


@needs("torchrl_ppo.py")
def test_the_checker_of_torchrl_passes_for_two_agents() -> None:
    from torchrl.envs import PettingZooWrapper, check_env_specs  # pyright: ignore

    check_env_specs(PettingZooWrapper(pw.pettingzoo_env(**K4), use_mask=True))


@needs("tianshou_dqn.py")
def test_tianshou_plays_the_pettingzoo_environment() -> None:
    """Two players who choose among legal actions, through PettingZooEnv and its collector."""
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm  # pyright: ignore
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm  # pyright: ignore
    from tianshou.data import Collector, CollectStats  # pyright: ignore
    from tianshou.env import DummyVectorEnv, PettingZooEnv  # pyright: ignore

    env = PettingZooEnv(pw.pettingzoo_env(max_turns=60, **K4))
    seen, _ = env.reset(seed=0)
    assert seen["agent_id"] == "player_1" and len(seen["mask"]) == env.action_space.n
    players = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space) for _ in range(2)]
    both = MultiAgentOffPolicyAlgorithm(algorithms=players, env=env)
    envs = DummyVectorEnv([lambda: PettingZooEnv(pw.pettingzoo_env(max_turns=60, **K4))] * 2)
    stats = Collector[CollectStats](both, envs).collect(n_episode=4, reset_before_collect=True)
    assert stats.returns.shape == (4, 2) and np.isin(stats.returns, [-1, 0, 1]).all()


@needs("rllib_selfplay.py")
def test_rllib_takes_the_environment_of_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spaces fit what is shown, only the agent to move is shown anything, and both are told of the end."""
    from ray.rllib.utils.pre_checks.env import check_multiagent_environments  # pyright: ignore

    monkeypatch.syspath_prepend(str(FOLDER))
    example: Any = importlib.import_module("rllib_selfplay")
    env = example.Duel({**K4, "max_turns": 60})
    check_multiagent_environments(env)
    rng, (seen, _), over = np.random.default_rng(0), env.reset(seed=0), {"__all__": False}
    while not any(over.values()):
        ((agent, shown),) = seen.items()
        assert env.observation_spaces[agent].contains(shown)
        legal = shown["action_mask"].reshape(4, -1)
        action = (legal * rng.random(legal.shape)).argmax(1)
        seen, rewards, ended, cut, _ = env.step({agent: action})
        over = {"__all__": ended["__all__"] or cut["__all__"]}
        assert rewards.keys() == seen.keys()
    assert set(seen) == set(env.possible_agents)
