"""The grammar of replies: what counts, what is left out, what is said of it; and nothing raises."""

import json
import random
import string
import time

import pytest

import planetwars_env as pw
from support.positions import played
from support.presets import every_preset


@pytest.fixture(scope="module")
def game() -> pw.Game:
    game = pw.Game(pw.load_graph("rings"))
    for _ in range(8):
        game.play([])
    return game  # turn 9: player 1 has people on its base 1, whose neighbours are 2 and 3


@pytest.mark.parametrize(
    "reply",
    [
        "send 1 -> 2: 2",
        "SEND 1->2:2",
        "SEND 1 to 2 2",
        "**send 1 -> 2: 2**",
        "1. send 1 → 2: 2",
        "> * send 1 => 2, 2 people",
        "```\nsend 1 -> 3: 1\n```\nNo, rather\n```text\nsend 1 -> 2: 2\n```\nsend 1 -> 3: 2",
        "I wait, or not:\n```\nsend 1 -> 2: 2",
        "- send 1 -> 2: 2 people.\n",
        "`send 1 -> 2: 2`",
        "```\nsend 1 -> 2: 2\n```",
        "[[1, 2, 2]]",
        "[1, 2, 2]",
        '{"moves": [[1, 2, 2]]}',
        '{"source": 1, "destination": 2, "people": 2}',
        '[{"source": 1, "destination": 2, "people": 2}]',
        'I take planet 2.\n```json\n{"moves": [[1, 2, 2]]}\n```\nThen I wait.',
    ],
)
def test_a_move_has_these_forms(game: pw.Game, reply: str) -> None:
    found = pw.parse_moves(reply, game.view(1))
    assert found.moves == found.asked == [pw.Move(1, 2, 2)]
    assert found.problems == [] and found.malformed == 0


@pytest.mark.parametrize("reply", ["wait", "Wait.", "end turn", "pass", "[]", '{"moves": []}', "```\nwait\n```"])
def test_nobody_is_sent(game: pw.Game, reply: str) -> None:
    assert pw.parse_moves(reply, game.view(1)) == ([], [], [], 0)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("", "the reply is empty; to send people: send 3 -> 7: 12; to send nobody: wait"),
        (None, 'a reply is a text, not "None"; to send people: send 3 -> 7: 12'),
        ("I send 1 -> 2: 2", "1 line is not a move and was passed over"),
        ("send 1 at 2: 2", '"send 1 at 2: 2" is not a move; write it as send 3 -> 7: 12'),
        ("send 1 -> 22", "is not a move"),
        ("```\nI wait\n```\nsend 1 -> 2: 2", "1 line is not a move and was passed over"),
        ("send 1 -> 2: 2.5", "is not a move"),
        ("send １ -> 2: 2", "is not a move"),
        ("[[1, 2]]", '"[1, 2]" is not a move; write [3, 7, 12]'),
        ("[[1, 2, true]]", "is not a move"),
        ("[[1, 2, NaN]]", "is not a move"),
        ("{not json", "the reply is not JSON"),
        ('{"moves": 3}', 'the moves must be a list, not "3"'),
        ("[[1, 2, 1" + "0" * 5000 + "]]", "the reply is not JSON"),
        ("[[1, 2, 100000000000]]", "its numbers must be below 1,000,000,000"),
        ("[" * 90_000, "the reply is not JSON"),
    ],
)
def test_what_is_not_a_move_is_explained(game: pw.Game, reply: object, said: str) -> None:
    found = pw.parse_moves(reply, game.view(1))
    assert found.moves == found.asked == [] and found.malformed == 1
    assert said in found.problems[0]


@pytest.mark.parametrize(
    ("move", "said"),
    [
        ("send 99 -> 2: 1", "there is no planet 99; you have people on 1"),
        ("send 1 -> 8: 1", "no edge joins 1 and 8; the neighbours of 1 are 2, 3"),
        ("send 1 -> 2: 0", "people must be at least 1, not 0"),
        ("send 1 -> 2: -3", "people must be at least 1, not -3"),
        ("send 2 -> 1: 1", "nobody of yours is on planet 2; you have people on 1"),
        ("send 8 -> 7: 1", "nobody of yours is on planet 8; you have people on 1"),
        ("send 1 -> 3: 500", "only {left} of your people are left on planet 1; send at most {left}"),
    ],
)
def test_an_illegal_move_is_explained_and_the_others_count(game: pw.Game, move: str, said: str) -> None:
    view = game.view(1)
    left = view.my_people(view.planet(1)) - 2
    found = pw.parse_moves(f"send 1 -> 2: 2\n{move}\nsend 1 -> 3: 1", view)
    assert found.moves == [pw.Move(1, 2, 2), pw.Move(1, 3, 1)] and len(found.asked) == 3
    assert found.problems == [f"{move}: {said.format(left=left)}"]


@every_preset
def test_what_is_called_legal_is_what_the_engine_carries_out(preset: str) -> None:
    rng, dropped = random.Random(1), 0
    for number in range(12):
        game = played(pw.load_graph(f"test/{number}"), preset, 4 + 6 * number)
        view = game.view(game.player)
        ways = [rng.choice([(edge.a, edge.b), (edge.b, edge.a)]) for edge in view.edges]
        moves = [pw.Move(*way, rng.choice([0, 1, 5, 40, 999])) for way in ways]
        found = pw.parse_moves(json.dumps(moves), view, game.rules)
        hidden = {planet.id for planet in view.planets if not planet.visible}
        accepted = [move for move, done in zip(moves, game.submit(moves), strict=True) if done]
        assert found.asked == moves
        legal, carried_out = ([one for one in some if one.source not in hidden] for some in (found.moves, accepted))
        assert legal == carried_out
        dropped += len(found.problems)
    assert dropped > 12


GOOD = [
    "send 1 -> 2: 2",
    "[[1, 2, 2], [1, 3, 1]]",
    '{"moves": [{"source": 1, "destination": 2, "people": 1}]}',
    "```json\n[]\n```",
]
SIGNS = string.printable + "\x00\x1b‮é７\ud800→🚀"


def fuzzed(rng: random.Random) -> object:
    """A reply: noise, a good one with some characters changed, or nested JSON of anything."""
    match rng.randrange(4):
        case 0:
            return "".join(rng.choices(SIGNS, k=rng.randrange(80)))
        case 1:
            return json.dumps(_nested(rng, 3))
        case 2:
            return rng.choice([None, 3, b"send 1 -> 2: 2", [], float("nan"), object()])
    text = list("\n".join(rng.choices(GOOD, k=rng.randint(1, 4))))
    for _ in range(rng.randrange(8)):
        text[rng.randrange(len(text))] = rng.choice([*SIGNS, "", "999999999999", "send ", "```", "->"])
    return "".join(text)


def _nested(rng: random.Random, depth: int) -> object:
    kinds = [rng.randint(-2, 12), 10**30, None, True, 1.5, float("inf"), "send 1 -> 2: 1", "moves"]
    if not depth or rng.random() < 0.3:
        return rng.choice(kinds)
    parts = [_nested(rng, depth - 1) for _ in range(rng.randrange(5))]
    keys = ["moves", "source", "destination", "people"]
    return parts if rng.random() < 0.7 else {rng.choice(keys): one for one in parts}


@pytest.mark.parametrize("count", [3_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_whatever_is_replied_is_played_or_explained(game: pw.Game, count: int) -> None:
    rng, view = random.Random(count), game.view(1)
    legal = 0
    for _ in range(count):
        reply = fuzzed(rng)
        found = pw.parse_moves(reply, view)
        legal += len(found.moves)
        assert all(game.copy().submit(found.moves)) or found.moves == []
        assert len(found.problems) >= len(found.asked) - len(found.moves)
        for problem in found.problems:
            assert problem.isprintable() and len(problem) < 400, reply
        waits = isinstance(reply, str) and any(word in reply.casefold() for word in ("wait", "pass", "end", "[", "`"))
        assert found.moves or found.problems or waits or not str(reply).strip(), reply
        pw.TextView().show(view, found.problems)
    assert legal > count / 50


HOSTILE_SHAPES = [
    "```" + "\n" * 100_000,
    ("```" + " " * 997) * 100,
    ("```" + "a" * 997) * 100,
    "```\n \n" * 20_000,
    "`" * 100_000,
    "send\n" * 20_000,
    "send 1 -> 99: 1\n" * 6_000,
    "send 1" + " " * 100_000,
    "send 1 -> 2: 1 " + "people " * 14_000,
    "- " * 50_000,
    "[" * 100_000,
    "[" + "[1, 2, 3]," * 10_000 + "[]]",
    "[" + ",".join(["9" * 4_200] * 23) + "]",
    "[" + ",".join(["[" + "1," * 49 + "1]"] * 990) + "]",
    "[" + ",".join(["[" * 900 + "]" * 900] * 50) + "]",
    "\u202e" * 100_000,
]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(HOSTILE_SHAPES)))
def test_no_reply_of_100_kb_takes_long_to_parse(game: pw.Game, number: int) -> None:
    view = game.view(1)
    begun = time.process_time()
    found = pw.parse_moves(HOSTILE_SHAPES[number], view)
    assert time.process_time() - begun < 0.5
    assert found.moves or found.problems
