"""Tournament from names to standings, resumable, with the games in a file (`pw.tournament`)."""

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planetwars_env.arena import report
from planetwars_env.arena.contestants import Submission, contestant_of, load_contestants
from planetwars_env.arena.game_store import IN_MEMORY, GameKey, GameStore, load_replay
from planetwars_env.arena.isolation import ResourceLimits
from planetwars_env.arena.plan import Seed, make_plan
from planetwars_env.arena.ratings import rounds
from planetwars_env.arena.round_robin import keep_printed, run_tournament
from planetwars_env.arena.standings import Standings, compute_standings
from planetwars_env.arena.submissions import find_submissions
from planetwars_env.bots.catalogue import Player, bot_names
from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.files import exclusive_lock
from planetwars_env.replay import Replay
from planetwars_env.text import last_line

if TYPE_CHECKING:
    from planetwars_env.render.plots import MatrixPlot

GAMES_FILE, PRINTED, SUBMISSIONS = "games.sqlite", "printed", "submissions"


@dataclass(frozen=True, repr=False)
class Tournament:
    """Result of a tournament. ``print(tournament)`` shows the ranking and the win matrix.

    ``standings``: places, ratings and win rates; ``seed``: that of all games, to play them again;
    ``folder``: with the games, None if they were not kept; ``players``: under their labels.
    """

    standings: Standings
    seed: Seed
    folder: Path | None
    players: tuple[Player, ...] = ()

    def replay(self, first: str, second: str, graph: str, repetition: int = 0) -> Replay:
        """Return a game of the tournament as a replay, ``first`` as player 1.

        ``graph``: the graph's name, which begins with "disturbed" where the tournament disturbed the graphs.
        ValueError where the games were not kept, and where there is no such game.
        """
        if self.folder is None:
            raise ValueError("the games of this tournament were not kept: pass out=FOLDER to pw.tournament")
        with GameStore(self.folder / GAMES_FILE) as store:
            key, keys = GameKey(first, second, graph, repetition), store.keys()
            if key in keys:
                return load_replay(store, key, console=True)
        graphs = sorted({one.graph for one in keys if one[:2] == key[:2]})
        more = f" and {len(graphs) - 5} more" if len(graphs) > 5 else ""
        played = f"played on {', '.join(graphs[:5])}{more}" if graphs else "did not play in this order"
        raise ValueError(f"there is no game {repetition} of {first} against {second} on {graph!r}; these two {played}")

    def plot(self) -> "MatrixPlot":
        """Return the win matrix as a picture; notebooks show it, `save` writes a .png (needs Matplotlib)."""
        from planetwars_env.render.plots import MatrixPlot

        both, labels = self.standings.both, self.standings.labels
        rates = [[both(one, other).win_rate if one != other else None for other in labels] for one in labels]
        return MatrixPlot(labels, rates)

    def __repr__(self) -> str:
        kept = "not kept" if self.folder is None else f"kept in {self.folder}"
        return f"Tournament({', '.join(self.standings.labels)}: {self.standings.played} games, {kept})"

    def __str__(self) -> str:
        return f"{report.ranking(self.standings)}\n\n{report.matrix(self.standings)}"

    def _repr_markdown_(self) -> str:
        tables = report.ranking(self.standings), report.matrix(self.standings)
        return "\n".join(f"**{table.title}**\n\n{table.markdown()}" for table in tables)


def tournament(
    players: Sequence[Any],
    graphs: Any = "test",
    games: int | None = None,
    rules: str | Rules = PLANETWARS,
    *,
    out: str | Path | None = None,
    max_turns: int | None = None,
    seed: Seed | None = None,
    disturb: bool = True,
    budget: int | None = None,
    bots_only: bool = False,
    limits: ResourceLimits | None = None,
    jobs: int = -1,
    on_games: Callable[[int, int, Callable[[], Standings]], None] | None = None,
    on_left_out: Callable[[str], None] | None = None,
    submissions: str | Path | None = None,
) -> Tournament:
    """Play every pair of ``players`` on every graph as both players, or the most informative of these games, and rank them.

    ``players``: bots, agents and strategies by name, file, ``module:Class`` or folder; strategies from files play in
    processes of their own, within ``limits``. Without ``out`` also classes, functions and policies, which play in this
    process. ``games``: of each pair, an even number; None for each graph once as either player.
    ``budget``: play only so many games in total, those that tell most about the ranking; ``bots_only``: strategies and agents
    play the built-in bots among the players, and neither play among themselves.
    ``out``: a folder that keeps every game as it ends, so that the same call goes on after an interruption.
    ``seed``: None for a secret, published after the last game; with a number others can repeat the games. ``disturb``: play
    on graphs that are like the given ones but cannot be looked up. ``jobs``: processes, -1 for one per core.
    ``on_games`` gets a number of games, first of those that were played before, then of those just saved; that of all games;
    and a function that computes the standings so far.
    ``submissions``: a folder with a file, folder or .zip per student, who play too (needs ``out``); what cannot be loaded is
    left out and listed in the standings. ``on_left_out`` gets a sentence on each of them, and on strategies that do not compete.
    ValueError for unknown names, players that cannot be loaded or are named twice, fewer than two players, an odd number of
    games, and a folder with another tournament; BusyError for a folder that another process plays into.
    """
    folder = None if out is None else Path(out)
    handed_in: list[Submission] = []
    if submissions is not None:
        if folder is None:
            raise ValueError("submissions are copied before they play: pass out=FOLDER to pw.tournament")
        with open_store(folder):  # nobody plays from the older copies
            handed_in = find_submissions([str(submissions)], folder / SUBMISSIONS)
    plan = make_plan((), graphs, games, rules, max_turns, limits, seed=seed, disturb=disturb, budget=budget)
    given = [Submission("", player.spec, player) for player in map(contestant_of, players)]
    loaded = load_contestants([*given, *handed_in], plan.limits)
    loaded = [one._replace(reason=last_line(one.reason)) for one in loaded]
    for one in loaded:
        if on_left_out and one.reason:
            on_left_out(f"{one.student} did not load and is left out: {one.reason}")
        elif on_left_out and not one.competes:
            on_left_out(f"{one.strategy} does not compete and is left out: its class says compete = False")
    classmates = tuple(one for one in loaded if one.student and (one.competes or one.reason))
    contestants = [one.player for one in loaded if one.player is not None and one.competes]
    labels = [one.name for one in contestants]
    if len(labels) < 2:
        raise ValueError("a tournament needs at least two players that compete: name another one, for example ai1")
    strategies = {one.name for one in contestants if one.spec not in bot_names()}
    if bots_only and not 0 < len(strategies) < len(labels):
        raise ValueError("strategies and built-in bots play each other by bots_only: name at least one of either")
    plan = replace(plan, contestants=contestants, only=strategies if bots_only else None)
    with open_store(folder) as store:

        def standings_now(schedule: Collection[GameKey] | None = None) -> Standings:
            return replace(compute_standings(store, labels, schedule), submissions=classmates)

        def report(games: int, total: int) -> None:
            if on_games:
                on_games(games, total, standings_now)

        keep = None if folder is None else partial(keep_printed, folder / PRINTED)
        plan = run_tournament(plan, store, jobs, report, keep)
        standings = standings_now(set(chain.from_iterable(rounds(plan, store))))
    assert plan.seed is not None
    return Tournament(standings, plan.seed, folder, tuple(plan.contestants))


@contextlib.contextmanager
def open_store(folder: Path | None) -> Iterator[GameStore]:
    """Open the store in ``folder``, in memory without one; BusyError where another tournament has it open."""
    if folder is None:
        with GameStore(IN_MEMORY) as store:
            yield store
        return
    folder.mkdir(parents=True, exist_ok=True)
    with GameStore(folder / GAMES_FILE) as store, exclusive_lock(folder / f"{GAMES_FILE}.lock", "a tournament"):
        yield store
