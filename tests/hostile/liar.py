"""Answers with everything that is no move, something else on every turn."""

from planetwars_env.view import Move

LIES = [
    float("nan"),
    None,
    42,
    "moves",
    [None],
    [(1, 2)],
    [(1, 2, 3, 4)],
    [Move(0, 1, float("inf"))],  # type: ignore[arg-type]
    [Move("0", "1", "2")],  # type: ignore[arg-type]
    [(1.5, 2, 3)],
    {"moves": []},
]


class Liar:
    name = "liar"

    def reset(self, graph, player, rules, seed):
        self.next = seed

    def take_turn(self, view):
        self.next += 1
        return LIES[self.next % len(LIES)]
