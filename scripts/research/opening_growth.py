"""People on early turns beside an idle opponent: a player as it is, with its sends split in two, and a simple rule."""

from collections.abc import Callable, Iterable, Sequence
from statistics import mean, stdev
from typing import Annotated

import typer

import planetwars_env as pw
from planetwars_env.arena.games import GamePlayer, open_player
from planetwars_env.bots.catalogue import resolve_player
from planetwars_env.cli.shell import parse_players, user_errors
from planetwars_env.engine.rules import Rules

TURNS = (10, 14, 20, 30)
Turn = Callable[[pw.Game, pw.View], Sequence[pw.Move]]
"""The moves of a player's turn."""


def opening_growth(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="A bot, an agent, a .py file or module:Class.")],
    pool: Annotated[str, typer.Option(help="A pool of graphs; each is played as both players.")] = "train",
    graphs: Annotated[int, typer.Option(min=1, help="The first so many graphs of the pool.")] = 100,
) -> None:
    """Print the mean number of people on turns 10, 14, 20 and 30 beside an opponent that never moves.

    \b
    Examples:
      python -m scripts.research.opening_growth graph-planetwars
      python -m scripts.research.opening_growth ai3 --pool fair --graphs 20
    """
    with user_errors():
        parse_players([player])
        playing = open_player(resolve_player(player))
        ways: dict[str, Turn] = {
            player: lambda game, _: playing.moves(game),
            f"{player}, each send split in two": lambda game, view: split(view, playing.moves(game)),
            "one person to each free neighbour": lambda _, view: list(spread(view)),
            "the same, one send from a planet": lambda _, view: list(
                {move.source: move for move in spread(view)}.values()
            ),
        }
        print("| player | " + " | ".join(f"turn {turn}" for turn in TURNS) + " |\n|---|" + "---|" * len(TURNS))
        for name, turn in ways.items():
            rows = growths(playing, pw.load_pool(pool)[:graphs], turn)
            cells = (f"{people:.1f} ± {half:.1f}" for people, half in means(rows))
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def means(rows: Sequence[Sequence[int]]) -> list[tuple[float, float]]:
    """Return the mean of every column of at least two rows, and half the width of its 95 % interval."""
    return [(mean(column), 1.96 * stdev(column) / len(column) ** 0.5) for column in zip(*rows, strict=True)]


def growths(
    playing: GamePlayer, graphs: Iterable[pw.Graph], turn: Turn, rules: Rules = pw.PLANETWARS
) -> list[list[int]]:
    """Return a row of `growth` for every graph and side; ``playing`` begins each of these games, and ``turn`` may ask it."""
    rows = []
    for graph in graphs:
        for side in (1, 2):
            playing.begin(pw.Game(graph, rules), side, seed=0)
            rows.append(growth(graph, side, turn, rules))
    return rows


def growth(graph: pw.Graph, side: int, turn: Turn, rules: Rules) -> list[int]:
    """Return the people of ``side`` (1, 2), on planets and in flight, when each of `TURNS` begins.

    In a game that is over before, they are those at its end.
    """
    game, people = pw.Game(graph, rules), []
    while len(people) < len(TURNS):
        if game.turn == TURNS[len(people)] or game.over:
            flying = sum(shuttle.people for shuttle in game.shuttles() if shuttle.player == side)
            people.append(flying + sum(both[side - 1] for both in game.people()))
        if not game.over:
            game.play(turn(game, game.view(side)) if game.player == side else [])
    return people


def split(view: pw.View, moves: Iterable[pw.Move]) -> list[pw.Move]:
    """Return the moves; one person of each of several goes to a free neighbour of its source instead, where there is one."""
    moves = list(moves)
    taken = {move.destination for move in moves}
    halves = []
    for move in moves:
        free = [planet for planet in _free(view, move.source) if planet not in taken]
        if move.people > 1 and free:
            taken.add(free[0])
            halves.append(pw.Move(move.source, free[0], 1))
        halves.append(move._replace(people=move.people - (move.people > 1 and bool(free))))
    return halves


def spread(view: pw.View) -> Iterable[pw.Move]:
    """Yield a move of one person to every free neighbour, as long as one person stays."""
    taken: set[int] = set()
    for source in view.owned_by(view.player):
        free = [planet for planet in _free(view, source.id) if planet not in taken]
        for planet in free[: view.my_people(source) - 1]:
            taken.add(planet)
            yield pw.Move(source.id, planet, 1)


def _free(view: pw.View, source: int) -> list[int]:
    """Return the neighbours of ``source`` that nobody owns and the viewer does not fly to, the nearest first."""
    flown_to = {shuttle.destination for shuttle in view.shuttles if shuttle.player == view.player}
    weights = pw.weights(view)[source]
    free = [planet.id for planet in pw.neighbours(view, source) if planet.owner == 0 and planet.id not in flown_to]
    return sorted(free, key=lambda planet: weights[planet])


if __name__ == "__main__":
    typer.run(opening_growth)
