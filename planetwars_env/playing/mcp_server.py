"""Server of the Model Context Protocol: a language model's tools to play a game (docs/mcp.md)."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from mcp.server import MCPServer  # pyright: ignore[reportMissingImports]
from mcp.server.mcpserver.exceptions import ToolError  # pyright: ignore[reportMissingImports]

from planetwars_env.bots.belief import Belief
from planetwars_env.bots.bot_games import rollout
from planetwars_env.bots.catalogue import player_names
from planetwars_env.files import write_atomically
from planetwars_env.graphs.catalogue import POOLS, graph_names
from planetwars_env.language.replies import parse_moves
from planetwars_env.language.text_view import TextView
from planetwars_env.playing.live_game import LiveGame
from planetwars_env.playing.setup import PERSON, is_shipped, make_game_setup
from planetwars_env.render.pages import file_stem, replay_page
from planetwars_env.render.text import describe_end, replay_text
from planetwars_env.render.win_probability import totals_of

_POSITIONS = 16
"""Supposed positions of a simulation."""
_MOST_TURNS = 200
_INSTRUCTIONS = (
    "A game of strategy for two players on planets that are joined by edges. Begin with new_game, which explains the rules. "
    "On each turn send people with send, then call end_turn, which also plays the opponent's turn."
)


@contextmanager
def _tool_errors() -> Iterator[None]:
    """Tell the model of errors that its arguments cause."""
    try:
        yield
    except (ValueError, ImportError, OSError) as fault:
        raise ToolError(str(fault)) from fault


class TextGame:
    """One game after another between the model and an opponent; every method is a tool and returns a text.

    The arguments are those of `make_mcp_server`.
    """

    def __init__(self, opponent: str, graph: str, replays: Path | None, compact: bool) -> None:
        self._opponent, self._graph, self._replays, self._compact = opponent, graph, replays, compact
        self._live: LiveGame | None = None

    def new_game(
        self, opponent: str = "", graph: str = "", rules: str = "PLANETWARS", player: int = 1, seed: int | None = None
    ) -> str:
        """Begin a new game and read the rules. The game before it is given up.

        opponent: random, ai1, ai2, ai3 (the strongest of these), planner, or an agent.
        graph: a graph such as duel, line or rings, one of a pool such as test/17, or a pool.
        rules: PLANETWARS, PLANETWARS_HALF_STEP or SPACE_EXPLORERS. player: 1 (begins) or 2.
        seed: a number from 0, to play the same game again; drawn without one.
        """
        against, place = opponent or self._opponent, graph or self._graph
        if against != self._opponent and against.casefold() not in map(str.casefold, player_names()):
            raise ValueError(f"unknown opponent {against!r}: choose one of {', '.join(player_names())}")
        if place != self._graph and not is_shipped(place):
            known = ", ".join((*graph_names(), *POOLS))
            raise ValueError(f"unknown graph {place!r}: choose one of {known}, or one of a pool, such as test/17")
        if player not in (1, 2):
            raise ValueError(f"player must be 1 or 2, not {player}")
        setup = make_game_setup((PERSON, against) if player == 1 else (against, PERSON), place, rules, seed)
        self.close()
        self._player, self._live = player, LiveGame(setup)
        limited = replace(setup.rules, max_turns=setup.max_turns)
        self._text, self._belief = TextView(limited, self._compact), None
        self._live.begin()
        self._play_opponent()
        return f"{self._text.introduction(player)}\n\n{self._message()}"

    def look(self) -> str:
        """Look at the position as you see it, with what you saw earlier, and at the orders of this turn."""
        return self._message()

    def send(self, source: int, destination: int, people: int) -> str:
        """Send people from a planet of yours to a neighbour of it, at the end of this turn."""
        return self._order(self._game(running=True), f"send {source} -> {destination}: {people}")

    def end_turn(self, moves: str = "") -> str:
        """End your turn: the orders are carried out, the opponent plays, and you see the next position.

        moves: more orders of this turn, one per line, such as "send 3 -> 7: 12".
        """
        live = self._game(running=True)
        ordered = [self._order(live, moves)] if moves.strip() else []
        live.end_turn()
        self._play_opponent()
        return "\n\n".join([*ordered, self._message()])

    def give_up(self) -> str:
        """Give the game up: the opponent has won it, and replay shows it."""
        self._game(running=True).give_up()
        return self._message()

    def simulate(self, moves: str = "", turns: int = 20, bot: str = "ai2") -> str:
        """Try moves on supposed positions, which fit everything that you have seen; the game itself stays as it is.

        moves: one per line, such as "send 3 -> 7: 12"; after them the built-in bot plays for both sides. turns: of both players
        together. The result compares you with the opponent, on average over 16 supposed positions.
        """
        live = self._game(running=True)
        if not 1 <= turns <= _MOST_TURNS:
            raise ValueError(f"turns must be between 1 and {_MOST_TURNS}, not {turns}")
        view, rules = live.game.view(self._player), live.game.rules
        found = parse_moves(moves or "wait", view, rules)
        samples = [self._suppose().sample(number) for number in range(_POSITIONS)]
        won, before, after = Counter[int](), np.zeros((4, 2)), np.zeros((4, 2))
        for number, sample in enumerate(samples):
            before += totals_of(sample) / _POSITIONS
            sample.play([*live.orders, *found.moves])
            left = max(0, min(turns - 1, (sample.max_turns or turns) - sample.turn))
            end = sample if sample.over else rollout(sample, (bot, bot), left, seed=number)[0]
            after += totals_of(end) / _POSITIONS
            won[end.winner] += 1
        lines = [
            *(f"not tried: {problem}" for problem in found.problems),
            f"After {turns} turns of {bot} on both sides, on average over {_POSITIONS} supposed positions (before):",
        ]
        for whose, side in (("your", self._player - 1), ("the opponent's", 2 - self._player)):
            for what, row in (("planets", 1), ("people", 0)):
                lines.append(f"{whose} {what}: {after[row, side]:.1f} ({before[row, side]:.1f})")
        return "\n".join([*lines, f"won by you: {won[self._player]}, by the opponent: {won[3 - self._player]}"])

    def replay(self) -> str:
        """Read the whole game once it is over, without fog; the server may also have a page of it."""
        found = self._game().replay()
        text = replay_text(found)
        if self._replays is None:
            return text
        path = self._replays / f"{file_stem(found)}-{found.seed}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, replay_page(found).encode())
        return f"The page is {path.absolute()}\n\n{text}"

    def close(self) -> None:
        """End what the opponent still runs."""
        if self._live is not None:
            self._live.close()

    def _game(self, running: bool = False) -> LiveGame:
        if self._live is None:
            raise ValueError("there is no game: call new_game first")
        if running and self._live.over:
            raise ValueError(f"{self._result(self._live)} Call new_game for another one")
        return self._live

    def _order(self, live: LiveGame, moves: str) -> str:
        """Add the legal moves of a text to the orders; return the orders, and what is wrong with the others."""
        lines = [f"- {problem}" for problem in live.order(moves)]
        return "\n".join([*(["Not ordered:", *lines] if lines else []), _orders(live)])

    def _play_opponent(self) -> None:
        live = self._game()
        while live.strategy_to_move:
            live.carry_out(live.strategy_moves())
        if not live.over:
            self._suppose()

    def _suppose(self) -> Belief:
        """Return the belief behind the positions of simulations, brought up to the present view."""
        view, setup = self._game().game.view(self._player), self._game().setup
        if self._belief is None:
            self._belief = Belief(view, setup.rules, setup.max_turns, seed=setup.seed)
        self._belief.update(view)
        return self._belief

    def _message(self) -> str:
        live = self._game()
        text = self._text.show(live.game.view(self._player), sent=live.last_moves(self._player))
        if live.over:
            return f"{self._result(live)}\n\n{text}"
        return "\n".join([text, *([_orders(live)] if live.orders else [])])

    def _result(self, live: LiveGame) -> str:
        return describe_end(live.game, self._player) if live.game.over else f"The game is over: {live.status}."


def _orders(live: LiveGame) -> str:
    orders = ", ".join(f"{source} -> {destination}: {people}" for source, destination, people in live.orders)
    return f"Orders of this turn: {orders or 'none'}"


def make_mcp_server(
    opponent: str = "ai1", graph: str = "rings", replays: Path | None = None, compact: bool = False
) -> MCPServer:
    """Return the server of one model, which plays one game at a time; ``run()`` serves it over stdio.

    ``opponent``, ``graph``: of a new game that names none; ``replays``: the folder for pages; ``compact``: short messages.
    """
    game = TextGame(opponent, graph, replays, compact)
    server = MCPServer("planetwars", instructions=_INSTRUCTIONS, log_level="WARNING")
    for tool in (game.new_game, game.look, game.send, game.end_turn, game.give_up, game.simulate, game.replay):
        server.tool()(_tool_errors()(tool))
    return server
