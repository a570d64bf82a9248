"""League of opponents: bots, and frozen copies of the learner that are added as it improves."""

from typing import Any

import numpy as np
from torch import Tensor

from planetwars_env.engine.state import Array
from planetwars_env.learn.agent import Agent
from planetwars_env.learn.config import LeagueConfig
from planetwars_env.learn.tensors import tensors_under, to_host

_MIN_WEIGHT = 0.01
"""Least weight of a new game in a win rate, which is a moving average."""
_MIN_GAMES = 200
"""Games against the newest copy before the next one may be made."""
_BASE_PRIORITY = 0.1
"""Added to an opponent's win rate: one that never wins is drawn now and then."""
_FIRST_PROMOTION = 0.5
"""Win rate against the bots at which the first copy is made."""


class League:
    """Win rates against every opponent, bots first, and the choice of the next opponents.

    ``frozen``: agents that take the weights of earlier learners, and sample their actions, as the learner did.
    """

    def __init__(self, config: LeagueConfig, bots: list[str], frozen: list[Agent]) -> None:
        self.config, self.bots, self.frozen = config, bots, frozen
        self.win_rates = np.zeros(len(bots) + len(frozen))
        self.games = np.zeros(len(bots) + len(frozen), np.int64)
        self.copies = self.played = 0
        self.newest = -1

    @property
    def win_rate(self) -> float | None:
        """Mean win rate over the bots; None before any game against them has ended."""
        played = self.games[: len(self.bots)] > 0
        return float(self.win_rates[: len(self.bots)][played].mean()) if played.any() else None

    def draw(self, rng: np.random.Generator, count: int) -> Array:
        """Draw the opponents [count] of games as indices: the more often an opponent wins, the more probable."""
        priorities = _BASE_PRIORITY + 1 - self.win_rates
        bots, frozen = priorities[: len(self.bots)], priorities[len(self.bots) :].copy()
        frozen[self.copies :] = 0
        fraction = self.config.self_play_fraction if self.copies else 0.0
        chances = np.concatenate([(1 - fraction) * bots / bots.sum(), fraction * frozen / max(1e-9, frozen.sum())])
        return np.searchsorted(chances.cumsum(), rng.random(count)).clip(max=len(chances) - 1)

    def record(self, opponents: Array, won: Array) -> None:
        """Record games that ended, in order."""
        for opponent, result in zip(opponents.tolist(), won.tolist(), strict=True):
            self.played += 1
            self.games[opponent] += 1
            weight = max(_MIN_WEIGHT, 1 / self.games[opponent])
            self.win_rates[opponent] += weight * (result - self.win_rates[opponent])

    def promote(self, weights: dict[str, Tensor]) -> None:
        """Freeze a copy of the learner's ``weights`` if it wins often enough against the newest copy.

        While there is room the copy is added; afterwards it replaces the one that the learner beats most often.
        """
        if not self.config.self_play_fraction:
            return
        if not self.copies:
            beaten = (self.win_rate or 0) >= _FIRST_PROMOTION
        else:
            rate, games = self.win_rates[self.newest], self.games[self.newest]
            beaten = games >= _MIN_GAMES and rate >= self.config.promotion_win_rate
        if not beaten:
            return
        i = self.copies if self.copies < len(self.frozen) else int(self.win_rates[len(self.bots) :].argmax())
        self.copies = max(self.copies, i + 1)
        self.frozen[i].network.load_state_dict(weights)
        self.newest = len(self.bots) + i
        self.win_rates[self.newest] = 0.5
        self.games[self.newest] = 0

    def state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Return copies and win rates as arrays, counts as values for JSON."""
        arrays = {"win_rates": self.win_rates, "games": self.games}
        for i, copy in enumerate(self.frozen):
            arrays |= {f"{i}/{name}": to_host(part) for name, part in copy.network.state_dict().items()}
        return arrays, {"copies": self.copies, "newest": self.newest, "played": self.played}

    def restore(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """Restore a `state`."""
        self.win_rates[:], self.games[:] = arrays["win_rates"], arrays["games"]
        self.copies, self.newest, self.played = values["copies"], values["newest"], values["played"]
        for i, copy in enumerate(self.frozen):
            copy.network.load_state_dict(tensors_under(f"{i}/", arrays))

    def standings(self) -> dict[str, float]:
        """Return the win rates by opponent, for opponents that were played."""
        names = [*self.bots, *(copy.name for copy in self.frozen)]
        return {name: float(self.win_rates[i]) for i, name in enumerate(names) if self.games[i]}
