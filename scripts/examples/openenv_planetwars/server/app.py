"""Server: ``python -m server.app`` in this folder, or ``uvicorn server.app:app``."""

import argparse

import uvicorn
from openenv.core.env_server.http_server import create_app

try:
    from ..models import PlanetWarsAction, PlanetWarsObservation
    from .planetwars_environment import PlanetWarsEnvironment
except ImportError:  # started from the folder above
    from models import PlanetWarsAction, PlanetWarsObservation
    from server.planetwars_environment import PlanetWarsEnvironment

app = create_app(
    PlanetWarsEnvironment, PlanetWarsAction, PlanetWarsObservation, env_name="planetwars", max_concurrent_envs=16
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
