"""One game between any two players, and its replay."""

from typing import Any

from planetwars_env.arena.duel import play_game
from planetwars_env.arena.players import open_player
from planetwars_env.bots.catalogue import resolve_player
from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.envs.arguments import turn_limit
from planetwars_env.graphs.catalogue import load_graph
from planetwars_env.graphs.graph import Graph
from planetwars_env.replay import Replay


def play_match(
    first: Any,
    second: Any,
    graph: Graph | str,
    rules: Rules = PLANETWARS,
    seed: int = 0,
    max_turns: int | None = None,
) -> Replay:
    """Play one game, ``first`` as player 1 and ``second`` as player 2; each is whatever an environment takes as ``opponent``.

    ``seed`` starts the random number generators of both. ``max_turns``: None for what the environments use (500; half-step
    1,000; SpaceExplorers' own 100). The replay knows the ``winner`` and the ``turns``. Strategies from files play in this
    process. ValueError for an unknown player, GraphError for an unknown graph.

    >>> import planetwars_env as pw
    >>> pw.play_match("ai1", "random", "duel", seed=0, max_turns=4)
    Replay(ai1 against random on duel: cut off on turn 4)
    """
    board = graph if isinstance(graph, Graph) else load_graph(graph)
    limit = turn_limit(rules, max_turns)
    one, other = resolve_player(first, single=True), resolve_player(second, single=True)
    outcome = play_game((open_player(one), open_player(other)), board, rules, (seed, seed + 1), limit)
    return Replay.of(board, rules, (one.name, other.name), seed, limit, outcome.moves)
