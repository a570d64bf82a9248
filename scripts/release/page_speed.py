"""Speed of a replay's page in Chromium: python -m scripts.release.page_speed.

Milliseconds from the arrival of the file until the page is ready and until it has the curves and events of the whole game,
and of one frame of a large game: script and painting.
"""

import statistics
import tempfile
from pathlib import Path
from typing import Any

import planetwars_env as pw
from planetwars_env.render.pages import replay_page
from scripts.release.browser import started

PLANETS, SHUTTLES = 57, 110
READY = """() => ["ready", "complete"].map((name) => {
    const [{ startTime }] = performance.getEntriesByName(name);
    return startTime - performance.getEntriesByType("navigation")[0].responseEnd;
})"""
FRAMES = """(shuttles) => {
    const counts = Array.from({ length: page.game.length }, (_, at) => page.game.state(at, 0).shuttles.length);
    page.seek(counts.findIndex((count) => count >= shuttles));
    const pixels = page.drawing.canvas.getContext("2d");
    const times = [];
    for (let i = 0; i < 80; i++) {
        const start = performance.now();
        page.drawing.show(page.state, (i % 60) / 60);
        pixels.getImageData(0, 0, 1, 1);
        times.push(performance.now() - start);
    }
    return [page.state.shuttles.length, times.slice(20)];
}"""


def large_game() -> pw.Replay:
    """A game on 57 planets in which 110 shuttles fly at once."""
    for seed in range(20):
        graph = pw.generate_graph("large", seed=seed, planets=PLANETS)
        replay = pw.play_match("ai3", "ai3", graph, pw.PLANETWARS_HALF_STEP, seed=seed, max_turns=300)
        if max(len(game.shuttles()) for game in replay.games()) >= SHUTTLES:
            return replay
    raise SystemExit(f"no game has {SHUTTLES} shuttles")


def measure(browser: Any, file: Path) -> tuple[list[float], int, float]:
    """Milliseconds until ready and complete, shuttles of the frame, milliseconds of a frame; the page is opened once before."""
    ready = []
    for _ in range(8):
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(file.as_uri())
        page.locator("#figures button").first.wait_for()
        ready.append(page.evaluate(READY))
        if len(ready) < 8:
            page.close()
    shuttles, times = page.evaluate(FRAMES, SHUTTLES)
    page.close()
    return [statistics.median(times) for times in zip(*ready[1:], strict=True)], shuttles, statistics.median(times)


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder, started() as browser:
        replay, file = large_game(), Path(folder) / "game.html"
        file.write_text(replay_page(replay), encoding="utf-8")
        ready, shuttles, frame = measure(browser, file)
        size = f"{PLANETS} planets, {replay.turns} turns, {file.stat().st_size / 1000:.0f} kB"
        print(f"{size}: ready after {ready[0]:.0f} ms, complete after {ready[1]:.0f} ms")
        print(f"a frame with {shuttles} shuttles: {frame:.1f} ms")


if __name__ == "__main__":
    main()
