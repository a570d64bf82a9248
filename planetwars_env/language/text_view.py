"""Text of a player's views, complete or compact, with the memory of what it saw earlier in the game."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.language.replies import REPLY_FORM
from planetwars_env.view import Move, PlanetView, Shuttle, View

_HEADINGS = "planet     owner      people    size  growth %  neighbours:turns to fly there"
_YOU = "you"
_MOST_PROBLEMS = 8
"""Faults of a reply that the next message reports."""
_BATTLE = (
    "People that land on a neutral planet take it; where both players land there at once, the larger side keeps the "
    "difference. On a planet with an owner, friends land first and are added. Then all attackers of the turn strike: the "
    "defender counts 1.1 times its people, rounded down; more attackers than that take the planet with those left over; "
    "otherwise the defender keeps what is left.",
    "Example: 20 attackers take a planet from 17 people, who count as 18, and 2 are left. 19 count as 20: the planet is "
    "empty and neutral. 20 count as 22: the defender keeps 2.",
    "A planet that all of its people leave is neutral at once.",
    "You win when the opponent has no planet and nobody on the way.",
)
_COEXISTENCE = (
    "People of both players live on a planet side by side; it belongs to the player with strictly more people there. On "
    "another player's planet only so many land as its size leaves room for, and the rest is lost; a neutral planet that is "
    "full takes nobody.",
    "You may send your people from every planet where some of them live.",
    "You win when the opponent owns no planet and has nobody on the way, or with the larger number of people on all "
    "planets after the last turn.",
)
_REPLY = f"""\
Reply with one line for each group of people that you send, such as
{REPLY_FORM}
which sends 12 of your people from planet 3 to its neighbour 7. JSON such as [[3, 7, 12]] is as good. To send nobody, reply
wait
Lines are carried out in their order. What is wrong is left out, and the next message says why. Of fenced blocks only
the last counts."""
_COMPACT = """\
One planet per line: id, owner (me, op for the opponent, - nobody, ? never seen, lost), people/size,
growth, then > and its neighbours with the turns to fly there. @9: last seen on turn 9. Below: people on their way:
"me 3>7 12@+2" are 12 of yours from 3 to 7 with 2 turns to go."""


class _Sighting(NamedTuple):
    """A planet as it was seen on ``turn``, and what flew to it then."""

    turn: int
    planet: PlanetView
    shuttles: tuple[Shuttle, ...]


class TextView:
    """Text of the views of one player in one game; each game needs a new one, since it remembers what it has shown.

    ``rules.max_turns``: the last turn of the game, which the text names; ``compact``: a third of the length.

    >>> import planetwars_env as pw
    >>> game = pw.Game(pw.load_graph("duel"), max_turns=100)
    >>> print(pw.TextView(compact=True).show(game.view(1)))
    """

    def __init__(self, rules: Rules = PLANETWARS, compact: bool = False) -> None:
        self.rules, self.compact = rules, compact
        self._seen: dict[int, _Sighting] = {}
        self._views: list[View] = []

    def introduction(self, player: int) -> str:
        """Return the rules and the form of a reply, for the first message of a game."""
        limit = ""
        if self.rules.max_turns:
            draw = "" if self.rules.coexistence else ", in a draw"
            limit = f" The game ends after turn {self.rules.max_turns}{draw}."
        *meeting, winning = _COEXISTENCE if self.rules.coexistence else _BATTLE
        parts = [
            f"You are player {player} of two in a game on planets joined by edges. Player 1 moves on "
            "odd turns, player 2 on even ones.",
            "Before each turn of either player time passes on all planets: people grow by the planet's growth in per cent, "
            "rounded up, to at most its size; then people land; then a planet loses a tenth of what it holds above its "
            "size. People fly along one edge and land after its number of turns, counting the turns of both players.",
            *meeting,
            "You see your planets, their neighbours, and the people on their way to these. Of other planets the text says "
            "what you saw last; lost ones were yours.",
            f"{winning}{limit}",
            *([_COMPACT] if self.compact else []),
            _REPLY,
        ]
        return "\n\n".join(parts)

    def show(self, view: View, problems: Sequence[str] = (), sent: Sequence[Move] = ()) -> str:
        """Return the message of a turn.

        ``problems``: those of the reply before (`parse_moves`), which come first; ``sent``: the moves of that reply that were
        carried out, without which the message cannot report attacks that landed since.
        """
        reported = [*problems[:_MOST_PROBLEMS]]
        if len(problems) > _MOST_PROBLEMS:
            reported.append(f"and {len(problems) - _MOST_PROBLEMS:,} more")
        lines = ["Not carried out of your last reply:", *(f"- {one}" for one in reported), ""] if reported else []
        lines += self.events(view, sent)
        if self.compact:
            return "\n".join([*lines, *self._compact(view)])
        last = f" of {self.rules.max_turns}" if self.rules.max_turns else ""
        counts = [len(view.owned_by(owner)) for owner in (view.player, view.opponent, 0)]
        hidden = sum(not planet.visible for planet in view.planets)
        lines.append(
            f"Turn {view.turn}{last}; you are player {view.player}. In sight: {counts[0]} of your planets, {counts[1]} of the "
            f"opponent's, {counts[2]} neutral; out of sight: {hidden}."
        )
        sends = ", ".join(f"{planet.id} ({people})" for planet in view.planets if (people := view.my_people(planet)))
        legal = f"Legal sends: to neighbours of a planet, at most the number of your people there: {sends}."
        return "\n".join([*lines, *self.position(view), legal if sends else "You have nobody in sight to send."])

    def events(self, view: View, sent: Sequence[Move] = ()) -> list[str]:
        """Return a line on what happened since the player's turn before; none where nothing did. ``sent``: as in `show`."""
        self._views = [*(one for one in self._views[-2:] if one.turn < view.turn), view]
        if len(self._views) < 2:
            return []
        happened = describe_events(self._views[-2], view, self.rules, sent)
        return [f"Since turn {self._views[-2].turn}: {'; '.join(happened)}."] if happened else []

    def position(self, view: View, names: tuple[str, str] | None = None) -> list[str]:
        """Return the table of planets and the shuttles; ``names``: of both players, None for "you" and "opponent"."""
        self._note(view)
        owners = {0: "neutral", view.player: _YOU, view.opponent: "opponent"}
        if names is not None:
            owners = {0: "neutral", 1: names[0], 2: names[1]}
        ways = ways_of(view, self.rules)
        first = 1 if names else view.player
        lines = [_HEADINGS, *(self._planet(planet, first, owners, ways[planet.id]) for planet in view.planets)]
        flying = [*self._flights(view, owners, "{} {} -> {}: {}", " in ", " (seen on turn {})")]
        return [*lines, "people on their way (turns to go)", *flying] if flying else lines

    def _note(self, view: View) -> None:
        """Remember the planets in sight."""
        arriving: dict[int, list[Shuttle]] = {}
        for shuttle in view.shuttles:
            arriving.setdefault(shuttle.destination, []).append(shuttle)
        for planet in view.planets:
            if planet.visible:
                self._seen[planet.id] = _Sighting(view.turn, planet, tuple(arriving.get(planet.id, ())))

    def _flights(self, view: View, owners: Mapping[int, str], form: str, within: str, seen: str) -> Iterator[str]:
        """Yield the shuttles, one line by player and edge; those seen earlier as long as they cannot have landed."""
        groups: dict[tuple[int, int, int, int], list[str]] = {}
        for turn, _, shuttles in (self._seen[planet.id] for planet in view.planets if planet.id in self._seen):
            for source, destination, player, people, turns in shuttles:
                if (to_go := turns - (view.turn - turn)) > 0:
                    groups.setdefault((player, source, destination, turn), []).append(f"{people}{within}{to_go}")
        for (player, source, destination, turn), parts in groups.items():
            past = seen.format(turn) if turn != view.turn else ""
            yield form.format(owners[player], source, destination, ", ".join(parts)) + past

    def _planet(self, planet: PlanetView, first: int, owners: Mapping[int, str], ways: Mapping[int, int]) -> str:
        seen = planet if planet.visible else self._seen[planet.id].planet if planet.id in self._seen else None
        neighbours = " ".join(f"{other}:{turns}" for other, turns in ways.items())
        if seen is None or seen.owner is None:
            return f"{planet.id:>6}  {'?':>8}  {'?':>10}  {'?':>6}  {'?':>8}  {neighbours}"
        base = f"; base of {owners[seen.base]}" if seen.base else ""
        past = "" if planet.visible else f"; last seen on turn {self._seen[planet.id].turn}"
        owner, people = owners[seen.owner], _people(seen, first)
        if not planet.visible and owners[seen.owner] == _YOU:
            owner, people, past = "lost", "?", f"; yours until turn {self._seen[planet.id].turn}"
        return f"{planet.id:>6}  {owner:>8}  {people:>10}  {seen.size:>6}  {seen.habitability:>8}  {neighbours}{base}{past}"

    def _compact(self, view: View) -> list[str]:
        self._note(view)
        ways = ways_of(view, self.rules)
        last = f"/{self.rules.max_turns}" if self.rules.max_turns else ""
        lines = [f"T{view.turn}{last} you=P{view.player}"]
        for planet in view.planets:
            sighting = self._seen.get(planet.id)
            where = ",".join(f"{other}:{turns}" for other, turns in ways[planet.id].items())
            if sighting is None:
                lines.append(f"{planet.id} ? >{where}")
                continue
            seen, past = sighting.planet, "" if planet.visible else f" @{sighting.turn}"
            owner = {0: "-", view.player: "me", view.opponent: "op"}[seen.owner or 0]
            base = {0: "", view.player: " base", view.opponent: " opbase"}[seen.base or 0]
            people = _people(seen, view.player).replace(" ", "")
            if past and owner == "me":
                owner, people = "lost", "?"
            lines.append(f"{planet.id} {owner} {people}/{seen.size} {seen.habitability}% >{where}{base}{past}")
        flights = self._flights(view, {view.player: "me", view.opponent: "op"}, "{} {}>{} {}", "@+", " @{}")
        return [*lines, *flights]


def ways_of(view: View, rules: Rules) -> dict[int, dict[int, int]]:
    """Return by planet its neighbours, in the order of their ids, with the turns of the flight."""
    turns: dict[int, dict[int, int]] = {planet.id: {} for planet in view.planets}
    for edge in view.edges:
        turns[edge.a][edge.b] = turns[edge.b][edge.a] = edge.weight * rules.turns_per_weight
    return {id: dict(sorted(to.items())) for id, to in turns.items()}


def _people(planet: PlanetView, first: int) -> str:
    """Return the people of a planet; where both players live there, those of player ``first`` come first."""
    one, other = (planet.people or (0, 0))[:: 1 if first == 1 else -1]
    return f"{one} + {other}" if one and other else str(one + other)


def changes_of_owner(before: View, now: View, viewer: int | None) -> Iterator[tuple[int, int | None, int | None]]:
    """Yield (planet, old owner, new owner) of each that changed hands in sight, or is or was the viewer's; None: out of sight."""
    for was, planet in zip(before.planets, now.planets, strict=True):
        old, new = was.owner, planet.owner
        if old != new and (old is not None or new == viewer) and (new is not None or old == viewer):
            yield planet.id, old, new


def describe_events(before: View, now: View, rules: Rules, sent: Sequence[Move] = ()) -> list[str]:
    """Return a sentence for each planet that changed hands or was attacked; ``sent``: the player's moves at ``before``."""
    me, opponent = now.player, now.opponent
    weights = {(edge.a, edge.b): edge.weight * rules.turns_per_weight for edge in now.edges}
    landed: Counter[tuple[int, int]] = Counter()
    flying = [(shuttle.destination, shuttle.player, shuttle.people, shuttle.turns) for shuttle in before.shuttles]
    flying += [(to, me, people, weights[min(source, to), max(source, to)]) for source, to, people in sent]
    for destination, player, people, turns in flying:
        if turns <= now.turn - before.turn:
            landed[destination, player] += people
    changed = {planet: (old, new) for planet, old, new in changes_of_owner(before, now, me)}
    sentences = []
    for planet in now.planets:
        mine, theirs = landed[planet.id, me], landed[planet.id, opponent]
        against = f" ({theirs} of the opponent's landed there)" if theirs else ""
        failed = f" ({mine} of yours landed there)" if mine else ""
        old, new = changed.get(planet.id, (planet.owner, planet.owner))
        if old != new and new == me:
            sentences.append(f"you have taken planet {planet.id}{' from the opponent' if old == opponent else ''}")
        elif old != new and new == 0:
            sentences.append(f"planet {planet.id} is neutral now{against}{failed}")
        elif old != new and old == me:
            sentences.append(f"you have lost planet {planet.id}{against}")
        elif old != new:
            sentences.append(f"the opponent has taken planet {planet.id}{failed}")
        elif old == me and theirs and not rules.coexistence:
            sentences.append(f"you have held planet {planet.id} against {theirs}")
        elif old != me and mine and not rules.coexistence:
            sentences.append(f"{mine} of yours landed on planet {planet.id} and did not take it")
    return sentences
