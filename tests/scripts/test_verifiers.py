"""The environment for verifiers (scripts/examples/verifiers_planetwars/): its own command plays whole games with bots."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import planetwars_env as pw
from support.paths import ROOT
from support.scripted_models import BotModel

pytest.importorskip("verifiers", reason='verifiers is not installed: pip install "planetwars-env[verifiers]"')
pytestmark = pytest.mark.skipif(
    shutil.which("uv") is None, reason="verifiers starts its agents with uv: pip install uv"
)
TURNS = 12


class Endpoint(BaseHTTPRequestHandler):
    """Chat completions of a bot that reads the last message; the model's name is the bot's."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        messages = [{"role": one["role"], "content": _text(one["content"])} for one in asked["messages"]]
        reply = self.server.models[asked["model"]](messages)  # type: ignore[attr-defined]
        head = {"id": "1", "created": 0, "model": asked["model"], "object": "chat.completion.chunk"}
        chunks = [
            {
                **head,
                "choices": [{"index": 0, "delta": {"role": "assistant", "content": reply}, "finish_reason": None}],
            },
            {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
            {**head, "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}},
        ]
        assert asked["stream"]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for chunk in (*map(json.dumps, chunks), "[DONE]"):
            self.wfile.write(f"data: {chunk}\n\n".encode())

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or [])


@pytest.fixture
def address() -> Iterator[str]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    server.models = {name: BotModel(name, pw.load_graph("k4"), pw.SPACE_EXPLORERS) for name in ("ai2", "ai3")}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()


@pytest.mark.parametrize("opponent", ["ai1", "self"])
def test_its_command_plays_games_with_the_same_result_as_directly(address: str, opponent: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from verifiers.v1.cli.eval.main import main; main()", "verifiers_planetwars"]
    taskset = {"graphs": "k4", "rules": "SPACE_EXPLORERS", "opponent": opponent, "max-turns": TURNS, "compact": False}
    options = ["-m", "ai3", "--client.base-url", address, "--no-push", "--no-rich", "-n", "1", "-c", "1"]
    options += [part for name, value in taskset.items() for part in (f"--env.taskset.{name}", str(value))]
    options += ["--env.second.model", "ai2", "-o", str(tmp_path), "--run.name", "run"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "scripts" / "examples"), str(ROOT)])}
    done = subprocess.run(
        [*command, *options], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=800
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    (episode,) = map(json.loads, (tmp_path / "run" / "traces.jsonl").read_text().splitlines())
    direct = pw.play_match("ai3", "ai2" if opponent == "self" else "ai1", "k4", "SPACE_EXPLORERS", max_turns=TURNS)
    won = {"first": 0.0, "second": 0.0}
    if direct.winner:
        won = {"first": 1.0, "second": -1.0} if direct.winner == 1 else {"first": -1.0, "second": 1.0}
    assert len(episode["traces"]) == (2 if opponent == "self" else 1)
    for trace in episode["traces"]:
        assert trace["metrics"] == {"legal_moves": 1.0, "turns": float(direct.turns)}
        assert trace["rewards"]["won"]["score"] == won[trace["agent"]["name"]]
