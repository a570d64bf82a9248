"""Seeds and disturbed graphs of a tournament, from one number or one secret.

With a secret nobody can know beforehand the games that will be played: graphs, bots and other strategies' files may be public.
"""

import hashlib
import json
import secrets
from collections.abc import Collection, Sequence

from planetwars_env.arena.game_records import GameKey
from planetwars_env.graphs.disturb import disturbed
from planetwars_env.graphs.graph import Graph
from planetwars_env.graphs.wiring import RandomGenerator

Seed = int | str
"""A number, or the text of a secret."""


def new_secret() -> str:
    """Return a new random secret."""
    return secrets.token_hex(16)


def game_seed(key: GameKey, player: int, seed: Seed = 0, graded: Collection[str] = ()) -> int:
    """Return the seed of ``player`` (1, 2) in a game: a 53-bit hash of pair, graph, repetition, label and ``seed``.

    It is the same whether the player moves first or second. Nothing follows from it about the seed of the opponent.
    ``graded``: labels that count as one and the same, so that a grade does not depend on a name.
    """
    pair = ["" if label in graded else label for label in key[:2]]
    words = [*sorted(pair), key.graph, pair[player - 1], str(key.repetition), str(seed)]
    return _number("\0".join(words)) >> 11


def disturbed_graphs(graphs: Sequence[Graph], seed: Seed) -> list[Graph]:
    """Return the graphs, each disturbed by a generator seeded with its name, what it holds, and ``seed``."""
    return [
        disturbed(graph, RandomGenerator(_number(f"{graph.name}\0{json.dumps(graph.to_dict())}\0{seed}")))
        for graph in graphs
    ]


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
