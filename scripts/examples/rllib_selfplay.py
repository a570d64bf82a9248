"""Ray RLlib: masked PPO by self-play, two policies and a league of frozen copies, on one box or a cluster. Try --help."""

import os
from collections import deque
from pathlib import Path
from typing import Annotated, Any
from zlib import crc32

import numpy as np
import typer
from exam import GAMMA, REWARD, Choose, Graphs, Progress, examine, need, task_on

need("rllib", "torch", "pettingzoo", "ray", "tree", "ormsgpack")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else Ray warns at every start
os.environ.setdefault("RAY_TRAIN_ENABLE_V2_MIGRATION_WARNINGS", "0")

import ray
import torch
from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

import planetwars_env as pw

AGENTS = ("player_1", "player_2")
LEARNERS = ("first", "second")
CHANCE, PLACES = "untrained", ("frozen_1", "frozen_2", "frozen_3")
LEAGUE = (CHANCE, *PLACES)
"""Opponents of learners besides each other: a policy that stays as it began, and copies, which are untrained at first."""
PROMOTION, WINDOW = 0.7, 100
"""A learner is copied into the league once it won this share of its last games there, all of them since its last copy."""


class Duel(MultiAgentEnv):
    """The PettingZoo environment for RLlib: only whoever is to move is shown anything, with its mask as float32."""

    def __init__(self, config: Any = None) -> None:
        super().__init__()
        self._env = pw.pettingzoo_env(actions="turn", reward=REWARD, **dict(config or {})).unwrapped
        seen, action = self._env.observation_space(AGENTS[0])["observation"], self._env.action_space(AGENTS[0])
        masks = spaces.Box(0.0, 1.0, (int(action.nvec.sum()),), np.float32)
        self.possible_agents = self.agents = list(AGENTS)
        self.observation_spaces = {agent: spaces.Dict({"observations": seen, "action_mask": masks}) for agent in AGENTS}
        self.action_spaces = dict.fromkeys(AGENTS, spaces.MultiDiscrete(action.nvec))

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[dict, dict]:
        """A new game: player_1's observation."""
        self._env.reset(seed=seed)
        return self._seen(self._env.agent_selection), {}

    def step(self, action_dict: dict[str, Any]) -> tuple[dict, dict, dict, dict, dict]:
        """The turn of the agent to move; at the end both are shown the position and paid."""
        env = self._env
        env.step(action_dict[env.agent_selection])
        over, cut = env.terminations[AGENTS[0]], env.truncations[AGENTS[0]]
        shown = AGENTS if over or cut else (env.agent_selection,)
        infos = {agent: env.infos[agent] for agent in shown}
        rewards = {agent: env.rewards[agent] for agent in shown}
        return self._seen(*shown), rewards, {"__all__": over}, {"__all__": cut}, infos

    def _seen(self, *agents: str) -> dict[str, Any]:
        env = self._env
        return {
            agent: {
                "observations": env.observe(agent)["observation"],
                "action_mask": env.action_mask(agent).astype(np.float32),
            }
            for agent in agents
        }


def match(agent_id: str, episode: Any, **_: Any) -> str:
    """The policy of an agent, drawn from the game's id: a learner on either side, against the other or one of the league."""
    rng = np.random.default_rng(crc32(str(episode.id_).encode()))
    learner, other = rng.permutation(LEARNERS)
    players = rng.permutation([learner, rng.choice([*LEAGUE, other])])
    return str(players[AGENTS.index(agent_id)])


class Standings(RLlibCallback):
    """Notes, in the env runners, whether learners win against the league."""

    def on_episode_end(self, *, episode: Any, metrics_logger: Any, **_: Any) -> None:
        """A game has ended: note who won, where a learner met the league."""
        policies = {agent: episode.module_for(agent) for agent in AGENTS}
        for agent, opponent in (AGENTS, AGENTS[::-1]):
            if policies[agent] in LEARNERS and policies[opponent] in LEAGUE:
                left = episode.agent_episodes[agent].get_infos(-1)["opponent_planets"]
                metrics_logger.log_value(f"won_{policies[agent]}", left == 0, reduce="item_series")


def configure(graphs: Graphs, runners: int, seed: int) -> PPOConfig:
    """Two learners and the league, all of one shape."""
    policies = (*LEARNERS, *LEAGUE)
    spec = RLModuleSpec(
        ActionMaskingTorchRLModule, model_config=DefaultModelConfig(fcnet_hiddens=[64], vf_share_layers=False)
    )
    return (
        PPOConfig()
        .environment(Duel, env_config=task_on(graphs))
        .env_runners(num_env_runners=runners, num_envs_per_env_runner=16, sample_timeout_s=None)  # late is not lost
        .multi_agent(policies=set(policies), policy_mapping_fn=match, policies_to_train=list(LEARNERS))
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=dict.fromkeys(policies, spec)))
        .training(
            gamma=GAMMA,
            lambda_=0.95,
            lr=3e-3,
            train_batch_size_per_learner=4096,
            minibatch_size=512,
            num_epochs=4,
            clip_param=0.2,
            use_kl_loss=False,
            entropy_coeff=0.01,
            vf_loss_coeff=0.5,
            vf_clip_param=10.0,
            grad_clip=0.5,
        )
        .callbacks(Standings)
        .debugging(seed=seed, log_level="ERROR")
    )


class League:
    """The policy to copy and the place of the copy: places are filled in turn."""

    def __init__(self) -> None:
        self.copies = 0
        self._won = {learner: deque[bool](maxlen=WINDOW) for learner in LEARNERS}

    def note(self, played: dict[str, Any]) -> None:
        """Games against the league that ended."""
        for learner, won in self._won.items():
            won.extend(played.get(f"won_{learner}", ()))

    def promote(self, algorithm: Any) -> None:
        """Copy every learner that has earned it; what it won before counts no more."""
        for learner, won in self._won.items():
            if len(won) == WINDOW and np.mean(won) >= PROMOTION:
                place = PLACES[self.copies % len(PLACES)]
                weights = algorithm.learner_group.get_weights([learner])[learner]
                algorithm.set_state({"learner_group": {"learner": {"rl_module": {place: weights}}}})
                self.copies += 1
                won.clear()

    def __str__(self) -> str:
        shares = (f"{learner} won {np.mean(won):.0%}" for learner, won in self._won.items() if won)
        return f"; of its last games in the league {', '.join(shares)}; {self.copies} copies so far"


def main(
    steps: Annotated[int, typer.Option(min=1, help="Turns of both players.")] = 40_000,
    seed: Annotated[int, typer.Option(help="Of weights and choices.")] = 0,
    graphs: Annotated[Graphs, typer.Option(help="Learned and examined on.")] = Graphs.K4,
    games: Annotated[int, typer.Option(min=1, help="Held-out games of the exam.")] = 200,
    runners: Annotated[int, typer.Option(min=0, help="Worker processes that play; 0: this process does.")] = 2,
    address: Annotated[
        str | None, typer.Option(help='A running Ray: "auto" or "host:6379"; default: one of its own.')
    ] = None,
) -> None:
    """Train two policies by self-play, then measure the first; exit status 1 if it is not clearly better than chance.

    \b
    Examples:
      python scripts/examples/rllib_selfplay.py
      python scripts/examples/rllib_selfplay.py --runners 8 --steps 2000000
      ray start --head                                     # on one machine of a cluster; the others: --address=HEAD:6379
      python scripts/examples/rllib_selfplay.py --address auto --runners 32
    """
    torch.set_num_threads(1)
    connect(address, runners)
    algorithm = configure(graphs, runners, seed).build_algo()
    league, progress, done = League(), Progress(), 0
    while done < steps:
        results = algorithm.train()
        played = results["env_runners"]
        done = int(played["num_env_steps_sampled_lifetime"])
        league.note(played)
        progress.tell(done, str(league))
        league.promote(algorithm)
    examine(player(algorithm.get_module(LEARNERS[0])), games, seed, task_on(graphs))
    algorithm.stop()
    ray.shutdown()


def connect(address: str | None, runners: int) -> None:
    """Start a Ray of one's own, or join the one at ``address``; end where there is none, or no CPU for every worker."""
    try:
        ray.init(
            address or "local",  # None would join whatever Ray was started here
            num_cpus=None if address else max(runners + 1, os.cpu_count() or 1),  # workers may share a core
            include_dashboard=None if address else False,
            log_to_driver=False,
            logging_level="ERROR",
            runtime_env={"env_vars": {"PYTHONPATH": str(Path(__file__).resolve().parent)}},
        )
    except ConnectionError:
        raise typer.BadParameter(f"no Ray answers at {address}: start one by 'ray start --head'") from None
    cpus = int(ray.cluster_resources().get("CPU", 0))
    if runners > cpus:  # Ray would wait for more machines
        raise typer.BadParameter(f"--runners {runners} needs as many CPUs, and the Ray at {address} has {cpus}")


def player(module: Any) -> Choose:
    """The policy as a function from observations and masks to actions, drawn from its probabilities."""
    sample = module.get_inference_action_dist_cls()

    @torch.no_grad()
    def choose(rows: np.ndarray, masks: np.ndarray) -> np.ndarray:
        seen = {"observations": torch.from_numpy(rows), "action_mask": torch.from_numpy(masks).float()}
        return sample.from_logits(module.forward_inference({"obs": seen})["action_dist_inputs"]).sample().numpy()

    return choose


if __name__ == "__main__":
    typer.run(main)
