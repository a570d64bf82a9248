"""Positions of games: some turns played, and what the fog hides exchanged for something else."""

import random

import planetwars_env as pw
from support.opponents import Chancy
from support.presets import BY_PRESET


def played(graph: pw.Graph, preset: str, turns: int) -> pw.Game:
    game = pw.Game(graph, BY_PRESET[preset])
    while game.turn < turns and not game.over:
        game.play(Chancy().take_turn(game.view(game.player)))
    return game


def rewritten(game: pw.Game, viewer: int, rng: random.Random) -> pw.Game:
    """The same to ``viewer``, and another game beneath its fog: people, sizes, habitability, bases, what flies there."""
    seen = {planet.id for planet in game.view(viewer).planets if planet.visible}
    state = game.to_dict()
    state["planets"] = [row if row[0] in seen else _other_people(row, viewer, game, rng) for row in state["planets"]]
    state["shuttles"] = [row if row[1] in seen else _other_shuttle(row, rng) for row in state["shuttles"]]
    graph = _other_graph(game.graph, seen, rng)
    return pw.Game.from_dict(graph, state, game.rules, game.max_turns)


def _other_people(row: list[int], viewer: int, game: pw.Game, rng: random.Random) -> list[int]:
    """The opponent may have anybody there; the viewer, in SpaceExplorers, any minority."""
    opponents = rng.randint(0, max(1, row[2] + row[3]))
    own = rng.randint(0, opponents) if game.rules.coexistence else 0
    return [row[0], 0, *((own, opponents) if viewer == 1 else (opponents, own))]


def _other_shuttle(row: list[int], rng: random.Random) -> list[int]:
    return [*row[:3], rng.randint(1, row[3]), row[4]]


def _other_graph(graph: pw.Graph, seen: set[int], rng: random.Random) -> pw.Graph:
    """Hidden planets exchange size, habitability and base, so that a board of the same measure is left."""
    board = graph.to_dict()
    hidden = [planet for planet in board["planets"] if planet["id"] not in seen]
    for key in ("size", "habitability", "base"):
        values = [planet[key] for planet in hidden]
        rng.shuffle(values)
        for planet, value in zip(hidden, values, strict=True):
            planet[key] = value
    for planet in hidden:
        planet["habitability"] = rng.randint(0, 1000)
    return pw.Graph.from_dict(board, graph.name)
