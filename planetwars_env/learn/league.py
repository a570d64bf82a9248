"""Whom the learner plays: bots, and frozen copies of itself that it is promoted past."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from planetwars_env.engine.state import Array
from planetwars_env.learn.agent import Agent
from planetwars_env.learn.config import League as Settings
from planetwars_env.learn.config import TrainConfig

_MEMORY = 0.01
"""The weight of a new game in a win rate."""
_ENOUGH = 200
"""Games against the newest copy before the next one may be made."""
_FLOOR = 0.1
"""Added to how often an opponent still wins: one that never does is drawn now and then."""
_FIRST_PROMOTION = 0.5
"""Win rate against the bots at which the first copy is made."""


class Frozen(Agent):
    """A copy of the learner as it once was, playing as it explored."""

    def __init__(self, name: str, config: TrainConfig, seed: int) -> None:
        super().__init__(name, config, sample=True, seed=seed)

    @property
    def rng(self) -> torch.Generator:
        """What its choices are drawn with."""
        assert self._generator is not None
        return self._generator


class League:
    """Win rates against every opponent, bots first, and whom to play next."""

    def __init__(self, settings: Settings, bots: list[str], frozen: list[Frozen]) -> None:
        self.settings, self.bots, self.frozen = settings, bots, frozen
        self.win_rates = np.zeros(len(bots) + len(frozen))
        self.games = np.zeros(len(bots) + len(frozen), np.int64)
        self.copies = self.played = 0
        self.newest = -1

    @property
    def win_rate(self) -> float | None:
        """Against the bots, each counted alike; None before any game has ended."""
        played = self.games[: len(self.bots)] > 0
        return float(self.win_rates[: len(self.bots)][played].mean()) if played.any() else None

    def draw(self, rng: np.random.Generator, count: int) -> Array:
        """Opponents of ``count`` games, by their place in the list."""
        need = _FLOOR + 1 - self.win_rates
        bots, frozen = need[: len(self.bots)], need[len(self.bots) :].copy()
        frozen[self.copies :] = 0
        share = self.settings.share if self.copies else 0.0
        chances = np.concatenate([(1 - share) * bots / bots.sum(), share * frozen / max(1e-9, frozen.sum())])
        return np.searchsorted(chances.cumsum(), rng.random(count)).clip(max=len(chances) - 1)

    def note(self, opponents: Array, won: Array) -> None:
        """Games that ended, in order."""
        for opponent, result in zip(opponents.tolist(), won.tolist(), strict=True):
            self.played += 1
            self.games[opponent] += 1
            weight = max(_MEMORY, 1 / self.games[opponent])
            self.win_rates[opponent] += weight * (result - self.win_rates[opponent])

    def consider(self, weights: dict[str, Tensor]) -> None:
        """Make a copy of the learner if it has outgrown the newest one."""
        if not self.settings.share or not self._outgrown():
            return
        place = self.copies if self.copies < len(self.frozen) else int(self.win_rates[len(self.bots) :].argmax())
        self.copies = max(self.copies, place + 1)
        self.frozen[place].network.load_state_dict({name: part.cpu() for name, part in weights.items()})
        self.newest = len(self.bots) + place
        self.win_rates[self.newest] = 0.5
        self.games[self.newest] = 0

    def state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Copies as arrays, standings as values for JSON."""
        arrays = {"league/win_rates": self.win_rates, "league/games": self.games}
        for i, one in enumerate(self.frozen):
            arrays |= {f"league/{i}/{name}": part.numpy() for name, part in one.network.state_dict().items()}
            arrays[f"league/rng/{i}"] = one.rng.get_state().numpy()
        return arrays, {"copies": self.copies, "newest": self.newest, "played": self.played}

    def restore(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """The inverse of `state`."""
        self.win_rates[:], self.games[:] = arrays["league/win_rates"], arrays["league/games"]
        self.copies, self.newest, self.played = values["copies"], values["newest"], values["played"]
        for i, one in enumerate(self.frozen):
            prefix = f"league/{i}/"
            parts = {k.removeprefix(prefix): torch.tensor(v) for k, v in arrays.items() if k.startswith(prefix)}
            one.network.load_state_dict(parts)
            one.rng.set_state(torch.from_numpy(arrays[f"league/rng/{i}"]))

    def standings(self) -> dict[str, float]:
        """Win rates by opponent, of those that were played."""
        names = [*self.bots, *(one.name for one in self.frozen)]
        return {name: float(self.win_rates[i]) for i, name in enumerate(names) if self.games[i]}

    def _outgrown(self) -> bool:
        if not self.copies:
            return (self.win_rate or 0) >= _FIRST_PROMOTION
        return self.games[self.newest] >= _ENOUGH and self.win_rates[self.newest] >= self.settings.promotion
