"""Plays one step in every environment, so that the machine code is on disk before several workers ask for it."""

import gymnasium

import planetwars_env as pw
from planetwars_env.arena.evaluation import evaluate
from planetwars_env.envs.registration import RULES_OF_IDS


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


if __name__ == "__main__":
    main()
