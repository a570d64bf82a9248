"""Games of a plan, played in this process, over all cores or over a cluster, into a `GameStore`."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from planetwars_env.arena.batches import play_batch
from planetwars_env.arena.confinement.folders import remove_stale_folders
from planetwars_env.arena.game_records import FinishedGame, GameKey
from planetwars_env.arena.game_store import GameStore
from planetwars_env.arena.games import close_strategies, open_kept, play_game
from planetwars_env.arena.pairing import rounds
from planetwars_env.arena.plan import TournamentPlan, prepare_plan
from planetwars_env.arena.tasks import finished_tasks
from planetwars_env.bots.bot_games import play_bot_games
from planetwars_env.bots.catalogue import Player
from planetwars_env.text import file_name

_AT_ONCE, _AT_ONCE_HERE = 20, 256
"""Games of a batch in one task: few enough to lose little when killed, many enough to hide the cost of a task; and here."""
MOST_PRINTED = 2**20
"""Largest size of the file of what a strategy printed."""


def run_tournament(
    plan: TournamentPlan,
    store: GameStore,
    jobs: int | None = -1,
    on_games: Callable[[int], None] | None = None,
    on_start: Callable[[int, int], None] | None = None,
    printed: Path | None = None,
    before_saved: Callable[[Sequence[FinishedGame]], None] | None = None,
) -> TournamentPlan:
    """Play the games that the store lacks, within the plan's budget; return the plan with its seed and graphs (`prepare_plan`).

    ``jobs``: processes, -1 for one per core, or on a cluster (`tasks.ray_cluster`); None: in this process, which objects
    need. ``on_start`` gets the number of games that are there and that of all games, ``on_games`` the number of games
    just written, and ``before_saved`` these games before. ``printed``: folder of what the strategies print. ValueError if the
    store holds another tournament.
    """
    plan = prepare_plan(plan, store)
    done, schedule = store.keys(), list(plan.schedule())
    if on_start:
        total = min(len(schedule), 2 * (plan.budget // 2)) if plan.budget else len(schedule)
        on_start(min(len(done.intersection(schedule)), total), total)
    for keys in rounds(plan, store):
        missing = [key for key in keys if key not in done]
        play_missing(plan, store, missing, jobs, on_games, printed, before_saved)
    return plan


def play_missing(
    plan: TournamentPlan,
    store: GameStore,
    missing: Sequence[GameKey],
    jobs: int | None = -1,
    on_games: Callable[[int], None] | None = None,
    printed: Path | None = None,
    before_saved: Callable[[Sequence[FinishedGame]], None] | None = None,
) -> None:
    """Play games of a prepared plan and write each as it ends; arguments as in `run_tournament`."""
    chunks = _chunks(plan, missing, _AT_ONCE_HERE if jobs is None else _AT_ONCE)
    here = (play_games(plan, chunk) for chunk in chunks)
    results = here if jobs is None else finished_tasks(play_games, plan, chunks, jobs)
    try:
        for games in results:
            if before_saved:
                before_saved(games)
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


def play_games(plan: TournamentPlan, keys: Sequence[GameKey]) -> list[FinishedGame]:
    """Play games of one pair: in a batch where that is possible, else one by one."""
    one, other = plan.by_label[keys[0].first], plan.by_label[keys[0].second]
    if not _in_a_batch(plan, one, other):
        return [_play_game(plan, key) for key in keys]
    names = list(dict.fromkeys(key.graph for key in keys))
    graphs, places = [plan.by_graph[name] for name in names], [names.index(key.graph) for key in keys]
    seeds = [plan.seeds(key)[0] for key in keys]
    if one.compiled and other.compiled:
        codes = [(plan.by_label[key.first].code, plan.by_label[key.second].code) for key in keys]
        played = play_bot_games(graphs, plan.rules, places, codes, seeds, plan.max_turns, watch=True)
        ended = ["limit" if cut_off else "rules" for cut_off in played.cut_off]
        columns = played.winners, played.turns, ended, played.fingerprints, seeds, played.repeated
        return [FinishedGame(*game) for game in zip(keys, *columns, strict=True)]
    if not one.batched or (other.batched and other.name in (plan.only or ())):
        one, other = other, one
    pair = _sampling(plan, one, seeds[0]), _sampling(plan, other, seeds[0])
    return play_batch(keys, pair, graphs, places, plan.rules, seeds, plan.max_turns, plan.keep_moves)


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
