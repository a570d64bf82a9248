"""`pw.Belief`: possible true positions behind what one player has seen, for search that respects the fog."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from planetwars_env.bots.bot_codes import BOTS, built_in_code
from planetwars_env.bots.supposed_game import SUPPOSED, SupposedGames, supposed_graph
from planetwars_env.engine import columns
from planetwars_env.engine.entry_points import count, put_in_flight
from planetwars_env.engine.rules import MAX_TURNS, PLANETWARS, Rules, checked_max_turns, player_on
from planetwars_env.engine.state import Board, State
from planetwars_env.game import Game
from planetwars_env.graphs.board import pack
from planetwars_env.graphs.generators import RandomGenerator, draw_land
from planetwars_env.graphs.graph import Graph
from planetwars_env.view import KnownMap, View, hidden


class Belief:
    """Belief of a player about the true position: several supposed games (particles), each of which fits all views so far.

    ``view``: the first one; every later one goes to `update`. What a view shows holds in every sample. The prior of the
    rest: the sizes and habitabilities of planets never seen are drawn as the generators draw them. The opponent's base is
    drawn among the planets never seen, three or more edges from the player's own where that is possible. Out of sight the
    opponent plays as a bot drawn from ``opponents``. A planet seen before is remembered as it was, and lives on like that.

    ``rules``: those of the game; ``max_turns``: its last turn, None for the rules' own. ``seed`` draws the particles.
    ValueError for a wrong argument.

    >>> import planetwars_env as pw
    >>> game = pw.Game(pw.load_graph("rings"))
    >>> possible = pw.Belief(game.view(1)).sample()
    >>> possible.view(1) == game.view(1)
    True
    """

    def __init__(
        self,
        view: View,
        rules: Rules = PLANETWARS,
        max_turns: int | None = None,
        *,
        particles: int = 8,
        opponents: Sequence[str] = ("ai1", "ai2", "ai3"),
        seed: int = 0,
    ) -> None:
        if not isinstance(view, View):
            raise TypeError(f"a belief begins with a view, such as game.view(1), not with {view!r:.100}")
        if particles < 1:
            raise ValueError(f"particles must be at least 1, not {particles}")
        codes = [built_in_code(name) for name in opponents]
        if not codes:
            raise ValueError(f"opponents must name at least one bot of {', '.join(BOTS)}")
        self._limit = rules.max_turns if max_turns is None else checked_max_turns(max_turns)
        self.player, self._rules, self._last, self._particles = view.player, rules, 0, particles
        self._map = KnownMap(hidden(view.planets), view.edges)
        generator, self._rng = RandomGenerator(seed), np.random.default_rng(seed)
        land = np.array([[draw_land(generator) for _ in view.planets] for _ in range(particles)])
        rules, chosen = replace(rules, max_turns=self._limit), self._rng.choice(codes, particles).tolist()
        self._supposed = SupposedGames(self._map, view.player, rules, chosen, land=land, seed=seed)
        self._boards: dict[int, tuple[bytes, Graph, Board]] = {}
        """By particle the graph and board of its last sample, and what they were made from."""
        self.update(view)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_boards": {}}

    def __repr__(self) -> str:
        return f"Belief(player {self.player}, turn {self._last}, {self._particles} particles)"

    def update(self, view: View) -> None:
        """Take in a later view of the same player, usually that of its next turn. ValueError for any other view."""
        if view.player != self.player or view.edges != self._map.edges:
            raise ValueError(f"update takes views of player {self.player} on one graph, not {view!r}")
        last = self._limit or MAX_TURNS
        if not self._last <= view.turn <= last:
            raise ValueError(f"the turn of the view is {view.turn}; it must be from {self._last} to {last}")
        self._last, self._hidden = view.turn, np.array([not planet.visible for planet in view.planets])
        self._supposed.update(view)

    def sample(self, rng: np.random.Generator | int | None = None) -> Game:
        """Return a possible true position, a game with the same view; ``rng`` (a generator or a seed) chooses the particle."""
        rng = self._rng if rng is None else np.random.default_rng(rng)
        row, me = int(rng.integers(self._particles)), self.player - 1
        # The graph and the board of what it supposes are made anew when a planet or a base was seen.
        board, memory = self._supposed.board, self._supposed.memory
        land, bases = board.planets[row, [columns.HABITABILITY, columns.SIZE]], memory.bases[row]
        key = land.tobytes() + bases.tobytes()
        if row not in self._boards or self._boards[row][0] != key:
            mine, theirs = int(bases[me]), int(bases[SUPPOSED])
            if mine < 0:
                mine = next(int(p) for p in np.flatnonzero(memory.seen[row] == 0) if p != theirs)
            players = {mine: 1 + me, theirs: 2 - me}
            graph = supposed_graph(self._map.planets, self._map.edges, land.T.tolist(), players)
            self._boards[row] = key, graph, pack([graph], self._rules)
        graph, board = self._boards[row][1:]
        state = State(*(array[row : row + 1].copy() for array in self._supposed.state))
        state.status[0, columns.BOARD] = 0
        state.random[0] = rng.integers(2**63)
        count(state, 0, len(graph.planets))
        # Both players have something, since the game goes on: one person out of sight for whoever would have nothing.
        unseen = np.flatnonzero(self._hidden)
        if unseen.size and not _alive(state, 1 - me):
            base = self._supposed.memory.bases[row, SUPPOSED]
            p = base if base in unseen else int(rng.choice(unseen))
            state.people[0, 1 - me, p] = state.people[0, me, p] + 1
        if unseen.size and not _alive(state, me):
            turn = int(state.status[0, columns.TURN])
            since = 2 if player_on(turn) == me else 1  # launched on the player's last turn
            for e in rng.permutation(np.flatnonzero(self._hidden[board.edges[0, columns.TARGET]])):
                to_go = int(board.edges[0, columns.TURNS, e]) - since
                if to_go > 0:
                    put_in_flight(state, board, 0, me, int(e), (turn + to_go) % state.flights.shape[1], 1)
                    break
        count(state, 0, len(graph.planets))
        return Game.over_arrays(graph, self._rules, board, state)


def _alive(state: State, player: int) -> bool:
    return bool(state.status[0, columns.OWNED_1 + player] > 0 or state.totals[0, columns.FLYING_1 + player] > 0)
