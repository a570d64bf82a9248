"""Machine code of what strategies may call, compiled before they play: their processes can read it, but write none."""

import re
from collections.abc import Iterable
from functools import cache

from planetwars_env.bots.belief import Belief
from planetwars_env.bots.catalogue import load_player
from planetwars_env.bots.rollout import rollout
from planetwars_env.game import Game
from planetwars_env.graphs.catalogue import load_graph

_CALLS = re.compile(rb"\b(Game|Belief|rollout|load_player|play_match)\b")


def compile_for(files: Iterable[bytes]) -> None:
    """Compile games, beliefs, rollouts and bots where a strategy's files name one of them: some seconds, once a version."""
    if any(_CALLS.search(data) for data in files):
        _compile()


@cache
def _compile() -> None:
    game = Game(load_graph("duel"), max_turns=4)
    belief = Belief(game.view(1), game.rules, seed=0)
    position = belief.sample()
    position.observe()
    bot = load_player("ai3")
    bot.reset(position.graph, 1, position.rules, 0)
    position.play(bot.take_turn(position.view(1)))
    rollout(position, ("ai3", "random"), turns=1)
    position.play([])
    belief.update(position.view(1))
