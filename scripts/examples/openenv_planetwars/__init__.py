"""PlanetWars as an OpenEnv environment of messages and replies."""

from .client import PlanetWarsClient
from .models import PlanetWarsAction, PlanetWarsObservation

__all__ = ["PlanetWarsAction", "PlanetWarsClient", "PlanetWarsObservation"]
