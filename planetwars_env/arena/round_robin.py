"""Games of a plan, played over all cores or a cluster, into a `GameStore`."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from planetwars_env.arena.confinement.folders import remove_stale_folders
from planetwars_env.arena.game_records import FinishedGame, GameKey
from planetwars_env.arena.game_store import IN_MEMORY, GameStore
from planetwars_env.arena.games import fingerprint_moves, play_game
from planetwars_env.arena.kept_players import close_strategies, open_kept, take_printed
from planetwars_env.arena.plan import TournamentPlan, graph_labels, prepare_plan
from planetwars_env.arena.printed import keep_printed
from planetwars_env.arena.seeds import game_seed
from planetwars_env.arena.tasks import finished_tasks
from planetwars_env.bots.bot_games import play_bot_games
from planetwars_env.bots.catalogue import Player
from planetwars_env.bots.notes import TurnNotes

_COMPILED_AT_ONCE = 20
"""Games of compiled bots in one task: few enough to lose little when killed, many enough to hide the cost of a task."""


Rounds = Callable[[TournamentPlan, GameStore], Iterable[Sequence[GameKey]]]
"""Rounds of games of a prepared plan; the store holds each when the next is asked for."""


def run_tournament(
    plan: TournamentPlan,
    store: GameStore,
    jobs: int = -1,
    on_games: Callable[[int], None] | None = None,
    on_start: Callable[[int, int], None] | None = None,
    printed: Path | None = None,
    rounds: Rounds | None = None,
) -> TournamentPlan:
    """Play the games that the store lacks, and return the plan with its seed and graphs (`prepare_plan`).

    ``jobs``: processes, -1 for one per core, or on a cluster (`tasks.ray_cluster`). ``on_start`` gets the number of games that
    are there and that of all games, ``on_games`` the number of games just written. ``printed``: folder of what the strategies
    print. ``rounds``: of the games of the plan's budget (pairing.py), instead of all. ValueError if the store holds another
    tournament.
    """
    plan = prepare_plan(plan, store)
    done, schedule = store.keys(), list(plan.schedule())
    if on_start:
        total = min(len(schedule), 2 * (plan.budget // 2)) if plan.budget else len(schedule)
        on_start(min(len(done.intersection(schedule)), total), total)
    for keys in rounds(plan, store) if rounds else [schedule]:
        play_missing(plan, store, [key for key in keys if key not in done], jobs, on_games, printed)
    return plan


def play_missing(
    plan: TournamentPlan,
    store: GameStore,
    missing: Sequence[GameKey],
    jobs: int = -1,
    on_games: Callable[[int], None] | None = None,
    printed: Path | None = None,
) -> None:
    """Play games of a prepared plan and write each as it ends; arguments as in `run_tournament`."""
    results = finished_tasks(play_games, plan, _chunks(plan, missing), jobs)
    try:
        for games in results:
            store.add(games)
            if printed is not None:
                keep_printed(printed, games)
            if on_games:
                on_games(len(games))
    finally:
        close_strategies()
        # Interrupted, joblib kills its workers with all that they started, supervisors before they could clean up included.
        results.close()
        remove_stale_folders(tempfile.gettempdir())


@contextmanager
def play_in_memory(
    plan: TournamentPlan, jobs: int = -1, on_games: Callable[[int], None] | None = None, printed: Path | None = None
) -> Iterator[tuple[TournamentPlan, GameStore]]:
    """Play a tournament; give its plan (`prepare_plan`) and a store that lasts until the block ends."""
    with GameStore(IN_MEMORY) as store:
        yield run_tournament(plan, store, jobs, on_games, printed=printed), store


def play_games(plan: TournamentPlan, keys: Sequence[GameKey]) -> list[FinishedGame]:
    """Play games of one pair: those of compiled bots in one call, others one by one."""
    by_label = {one.name: one for one in plan.contestants}
    if not all(by_label[label].compiled for label in keys[0][:2]):
        return [_play_game(plan, key, by_label) for key in keys]
    graphs = dict(zip(graph_labels(plan.graphs), plan.graphs, strict=True))
    names = sorted({key.graph for key in keys})
    played = play_bot_games(
        [graphs[name] for name in names],
        plan.rules,
        [names.index(key.graph) for key in keys],
        [(by_label[key.first].code, by_label[key.second].code) for key in keys],
        [_seeds(plan, key)[0] for key in keys],
        plan.max_turns,
    )
    ended = ["limit" if cut_off else "rules" for cut_off in played.cut_off]
    columns = zip(keys, played.winners, played.turns, ended, played.fingerprints, strict=True)
    return [FinishedGame(*game) for game in columns]


def _seeds(plan: TournamentPlan, key: GameKey) -> tuple[int, int]:
    """Return the seeds of player 1 and player 2."""
    if plan.seed is None:
        raise ValueError("the plan has no seed yet: prepare_plan(plan, store) gives it one")
    graded = plan.only or ()
    return game_seed(key, 1, plan.seed, graded), game_seed(key, 2, plan.seed, graded)


def _chunks(plan: TournamentPlan, keys: Sequence[GameKey]) -> Iterator[list[GameKey]]:
    """Yield the games as tasks of one pair each; compiled bots play many games in one task."""
    compiled = {one.name for one in plan.contestants if one.compiled}
    chunk: list[GameKey] = []
    for key in keys:
        many = {key.first, key.second} <= compiled
        if chunk and (not many or len(chunk) >= _COMPILED_AT_ONCE or {*chunk[0][:2]} != {*key[:2]}):
            yield chunk
            chunk = []
        chunk.append(key)
    if chunk:
        yield chunk


def _play_game(plan: TournamentPlan, key: GameKey, by_label: dict[str, Player]) -> FinishedGame:
    graph = plan.graphs[graph_labels(plan.graphs).index(key.graph)]
    first, second = (
        open_kept(by_label[label], plan.limits, plan.fingerprints.get(label, "")) for label in (key.first, key.second)
    )
    take_printed(first, second)
    outcome = play_game((first, second), graph, plan.rules, _seeds(plan, key), plan.max_turns)
    return FinishedGame(
        key,
        outcome.winner,
        outcome.turns,
        outcome.ended,
        fingerprint_moves(outcome.legal),
        outcome.shown,
        outcome.faults,
        outcome.counts,
        _printed(outcome.notes, take_printed(first, second)),
        outcome.times,
        outcome.notes,
    )


def _printed(notes: Sequence[TurnNotes], rest: tuple[str, str]) -> tuple[str, str]:
    """Return what player 1 and player 2 printed: on their turns, and the ``rest`` after these."""
    first, second = ("".join(one.printed for one in notes if one.player == player) for player in (1, 2))
    return first + rest[0], second + rest[1]
