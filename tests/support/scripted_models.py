"""Scripted models: functions from chat messages to a reply, which stand for language models in tests."""

import random
import time
from dataclasses import replace

import planetwars_env as pw
from planetwars_env.bots.entry_points import begin_game
from support.text_reader import last_turn_in, view_in

Messages = list[dict[str, str]]

_rng = random.Random(0)


def random_legal(messages: Messages) -> str:
    """Sends some of the people of each planet to a neighbour."""
    view = view_in(messages[-1]["content"])
    lines = []
    for planet in view.owned_by(view.player):
        people = view.my_people(planet)
        target = _rng.choice(pw.neighbours(view, planet.id)).id
        if people > 1:
            lines.append(f"send {planet.id} -> {target}: {_rng.randint(1, people - 1)}")
    return "\n".join(lines) or "wait"


def malformed(messages: Messages) -> str:
    """Writes what is not a move, or not a legal one."""
    return _rng.choice(["attack!", "send 1 at 2: 3", "send 1 -> 1: 5", '{"moves": 7}', "[[1, 2", "send 999 -> 1: 1"])


def silent(messages: Messages) -> str:
    return ""


def slow(messages: Messages) -> str:
    """Replies after the time limit of the tests."""
    time.sleep(0.4)
    return random_legal(messages)


class BotModel:
    """A bot as a model: it plays what it reads in the last message, one game after another on ``graph`` by ``rules``."""

    def __init__(self, name: str, graph: pw.Graph, rules: pw.Rules = pw.PLANETWARS) -> None:
        self._name, self._graph, self._rules = name, graph, rules
        self._minds: dict[int, pw.Strategy] = {}

    def __call__(self, messages: Messages) -> str:
        text = messages[-1]["content"]
        view = view_in(text)
        if view.turn <= 2:
            mind = self._minds[view.player] = pw.load_player(self._name)
            begin_game(mind, self._graph, view.player, replace(self._rules, max_turns=last_turn_in(text)), 0)
        moves = self._minds[view.player].take_turn(view)
        return "\n".join(f"send {source} -> {target}: {people}" for source, target, people in moves) or "wait"
