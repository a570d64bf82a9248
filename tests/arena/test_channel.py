"""Answers of a strategy's process, which are checked before they are used."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from planetwars_env.arena.isolation import EndedError, Process, ResourceLimits, _supervision
from planetwars_env.arena.sandbox import Sandbox
from planetwars_env.bots import protocol
from planetwars_env.bots.catalogue import parse_player


@pytest.mark.parametrize("moves", [[], [[1, 2, 3]], [[1, 2, 3], [-1, 0, 2**63 - 1], [0, 0, -(2**63) + 1]]])
def test_lists_of_three_whole_numbers_are_moves(moves: Any) -> None:
    assert protocol.fault_in(moves) == ""


@pytest.mark.parametrize(
    ("moves", "says"),
    [
        (None, 'no list "moves"'),
        ({"0": [1, 2, 3]}, 'no list "moves"'),
        ([[1, 2, 3], 4], "4 is not a move"),
        ([[1, 2]], "[1, 2] is not a move"),
        ([[1, 2, 3, 4]], "is not a move"),
        (["123"], "123 is not a move"),
        (["x" * 10_000], "xx is not a move"),
        ([[1, 2, True]], "whole numbers"),
        ([[1, 2, 3.0]], "whole numbers"),
        ([[1, 2, None]], "whole numbers"),
        ([[1, 2, 2**63]], "whole numbers of 64 bits"),
        ([[1, 2, -(2**63)]], "whole numbers of 64 bits"),
    ],
)
def test_anything_else_is_told(moves: Any, says: str) -> None:
    assert says in protocol.fault_in(moves) and len(protocol.fault_in(moves)) < 200


SPEAK = """
import os, socket, sys, time
link = socket.socket(fileno=next(fd for fd in range(3, 64) if "socket" in os.path.realpath(f"/proc/self/fd/{fd}")))
%s
os._exit(3)
"""


@contextmanager
def speaking(program: str, folder: Path) -> Iterator[Process]:
    """A process that is no strategy at all, but whatever a hostile one might turn into."""
    limits = ResourceLimits(clock=1)
    (folder / "speaker.py").write_text(SPEAK % program)
    supervisor = _supervision(parse_player(str(folder / "speaker.py")), limits, Sandbox.NONE)()
    opened = Process(supervisor, limits)
    try:
        yield opened
    finally:
        opened.close()
        opened.close()
        supervisor.close()


@pytest.mark.parametrize(
    ("program", "kind", "says"),
    [
        ("link.sendall(b'x' * 3_000_000)", "garbage", "an answer of more than"),
        ("link.sendall(b'no json\\n')", "garbage", "no json"),
        ("link.sendall(b'[' * 100_000 + b'\\n')", "garbage", "no answer of the strategy's process"),
        ("link.sendall(b'{\"n\": 7}\\n')", "garbage", "no answer"),
        ("print('last words', flush=True)", "dead", "last words"),
        ("time.sleep(30)", "hanging", "no answer in time"),
        ("for _ in range(3000): link.sendall(b'x'); time.sleep(0.01)", "hanging", "no answer in time"),
        ("link.close(); sys.stdout.close(); time.sleep(30)", "dead", "it printed nothing"),
    ],
)
def test_a_process_that_answers_nonsense_or_not_at_all_is_told_with_its_last_words(
    program: str, kind: str, says: str, tmp_path: Path
) -> None:
    with speaking(program, tmp_path) as opened, pytest.raises(EndedError) as caught:
        opened.ask(protocol.HELLO, 1.5)
    assert caught.value.args[0] == kind and says in caught.value.args[1]


@pytest.mark.parametrize(("program", "kind"), [("time.sleep(30)", "hanging"), ("time.sleep(0.5)", "dead")])
def test_a_process_that_does_not_listen_is_not_talked_to_for_ever(program: str, kind: str, tmp_path: Path) -> None:
    with speaking(f"link.sendall(b'{{\"n\": 0}}\\n'); {program}", tmp_path) as opened:
        opened.ask(protocol.HELLO, 10)
        with pytest.raises(EndedError) as caught:
            opened.ask({"type": "turn", "text": "x" * 5_000_000}, 1)
    assert caught.value.args[0] == kind
