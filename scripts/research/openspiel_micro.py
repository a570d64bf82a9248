"""PlanetWars on tiny graphs as a game of OpenSpiel 2, with states of perfect recall.

    game = pyspiel.load_game("python_planetwars_micro", {"graph": "line of three", "max_turns": 8})

    pip install 'planetwars-env[openspiel]'
    python -m scripts.research.openspiel_micro      # best responses by OpenSpiel beside our own exact values

An action is a whole turn: the people on each directed edge, as digits of one number.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python import policy
from open_spiel.python.algorithms.best_response import BestResponsePolicy

import planetwars_env as pw
from scripts.research.micro_exploitability import BOARDS, all_moves, bot_policy, exploitability

NAME = "python_planetwars_micro"
DEFAULTS = {"graph": "line of three", "max_turns": 8}
MOST_PEOPLE = 12
"""Base of the digits: more people than a planet of the tiny graphs ever sends."""
TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="PlanetWars on a tiny graph",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=False,
    parameter_specification=DEFAULTS,
)


class Setup:
    """Start of a game and the numbering of its actions; OpenSpiel keeps no attributes of a game in Python."""

    def __init__(self, graph: str, max_turns: int) -> None:
        self.start = pw.Game(BOARDS[graph], pw.PLANETWARS, max_turns)
        self.edges = sorted((a, b) for edge in BOARDS[graph].edges for a, b in ((edge.a, edge.b), (edge.b, edge.a)))

    def moves_of(self, action: int) -> list[pw.Move]:
        """Return the moves that an action stands for."""
        digits = ((action // MOST_PEOPLE**i % MOST_PEOPLE, edge) for i, edge in enumerate(self.edges))
        return [pw.Move(*edge, people) for people, edge in digits if people]

    def action_of(self, moves: Iterable[pw.Move]) -> int:
        """Return the action of a turn's moves."""
        return sum(move.people * MOST_PEOPLE ** self.edges.index((move.source, move.destination)) for move in moves)


@cache
def setup_of(graph: str, max_turns: int) -> Setup:
    """Return the setup of a graph by its name in micro_exploitability.py."""
    return Setup(graph, max_turns)


class MicroGame(pyspiel.Game):
    """Game on a graph of micro_exploitability.py, a draw after ``max_turns``; a win counts 1, a loss -1."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        chosen = {**DEFAULTS, **(params or {})}
        setup = setup_of(**chosen)
        actions = MOST_PEOPLE ** len(setup.edges)
        super().__init__(TYPE, pyspiel.GameInfo(actions, 0, 2, -1.0, 1.0, 0.0, chosen["max_turns"]), chosen)

    def new_initial_state(self) -> "MicroState":
        """Return the state in which player 0, our player 1, is to move."""
        return MicroState(self)


class MicroState(pyspiel.State):
    """State: the game, and what each player has seen and done."""

    def __init__(self, game: MicroGame) -> None:
        super().__init__(game)
        self.setup = setup_of(**{**DEFAULTS, **game.get_parameters()})
        self.game, self.seen = self.setup.start.copy(), ["", ""]
        self._look()

    def _look(self) -> None:
        if not self.game.over:
            player = self.game.player
            self.seen[player - 1] += f"{self.game.view(player)}\n"

    def current_player(self) -> int:
        """Return 0 or 1, or the mark of the end."""
        return pyspiel.PlayerId.TERMINAL if self.game.over else self.game.player - 1

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(map(self.setup.action_of, all_moves(self.game.view(player + 1))))

    def _apply_action(self, action: int) -> None:
        self.seen[self.game.player - 1] += f"{action}\n"
        self.game.play(self.setup.moves_of(action))
        self._look()

    def _action_to_string(self, player: int, action: int) -> str:
        return ", ".join(f"{move.source}->{move.destination}: {move.people}" for move in self.setup.moves_of(action))

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.game.over

    def returns(self) -> list[float]:
        """Return the result of both players."""
        first = {0: 0.0, 1: 1.0, 2: -1.0}[self.game.winner if self.game.over else 0]
        return [first, -first]

    def information_state_string(self, player: int | None = None) -> str:
        """Return everything that a player has seen and done."""
        return self.seen[self.current_player() if player is None else player]

    def observation_string(self, player: int) -> str:
        """Return a player's view."""
        return str(self.game.view(player + 1))

    def __str__(self) -> str:
        return f"turn {self.game.turn}: {self.game.people()} {self.game.shuttles()}"


class BotPolicy(policy.Policy):
    """A compiled bot other than random, by its own view of a state."""

    def __init__(self, game: pyspiel.Game, name: str) -> None:
        super().__init__(game, [0, 1])
        start = setup_of(**game.get_parameters()).start
        self._bots = [pw.load_player(name) for _ in range(2)]
        for player, bot in enumerate(self._bots, 1):
            bot.reset(start.graph, player, start.rules, 0)

    def action_probabilities(self, state: MicroState, player_id: int | None = None) -> dict[int, float]:
        """Return the bot's one action."""
        player = state.current_player()
        return {state.setup.action_of(self._bots[player].take_turn(state.game.view(player + 1))): 1.0}


def best_responses(graph: str, bot: str, max_turns: int) -> tuple[float, float]:
    """Return OpenSpiel's values of the best responses to a bot as player 1 and as player 2."""
    game = pyspiel.load_game(NAME, {"graph": graph, "max_turns": max_turns})
    values = [
        BestResponsePolicy(game, responder, BotPolicy(game, bot)).value(game.new_initial_state())
        for responder in (1, 0)
    ]
    return float(np.round(values[0], 9)), float(np.round(values[1], 9))


def main() -> None:
    """Print the values of OpenSpiel beside our own, which must be equal."""
    for name, graph in BOARDS.items():
        for bot in ("noop", "ai3", "advisor"):
            for turns in (4, 6):
                own = exploitability(graph, (bot_policy(bot, graph, 1), bot_policy(bot, graph, 2)), turns)[:2]
                theirs = best_responses(name, bot, turns)
                print(
                    f"{name}, {turns} turns, {bot}: {own[0]}, {own[1]}; OpenSpiel {theirs[0]:g}, {theirs[1]:g}",
                    flush=True,
                )
                assert tuple(map(float, own)) == theirs


pyspiel.register_game(TYPE, MicroGame)

if __name__ == "__main__":
    main()
