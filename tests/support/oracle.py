"""A slow second reading of docs/rules.md, written from that page alone: the engine is compared with it.

Nothing here is fast or clever, and nothing is shared with ``planetwars_env``: plain Python numbers, dictionaries and
lists, in the order of the rules. Every function cites the rule it spells out; what a turn does to one planet (R4 to R7)
is scripts/verification/planet_rules.py.

A board is the dictionary of golden/README.md: ``planets`` [{id, habitability, size, base}], ``edges`` [{a, b, weight}].
The owner of a planet is never stored: in all three rule sets it is whoever has strictly more people there (R6), since
a planet of PlanetWars never holds people of both players, and nobody's when it is empty.
"""

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

from scripts.verification.planet_rules import pass_time


class Preset(NamedTuple):
    """One row of the table at the top of docs/rules.md."""

    coexistence: bool
    turns_per_weight: int
    max_turns: int | None


PRESETS = {
    "planetwars": Preset(coexistence=False, turns_per_weight=1, max_turns=None),
    "half_step": Preset(coexistence=False, turns_per_weight=2, max_turns=None),
    "space_explorers": Preset(coexistence=True, turns_per_weight=1, max_turns=100),
}


@dataclass
class Planet:
    """A planet and the people on it, ``people[player]`` for players 1 and 2."""

    habitability: int
    size: int
    base: int
    people: dict[int, int]

    @property
    def owner(self) -> int:
        """R6: the player with strictly more people; 0 where nobody has."""
        if self.people[1] == self.people[2]:
            return 0
        return 1 if self.people[1] > self.people[2] else 2


@dataclass
class Shuttle:
    """People on their way; they land when time passes on turn ``lands_on`` (after R4 in docs/rules.md)."""

    source: int
    destination: int
    player: int
    people: int
    lands_on: int


# --- a game ------------------------------------------------------------------------------------------------------


class Game:
    """One game with the methods of ``planetwars_env.Game``, so that a test can be told once for both."""

    def __init__(
        self, board: dict[str, Any], preset: str, max_turns: int | None = None, state: dict[str, Any] | None = None
    ) -> None:
        """With a ``state``, the game that stands on its turn: time has passed, and its player may still move."""
        self.preset = PRESETS[preset]
        self.max_turns = self.preset.max_turns if max_turns is None else max_turns
        self.planets = {
            p["id"]: Planet(p["habitability"], p["size"], p["base"], {1: 0, 2: 0}) for p in board["planets"]
        }
        self.weights: dict[tuple[int, int], int] = {}  # R1: an edge is usable both ways
        for edge in board["edges"]:
            self.weights[edge["a"], edge["b"]] = self.weights[edge["b"], edge["a"]] = edge["weight"]
        self.shuttles: list[Shuttle] = []
        self.turn, self.over, self.winner = 0, False, 0
        if state is None:
            for planet in self.planets.values():  # R2
                if planet.base:
                    planet.people[planet.base] = 1
            self._begin_turn()  # R3: time passes once before the very first move
            return
        self.turn, self.over, self.winner = state["turn"], state["over"], state["winner"]
        for name, _, first, second in state["planets"]:
            self.planets[name].people = {1: first, 2: second}
        for source, destination, player, people, turns in state["shuttles"]:
            self.shuttles.append(Shuttle(source, destination, player, people, self.turn + turns))

    def copy(self) -> "Game":
        return deepcopy(self)

    @property
    def player(self) -> int:
        """R3: player 1 has the odd turns, player 2 the even ones."""
        return 1 if self.turn % 2 == 1 else 2

    def _begin_turn(self) -> None:
        """R3: time passes planet by planet, then elimination is checked."""
        self.turn += 1
        for name, planet in self.planets.items():
            self._pass_time_on(name, planet)
        self.shuttles = [shuttle for shuttle in self.shuttles if shuttle.lands_on > self.turn]
        self._check_elimination()

    def _pass_time_on(self, name: int, planet: Planet) -> None:
        landing = {1: 0, 2: 0}
        for shuttle in self.shuttles:
            if shuttle.destination == name and shuttle.lands_on == self.turn:
                landing[shuttle.player] += shuttle.people
        planet.people[1], planet.people[2] = pass_time(
            planet.people[1], planet.people[2], landing[1], landing[2], planet.size, planet.habitability,
            self.preset.coexistence,
        )  # fmt: skip

    def _check_elimination(self) -> None:
        """R10: a side lives while it owns a planet or has a shuttle in flight."""
        owners = {planet.owner for planet in self.planets.values()} | {shuttle.player for shuttle in self.shuttles}
        alive = owners & {1, 2}
        if len(alive) == 1:
            self.over, self.winner = True, alive.pop()
        elif not alive and not self.preset.coexistence:
            self.over = True

    def submit(self, moves: list[tuple[int, int, int]]) -> list[bool]:
        """R8: carries out the legal moves, in order; says which were legal."""
        if self.over:
            raise RuntimeError("the game is over")
        return [self._carry_out(*move) for move in moves]

    def _carry_out(self, source: int, destination: int, people: int) -> bool:
        """R8, one move. The player has people on a planet of PlanetWars only where it owns it."""
        if (source, destination) not in self.weights or people < 1:
            return False
        if self.planets[source].people[self.player] < people:
            return False
        self.planets[source].people[self.player] -= people
        turns = self.weights[source, destination] * self.preset.turns_per_weight
        self.shuttles.append(Shuttle(source, destination, self.player, people, self.turn + turns))
        return True

    def advance(self) -> None:
        """R3 and R10: the turn ends; at the limit the game with it, else the next turn begins."""
        if self.over:
            raise RuntimeError("the game is over")
        if self.max_turns is not None and self.turn >= self.max_turns:
            self._end_at_the_limit()
        else:
            self._begin_turn()

    def _end_at_the_limit(self) -> None:
        """R10: SpaceExplorers compares the sums over all planets, PlanetWars is cut off without a winner."""
        self.over = True
        if self.preset.coexistence:
            first, second = (sum(planet.people[player] for planet in self.planets.values()) for player in (1, 2))
            self.winner = 0 if first == second else 1 if first > second else 2

    def play(self, moves: list[tuple[int, int, int]]) -> list[bool]:
        accepted = self.submit(moves)
        self.advance()
        return accepted

    # --- what is seen --------------------------------------------------------------------------------------------

    def visible(self, player: int) -> list[int]:
        """R9: the planets the player owns, and their neighbours."""
        own = {name for name, planet in self.planets.items() if planet.owner == player}
        return sorted(own | {b for a, b in self.weights if a in own})

    def shuttle_sums(self) -> list[list[int]]:
        """[source, destination, player, people, turns to go], sorted; R9: those alike but for the people as one."""
        sums: dict[tuple[int, int, int, int], int] = {}
        for shuttle in self.shuttles:
            key = (shuttle.source, shuttle.destination, shuttle.player, shuttle.lands_on - self.turn)
            sums[key] = sums.get(key, 0) + shuttle.people
        return sorted([a, b, player, people, turns] for (a, b, player, turns), people in sums.items())

    def seen_by(self, player: int) -> dict[str, Any]:
        """R9: every edge; of each visible planet [owner, p1, p2, size, habitability, base], of the others None; and
        the shuttles towards the visible ones."""
        visible = set(self.visible(player))
        planets = {
            name: [p.owner, p.people[1], p.people[2], p.size, p.habitability, p.base] if name in visible else None
            for name, p in self.planets.items()
        }
        edges = sorted([a, b, weight] for (a, b), weight in self.weights.items() if a < b)
        return {"edges": edges, "planets": planets, "shuttles": [s for s in self.shuttle_sums() if s[1] in visible]}

    def to_dict(self) -> dict[str, Any]:
        """The whole state in the form of ``planetwars_env.Game.to_dict``."""
        planets = [[name, p.owner, p.people[1], p.people[2]] for name, p in sorted(self.planets.items())]
        return {
            "turn": self.turn,
            "player": self.player,
            "over": self.over,
            "winner": self.winner,
            "visible": self.visible(self.player),
            "planets": planets,
            "shuttles": self.shuttle_sums(),
        }
