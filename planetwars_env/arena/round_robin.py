"""Games of a plan, played in this process, over all cores or over a cluster, into a `GameStore`."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from planetwars_env.arena.confinement.supervisor import remove_stale_folders
from planetwars_env.arena.game_store import FinishedGame, GameKey, GameStore
from planetwars_env.arena.games import TrustedPlayer, close_strategies, open_kept, play_game
from planetwars_env.arena.plan import TournamentPlan, prepare_plan
from planetwars_env.arena.ratings import rounds
from planetwars_env.arena.tasks import finished_tasks
from planetwars_env.bots import entry_points as bots
from planetwars_env.bots.bot_games import place_games, play_on
from planetwars_env.bots.catalogue import Player
from planetwars_env.engine import columns, entry_points
from planetwars_env.engine.repetition import Positions, note_positions, watch
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array, Board, State
from planetwars_env.game import Game, launched_moves
from planetwars_env.graphs.board import pack
from planetwars_env.graphs.graph import Graph
from planetwars_env.sim.external_opponents import PolicyRunner
from planetwars_env.text import file_name
from planetwars_env.view import Move

_AT_ONCE, _AT_ONCE_HERE = 20, 256
"""Games of a batch in one task: few enough to lose little when killed, many enough to hide the cost of a task; and here."""
MOST_PRINTED = 2**20
"""Largest size of the file of what a strategy printed."""


def run_tournament(
    plan: TournamentPlan,
    store: GameStore,
    jobs: int | None = -1,
    on_games: Callable[[int, int], None] | None = None,
    before_saved: Callable[[Sequence[FinishedGame]], None] | None = None,
) -> TournamentPlan:
    """Play the games that the store lacks, within the plan's budget; return the plan with its seed and graphs (`prepare_plan`).

    ``on_games`` gets a number of games and that of all games: first of those that were there, then of those just saved. The
    others: as in `play_missing`. ValueError if the store holds another tournament.
    """
    plan = prepare_plan(plan, store)
    there, schedule = store.keys(), list(plan.schedule())
    total = min(len(schedule), 2 * (plan.budget // 2)) if plan.budget else len(schedule)

    def count(games: int) -> None:
        if on_games:
            on_games(games, total)

    count(min(len(there.intersection(schedule)), total))
    for keys in rounds(plan, store):
        play_missing(plan, store, [key for key in keys if key not in there], jobs, before_saved, count)
    return plan


def play_missing(
    plan: TournamentPlan,
    store: GameStore,
    missing: Sequence[GameKey],
    jobs: int | None = -1,
    before_saved: Callable[[Sequence[FinishedGame]], None] | None = None,
    count: Callable[[int], None] | None = None,
) -> None:
    """Play games of a prepared plan and write each as it ends.

    ``jobs``: processes, -1 for one per core, or on a cluster (`tasks.ray_cluster`); None: in this process, which objects
    need. ``before_saved`` gets finished games with what was printed in them, which the store does not keep; ``count`` gets the
    number of those just written.
    """
    chunks = _chunks(plan, missing, _AT_ONCE_HERE if jobs is None else _AT_ONCE)
    here = (play_games(plan, chunk) for chunk in chunks)
    results = here if jobs is None else finished_tasks(play_games, plan, chunks, jobs)
    try:
        for games in results:
            if before_saved:
                before_saved(games)
            store.add(games)
            if count:
                count(len(games))
    finally:
        close_strategies()
        # Interrupted, joblib kills its workers with all that they started, supervisors before they could clean up included.
        results.close()
        remove_stale_folders(tempfile.gettempdir())


def play_games(plan: TournamentPlan, keys: Sequence[GameKey]) -> list[FinishedGame]:
    """Play games of one pair: in a batch where that is possible, else one by one."""
    one, other = plan.by_label[keys[0].first], plan.by_label[keys[0].second]
    if not _in_a_batch(plan, one, other):
        return [_play_game(plan, key) for key in keys]
    names, seeds = list(dict.fromkeys(key.graph for key in keys)), [plan.seeds(key)[0] for key in keys]
    board = pack([plan.by_graph[name] for name in names], plan.rules)
    state = place_games(board, plan.rules, [names.index(key.graph) for key in keys], seeds, plan.max_turns)
    positions, moves = watch(state), list[Any]([None] * len(keys))
    if one.compiled and other.compiled:
        codes = np.array([(plan.by_label[key.first].code, plan.by_label[key.second].code) for key in keys])
        play_on(state, board, codes, positions=positions)
    else:
        if not one.batched or (other.batched and other.name in (plan.only or ())):
            one, other = other, one
        moves = _play_batch(plan, keys, one, other, board, state, positions)
    note_positions(state, board, np.arange(len(keys)), positions)
    ended = np.where(state.status[:, columns.PHASE] == columns.CUT_OFF, "limit", "rules")
    numbers = (state.status[:, column].tolist() for column in (columns.WINNER, columns.TURN))
    fingerprints = [f"{number:016x}" for number in positions.fingerprints.tolist()]
    more = ended.tolist(), fingerprints, seeds, map(tuple, positions.found.tolist()), moves
    return [FinishedGame(*game) for game in zip(keys, *numbers, *more, strict=True)]


def _in_a_batch(plan: TournamentPlan, one: Player, other: Player) -> bool:
    """Return whether two players' games are played side by side: of bots, and of policies against whom runs here.

    A strategy is under a policy's clock nowhere, so only in evaluations, where nobody's time is measured.
    """
    if one.compiled and other.compiled:
        return True
    if one.isolated or other.isolated or not (one.batched or other.batched):
        return False
    graded = one if one.name in (plan.only or ()) else other
    return all(each.compiled or each.batched for each in (one, other)) or (plan.numbered and graded.batched)


def _sampling(plan: TournamentPlan, player: Player, seed: int) -> Player:
    """Return a graded player of a plan that samples as one that draws its actions by a generator seeded with ``seed``."""
    if not plan.sample or player.name not in (plan.only or ()):
        return player
    return player._replace(make=partial(player.make().sampling, seed))


def _chunks(plan: TournamentPlan, keys: Sequence[GameKey], most: int) -> Iterator[list[GameKey]]:
    """Yield the games as tasks of one pair each: ``most`` games of a batch, else one."""
    chunk: list[GameKey] = []
    for key in keys:
        if chunk and (len(chunk) >= most or {*chunk[0][:2]} != {*key[:2]}):
            yield chunk
            chunk = []
        if _in_a_batch(plan, plan.by_label[key.first], plan.by_label[key.second]):
            chunk.append(key)
        else:
            yield [key]
    if chunk:
        yield chunk


def _play_game(plan: TournamentPlan, key: GameKey) -> FinishedGame:
    seeds = plan.seeds(key)
    first, second = (
        open_kept(_sampling(plan, plan.by_label[label], seed), plan.limits, plan.fingerprints.get(label, ""))
        for label, seed in zip(key[:2], seeds, strict=True)
    )
    for one in (first, second):
        one.take_printed()
    game = play_game((first, second), plan.by_graph[key.graph], plan.rules, seeds, plan.max_turns, key)
    printed = ["".join(one.printed for one in game.notes if one.player == player) for player in (1, 2)]
    return game._replace(printed=(printed[0] + first.take_printed(), printed[1] + second.take_printed()))


def printed_file(folder: Path, label: str) -> Path:
    """Return the path of the file of what a strategy printed."""
    return folder / f"{file_name(label)}.txt"


def keep_printed(folder: Path, games: Iterable[FinishedGame]) -> None:
    """Append what was printed in finished games to the strategies' files, as long as there is room."""
    for game in games:
        for label, text in zip(game.key[:2], game.printed, strict=True):
            if text:
                path = printed_file(folder, label)
                path.parent.mkdir(parents=True, exist_ok=True)
                title = f"--- {game.key.first} against {game.key.second} on {game.key.graph}"
                data = f"{title}\n{text.rstrip()}\n".encode()
                with path.open("ab") as file:
                    if file.tell() + len(data) <= MOST_PRINTED:
                        file.write(data)


_DRAWS = 3
"""Random numbers that an environment draws for graph, opponent and player before a game: so its row plays the same game."""
_Play = Callable[[State, Board, Array, Array], None]
"""Plays one turn in the games ``rows`` [n] as ``players`` [n] (0, 1)."""


def _play_batch(
    plan: TournamentPlan,
    keys: Sequence[GameKey],
    first: Player,
    other: Player,
    board: Board,
    state: State,
    positions: Positions,
) -> list[Any]:
    """Play the games ``keys`` in ``state`` side by side; return the moves of each, None where the plan keeps none.

    ``first`` is a policy, ``other`` another one, a compiled bot or a strategy in this process. A game is that of an
    environment's row with this seed. ValueError for graphs beyond the limits of a policy.
    """
    graphs, seed = [plan.by_graph[key.graph] for key in keys], plan.seeds(keys[0])[0]
    own = np.array([0 if key.first == first.name else 1 for key in keys])
    for g in range(len(keys)):
        for _ in range(_DRAWS):
            entry_points.draw(state.random, g, 2)
    entry_points.end_turns(state, board, np.arange(len(keys)))
    movers = [_mover(_sampling(plan, player, seed), board, state, graphs, plan.rules) for player in (other, first)]
    moves = [list[list[Move]]() for _ in keys]
    while len(running := np.flatnonzero(state.status[:, columns.PHASE] == columns.RUNNING)):
        # The other one begins, so that the policy is asked about all games at once.
        for play, side in zip(movers, (1 - own, own), strict=True):
            rows = running[(state.status[running, columns.TURN] - 1) % 2 == side[running]]  # R3
            rows = rows[state.status[rows, columns.PHASE] == columns.RUNNING]
            if len(rows):
                note_positions(state, board, rows, positions)
                play(state, board, rows, side[rows])
                for g in rows.tolist() if plan.keep_moves else ():
                    moves[g].append(launched_moves(board, state, g, graphs[g].edge_numbers))
                entry_points.end_turns(state, board, rows)
    return moves if plan.keep_moves else [None] * len(keys)


def _mover(player: Player, board: Board, state: State, graphs: Sequence[Graph], rules: Rules) -> _Play:
    """Return what plays one turn of the player in some games."""
    if player.batched:
        return PolicyRunner(player.make(), len(graphs), rules, graphs).play
    if player.compiled:
        scratch = bots.make_scratch(board, state.people.dtype)

        def play_bot(state: State, board: Board, rows: Array, players: Array) -> None:
            for g, side in zip(rows.tolist(), players.tolist(), strict=True):
                bots.play_bot(state, board, g, side, player.code, scratch)

        return play_bot
    begun: dict[int, tuple[TrustedPlayer, Game]] = {}

    def play_strategy(state: State, board: Board, rows: Array, players: Array) -> None:
        for g, side in zip(rows.tolist(), players.tolist(), strict=True):
            if g not in begun:
                game = Game.over_arrays(graphs[g], rules, board, State(*(array[g : g + 1] for array in state)))
                begun[g] = TrustedPlayer(player), game
                begun[g][0].begin(game, side + 1, int(entry_points.draw(state.random, g, 2**31 - 1)))
            strategy, game = begun[g]
            game.submit(strategy.moves(game))

    return play_strategy
