"""Cost of every call that a search makes: python -m scripts.research.search_costs prints the table of docs/search.md.

All calls are measured in one position in the middle of a game between ai3 and ai3, in CPU time on one core.
"""

from collections.abc import Callable
from functools import partial
from statistics import median
from time import process_time

import typer
from rich.console import Console

import planetwars_env as pw

_REPEATS = 9


def main(
    graph: str = typer.Option("test/3", help="The graph of the position."),
    turn: int = typer.Option(60, min=2, help="The turn of the position."),
) -> None:
    """Print a Markdown table: call, microseconds."""
    console = Console(highlight=False, soft_wrap=True)
    console.print("| call | microseconds |\n| --- | --- |")
    for name, call in _calls(graph, turn):
        console.print(f"| `{name}` | {_microseconds(call):,.1f} |", markup=False)


def _calls(graph: str, turn: int) -> list[tuple[str, Callable[[], object]]]:
    game = pw.rollout(pw.Game(pw.load_graph(graph), max_turns=500), ("ai3", "ai3"), turns=turn - 1)[0]
    envs = pw.PlanetWarsVectorEnv(64, opponent="ai3", graphs="test")
    envs.reset(seed=0)
    view = game.view(game.player)
    belief = pw.Belief(view, max_turns=500)
    moves = _some_moves(game)
    action = game.encode(moves)
    rollout = partial(pw.rollout, game, ("ai3", "ai3"))
    return [
        ("game.copy()", game.copy),
        ("game.view(player)", partial(game.view, game.player)),
        ("game.observe()", game.observe),
        ("game.decode(action)", partial(game.decode, action)),
        ("game.encode(moves)", partial(game.encode, moves)),
        ("game.copy().play(moves)", lambda: game.copy().play(moves)),
        ("envs.game(row)", partial(envs.game, 7)),
        ("pw.rollout(game, bots, turns=10)", partial(rollout, turns=10)),
        ("pw.rollout(game, bots, turns=40)", partial(rollout, turns=40)),
        ("pw.rollout(game, bots, turns=40, copies=10)", partial(rollout, turns=40, copies=10)),
        ("pw.rollout(game, bots, turns=40, copies=100)", partial(rollout, turns=40, copies=100)),
        ("pw.Belief(view)", partial(pw.Belief, view, max_turns=500)),
        ("belief.update(view)", partial(belief.update, view)),
        ("belief.sample()", belief.sample),
    ]


def _some_moves(game: pw.Game) -> list[pw.Move]:
    """Half of the people of every planet of the player to move, along its first edge."""
    view = game.view(game.player)
    ways = pw.weights(view)
    own = [planet for planet in view.owned_by(view.player) if view.my_people(planet) > 1]
    return [pw.Move(planet.id, min(ways[planet.id]), view.my_people(planet) // 2) for planet in own]


def _microseconds(call: Callable[[], object]) -> float:
    """Median over some repeats of about 50 ms each, after a call that compiles."""
    call()
    begin = process_time()
    call()
    times = max(1, int(0.05 / max(process_time() - begin, 1e-6)))
    costs = []
    for _ in range(_REPEATS):
        begin = process_time()
        for _ in range(times):
            call()
        costs.append((process_time() - begin) / times)
    return 1e6 * median(costs)


if __name__ == "__main__":
    typer.run(main)
