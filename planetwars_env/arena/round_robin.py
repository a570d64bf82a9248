"""Round robin: every pair on every graph as both players, over all cores or a cluster, into a `GameStore`.

The seeds of a game come from its players, its graph, its repetition and the tournament's seed, never from the time. So a
tournament that was killed and started again ends with the same table as one without interruption.
"""

import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from pathlib import Path

from planetwars_env.arena.confinement.folders import remove_stale_folders
from planetwars_env.arena.contestants import fingerprint_player, load_contestants
from planetwars_env.arena.game_store import IN_MEMORY, FinishedGame, GameKey, GameStore
from planetwars_env.arena.games import fingerprint_moves, play_game
from planetwars_env.arena.isolation import ResourceLimits
from planetwars_env.arena.kept_players import close_strategies, open_kept, take_printed
from planetwars_env.arena.printed import keep_printed
from planetwars_env.arena.seeds import Seed, disturbed_graphs, game_seed, new_secret
from planetwars_env.arena.tasks import finished_tasks
from planetwars_env.bots.bot_games import play_bot_games
from planetwars_env.bots.catalogue import Player, bot_names
from planetwars_env.engine.rules import Rules
from planetwars_env.graphs.graph import Graph

_COMPILED_AT_ONCE = 20
"""Games of compiled bots in one task: few enough to lose little when killed, many enough to hide the cost of a task."""


@dataclass(frozen=True)
class TournamentPlan:
    """Plan of a round robin. ``games``: of each pair, half of them as either player; graphs are used in turn.

    ``max_turns``: games are cut off there, as a draw. ``only``: labels of contestants that are graded: they play the others and
    not each other, and no seed depends on their labels; ``bots_only``: strategies meet built-in bots, and not each other.
    ``seed``: a number or the text of a secret; None for the store's, or a new secret in a new one.
    ``disturb``: play on graphs that are like these and cannot be looked up. ``fingerprints``: of the isolated strategies by
    label, as they were when the games began. ``budget``: games in total, chosen for what they tell about the ranking
    (pairing.py); None for all. ValueError for an odd or too small number of games.
    """

    contestants: Sequence[Player]
    graphs: Sequence[Graph]
    rules: Rules
    games: int
    max_turns: int
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    seed: Seed | None = None
    only: Collection[str] | None = None
    disturb: bool = False
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    bots_only: bool = False
    budget: int | None = None

    def __post_init__(self) -> None:
        if self.games < 2 or self.games % 2:
            raise ValueError(f"games must be an even number from 2, half of them as either player, not {self.games}")
        if self.budget is not None and self.budget < 2:
            raise ValueError(f"the budget must be at least 2 games, one as either player, not {self.budget}")

    def schedule(self) -> Iterator[GameKey]:
        """Yield every game, pair by pair."""
        for one, other in combinations(self.contestants, 2):
            if self.meet(one, other):
                for both in self.pair_games(one.name, other.name):
                    yield from both

    def meet(self, one: Player, other: Player) -> bool:
        """Whether these two play each other."""
        bots = bot_names()
        if self.only is not None:
            return (one.name in self.only) != (other.name in self.only)
        return not self.bots_only or one.spec in bots or other.spec in bots

    def pair_games(self, one: str, other: str) -> list[tuple[GameKey, GameKey]]:
        """Return the games of a pair, each in both orders."""
        names = graph_labels(self.graphs)
        places = [(names[game % len(names)], game // len(names)) for game in range(self.games // 2)]
        return [(GameKey(one, other, *place), GameKey(other, one, *place)) for place in places]


Rounds = Callable[[TournamentPlan, GameStore], Iterable[Sequence[GameKey]]]
"""Rounds of games of a prepared plan; the store holds each when the next is asked for."""


def graph_labels(graphs: Sequence[Graph]) -> list[str]:
    """Return the graphs' names; missing and repeated names get a number."""
    names = [graph.name for graph in graphs]
    return [name if name and names.count(name) == 1 else f"{name or 'graph'}#{b}" for b, name in enumerate(names)]


def prepare_plan(plan: TournamentPlan, store: GameStore) -> TournamentPlan:
    """Return the plan with its seed, which a new store keeps, and with the (disturbed) graphs that are played on."""
    seed = plan.seed
    if seed is None:
        seed = store.metadata("conditions", {}).get("seed")
    if seed is None:
        seed = new_secret()
    graphs = disturbed_graphs(plan.graphs, seed) if plan.disturb else plan.graphs
    fingerprints = {one.name: fingerprint_player(one) for one in plan.contestants if one.isolated}
    plan = replace(plan, seed=seed, graphs=graphs, disturb=False, fingerprints=fingerprints)
    check_same_tournament(plan, store)
    return plan


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
    done, schedule = store.keys(), [] if rounds else list(plan.schedule())
    if on_start:
        total = (plan.budget or 0) if rounds else len(schedule)
        on_start(min(len(done if rounds else done.intersection(schedule)), total), total)
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


def load_plan(
    plan: TournamentPlan,
    on_absent: Callable[[str], None] | None = None,
    on_broken: Callable[[Player, str], bool] | None = None,
) -> TournamentPlan:
    """Return the plan with its contestants under the names that they give themselves (`load_contestants`)."""
    named = load_contestants(plan.contestants, plan.limits, on_absent, on_broken)
    if plan.only is None:
        return replace(plan, contestants=named)
    only = {new.name for old, new in zip(plan.contestants, named, strict=True) if old.name in plan.only}
    return replace(plan, contestants=named, only=only)


def check_same_tournament(plan: TournamentPlan, store: GameStore) -> None:
    """Save the conditions of the games; ValueError if games in the store were played under other conditions.

    Contestants, graphs and games may be added to a tournament.
    """
    conditions = {
        "rules": asdict(plan.rules),
        "max_turns": plan.max_turns,
        "limits": asdict(plan.limits),
        "seed": plan.seed,
        **({} if plan.only is None else {"seeds": "without the labels of the graded"}),
    }
    known = store.metadata("conditions", conditions)
    changed = [name for name, value in conditions.items() if known.get(name) != value]
    kept = store.path != IN_MEMORY  # only games in a file can be those of another state of a player
    contestants = {one.name: [one.spec, fingerprint_player(one)] for one in plan.contestants if kept or one.spec}
    graphs = {
        name: [graph.name, graph.to_dict()] for name, graph in zip(graph_labels(plan.graphs), plan.graphs, strict=True)
    }
    before, graphs_before = store.metadata("contestants", {}), store.metadata("graphs", {})
    changed += [label for label, what in contestants.items() if before.get(label, what) != what]
    changed += [f"graph {name}" for name, what in graphs.items() if graphs_before.get(name, what) != what]
    if changed:
        raise ValueError(
            f"the games in this folder were played with other versions of: {', '.join(changed)}. Choose another folder "
            "(--out), or remove this one to play all games again"
        )
    store.save_metadata("conditions", conditions)
    store.save_metadata("contestants", {**before, **contestants})
    store.save_metadata("graphs", {**graphs_before, **graphs})
    store.save_metadata("graded", {**store.metadata("graded", {}), **dict.fromkeys(plan.only or (), True)})


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
    begun = time.perf_counter()
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
        take_printed(first, second),
        time.perf_counter() - begun,
    )
