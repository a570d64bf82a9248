"""Scripted models: functions from chat messages to a reply, which stand for language models in tests."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable

import planetwars_env as pw
from support.text_reader import bot_as_model, view_in

Messages = list[dict[str, str]]
Model = Callable[[Messages], str]

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


def rule_following(messages: Messages) -> str:
    """Sends half of the people of the largest planet to the first neighbour that is not its own, as JSON."""
    view = view_in(messages[-1]["content"])
    for planet in sorted(view.owned_by(view.player), key=view.my_people, reverse=True):
        for other in pw.neighbours(view, planet.id):
            if other.owner != view.player and view.my_people(planet) > 1:
                return json.dumps({"moves": [[planet.id, other.id, view.my_people(planet) // 2]]})
    return "[]"


def malformed(messages: Messages) -> str:
    """Writes what is not a move, or not a legal one."""
    return _rng.choice(["attack!", "send 1 at 2: 3", "send 1 -> 1: 5", '{"moves": 7}', "[[1, 2", "send 999 -> 1: 1"])


def silent(messages: Messages) -> str:
    return ""


def slow(messages: Messages) -> str:
    """Replies after the time limit of the tests."""
    time.sleep(0.4)
    return random_legal(messages)


def verbose(messages: Messages) -> str:
    """Thinks aloud before a fenced block of JSON."""
    thoughts = "\n".join(f"{n}. Planet {n} could be attacked, but is it worth it?" for n in range(200))
    moves = [list(map(int, found)) for found in re.findall(r"send (\d+) -> (\d+): (\d+)", random_legal(messages))]
    return f"{thoughts}\n```json\n{json.dumps(moves)}\n```\nThat is my move."


MODELS: dict[str, Model] = {
    model.__name__: model for model in (random_legal, rule_following, malformed, silent, slow, verbose)
}


class BotModel:
    """A bot as a model that plays one game after another; ``graph`` and ``rules`` are those of all of them."""

    def __init__(self, name: str, graph: pw.Graph, rules: pw.Rules = pw.PLANETWARS) -> None:
        self._given, self._turn = (name, graph, rules), 0
        self._reply = bot_as_model(*self._given)

    def __call__(self, messages: Messages) -> str:
        turn = view_in(messages[-1]["content"]).turn
        if turn <= 2 < self._turn:
            self._reply = bot_as_model(*self._given)
        self._turn = turn
        return self._reply(messages)
