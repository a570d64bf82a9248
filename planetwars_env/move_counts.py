"""Counts of the moves that a player sent, and of those that were dropped (R8), by reason."""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from planetwars_env.game import Game
from planetwars_env.replay import Replay
from planetwars_env.view import Move

Counts = TypeVar("Counts", bound=tuple[Any, ...])


_REASONS = (
    "no edge joins the planets",
    "less than one person",
    "nobody of the player's on the planet",
    "more people than are there",
)


class MoveCounts(NamedTuple):
    """Counts of moves: all that were ``sent``, and of those the dropped ones, by the first reason that holds."""

    sent: int = 0
    no_edge: int = 0
    no_people: int = 0
    not_yours: int = 0
    too_many: int = 0

    @property
    def dropped(self) -> int:
        """The number of moves that were dropped."""
        return sum(self[1:])

    def describe(self, name: str) -> str:
        """Return one sentence on the moves of player ``name``; empty where it sent none."""
        reasons = "; ".join(f"{count:,}: {reason}" for count, reason in zip(self[1:], _REASONS, strict=True) if count)
        if not self.sent:
            return ""
        if self.dropped == self.sent:
            return f"None of the {self.sent:,} moves of {name} is legal, so it never moved ({reasons})"
        were = "was" if self.dropped == 1 else "were"
        dropped = f"{self.dropped:,} {were} dropped ({reasons})" if reasons else "none was dropped"
        return f"{name} sent {self.sent:,} {'move' if self.sent == 1 else 'moves'}; {dropped}"


NO_MOVES = MoveCounts()


def total(*counts: Counts) -> Counts:
    """Return the sums of named tuples of one kind, field by field."""
    kind: Any = type(counts[0])
    return kind(*map(sum, zip(*counts, strict=True)))


def play_counted(game: Game, moves: Sequence[Move]) -> tuple[list[bool], MoveCounts]:
    """Play a turn (`Game.play`); return for each move whether it was carried out, and the counts."""
    people = game.arrays[1].people[0, game.player - 1].copy()
    accepted = game.play(moves)
    if all(accepted):
        return accepted, MoveCounts(len(moves))
    reasons = [0, 0, 0, 0]
    for move, carried_out in zip(moves, accepted, strict=True):
        if (move.source, move.destination) not in game.edge_numbers:
            reasons[0] += 1
        elif move.people < 1:
            reasons[1] += 1
        elif not carried_out:
            reasons[3 if people[game.graph.index[move.source]] else 2] += 1
    return accepted, MoveCounts(len(moves), *reasons)


def counts_of_replay(replay: Replay) -> tuple[MoveCounts, MoveCounts]:
    """Return the counts of both players, by playing the game again."""
    game = Game(replay.graph, replay.rules, replay.max_turns)
    counts = [play_counted(game, moves)[1] for moves in replay.moves]
    return total(NO_MOVES, *counts[::2]), total(NO_MOVES, *counts[1::2])
