"""Client of the environment's server."""

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server.types import State

try:
    from .models import PlanetWarsAction, PlanetWarsObservation
except ImportError:  # started from this folder
    from models import PlanetWarsAction, PlanetWarsObservation


class PlanetWarsClient(EnvClient[PlanetWarsAction, PlanetWarsObservation, State]):
    """Client with a game of its own: ``with PlanetWarsClient(base_url="http://localhost:8000").sync() as env``."""

    def _step_payload(self, action: PlanetWarsAction) -> dict[str, Any]:
        return {"reply": action.reply}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[PlanetWarsObservation]:
        ends = {"reward": payload.get("reward"), "done": payload.get("done", False)}
        observation = PlanetWarsObservation(**{**payload.get("observation", {}), **ends})
        return StepResult(observation=observation, **ends)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)
