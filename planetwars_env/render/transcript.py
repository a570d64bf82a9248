"""Transcript of a replay: the graph, then every turn with its moves and changes of ownership."""

from collections.abc import Iterator

from planetwars_env.engine.rules import owner_of
from planetwars_env.game import Game
from planetwars_env.move_counts import counts_of_replay
from planetwars_env.render.text import game_text
from planetwars_env.replay import Replay


def replay_text(replay: Replay) -> str:
    """Return the whole game as text. ReplayError if it cannot be re-run."""
    return "\n".join(_lines(replay)) + "\n"


def _lines(replay: Replay) -> Iterator[str]:
    first, second = replay.players
    yield f"{first} (player 1) against {second} (player 2) on {replay.graph.name or 'a graph'}, {replay.rules.name}"
    yield f"seed {replay.seed}; without fog; {describe_result(replay)}"
    if said := describe_repetition(replay):
        yield said
    yield from describe_moves(replay)
    yield ""
    before: dict[int, int] = {}
    for turn, game in enumerate(replay.games()):
        if turn == 0:
            yield game_text(game)
            yield ""
            yield "turn  people (planets)          moves"
        owners = _owners(game)
        yield from (
            _change(game, planet, owner) for planet, owner in owners.items() if before.get(planet, owner) != owner
        )
        before = owners
        if not game.over:
            yield turn_line(game, replay)
    yield ""
    yield game_text(game)


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


def _owners(game: Game) -> dict[int, int]:
    people = zip(game.graph.planets, game.people(), strict=True)
    return {planet.id: owner_of(first, second) for planet, (first, second) in people}


def _change(game: Game, planet: int, owner: int) -> str:
    return f"      planet {planet} {f'now belongs to player {owner}' if owner else 'is neutral now'}"


def turn_line(game: Game, replay: Replay) -> str:
    """Return one line: the turn, the players' people and planets, and the moves; after the last turn the result."""
    if game.turn > len(replay.moves):
        return f"{game.turn:>4}  {describe_result(replay)}"
    owners = list(_owners(game).values())
    people = [sum(side) for side in zip(*game.people(), strict=True)]
    standing = " : ".join(f"{people[side]} ({owners.count(side + 1)})" for side in range(2))
    moves = ", ".join(
        f"{source} -> {destination}: {number}" for source, destination, number in replay.moves[game.turn - 1]
    )
    return f"{game.turn:>4}  {standing:<24}  player {game.player}: {moves or 'waits'}"
