"""PlanetWarsText-v0 behind the interface of OpenEnv."""

import os
from typing import Any
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import State

import planetwars_env as pw

try:
    from ..models import PlanetWarsAction, PlanetWarsObservation
except ImportError:  # started from the folder above
    from models import PlanetWarsAction, PlanetWarsObservation


class PlanetWarsEnvironment(Environment[PlanetWarsAction, PlanetWarsObservation, State]):
    """One game. Environment variables choose it: PLANETWARS_OPPONENT (ai1; "self": both players), _GRAPHS, _RULES, _COMPACT."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        chosen = {key: os.environ.get(f"PLANETWARS_{key.upper()}", default) for key, default in DEFAULTS.items()}
        compact = chosen.pop("compact") == "1"
        self._env: Any = pw.make("PlanetWarsText-v0", compact=compact, disable_env_checker=True, **chosen)
        self._state, self._over = State(episode_id=str(uuid4())), True

    def reset(self, seed: int | None = None, episode_id: str | None = None, **options: Any) -> PlanetWarsObservation:
        """Begin a game; ``options``: "graph", "opponent" (index) and "player", as `PlanetWarsEnv.reset` takes them."""
        message, info = self._env.reset(seed=seed, options=options or None)
        self._state, self._over = State(episode_id=episode_id or str(uuid4())), False
        return self._observation(message, info, 0.0)

    def step(self, action: PlanetWarsAction, timeout_s: float | None = None, **_: Any) -> PlanetWarsObservation:
        """Play a reply. RuntimeError where no game goes on."""
        if self._over:
            raise RuntimeError("no game goes on: call reset first")
        message, reward, terminated, truncated, info = self._env.step(action.reply)
        self._state.step_count += 1
        self._over = terminated or truncated
        return self._observation(message, info, reward)

    @property
    def state(self) -> State:
        """The episode's id and number of replies."""
        return self._state

    def close(self) -> None:
        """Close the environment."""
        self._env.close()

    def _observation(self, message: str, info: dict[str, Any], reward: float) -> PlanetWarsObservation:
        counts = {name: info[name] for name in ("asked", "legal", "malformed")}
        told = {"turn": info["turn"], "winner": info["winner"]} if self._over else {}
        return PlanetWarsObservation(
            message=message, player=self._env.unwrapped.player, done=self._over, reward=reward, metadata=told, **counts
        )


DEFAULTS = {"opponent": "ai1", "graphs": "train", "rules": "PLANETWARS", "compact": "0"}
