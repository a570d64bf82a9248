"""The session in the page shows on every turn what `planetwars_env.play` shows, and refuses with the same sentences."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from planetwars_env.engine.rules import player_on
from planetwars_env.play.live_game import LiveGame
from planetwars_env.play.setup import make_game_setup
from planetwars_env.play.state_messages import Shown, aim_message, hint, past_message, state_message
from planetwars_env.view import Move, View
from support.page_games import Ask, setup_of

LEFT_OUT = {"fault", "paused", "speed", "console", "console_held", "seconds"}
"""Of strategies from files, and of the page's clock."""


class Script:
    """Steps of a session, and what Python answers and shows after each."""

    def __init__(self, players: tuple[str, str], graph: str, rules: str, max_turns: int | None = None) -> None:
        self.live = LiveGame(make_game_setup(players, graph, rules, 1, max_turns))
        self.live.begin()
        setup = self.live.setup
        self.setup = setup_of(setup.graph, setup.rules, players, 1, setup.max_turns)
        self.steps: list[list[Any]] = []
        self.expected: list[tuple[Any, Any]] = []
        self.handed_over = 0

    def shown(self) -> Shown:
        live, persons = self.live, self.live.setup.persons
        waits = all(persons) and not live.over and self.handed_over != live.game.player
        viewer = live.game.player if all(persons) else 1 + persons.index(True) if any(persons) else None
        return Shown(None if live.over else viewer, live.game.player if waits else 0, False, 2, False)

    def step(self, action: str, *given: Any) -> None:
        """Take a step in Python, and note what it shows then."""
        answer = None
        try:
            answer = getattr(self, f"_{action}")(*given)
        except ValueError as fault:
            answer = {"error": str(fault)}
        message = state_message(self.live, self.shown())
        if message["state"]:
            message["state"].pop("marks", None)
        kept = {key: value for key, value in message.items() if key not in LEFT_OUT}
        self.steps.append([action, *given])
        self.expected.append(json.loads(json.dumps((answer, kept))))

    def _order(self, moves: list[list[int]], every_turn: bool = False) -> None:
        self.live.order_all([Move(*move) for move in moves], every_turn)

    def _undo(self, place: int) -> None:
        self.live.undo(place)

    def _stopSending(self, place: int) -> None:  # noqa: N802 (the name in JavaScript)
        self.live.stop_sending(place)

    def _endTurn(self) -> None:  # noqa: N802
        self.live.end_turn()
        self.handed_over = 0

    def _advance(self) -> None:
        self.live.carry_out(self.live.strategy_moves())

    def _ready(self) -> None:
        self.handed_over = self.live.game.player

    def _giveUp(self) -> None:  # noqa: N802
        self.live.give_up()

    def _takeBack(self) -> None:  # noqa: N802
        """As in play/session.py."""
        live = self.live
        side = live.setup.persons.index(True)
        own = [turn for turn in range(1, len(live.moves) + 1) if player_on(turn) == side]
        if not own:
            raise ValueError("there is no turn to take back")
        standing = [order for order in live.standing.of[side + 1] if order.since < own[-1]]
        self.live = LiveGame(replace(live.setup, moves=tuple(live.moves[: own[-1] - 1])))
        self.live.begin()
        self.live.resume(standing)

    def _aim(self, move: list[int]) -> Any:
        return aim_message(self.live, Move(*move), not self.shown().to_move(self.live))["outcome"]

    def _hint(self, by: str) -> Any:
        return hint(self.live, by)()

    def _past(self, turn: int, viewer: int) -> Any:
        state = past_message(self.live, turn, viewer or None)["state"]
        state.pop("marks", None)
        return state


def orders(rng: random.Random, view: View, chance: float, most: int = 0) -> list[list[int]]:
    """Legal moves from the viewer's planets; ``most``: of people, in place of those who are there."""
    moves = []
    for planet in view.owned_by(view.player):
        near = [edge.b if edge.a == planet.id else edge.a for edge in view.edges if planet.id in (edge.a, edge.b)]
        people = most or view.my_people(planet)
        if near and people > 0 and rng.random() < chance:
            moves.append([planet.id, rng.choice(near), rng.randint(1, people)])
    return moves


def play(script: Script, rng: random.Random, turns: int) -> None:
    """A person's game: everything that a page asks for, by chance, the wrong way too."""
    for _ in range(turns):
        live = script.live
        if live.over:
            break
        if not live.person_to_move:
            script.step("advance")
            continue
        if script.shown().handover:
            script.step("ready")
        view = live.view(live.game.player)
        script.step("order", orders(rng, view, 0.5))
        for move in orders(rng, live.view(live.game.player), 0.2):
            script.step("aim", move)
        if rng.random() < 0.15:
            script.step("order", orders(rng, live.view(live.game.player), 0.3, most=100), True)
        if rng.random() < 0.2:
            script.step("undo", rng.randint(-1, 2))
        if rng.random() < 0.1:
            script.step("stopSending", rng.randint(0, 2))
        if rng.random() < 0.3:
            ids = [planet.id for planet in view.planets]
            script.step("order", [[rng.choice(ids), rng.choice([*ids, 77]), rng.randint(-1, 50)] for _ in range(2)])
        if rng.random() < 0.05:
            script.step("hint", rng.choice(["ai1", "ai3"]))
        if rng.random() < 0.05 and not all(live.setup.persons):
            script.step("takeBack")
            continue
        script.step("endTurn")
    if not script.live.over:
        script.step("past", 1, 0)
        script.step("giveUp")
        script.step("giveUp")
    for turn in (1, script.live.game.turn // 2 + 1, script.live.game.turn, script.live.game.turn + 1):
        for viewer in (0, 1, 2):
            script.step("past", turn, viewer)


SCRIPTS = [
    (("you", "ai3"), "test/3", "PLANETWARS"),
    (("ai2", "you"), "test/9", "PLANETWARS_HALF_STEP"),
    (("you", "ai1"), "test/20", "SPACE_EXPLORERS"),
    (("you", "you"), "rings", "PLANETWARS"),
    (("ai3", "ai2"), "test/5", "PLANETWARS"),
]


def compare(ask: Ask, scripts: list[Script]) -> None:
    asked = [{"do": "session", "setup": script.setup, "steps": script.steps} for script in scripts]
    for script, answers in zip(scripts, ask(asked), strict=True):
        assert "error" not in answers, answers
        for step, (expected, message), found in zip(script.steps, script.expected, answers, strict=True):
            where = f"{script.setup['players']}, turn {message['turn']}: {step}"
            if step[0] in ("aim", "hint", "past") or "error" in (expected or {}):
                assert found["answer"] == expected, where
            for key, value in message.items():
                assert found["message"][key] == value, f"{where}: {key}"


def test_a_session_shows_what_the_server_shows(ask: Ask) -> None:
    rng, scripts = random.Random(35), [Script(*one) for one in SCRIPTS]
    for script in scripts:
        play(script, rng, 40)
    compare(ask, scripts)


@pytest.mark.slow
def test_a_session_shows_what_the_server_shows_in_long_games(ask: Ask) -> None:
    rng, scripts = random.Random(36), [Script(*one) for one in SCRIPTS]
    for script in scripts:
        play(script, rng, 120)
    compare(ask, scripts)
