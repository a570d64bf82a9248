"""Server: ``python -m server.app`` in this folder, or ``uvicorn server.app:app``."""

import argparse
import os

import uvicorn
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.types import ConcurrencyConfig

try:
    from ..models import PlanetWarsAction, PlanetWarsObservation
    from .planetwars_environment import PlanetWarsEnvironment
except ImportError:  # started from the folder above
    from models import PlanetWarsAction, PlanetWarsObservation
    from server.planetwars_environment import PlanetWarsEnvironment

# Clients that no longer ask anything, such as a notebook left open, would hold their games for ever.
SESSIONS = ConcurrencyConfig(
    max_concurrent_envs=16, session_timeout=float(os.environ.get("PLANETWARS_SESSION_SECONDS", "900"))
)
app = create_app(
    PlanetWarsEnvironment, PlanetWarsAction, PlanetWarsObservation, env_name="planetwars", concurrency_config=SESSIONS
)


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    asked = parser.parse_args()
    uvicorn.run(app, host=asked.host, port=asked.port, log_level="warning")


if __name__ == "__main__":
    main()
