"""The site's pages to play on, as files: python -m scripts.release.site OUT (`make site`).

They work from any host of static files and from disk, and ask no other machine for anything.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

import planetwars_env as pw
from planetwars_env.engine.rules import PRESETS
from planetwars_env.game import turn_limit
from planetwars_env.graphs.catalogue import graph_names, load_graph, load_pool
from planetwars_env.playing import pages
from planetwars_env.playing.setup import Opening, make_game_setup
from planetwars_env.render.layout import RADII
from planetwars_env.render.pages import PLAYING, engine_manifest, game_data, make_page

POOLS = ["test", "fair", "large", "validation"]
EXAMPLES = (
    ("ai3", "graph-planetwars", "large/0", "PLANETWARS", 0),
    ("planner", "ai3", "rings", "PLANETWARS", 1),
    ("graph-all", "ai2", "test/3", "SPACE_EXPLORERS", 2),
)
"""Players, graph, rules and seed of games to begin with on the page to watch."""
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
    "form-action 'none'; base-uri 'none'"
)
ASK = ("answers.mjs", "site_ask.js")
"""Scripts of pages that answer themselves what others ask a server."""
LINKS = {
    'id="play-on" href=""': 'id="play-on" href="play.html"',
    'href="/rules"': 'href="rules.html"',
    'href="/editor"': 'href="editor.html"',
    'href="/"': 'href="play.html"',
}


def build(
    folder: Path,
    pools: Annotated[list[str], typer.Option(help="Pools of the page to play on, besides the named graphs.")] = POOLS,
) -> None:
    """Write the site's pages: to play, to watch, to edit boards, and the rules."""
    folder.mkdir(parents=True, exist_ok=True)
    offered = pages.local_choices(())
    rivals = [*offered["bots"], *offered["agents"]]
    made = {
        "play.html": play_page(pools),
        "watch.html": make_page(
            "PlanetWars: watch a game", "replay", {"replay": None, "examples": examples(), "rivals": rivals}, PLAYING
        ),
        "editor.html": editor_page(pools),
        "rules.html": pages.RULES_PAGE,
    }
    for name, text in made.items():
        for link, file in LINKS.items():
            text = text.replace(link, file)
        (folder / name).write_text(text, encoding="utf-8")


def examples() -> list[str]:
    """Games to begin with, packed for an address."""
    games = [pw.play_match(first, second, graph, rules, seed) for first, second, graph, rules, seed in EXAMPLES]
    return [game_data(game)["replay"].replace("+", "-").replace("/", "_").rstrip("=") for game in games]


def play_page(pools: Sequence[str]) -> str:
    """The page to play on, with the named graphs and those of ``pools``; people, bots and agents play in it."""
    offered = pages.local_choices(pools)
    graphs = (*graph_names(), *(f"{pool}/{i}" for pool, count in offered["pools"].items() for i in range(count)))
    first = pages.first_game(Opening(make_game_setup(("you", "random"), "rings", seed=0), "rings", 4))
    data = {"choices": offered, "first": first, "local": pages.local_data(graphs), "server": False}
    return make_page("PlanetWars", "play", data, POLICY, ASK)


def editor_page(pools: Sequence[str]) -> str:
    """The page of the board editor, which answers itself what it asks elsewhere its server."""
    graphs = {name: load_graph(name).to_dict() for name in graph_names()}
    graphs |= {f"{pool}/{i}": graph.to_dict() for pool in pools for i, graph in enumerate(load_pool(pool))}
    limits = {name: turn_limit(rules) for name, rules in PRESETS.items()}
    local = {"manifest": engine_manifest(), "graphs": graphs, "turn_limits": limits}
    data: dict[str, Any] = {"choices": pages.local_choices(pools), "boards": "", "radii": RADII, "local": local}
    return make_page("Board editor", "editor", data, POLICY, ASK)


if __name__ == "__main__":
    typer.run(build)
