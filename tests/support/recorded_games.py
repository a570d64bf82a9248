"""The recorded games of golden/, and how they are replayed (golden/README.md says how, RULES.md names W1, S1-S4)."""

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from support.implementations import Board, GameMaker, Match, State
from support.paths import GOLDEN

BOTH_SIDES_DIE = {188, 189, 190}  # W1: the original gives these to player 1


def recorded_games(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(GOLDEN / f"{name}.jsonl.gz", "rt") as lines:
        yield from map(json.loads, lines)


def sums(shuttles: list[list[int]]) -> list[list[int]]:
    """Shuttles of one player on the same edge with the same turns to go are one."""
    added: Counter[tuple[int, int, int, int]] = Counter()
    for source, destination, player, people, turns in shuttles:
        added[source, destination, player, turns] += people
    return sorted([a, b, player, people, turns] for (a, b, player, turns), people in added.items())


# --- PlanetWars: from the start ----------------------------------------------------------------------------------


def replay_planetwars(maker: GameMaker, game: dict[str, Any], counts: Counter[str]) -> None:
    """Plays a whole game and compares everything; ``counts`` grows by what was compared."""
    match = maker(game["map"], "planetwars")
    for tick in game["ticks"]:
        if tick["t"] > 1:
            match.advance()
        _compare_turn(match, tick, game, counts)
    assert match.over == game["over"], game["id"]


def _compare_turn(match: Match, tick: dict[str, Any], game: dict[str, Any], counts: Counter[str]) -> None:
    where = (game["id"], tick["t"])
    assert (match.turn, match.over) == (tick["t"], tick["over"]), where
    assert match.winner == (0 if tick["over"] and game["id"] in BOTH_SIDES_DIE else tick["winner"]), where
    if tick["player"]:
        assert match.player == tick["player"], where
        assert match.to_dict()["visible"] == sorted(tick["visible"]), where
        counts["visible sets"] += 1
        accepted = match.submit([(a, b, people) for a, b, people, _ in tick["moves"]])
        assert [int(flag) for flag in accepted] == [flag for *_, flag in tick["moves"]], where
        counts["accepted flags"] += len(accepted)
    state = match.to_dict()
    people = {1: lambda number: [number, 0], 2: lambda number: [0, number], 0: lambda number: [number, number]}
    assert state["planets"] == sorted([name, owner, *people[owner](n)] for name, owner, n in tick["planets"]), where
    assert state["shuttles"] == sums(tick["shuttles"]), where
    counts.update({"turns": 1, "planet-ticks": len(tick["planets"])})


# --- SpaceExplorers: tick by tick --------------------------------------------------------------------------------


def with_spectators(board: Board) -> tuple[Board, list[list[int]]]:
    """The board with two more planets that no edge reaches, and their rows for a state: one planet of each player.

    The original ends games by an owner it has noted wrongly (S2, S3). With a planet that nobody can take, neither
    player is ever eliminated, and every recorded tick can be compared, also where an end is recorded otherwise.
    """
    free = max(planet["id"] for planet in board["planets"]) + 1
    extra = [{"id": free + i, "habitability": 0, "size": 1, "x": 0, "y": 0, "base": 0} for i in (0, 1)]
    rows = [[free, 1, 1, 0], [free + 1, 2, 0, 1]]
    return {"planets": board["planets"] + extra, "edges": board["edges"]}, rows


def replay_spaceexplorers(maker: GameMaker, game: dict[str, Any], counts: Counter[str]) -> None:
    """Plays every tick from the recorded state before it; ``counts`` grows by what was compared."""
    board, spectators = with_spectators(game["map"])
    before = game["init"]
    for tick in game["ticks"]:
        if tick["t"] == 102:  # S4: only records the end
            assert tick["planets"] == before["planets"] and sums(tick["shuttles"]) == sums(before["shuttles"])
            break
        if tick["t"] == 1:
            match = maker(game["map"], "space_explorers")
        else:
            match = maker(board, "space_explorers", 1000, _resumable(before, tick["t"] - 1, spectators))
            match.advance()
        _compare_tick(match, before, tick, (game["id"], tick["t"]), counts)
        before = tick


def _resumable(recorded: dict[str, Any], turn: int, spectators: list[list[int]]) -> State:
    """The recorded state as one of ours: the owner is the majority (S2), the total is p1 + p2 (S1)."""
    planets = [[name, (p1 > p2) + 2 * (p2 > p1), p1, p2] for name, _, p1, p2, _ in recorded["planets"]]
    shuttles = sorted(recorded["shuttles"])
    return {"turn": turn, "over": False, "winner": 0, "planets": sorted(planets + spectators), "shuttles": shuttles}


def _compare_tick(
    match: Match, before: dict[str, Any], tick: dict[str, Any], where: tuple[int, int], counts: Counter[str]
) -> None:
    left_out = {name for state in (before, tick) for name, _, p1, p2, total in state["planets"] if p1 + p2 != total}
    accepted = match.submit([(a, b, people) for a, b, people, _ in tick["moves"]])
    for (source, _, _, expected), flag in zip(tick["moves"], accepted, strict=True):
        if source not in left_out:
            assert flag == bool(expected), (*where, source)
            counts["accepted flags"] += 1
    state = match.to_dict()
    now = {name: (owner, p1, p2) for name, owner, p1, p2 in state["planets"]}
    for name, owner, p1, p2, _ in tick["planets"]:
        if name not in left_out:
            assert now[name][1:] == (p1, p2), (*where, name)
            counts["planet-ticks"] += 1
            if owner == (p1 > p2) + 2 * (p2 > p1):
                assert now[name][0] == owner, (*where, name)
                counts["owners"] += 1
    _compare_shuttles(state["shuttles"], sums(tick["shuttles"]), left_out, where)


def _compare_shuttles(ours: list[list[int]], theirs: list[list[int]], left_out: set[int], where: Any) -> None:
    """Not counted by golden/README.md, and equal all the same wherever the source is not left out."""
    sound = [[s for s in shuttles if s[0] not in left_out] for shuttles in (ours, theirs)]
    assert sound[0] == sound[1], where
