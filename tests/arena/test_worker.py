"""Process of a strategy, without its confinement: the answer to each request (test_isolation.py has both)."""

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

import planetwars_env as pw
from planetwars_env.arena import worker
from planetwars_env.bots import protocol
from planetwars_env.view import KnownMap

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="strategies are isolated on systems that fork")

BOARD = pw.load_graph("duel")
KNOWN_MAP = KnownMap.of(BOARD)
MOVES = """
import random
import numpy

class Strategy:
    name = "mover"

    def reset(self, graph, player, rules, seed):
        self.drawn = random.randrange(1000), int(numpy.random.randint(1000))

    def take_turn(self, view):
        {turn}
"""


def strategy(folder: Path, turn: str) -> str:
    path = folder / "mover.py"
    path.write_text(MOVES.format(turn=turn))
    return str(path)


def begin(number: int, seed: int = 7, **limits: float) -> dict[str, Any]:
    """The request that begins a game on the duel, as player 1."""
    request = protocol.begin(KNOWN_MAP, 1, pw.PLANETWARS, seed)
    return {"n": number, **request, "limits": {"begin": 5, "turn": 5, "clock": 10, "moves": 3} | limits}


def turn(number: int) -> dict[str, Any]:
    return {"n": number, **protocol.turn(pw.Game(BOARD).view(1))}


def serve(path: str, *requests: dict[str, Any]) -> list[dict[str, Any]]:
    """The answers of a worker, in a process of its own, to requests that are all there when it begins."""
    ours, theirs = socket.socketpair()
    with ours, ours.makefile("rb") as answers:
        ours.sendall(b"".join(protocol.encode(request) for request in ({"n": 0, **protocol.HELLO}, *requests)))
        ours.shutdown(socket.SHUT_WR)
        if (child := os.fork()) == 0:
            try:
                worker.main(theirs.detach(), path, str(Path(path).parent), str(Path(path).parent), Path(path).name)
            finally:
                os._exit(0)
        theirs.close()
        try:
            return [json.loads(line) for line in answers]
        except ConnectionResetError:  # it ended with requests unread
            return []
        finally:
            os.waitpid(child, 0)


def test_it_says_its_name_and_plays_one_game(tmp_path: Path) -> None:
    path = strategy(tmp_path, "return [(0, 1, self.drawn[0]), (1, 0, self.drawn[1]), (1, 2, 2**63 - 1)]")
    (hello, *first), again, other = (serve(path, begin(1, seed), turn(2), turn(3)) for seed in (7, 7, 8))
    assert hello == {"n": 0, "name": "mover", "compete": True}
    assert [answer["n"] for answer in first] == [1, 2, 3] and first[1]["moves"][2] == [1, 2, 2**63 - 1]
    assert first == again[1:] and first[1] | {"n": 3} == first[2] != other[3]


def test_of_endless_moves_it_takes_one_more_than_are_allowed(tmp_path: Path) -> None:
    path = strategy(tmp_path, "return ((0, 1, n) for n in iter(int, 1))")
    *_, answer = serve(path, begin(1), turn(2))
    assert answer == {"n": 2, "moves": [[0, 1, 0]] * 4}


@pytest.mark.parametrize(
    ("does", "fault", "says"),
    [
        ("return 5", "garbage", "not a list of moves"),
        ("return [(1, 2)]", "garbage", "three integers"),
        ("return [(1, 2, 0.5)]", "garbage", "three integers"),
        ("return [None]", "garbage", "three integers"),
        ("return [(1, 2, 2**63)]", "garbage", "beyond 64 bits"),
        ("return [(1, 2, -2**63)]", "garbage", "beyond 64 bits"),
        ("raise RuntimeError('lost')", "exception", "RuntimeError: lost"),
        ("raise KeyboardInterrupt", "exception", "KeyboardInterrupt"),
        ("return (1 // 0 for _ in 'x')", "exception", "ZeroDivisionError"),
        ("while True: pass", "late", "the time for this turn is over"),
    ],
)
def test_a_turn_that_fails_is_told_and_the_next_one_is_asked(tmp_path: Path, does: str, fault: str, says: str) -> None:
    path = strategy(
        tmp_path, f"self.asked = getattr(self, 'asked', 0) + 1\n        if self.asked == 2: return []\n        {does}"
    )
    *_, failed, fine = serve(path, begin(1, turn=0.2), turn(2), turn(3))
    assert failed["fault"] == fault and says in failed["text"]
    assert fine == {"n": 3, "moves": []}


def test_a_game_that_cannot_begin_is_told(tmp_path: Path) -> None:
    path = tmp_path / "moody.py"
    moody = "def __init__(self):\n        import random; assert random.random() < 0.5"
    path.write_text(f"class Moody:\n    {moody}\n    def take_turn(self, view): return []\n")
    answers = [serve(str(path), begin(1, seed))[1] for seed in range(6)]
    assert {answer.get("fault") for answer in answers} == {None, "exception"}
