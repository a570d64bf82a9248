"""Chromium and Firefox play games in the play page, each by itself, and they are the games of the engine."""

import json
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from queue import Queue
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest

from scripts.release import browser, site
from wasm.test_referee import BOTS, compare_games

BROWSERS = {
    "chromium": (browser.NAMES, ("--headless=new", "--no-sandbox", "--no-first-run", "--user-data-dir={folder}")),
    "firefox": (("firefox-esr", "firefox"), ("--headless", "--no-remote", "--profile", "{folder}")),
}
"""Programs by the names that they may have, and their options."""
PLAY = """
<script>
(async () => {
  while (!page.now) await new Promise((done) => setTimeout(done, 20));
  const { _engine: engine, _agents: agents, _referee: { constructor: Referee } } = page.connection;
  for (const [number, setup] of (await (await fetch("/asked")).json()).entries()) {
    const referee = new Referee(engine, setup, agents);
    while (!referee.over) referee.advance();
    await fetch("/played", { method: "POST", body: JSON.stringify([number, navigator.userAgent, await referee.replay()]) });
  }
})().catch((fault) => fetch("/played", { method: "POST", body: JSON.stringify([-1, "", String(fault.stack ?? fault)]) }));
</script>
"""
"""The games are played by what the page itself plays with."""


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Silent(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def served(setups: list[Any], played: Queue[Any]) -> Iterator[str]:
    """The address of the play page, which plays these games once it is opened and tells of each."""
    whole = site.play_page([]).replace("</body>", PLAY + "</body>")
    whole = whole.replace("form-action", "connect-src 'self'; form-action", 1)

    def answer(asked: dict[str, Any], begin: Callable[..., Any]) -> list[bytes]:
        if asked["REQUEST_METHOD"] == "POST":
            played.put(json.loads(asked["wsgi.input"].read(int(asked["CONTENT_LENGTH"]))))
        begin("200 OK", [("Content-Type", "text/html; charset=utf-8")])
        return [(whole if asked["PATH_INFO"] == "/" else json.dumps(setups)).encode()]

    with make_server("127.0.0.1", 0, answer, Server, Silent) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.mark.slow
@pytest.mark.parametrize("name", BROWSERS)
def test_a_browser_plays_100_games_of_the_engine_in_the_play_page(name: str, tmp_path: Path) -> None:
    known, options = BROWSERS[name]
    program = next((place for one in known if (place := shutil.which(one))), None)
    if program is None:
        pytest.skip(f"NO {name}, SO ITS GAMES ARE NOT COMPARED: install it with 'apt-get install -y {known[0]}'")

    def ask(questions: list[dict[str, Any]]) -> list[Any]:
        played: Queue[Any] = Queue()
        with served([one["setup"] for one in questions], played) as address:
            command = [program, *(option.format(folder=tmp_path) for option in options), address]
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as started:
                try:
                    answers = [played.get(timeout=120) for _ in questions]
                finally:
                    started.terminate()
        assert [number for number, _, _ in answers] == list(range(len(questions))), answers[-1]
        assert all(("Firefox/" in agent) == (name == "firefox") for _, agent, _ in answers)
        return [replay for _, _, replay in answers]

    pairs = [
        *product(BOTS, repeat=2),
        ("graph-planetwars", "ai3"),
        ("ai3", "graph-all"),
        ("ai2", "graph-planetwars-small"),
    ]
    compare_games(ask, pairs, ("test", "fair", "large"), 100, 120)
