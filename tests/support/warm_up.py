"""Plays a step of everything that is compiled, so that the machine code is on disk before several workers ask for it."""

import gymnasium
import numpy as np

import planetwars_env as pw
from planetwars_env.arena.evaluation import evaluate
from planetwars_env.envs.arguments import EnvArguments
from planetwars_env.envs.registration import RULES_OF_IDS
from planetwars_env.learn.ppo import PPO
from planetwars_env.sim.setup import Autoreset
from scripts.verification.audit import AuditedBatch
from support.training_configs import tiny


def main() -> None:
    for name in RULES_OF_IDS:
        for actions in ("turn", "order"):
            env = gymnasium.make(name, actions=actions, opponent="ai1")
            env.reset(seed=0)
            env.step(env.action_space.sample())
            env.close()
    evaluate("random", ["ai1"], graphs="duel", games=2)
    for first, second in (("ai1", "ai2"), ("planner:80", "random")):
        pw.play_match(first, second, "duel", max_turns=4)
    audited = AuditedBatch(2, EnvArguments("PLANETWARS", ["random"], "duel").setup(Autoreset.NEXT_STEP), seed=0)
    audited.reset()
    audited.step(audited.legal(np.random.default_rng(0)))
    PPO(tiny(learner={"counterfactual_coef": 1.0, "kickstarting_coef": 1.0})).advance()


if __name__ == "__main__":
    main()
