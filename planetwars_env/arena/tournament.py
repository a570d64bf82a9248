"""Round robin: every pair on every board as both players, over all cores, into a ledger.

The seeds of a game come from who plays, where, which game of theirs it is, and from the tournament's own seed, never from when it
is played; so a tournament that was killed and started again ends with the same table as one that was left alone.
"""

import os
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations, islice
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs
from joblib._parallel_backends import LokyBackend
from joblib.parallel import get_active_backend

from planetwars_env.arena.contestants import fingerprint_of
from planetwars_env.arena.duel import play_game, print_of
from planetwars_env.arena.isolation import Isolated, Limits
from planetwars_env.arena.jail.folders import remove_stale_folders
from planetwars_env.arena.ledger import Key, Ledger, Played
from planetwars_env.arena.players import GamePlayer, IsolatedPlayer, open_player
from planetwars_env.arena.seeds import Seed, disturbed_boards, new_secret, seed_of
from planetwars_env.bots.catalogue import Player
from planetwars_env.engine.rules import Rules
from planetwars_env.graphs.graph import Graph
from planetwars_env.sim.duels import play_duels

_COMPILED_AT_ONCE = 20
"""Games of compiled bots in one task: few are lost when it is killed, and yet the way there costs less than the games."""
_TASKS_AT_ONCE = 8
"""For each process, where results come together: few, since what is done is not yet written; many, since who is done waits."""
_PROCESSES = 6
"""Foreign strategies that one worker keeps loaded."""


@dataclass(frozen=True)
class Plan:
    """A tournament. ``games``: of each pair, half of them as either player; boards are taken in turn, again and again.

    ``max_turns``: where a game is cut off, which is a draw. ``only``: the label of the contestant that all games are with,
    instead of every pair's. ``seed``: a number or the text of a secret; None for the ledger's, or a new secret in a new one.
    ``disturb``: play on boards that are like these and cannot be looked up. ValueError for an odd or too small number of games.
    """

    contestants: Sequence[Player]
    boards: Sequence[Graph]
    rules: Rules
    games: int
    max_turns: int
    limits: Limits = field(default_factory=Limits)
    seed: Seed | None = None
    only: str | None = None
    disturb: bool = False

    def __post_init__(self) -> None:
        if self.games < 2 or self.games % 2:
            raise ValueError(f"games must be an even number from 2, half of them as either player, not {self.games}")

    def schedule(self) -> Iterator[Key]:
        """Every game, pair by pair."""
        names = board_names(self.boards)
        for one, other in combinations([contestant.name for contestant in self.contestants], 2):
            if self.only not in (None, one, other):
                continue
            for game in range(self.games // 2):
                board, repetition = names[game % len(names)], game // len(names)
                yield Key(one, other, board, repetition)
                yield Key(other, one, board, repetition)


def board_names(boards: Sequence[Graph]) -> list[str]:
    """The boards' names, with a number where they are missing or not their own."""
    names = [graph.name for graph in boards]
    return [name if name and names.count(name) == 1 else f"{name or 'board'}#{b}" for b, name in enumerate(names)]


def settled(plan: Plan, ledger: Ledger) -> Plan:
    """The plan with its seed, which is written into a new ledger, and with the boards that are played on."""
    seed = plan.seed
    if seed is None:
        seed = ledger.fact("conditions", {}).get("seed")
    if seed is None:
        seed = new_secret()
    boards = disturbed_boards(plan.boards, seed) if plan.disturb else plan.boards
    plan = replace(plan, seed=seed, boards=boards, disturb=False)
    check_same_tournament(plan, ledger)
    return plan


def run_tournament(plan: Plan, ledger: Ledger, jobs: int = -1, on_games: Callable[[int], None] | None = None) -> None:
    """Play what the ledger lacks. ``jobs``: processes, -1 for one a core; the backend is joblib's current one.

    ``on_games`` is told how many games have just been written. ValueError where the ledger holds another tournament.
    """
    plan = settled(plan, ledger)
    done = ledger.keys()
    missing = [key for key in plan.schedule() if key not in done]
    calls = (delayed(play_games)(plan, chunk) for chunk in _chunks(plan, missing))
    results = _results(calls, jobs)
    try:
        for played in results:
            ledger.add(played)
            if on_games:
                on_games(len(played))
    finally:
        close_strategies()
        # Interrupted, joblib kills its workers with all that they started, supervisors before they could clean up included.
        results.close()
        remove_stale_folders(tempfile.gettempdir())


def _results(calls: Iterator[Any], jobs: int) -> Generator[list[Played], None, None]:
    """What the tasks come to, as soon as each is done; where joblib's backend cannot do that (Ray's), some at a time.

    One task at a time to each process, so that whatever is finished can be written at once.
    """
    one_each: Any = {"n_jobs": jobs, "batch_size": 1}
    backend: Any = get_active_backend()[0]
    if isinstance(backend, LokyBackend):
        one_each |= {"initializer": _end_with, "initargs": (os.getpid(),)}
    if backend.supports_return_generator:
        workers: Any = Parallel(return_as="generator_unordered", pre_dispatch="3*n_jobs", **one_each)
        yield from workers(calls)
        return
    with Parallel(**one_each) as workers:
        while block := list(islice(calls, _TASKS_AT_ONCE * effective_n_jobs(jobs))):
            yield from workers(block)


def check_same_tournament(plan: Plan, ledger: Ledger) -> None:
    """Write down what the games depend on; ValueError where games in the ledger were played with something else.

    Contestants, boards and games may be added to a tournament.
    """
    conditions = {
        "rules": asdict(plan.rules),
        "max_turns": plan.max_turns,
        "limits": asdict(plan.limits),
        "seed": plan.seed,
    }
    known = ledger.fact("conditions", conditions)
    changed = [name for name, value in conditions.items() if known.get(name) != value]
    contestants = {one.name: [one.spec, fingerprint_of(one)] for one in plan.contestants}
    boards = {
        name: [graph.name, graph.to_dict()] for name, graph in zip(board_names(plan.boards), plan.boards, strict=True)
    }
    before, boards_before = ledger.fact("contestants", {}), ledger.fact("boards", {})
    changed += [label for label, what in contestants.items() if before.get(label, what) != what]
    changed += [f"board {name}" for name, what in boards.items() if boards_before.get(name, what) != what]
    if changed:
        raise ValueError(
            f"the games kept so far were played with another state of: {', '.join(changed)}. Take another folder (--out), "
            "or remove this one to play all games again"
        )
    ledger.keep_fact("conditions", conditions)
    ledger.keep_fact("contestants", {**before, **contestants})
    ledger.keep_fact("boards", {**boards_before, **boards})


def _end_with(owner: int) -> None:
    """In a new worker: end when ``owner`` does. joblib's would wait for more work for minutes, and keep strategies loaded."""

    def watch() -> None:
        while os.getppid() == owner:
            time.sleep(0.2)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def play_games(plan: Plan, keys: Sequence[Key]) -> list[Played]:
    """Games of one pair: those of compiled bots in one call, others one by one."""
    by_label = {one.name: one for one in plan.contestants}
    if not all(by_label[label].compiled for label in keys[0][:2]):
        return [_play_game(plan, key, by_label) for key in keys]
    graphs = dict(zip(board_names(plan.boards), plan.boards, strict=True))
    names = sorted({key.board for key in keys})
    duels = play_duels(
        [graphs[name] for name in names],
        plan.rules,
        [names.index(key.board) for key in keys],
        [(by_label[key.first].code, by_label[key.second].code) for key in keys],
        [seed_of(key, 1, _seed(plan)) for key in keys],
        plan.max_turns,
    )
    ended = ["limit" if cut_off else "rules" for cut_off in duels.cut_off]
    columns = zip(keys, duels.winners, duels.turns, ended, duels.prints, strict=True)
    return [Played(*game) for game in columns]


def _seed(plan: Plan) -> Seed:
    if plan.seed is None:
        raise ValueError("the plan has no seed yet: settled(plan, ledger) gives it one")
    return plan.seed


def _chunks(plan: Plan, keys: Sequence[Key]) -> Iterator[list[Key]]:
    """The games in tasks: of one pair, many at once where both are compiled."""
    compiled = {one.name for one in plan.contestants if one.compiled}
    chunk: list[Key] = []
    for key in keys:
        many = {key.first, key.second} <= compiled
        if chunk and (not many or len(chunk) >= _COMPILED_AT_ONCE or {*chunk[0][:2]} != {*key[:2]}):
            yield chunk
            chunk = []
        chunk.append(key)
    if chunk:
        yield chunk


def _play_game(plan: Plan, key: Key, by_label: dict[str, Player]) -> Played:
    graph = plan.boards[board_names(plan.boards).index(key.board)]
    players = _opened(by_label[key.first], plan.limits), _opened(by_label[key.second], plan.limits)
    seeds = seed_of(key, 1, _seed(plan)), seed_of(key, 2, _seed(plan))
    outcome = play_game(players, graph, plan.rules, seeds, plan.max_turns)
    return Played(
        key, outcome.winner, outcome.turns, outcome.ended, print_of(outcome.legal), outcome.legal, outcome.faults
    )


_loaded: "OrderedDict[tuple[str, str, Limits], IsolatedPlayer]" = OrderedDict()
"""The strategies in processes of their own that this process keeps, the last used last."""


def _opened(player: Player, limits: Limits) -> GamePlayer:
    if not player.isolated:
        return open_player(player)
    place = player.spec, fingerprint_of(player), limits
    if place not in _loaded:
        _loaded[place] = IsolatedPlayer(Isolated(player.spec, limits))
    _loaded.move_to_end(place)
    while len(_loaded) > _PROCESSES:
        _loaded.popitem(last=False)[1].close()
    return _loaded[place]


def close_strategies() -> None:
    """End the strategies' processes that this process keeps; those of other workers end with them."""
    while _loaded:
        _loaded.popitem()[1].close()
