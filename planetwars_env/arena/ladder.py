"""Ladder: a folder of submissions, whose new versions play against the field as they come, and its site of static files.

Games are chosen by expected information. Any web server can show the site; faults stand there without their authors' code.
Everything is in the store of its games and in copies of the versions, so a ladder that was killed goes on where it was. A copy
never changes, so an edit of a submission is a new version and disturbs no game.
"""

import os
import shutil
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from zlib import crc32

from planetwars_env.arena import report
from planetwars_env.arena.contestants import contestant_of
from planetwars_env.arena.game_records import GameRow
from planetwars_env.arena.game_store import GameStore, load_replay
from planetwars_env.arena.isolation import Isolated
from planetwars_env.arena.pairing import next_games
from planetwars_env.arena.plan import TournamentPlan, prepare_plan
from planetwars_env.arena.report import GameLink, contestant_pages, make_report, ranking_values, write_pages
from planetwars_env.arena.round_robin import play_missing
from planetwars_env.arena.standings import Standings, compute_standings
from planetwars_env.arena.submissions import Submission, find_submissions
from planetwars_env.arena.tables import Table
from planetwars_env.arena.tournament import PRINTED
from planetwars_env.bots.catalogue import player_names
from planetwars_env.render.pages import write_game_page
from planetwars_env.replay import ReplayError
from planetwars_env.text import clean_name, slug

_ABSENT = "it does not compete (compete = False)"
VERSIONS, STAGING = "versions", "staging"
_ROUND = 8
"""Pairs of games between two looks at the folder."""
_FORFEITS = 10
"""A version that forfeits this many games and finishes none is withdrawn."""


@dataclass
class LadderEntry:
    """A student's submission (submissions.py), as the store keeps it.

    ``fingerprint``: of the version seen last; ``problem``: a sentence if that one does not play; ``labels``: of all versions
    that were loaded; ``spec``: the copy of the version that plays, "" if none does; ``place``: the file as it was handed in.
    """

    fingerprint: str = ""
    problem: str = ""
    labels: list[str] = field(default_factory=list)
    spec: str = ""
    place: str = ""


class Ladder:
    """The ladder of a folder. ``plan``: its conditions, and the bots that are always there.

    ``games``: that a version plays before it is no longer due. ``out``: the folder of the copies.
    """

    def __init__(self, folder: Path, out: Path, store: GameStore, plan: TournamentPlan, games: int) -> None:
        self.folder, self.out, self.store, self.games = folder, out, store, games
        self._bots, self._conditions = plan.contestants, plan
        self._plan: TournamentPlan | None = None
        self.submissions = {name: LadderEntry(**kept) for name, kept in store.metadata("submissions", {}).items()}
        self.present: list[str] = []

    @property
    def players(self) -> dict[str, str]:
        """Labels of the versions that play, by submission."""
        return {name: self.submissions[name].labels[-1] for name in self.present if self.submissions[name].spec}

    def look(self) -> list[str]:
        """Take up new versions; return one line on each. A submission that is gone leaves the ladder."""
        places: list[Submission] = []
        if any(not path.name.startswith((".", "__")) for path in self.folder.iterdir()):
            submissions = find_submissions([str(self.folder)], self.out / STAGING)
            kinds = ".py", ".zip"  # other files that hold no strategy are left out
            places = [one for one in submissions if one.player or Path(one.place).is_dir() or one.place.endswith(kinds)]
        news = []
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            for one, version in zip(places, threads.map(self._checked, places), strict=True):
                if version is not None:
                    news.append(f"{one.student}{self._take_up(one.student, *version)}")
        present = [one.student for one in places]
        for one in places:
            self.submissions.setdefault(one.student, LadderEntry()).place = one.place
        if news or present != self.present:
            self.present, self._plan = present, None
            self._save()
        return news

    def play_round(self, jobs: int) -> int:
        """Play the next games; return their number, 0 where nothing is due."""
        plan, labels = self._prepared(), set(self.players.values())
        known = {one.name for one in plan.contestants}
        rows = [row for row in self.store.rows() if known.issuperset((row.first, row.second))]
        played = Counter(label for row in rows for label in (row.first, row.second))
        due = [one.name in labels and played[one.name] < self.games for one in plan.contestants]
        keys = next_games(plan, rows, [row.key for row in rows], _ROUND, due) if any(due) else []
        if keys:
            play_missing(plan, self.store, keys, jobs, printed=self.out / PRINTED)
            played += Counter(label for key in keys for label in key[:2])
        faults = [(key, fault) for key, _, fault in self.store.faults() if known.issuperset(key[:2])]
        forfeits = Counter(fault.strategy for _, fault in faults if fault.forfeits == "game")
        for name, label in self.players.items():  # in every round: a kill may fall between the last games and this
            if forfeits[label] >= _FORFEITS and forfeits[label] == played[label]:
                one = self.submissions[name]
                one.spec, self._plan = "", None
                one.problem = f"it forfeited all of its {played[label]} games, and is withdrawn"
                self._save()
        return len(keys)

    def standings(self) -> Standings:
        """Return the standings of the versions that play, and the bots."""
        standings = compute_standings(self.store, [one.name for one in self._prepared().contestants])
        places = {name: self.submissions[name].place for name in self.present}
        playing = (Submission(name, places[name], None, strategy=label) for name, label in self.players.items())
        return replace(standings, submissions=tuple(playing))

    def keep_history(self, standings: Standings) -> None:
        """Store the ratings of now."""
        ratings = {place.label: [place.rating, place.low, place.high] for place in standings.ranking}
        self.store.save_metadata(f"history {time.strftime('%Y-%m-%d %H:%M:%S')}", ratings)

    def _prepared(self) -> TournamentPlan:
        if self._plan is None:
            players = self.players.items()
            versions = [contestant_of(self.submissions[name].spec)._replace(name=label) for name, label in players]
            self._plan = prepare_plan(replace(self._conditions, contestants=[*self._bots, *versions]), self.store)
        return self._plan

    def _checked(self, one: Submission) -> tuple[str, str, str, str] | None:
        """Return fingerprint, copy, name and problem of a new version, None if it is known."""
        known = self.submissions.get(one.student, LadderEntry())
        try:
            if one.player is None:
                raise ValueError(one.reason)
            source = one.player.files()
            if source is None or source.fingerprint() == known.fingerprint:
                return None
            # A version is copied into a folder named after its fingerprint, and plays from there.
            path = Path(one.player.spec)
            own = f"{slug(one.student, 40)}-{crc32(one.student.encode(errors='replace')):08x}"
            folder = self.out.absolute() / VERSIONS / own / source.fingerprint()
            if not folder.is_dir():
                draft = folder.with_name(f".{folder.name}")
                shutil.rmtree(draft, ignore_errors=True)
                (draft / path.stem).mkdir(parents=True)
                source.write_to(str(draft / path.stem))
                draft.replace(folder)
            spec = str(folder / path.stem / (source.entry if path.suffix == ".py" else ""))
            with Isolated(spec, self._conditions.limits) as strategy:
                problem = "it cannot be loaded: " + strategy.faults[-1].summary if strategy.faults else ""
                problem = problem or ("" if strategy.compete else _ABSENT)
                return source.fingerprint(), spec, strategy.name, problem
        except (OSError, ValueError) as fault:
            problem = clean_name(str(fault).replace(f"{self.out / STAGING}/", "").replace(f"{self.folder}/", ""), 300)
            return None if problem == known.problem else ("", "", "", problem)

    def _take_up(self, name: str, fingerprint: str, spec: str, given: str, problem: str) -> str:
        """Note a new version, and return what becomes of it; one that does not load leaves the one before in its place."""
        one = self.submissions.setdefault(name, LadderEntry())
        one.fingerprint, one.problem = fingerprint, clean_name(problem, 300)
        if problem:
            one.spec = "" if problem == _ABSENT else one.spec
            return f": {one.problem}"
        # The label: the strategy's name, the student where another has it, and the version from 2 on.
        others = {label for other in self.submissions.values() if other is not one for label in other.labels}
        used = {label.casefold() for label in (*others, *player_names())}
        label = given if given.casefold() not in used else f"{clean_name(given, 50)} ({clean_name(name[-45:])})"
        label += f" v{len(one.labels) + 1}" if one.labels else ""
        while label.casefold() in used | {own.casefold() for own in one.labels}:
            label += "'"
        one.labels.append(label)
        one.spec = spec
        return f" plays as {label}"

    def _save(self) -> None:
        self.store.save_metadata("submissions", {name: vars(one) for name, one in self.submissions.items()})


_REFRESH = 30
_PAGES_AT_ONCE = 4
"""New pages of games per writing, so that they do not keep the next games waiting."""
_POINTS = 200
"""Points of a curve in the history."""


def write_site(ladder: Ladder, site: Path, replays: int, title: str, idle: bool) -> Standings:
    """Write the site and return the standings on it; with ``idle`` all pages of games that are missing, else a few."""
    standings = ladder.standings()
    games = _replays(ladder, standings, site / "replays", replays, None if idle else _PAGES_AT_ONCE)
    state = "nothing is due" if idle else "games are being played"
    not_playing = [
        [name, ladder.submissions[name].place, problem, ladder.players.get(name, "nothing")]
        for name in ladder.present
        if (problem := ladder.submissions[name].problem)
    ]
    # The history: a curve of ratings per submission, over all of its versions.
    moments = list(ladder.store.metadata_like("history ").values())
    moments = moments[:: 1 + len(moments) // _POINTS] + moments[-1:]
    ratings = [rating for moment in moments for rating, *_ in moment.values()]
    versions = {label: ladder.submissions[name].labels for name, label in ladder.players.items()}
    curves = []
    for label in standings.labels:
        own = versions.get(label, [label])
        points = [(x, moment[one][0]) for x, moment in enumerate(moments) for one in own if one in moment]
        curves.append((label, len(own), points))
    low, high = min(ratings, default=0), max(ratings, default=0)
    page = make_report(
        "ladder.html",
        title,
        _REFRESH,
        state=f"{time.strftime('%Y-%m-%d %H:%M:%S')}: submissions that play: {len(ladder.players)}; {state}.",
        not_playing=Table(
            "Submissions whose last version does not play",
            ["student", "submission", "reason", "plays instead"],
            not_playing,
        ),
        history={"curves": curves, "span": max(1, len(moments) - 1), "high": high, "range": max(1, high - low)},
        **ranking_values(standings, games),
    )
    files = {
        "index.html": page,
        "standings.csv": report.standings_csv(standings),
        "pairs.csv": report.pairs_csv(standings),
    }
    write_pages(site, {**files, **contestant_pages(standings, "index.html", games, texts=False, refresh=_REFRESH)})
    return standings


def _replays(ladder: Ladder, standings: Standings, folder: Path, each: int, most: int | None) -> list[GameLink]:
    """Write pages of each contestant's most surprising losses, at most ``most`` new ones; return titles and links.

    Pages that belong to no contestant any more are removed.
    """
    ratings = {place.label: place.rating for place in standings.ranking}
    lost: dict[str, list[GameRow]] = {label: [] for label in standings.labels}
    for row in ladder.store.rows():
        if row.winner and {row.first, row.second} <= ratings.keys():
            lost[row.lost_by].append(row)
    wanted: dict[str, GameRow] = {}
    for player in ladder.players.values():
        lost[player].sort(key=lambda row: ratings[row.won_by])
        wanted |= {f"{crc32(repr(row[:4]).encode()):08x}-{row.fingerprint}.html": row for row in lost[player][:each]}
    folder.mkdir(parents=True, exist_ok=True)
    there = {path.name for path in folder.glob("*.html")}
    for name in there - wanted.keys():
        (folder / name).unlink()
    for name in islice((name for name in wanted if name not in there), most):
        try:
            write_game_page(folder / name, load_replay(ladder.store, wanted[name].key))
        except ReplayError:
            continue  # too long for a page
        there.add(name)
    links = []
    for name, row in wanted.items():
        if name in there:
            result = f"{row.lost_by} {'forfeited' if row.ended == 'forfeit' else 'lost'} on turn {row.turns}"
            links.append(GameLink(row.first, row.second, row.graph, result, row.winner, f"replays/{name}"))
    return links
