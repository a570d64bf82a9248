"""Text form of a position, with or without fog."""

from planetwars_env.game import Game
from planetwars_env.view import PlanetView, Shuttle, View, make_view

_OWNER = {None: "?", 0: "neutral", 1: "player 1", 2: "player 2"}


def game_text(game: Game, viewer: int | None = None) -> str:
    """Return a table of planets and a list of shuttles, as ``viewer`` (1, 2; None: without fog) sees them."""
    view = view_of(game, viewer)
    whose = f"as player {viewer} sees it" if viewer else "without fog"
    lines = [
        f"turn {game.turn}, {game_status(game)}, {whose}",
        "planet      owner     people        size  growth  neighbours (turns to fly there)",
    ]
    ways = _ways(game)
    lines += [_planet_line(planet, ways[planet.id]) for planet in view.planets]
    if view.shuttles:
        lines += ["shuttles", *(_shuttle_line(shuttle) for shuttle in view.shuttles)]
    return "\n".join(lines)


def view_of(game: Game, viewer: int | None) -> View:
    """Return what ``viewer`` (1, 2) sees; None: everything."""
    if viewer is not None:
        return game.view(viewer)
    people = list(zip(*game.people(), strict=True))
    seen = [True] * len(game.graph.planets)
    return make_view(game.graph, game.turn, game.player, seen, people, game.shuttles())


def game_status(game: Game, names: tuple[str, str] = ("player 1", "player 2")) -> str:
    """Return the player to move, or the result, in words."""
    if not game.over:
        return f"{names[game.player - 1]} to move"
    return f"{names[game.winner - 1]} has won" if game.winner else "cut off" if game.cut_off else "a draw"


def _ways(game: Game) -> dict[int, str]:
    """Return by planet its neighbours with the turns of the flight: "2 (3), 4 (5)"."""
    turns: dict[int, dict[int, int]] = {planet.id: {} for planet in game.graph.planets}
    for edge in game.graph.edges:
        turns[edge.a][edge.b] = turns[edge.b][edge.a] = edge.weight * game.rules.turns_per_weight
    return {id: ", ".join(f"{other} ({to[other]})" for other in sorted(to)) for id, to in turns.items()}


def _planet_line(planet: PlanetView, ways: str) -> str:
    if planet.people is None:
        return f"{planet.id:>6}      ?              ?           ?       ?  {ways}"
    people = str(planet.population) if 0 in planet.people else f"{planet.people[0]} + {planet.people[1]}"
    base = f" (base of {planet.base})" if planet.base else ""
    growth = f"{planet.habitability} %"
    return f"{planet.id:>6}  {_OWNER[planet.owner]:>9} {people:>10}  {planet.size:>10}  {growth:>6}  {ways}{base}"


def _shuttle_line(shuttle: Shuttle) -> str:
    turns = "turn" if shuttle.turns == 1 else "turns"
    return (
        f"  player {shuttle.player}: {shuttle.people} people from {shuttle.source} to {shuttle.destination}, "
        f"{shuttle.turns} {turns} to go"
    )
