"""Ladder: a folder of submissions, whose new versions play against the field as they come, and its site of static files.

Games are chosen by expected information. Any web server can show the site; faults stand there without their authors' code.
Everything is in the store of its games and in copies of the versions, so a ladder that was killed goes on where it was. A copy
never changes, so an edit of a submission is a new version and disturbs no game.
"""

import shutil
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from zlib import crc32

from planetwars_env.arena import report
from planetwars_env.arena.contestants import Submission, contestant_of, load_submissions
from planetwars_env.arena.game_store import FinishedGame, GameStore, faults_of, load_replay
from planetwars_env.arena.plan import TournamentPlan, prepare_plan
from planetwars_env.arena.ratings import next_games
from planetwars_env.arena.report import GameLink
from planetwars_env.arena.round_robin import keep_printed, play_missing
from planetwars_env.arena.standings import Standings, compute_standings
from planetwars_env.arena.submissions import find_submissions
from planetwars_env.arena.tables import Table
from planetwars_env.arena.tournament import PRINTED
from planetwars_env.bots.catalogue import Player, player_names
from planetwars_env.bots.source_files import SourceFiles
from planetwars_env.render.pages import write_game_page
from planetwars_env.text import clean_name, last_line, slug

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
        found: list[Submission] = []
        if any(not path.name.startswith((".", "__")) for path in self.folder.iterdir()):
            submissions = find_submissions([str(self.folder)], self.out / STAGING)
            kinds = ".py", ".zip"  # other files that hold no strategy are left out
            found = [one for one in submissions if one.player or Path(one.place).is_dir() or one.place.endswith(kinds)]
        news, new = [], list[tuple[str, Submission, Player]]()
        for one in found:
            entry = self.submissions.setdefault(one.student, LadderEntry())
            entry.place = one.place
            try:
                if one.player is None:
                    raise ValueError(one.reason)
                source = one.player.files()
                if source is not None and source.fingerprint() != entry.fingerprint:
                    copy = self._copy(one.student, one.player, source)
                    new.append((source.fingerprint(), one._replace(player=copy), copy))
            except (OSError, ValueError) as fault:
                text = str(fault).replace(f"{self.out / STAGING}/", "").replace(f"{self.folder}/", "")
                if (problem := clean_name(text, 300)) != entry.problem:
                    entry.fingerprint, entry.problem = "", problem
                    news.append(f"{one.student}: {problem}")
        loaded = load_submissions([one for _, one, _ in new], self._conditions.limits)
        for (fingerprint, _, copy), one in zip(new, loaded, strict=True):
            news.append(f"{one.student}{self._take_up(one, fingerprint, copy.spec)}")
        present = [one.student for one in found]
        if news or present != self.present:
            self.present, self._plan = present, None
            self._save()
        return news

    def play_round(self, jobs: int) -> int:
        """Play the next games; return their number, 0 where nothing is due."""
        plan, labels = self._prepared(), set(self.players.values())
        known = {one.name for one in plan.contestants}
        games = [game for game in self.store.games() if known.issuperset(game.key[:2])]
        played = Counter(label for game in games for label in game.key[:2])
        forfeits = Counter(fault.strategy for _, _, fault in faults_of(games) if fault.forfeits == "game")
        for name, label in self.players.items():
            if forfeits[label] >= _FORFEITS and forfeits[label] == played[label]:
                one = self.submissions[name]
                one.spec, self._plan = "", None
                one.problem = f"it forfeited all of its {played[label]} games, and is withdrawn"
                self._save()
                return self.play_round(jobs)
        due = [one.name in labels and played[one.name] < self.games for one in plan.contestants]
        keys = next_games(plan, games, _ROUND, due) if any(due) else []
        if keys:
            play_missing(plan, self.store, keys, jobs, partial(keep_printed, self.out / PRINTED))
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

    def _copy(self, student: str, player: Player, source: SourceFiles) -> Player:
        """Copy a version into a folder named after its fingerprint, and return the player that plays from there."""
        path, own = Path(player.spec), f"{slug(student, 40)}-{crc32(student.encode(errors='replace')):08x}"
        folder = self.out.absolute() / VERSIONS / own / source.fingerprint()
        if not folder.is_dir():
            draft = folder.with_name(f".{folder.name}")
            shutil.rmtree(draft, ignore_errors=True)
            (draft / path.stem).mkdir(parents=True)
            source.write_to(str(draft / path.stem))
            draft.replace(folder)
        return contestant_of(str(folder / path.stem / (source.entry if path.suffix == ".py" else "")))

    def _take_up(self, new: Submission, fingerprint: str, spec: str) -> str:
        """Note a new version, and return what becomes of it; one that does not load leaves the one before in its place."""
        one, name, given = self.submissions[new.student], new.student, new.strategy
        absent = "" if new.competes else "it does not compete (compete = False)"
        problem = f"it cannot be loaded: {last_line(new.reason)}" if new.reason else absent
        one.fingerprint, one.problem = fingerprint, clean_name(problem, 300)
        if problem:
            one.spec = one.spec if new.reason else ""
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


_PAGES_AT_ONCE = 4
"""New pages of games per writing, so that they do not keep the next games waiting."""
_POINTS = 200
"""Points of a curve in the history."""


def write_site(ladder: Ladder, site: Path, replays: int, title: str, idle: bool) -> Standings:
    """Write the site and return the standings on it; with ``idle`` all pages of games that are missing, else a few."""
    standings = ladder.standings()
    games = _replays(ladder, standings, site / "replays", replays, idle)
    state = "nothing is due" if idle else "games are being played"
    faulty = [(name, ladder.submissions[name]) for name in ladder.present if ladder.submissions[name].problem]
    rows = [[name, one.place, one.problem, ladder.players.get(name, "nothing")] for name, one in faulty]
    headings = ["student", "submission", "reason", "plays instead"]
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
    values = {
        "state": f"{time.strftime('%Y-%m-%d %H:%M:%S')}: submissions that play: {len(ladder.players)}; {state}.",
        "not_playing": Table("Submissions whose last version does not play", headings, rows),
        "history": {"curves": curves, "span": max(1, len(moments) - 1), "high": high, "range": max(1, high - low)},
    }
    tables = {"standings.csv": report.standings_csv(standings), "pairs.csv": report.pairs_csv(standings)}
    report.write_pages(site, {**tables, **report.tournament_pages(standings, title, games, ladder=values)})
    return standings


def _replays(ladder: Ladder, standings: Standings, folder: Path, each: int, idle: bool) -> list[GameLink]:
    """Write pages of each contestant's most surprising losses, and remove those of others; return titles and links.

    ``idle``: all pages that are missing, else a few.
    """
    ratings = {place.label: place.rating for place in standings.ranking}
    lost: dict[str, list[FinishedGame]] = {label: [] for label in standings.labels}
    for game in ladder.store.games():
        if game.winner and {*game.key[:2]} <= ratings.keys():
            lost[(game.key.second, game.key.first)[game.winner - 1]].append(game)
    folder.mkdir(parents=True, exist_ok=True)
    gone, links = {path.name for path in folder.glob("*.html")}, []
    room = each * len(ladder.players) if idle else _PAGES_AT_ONCE
    for player in ladder.players.values():
        for game in sorted(lost[player], key=lambda game: ratings[game.won_by])[:each]:
            name = f"{crc32(repr(tuple(game.key)).encode()):08x}-{game.fingerprint}.html"
            gone.discard(name)
            if not (folder / name).exists():
                if not room:
                    continue
                room -= 1
                write_game_page(folder / name, load_replay(ladder.store, game.key))
            result = f"{player} {'forfeited' if game.ended == 'forfeit' else 'lost'} on turn {game.turns}"
            links.append(GameLink(*game.key[:3], result, game.winner, f"replays/{name}"))
    for name in gone:
        (folder / name).unlink()
    return links
