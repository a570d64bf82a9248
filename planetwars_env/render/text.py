"""Text forms of a position, with or without fog, and of a whole replay."""

from planetwars_env.engine.rules import owner_of
from planetwars_env.game import Game
from planetwars_env.graphs.graph import Graph
from planetwars_env.language.text_view import TextView, changes_of_owner
from planetwars_env.move_counts import counts_of_replay
from planetwars_env.replay import Replay
from planetwars_env.view import View, make_view


def game_text(game: Game, viewer: int | None = None) -> str:
    """Return a table of planets and a list of shuttles, as ``viewer`` (1, 2; None: without fog) sees them."""
    whose, names = (f"as player {viewer} sees it", None) if viewer else ("without fog", ("player 1", "player 2"))
    position = TextView(game.rules).position(view_of(game, viewer), names)
    return "\n".join([f"turn {game.turn}, {game_status(game)}, {whose}", *position])


def map_text(graph: Graph, view: View, width: int = 78, height: int = 17) -> str:
    """Return a map of what a view shows, ``width`` characters wide; empty where two planets would cover each other.

    [3:12] is planet 3 with 12 people of the viewer, <4:9> one of the opponent, (5:0) a neutral and (6:?) a hidden one.
    Dots are edges, with their weights.
    """
    rows = [[" "] * width for _ in range(height)]
    columns, lines = ([planet.x for planet in graph.planets], [-planet.y for planet in graph.planets])
    across, down = (max(places) - min(places) or 1 for places in (columns, lines))
    margin = 6
    places = {
        planet.id: (
            margin + round((planet.x - min(columns)) / across * (width - 2 * margin)),
            round((-planet.y - min(lines)) / down * (height - 1)),
        )
        for planet in graph.planets
    }
    for edge in graph.edges:
        (x, y), (to_x, to_y) = places[edge.a], places[edge.b]
        steps = max(abs(to_x - x) // 2, abs(to_y - y), 1)
        for step in range(steps + 1):
            text = str(edge.weight) if step == steps // 2 else "·"
            column = x + round((to_x - x) * step / steps)
            rows[y + round((to_y - y) * step / steps)][column : column + len(text)] = text
    taken: set[tuple[int, int]] = set()
    for planet in view.planets:
        x, y = places[planet.id]
        people = "?" if planet.people is None else "+".join(str(count) for count in planet.people if count) or "0"
        left, right = {view.player: "[]", view.opponent: "<>"}.get(planet.owner or 0, "()")
        label = f"{left}{planet.id}:{people}{right}"
        start = min(max(0, x - len(label) // 2), width - len(label))
        cells = {(y, column) for column in range(start, start + len(label))}
        if cells & taken:
            return ""
        taken |= cells
        rows[y][start : start + len(label)] = label
    return "\n".join("".join(row).rstrip() for row in rows)


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


def describe_end(game: Game, player: int) -> str:
    """Return the result of a game that is over as a sentence to ``player`` (1, 2)."""
    if game.winner:
        return f"The game is over: {'you have' if game.winner == player else 'the opponent has'} won."
    last = f": nobody has won by turn {game.max_turns}, the last one" if game.cut_off else ""
    return f"The game is over: a draw{last}."


def replay_text(replay: Replay) -> str:
    """Return the whole game as text. ReplayError if it cannot be re-run."""
    first, second = replay.players
    lines = [
        f"{first} (player 1) against {second} (player 2) on {replay.graph.name or 'a graph'}, {replay.rules.name}",
        f"seed {replay.seed}; without fog; {describe_result(replay)}",
        *filter(None, [describe_repetition(replay)]),
        *describe_moves(replay),
        "",
    ]
    before = None
    for game in replay.games():
        now = view_of(game, None)
        if before is None:
            lines += [game_text(game), "", "turn  people (planets)          moves"]
        for planet, _, owner in changes_of_owner(before or now, now, None):
            lines.append(f"      planet {planet} {f'now belongs to player {owner}' if owner else 'is neutral now'}")
        before = now
        if not game.over:
            lines.append(turn_line(game, replay))
    return "\n".join([*lines, "", game_text(game), ""])


def describe_repetition(replay: Replay) -> str:
    """Return a sentence on the first position that occurred three times; empty if none did."""
    found = replay.repetitions()
    if not found:
        return ""
    player, turns = min(found.items(), key=lambda item: item[1][2])
    name = f"{replay.players[player - 1]} (player {player})"
    return f"{name} was to move in the same position on turns {turns[0]}, {turns[1]} and {turns[2]}"


def describe_moves(replay: Replay) -> list[str]:
    """Return one sentence per player on the moves that it sent, and on those that were dropped."""
    counted = zip(counts_of_replay(replay), replay.players, (1, 2), strict=True)
    said = [counts.describe(f"{name} (player {player})") for counts, name, player in counted]
    return [one for one in said if one]


def describe_result(replay: Replay) -> str:
    """Return the result of the game in words."""
    if replay.forfeit:
        won = f"{_name(replay, replay.winner)} wins: " if replay.winner else ""
        return f"{won}{_name(replay, replay.forfeit.player)} forfeited on turn {replay.turns}: {replay.forfeit.reason}"
    if replay.winner:
        return f"{_name(replay, replay.winner)} wins on turn {replay.turns}"
    if replay.cut_off:
        return f"cut off after turn {replay.turns}"
    return f"a draw on turn {replay.turns}" if replay.finished else f"not played beyond turn {replay.turns}"


def _name(replay: Replay, player: int) -> str:
    return f"{replay.players[player - 1]} (player {player})" if player else "both players"


def turn_line(game: Game, replay: Replay) -> str:
    """Return one line: the turn, the players' people and planets, and the moves; after the last turn the result."""
    if game.turn > len(replay.moves):
        return f"{game.turn:>4}  {describe_result(replay)}"
    owners = [owner_of(*people) for people in game.people()]
    people = [sum(side) for side in zip(*game.people(), strict=True)]
    standing = " : ".join(f"{people[side]} ({owners.count(side + 1)})" for side in range(2))
    moves = ", ".join(
        f"{source} -> {destination}: {number}" for source, destination, number in replay.moves[game.turn - 1]
    )
    return f"{game.turn:>4}  {standing:<24}  player {game.player}: {moves or 'waits'}"
