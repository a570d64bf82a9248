"""The OpenEnv environment (scripts/examples/openenv_planetwars): its server and client play whole games, its validator passes."""

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

import planetwars_env as pw
from support.paths import ROOT
from support.ray_cluster import free_port
from support.scripted_models import BotModel

pytest.importorskip("openenv", reason='openenv is not installed: pip install "planetwars-env[openenv]"')
FOLDER = ROOT / "scripts" / "examples" / "openenv_planetwars"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a server that plays on "rings" against ai1."""
    port = free_port()
    environment = {**os.environ, "PLANETWARS_GRAPHS": "rings", "PLANETWARS_OPPONENT": "ai1", "PYTHONPATH": str(ROOT)}
    server = subprocess.Popen([sys.executable, "-m", "server.app", "--port", str(port)], cwd=FOLDER, env=environment)
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5)
                break
            except OSError:
                assert server.poll() is None, "the server has ended"
                time.sleep(0.25)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


def test_the_validator_of_openenv_accepts_the_package() -> None:
    command = [sys.executable, "-m", "openenv.cli", "validate", str(FOLDER), "--level", "static", "--skip-build"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_validator_of_openenv_accepts_the_running_server(address: str) -> None:
    from openenv.cli._validation import validate_running_environment  # pyright: ignore[reportMissingImports]

    report = validate_running_environment(address)
    assert report["passed"], report


@pytest.mark.parametrize("player", [1, 2])
def test_a_bot_plays_a_whole_game_through_server_and_client(
    address: str, player: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(FOLDER.parent))
    from openenv_planetwars import PlanetWarsAction, PlanetWarsClient  # pyright: ignore[reportMissingImports]

    model = BotModel("ai3", pw.load_graph("rings"))
    with PlanetWarsClient(base_url=address).sync() as env:
        result: Any = env.reset(seed=0, player=player)
        assert result.observation.message.startswith(f"You are player {player} of two")
        while not result.done:
            message = [{"role": "user", "content": result.observation.message}]
            result = env.step(PlanetWarsAction(reply=model(message)))
            assert result.observation.asked == result.observation.legal and not result.observation.malformed
    direct = pw.play_match(*(("ai3", "ai1") if player == 1 else ("ai1", "ai3")), "rings")
    assert result.reward == (1 if direct.winner == player else -1 if direct.winner else 0)
    assert f"Turn {direct.turns} of 500" in result.observation.message
