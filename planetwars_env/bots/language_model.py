"""Language models as players: a function from chat messages to a reply, as a strategy (docs/language-models.md)."""

import json
import re
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

from planetwars_env.bots.loading import import_module_of
from planetwars_env.bots.strategy import Strategy
from planetwars_env.engine.rules import Rules
from planetwars_env.language.replies import parse_moves
from planetwars_env.language.text_view import TextView
from planetwars_env.text import clean_name
from planetwars_env.view import Move, View

Messages = list[dict[str, str]]
"""Chat messages: {"role": "system", "user" or "assistant", "content": text}."""
Model = Callable[[Messages], Any]
"""Returns the reply, or the reply and the number of tokens that it has used."""
_PIECE = re.compile(r" ?[^\W\d_]+|[0-9]{1,3}| ?[^\w\s]+|_|\s+(?=\s)|\s")


class ModelError(ValueError):
    """A model's function has raised an error, again and again; the message says which, and where."""


class LanguageModel(Strategy):
    """A function from chat messages to a reply, as a strategy that plays one game.

    ``model``: called on every turn with the rules (a system message), the last ``history`` turns with their replies, and the
    message of this turn; it returns a text, or a text and the number of tokens used. ``compact``: short messages.
    ``seconds``: wall-clock time of a reply; a later one is left out, and the next message says so. ``retries``: calls after
    one that raised an error, 1 s, 2 s, 4 s ... later; ModelError where the last of them raises one, too.

    >>> import planetwars_env as pw
    >>> def waits(messages):
    ...     return "wait"
    >>> pw.play_match(pw.LanguageModel(waits), "ai1", "duel", max_turns=4)
    Replay(waits against ai1 on duel: cut off on turn 4)
    """

    def __init__(
        self,
        model: Model,
        name: str = "",
        compact: bool = False,
        history: int = 1,
        seconds: float | None = None,
        retries: int = 0,
    ) -> None:
        self.name = name or getattr(model, "__name__", type(model).__name__)
        self._model, self._compact, self._history = model, compact, history
        self._seconds, self._retries = seconds, retries
        self._records: list[dict[str, Any]] = []

    def reset(self, graph: Any, player: int, rules: Rules, seed: int) -> None:
        """Begin a game: nothing of the game before it is remembered."""
        self._text, self._rules = TextView(rules, self._compact), rules
        self._problems: list[str] = []
        self._sent: list[Move] = []
        self._chat: Messages = []
        self._system = {"role": "system", "content": self._text.introduction(player)}

    def take_turn(self, view: View) -> list[Move]:
        """Return all well-formed moves of the reply; those that are not legal are dropped by the rules (R8)."""
        message = self._text.show(view, self._problems, self._sent)
        kept = self._chat[-2 * self._history :] if self._history else []
        messages = [self._system, *kept, {"role": "user", "content": message}]
        begun = time.perf_counter()
        reply, tokens, late = self._ask(messages)
        taken = round(time.perf_counter() - begun, 3)
        parsed = parse_moves(reply, view, self._rules)
        self._problems = [f"the reply was late: more than {self._seconds:g} seconds"] if late else parsed.problems
        self._sent = parsed.moves
        answer = reply if isinstance(reply, str) else ""
        self._chat = [*kept, messages[-1], {"role": "assistant", "content": answer}]
        if tokens is None:
            tokens = sum(reckon_tokens(text) for text in (answer, *(sent["content"] for sent in messages)))
        record = {
            "turn": view.turn,
            "message": message,
            "reply": answer,
            "late": late,
            "tokens": tokens,
            "seconds": taken,
        }
        counts = {"asked": len(parsed.asked), "legal": len(parsed.moves), "malformed": parsed.malformed}
        self._records.append(record | counts)
        return parsed.asked

    def take_printed(self) -> str:
        """Return the turns since the last call as lines of JSON, the transcript of a game."""
        lines = [json.dumps(record) for record in self._records]
        self._records = []
        return "\n".join(lines)

    def _ask(self, messages: Messages) -> tuple[Any, int | None, bool]:
        """Return the reply, the tokens if the model reports them, and whether the reply was too late."""
        for number in range(1, self._retries + 2):
            try:
                answers = self._call(messages)
                break
            except Exception as fault:
                if number > self._retries:
                    times = f", {number} times in a row" if number > 1 else ""
                    line = traceback.extract_tb(fault.__traceback__)[-1]
                    what = clean_name(f"{type(fault).__name__}: {fault}", 300)
                    where = f"{Path(line.filename).name}, line {line.lineno}"
                    raise ModelError(f"{self.name} has failed{times}: {what} ({where})") from fault
                time.sleep(2.0 ** (number - 1))
        if not answers:
            return "wait", None, True
        reply = answers[0]
        if isinstance(reply, tuple) and len(reply) == 2 and type(reply[1]) is int:
            return *reply, False
        return reply, None, False

    def _call(self, messages: Messages) -> list[Any]:
        """Call the function; return what it has returned in time: nothing, or its reply."""
        if self._seconds is None:
            return [self._model([dict(one) for one in messages])]
        answers: list[Any] = []
        faults: list[BaseException] = []

        def ask() -> None:
            try:
                answers.append(self._model([dict(one) for one in messages]))
            except BaseException as fault:
                faults.append(fault)

        thread = Thread(target=ask, daemon=True)
        thread.start()
        thread.join(self._seconds)
        if faults:
            raise faults[0]
        return answers


def reckon_tokens(text: str) -> int:
    """Return the number of tokens, within 8 % of two common tokenisers on the texts of this package (docs/text.md)."""
    return sum(1 for _ in _PIECE.finditer(text))


def load_language_model(name: str) -> Callable[..., LanguageModel]:
    """Return a factory of the player ``llm:MODULE:FUNCTION``. ValueError where there is no such function."""
    place = name.removeprefix("llm:")
    module, _, function = place.partition(":")
    try:
        model = getattr(import_module_of(module), function) if module and function else None
    except (ImportError, AttributeError) as fault:
        raise ValueError(f"{name} cannot be loaded ({fault})") from fault
    if not callable(model):
        raise ValueError(f"{name} does not name a function: write llm:MODULE:FUNCTION, such as llm:my_model:reply")
    return partial(LanguageModel, model, clean_name(place))
