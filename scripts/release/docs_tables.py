"""Tables of README.md and docs/ that come from the code: python -m scripts.release.docs_tables.

A page says where one goes by a pair of comments; what stands between them is replaced. `make docs` does it, a test checks it.
"""

import inspect
import json
import re
import tomllib
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import planetwars_env as pw
from planetwars_env.codec.layout import (
    ARRIVALS,
    CLOCK_FEATURES,
    DERIVED_EDGE_FEATURES,
    DERIVED_PLANET_FEATURES,
    EDGE_FEATURES,
    EDGE_WIDTH,
    PLANET_FEATURES,
    Feature,
    mask_width,
    observation_width,
)
from planetwars_env.codec.limits import FRACTIONS
from planetwars_env.engine.rules import PRESETS
from planetwars_env.envs.arguments import EnvArguments
from planetwars_env.envs.memory import MEMORY_FEATURES
from planetwars_env.envs.registration import rules_of
from planetwars_env.envs.single import PlanetWarsEnv
from planetwars_env.envs.vector import PlanetWarsVectorEnv
from planetwars_env.game import turn_limit
from planetwars_env.learn.datasets import RECIPES
from planetwars_env.learn.score import TRACKS
from planetwars_env.sim.result import INFO
from planetwars_env.text import markdown_cell
from scripts.release import api_names
from scripts.release.zoo_card import table as _table

ROOT = Path(__file__).resolve().parents[2]
_MARKED = re.compile(
    r"(<!-- made by scripts/release/docs_tables.py: (\w+) -->\n).*?(<!-- end of what is made -->)", re.DOTALL
)
_IDS = ("PlanetWars-v0", "PlanetWarsHalfStep-v0", "SpaceExplorers-v0")

LOWER_IS_BETTER = ("exploit", "generalise")

_ADDED = {
    "render_mode": '`"rgb_array"`, `"human"`, `"ansi"` or None',
    "num_envs": "games side by side",
    "autoreset_mode": "NEXT_STEP, SAME_STEP or DISABLED, also as a text",
    "num_threads": "threads that share every step; the games do not change",
    "copy": "False: observations are the batch's own arrays, overwritten by the next step",
}
"""Arguments of the single and the vector environment besides `EnvArguments`."""
_ENTRY = re.compile(r"^- `(\w+)`: (.*?)(?=^- |\Z)", re.MULTILINE | re.DOTALL)
_INFO = {
    "turn": "the turn of the game, of both players counted",
    "winner": "1 or 2; 0 for a draw and while the game goes on",
    "my_planets": "planets that the agent owns",
    "opponent_planets": "planets that its opponent owns",
    "my_people": "people of the agent, on planets and in flight",
    "opponent_people": "people of the opponent, on planets and in flight",
    "player": "the player that the agent is: 1 or 2",
    "won": "+1 once the agent has won the game, -1 once it has lost; 0 for a draw and while the game goes on",
    "opponent": "the opponent's name; in vector environments its index in `envs.opponents`",
    "graph": "the graph's index in `env.unwrapped.graphs`",
    "graph_name": "its name; not in vector environments and PettingZoo",
    "is_success": "at the end of a game only: whether the agent has won",
}


def ids() -> str:
    """The environment ids."""
    rows = []
    for name in _IDS:
        rules = PRESETS[rules_of(name)]
        flight = "w turns" if rules.turns_per_weight == 1 else f"{rules.turns_per_weight} w turns"
        limit = f"{turn_limit(rules):,}"
        end = f"terminated after turn {limit} (R10)" if rules.max_turns else f"truncated after turn {limit}"
        meeting = "coexistence, the majority owns" if rules.coexistence else "battle"
        rows.append((f"`{name}`", f"`{rules.name}`", meeting, flight, end))
    return _table(("id", "rules", "where players meet", "an edge of weight w takes", "at the turn limit"), rows)


def arguments() -> str:
    """The arguments of every environment, out of the text of `EnvArguments`, and what the two environments add."""
    shared, single, vector = (
        inspect.signature(cls).parameters for cls in (EnvArguments, PlanetWarsEnv, PlanetWarsVectorEnv)
    )
    meanings = {name: " ".join(text.split()) for name, text in _ENTRY.findall(inspect.getdoc(EnvArguments) or "")}
    rows = [(f"`{name}`", _default(one), meanings[name]) for name, one in shared.items()]
    rows.append(("`render_mode`", _default(single["render_mode"]), _ADDED["render_mode"]))
    rows += [
        (f"`{name}` (vector)", _default(one), _ADDED[name])
        for name, one in vector.items()
        if name in _ADDED and name not in single
    ]
    return _table(("argument", "default", "meaning"), rows)


def info() -> str:
    """The keys of an info."""
    keys = (*INFO, "graph_name", "is_success")
    return _table(("key", "meaning"), ((f"`{key}`", _INFO[key]) for key in keys))


def planets() -> str:
    """The features of a planet, with the column of each."""
    columns = [str(i) for i in range(ARRIVALS)] + [
        f"{ARRIVALS} to {ARRIVALS - 1} + H",
        f"{ARRIVALS} + H to {ARRIVALS - 1} + 2 H",
    ]
    return _features(PLANET_FEATURES, columns)


def edges() -> str:
    """The features of a directed edge."""
    return _features(EDGE_FEATURES)


def clock() -> str:
    """The features of the clock."""
    return _features(CLOCK_FEATURES)


def derived_planets() -> str:
    """The features that follow from those of a planet, with the column of each."""
    before, arrivals = [str(i) for i in range(4)], ["4 to 3 + H", "4 + H to 3 + 2 H"]
    return _features(DERIVED_PLANET_FEATURES, [*before, *arrivals, *(f"{4 + i} + 2 H" for i in range(6))])


def derived_edges() -> str:
    """The features that follow from those of an edge and of its planets."""
    return _features(DERIVED_EDGE_FEATURES)


def memory() -> str:
    """The features that the memory wrappers add."""
    return _features(MEMORY_FEATURES)


def shapes() -> str:
    """Every shape under the two shipped limits, with the default fractions."""
    rows: dict[str, list[Any]] = {}
    for limits in (pw.CLASSIC, pw.LARGE):
        choices = 1 + limits.degree * len(FRACTIONS)
        for what, number in (
            ("P, planet slots", limits.planets),
            ("undirected edges", limits.edges),
            ("E, directed edge slots", 2 * limits.edges),
            ("D, edge slots of a planet", limits.degree),
            ("H, horizon in turns", limits.horizon),
            (
                "`planets`, `edges` of an observation",
                f"({limits.planets}, {ARRIVALS + 2 * limits.horizon}), ({2 * limits.edges}, {EDGE_WIDTH})",
            ),
            ('numbers of a `"flat"` observation', f"{observation_width(limits):,}"),
            (
                'actions `"turn"`: MultiDiscrete; its mask',
                f"[{choices}] x {limits.planets}; {mask_width(limits, len(FRACTIONS), False):,}",
            ),
            ('actions `"order"`: Discrete, and its mask', f"{mask_width(limits, len(FRACTIONS), True):,}"),
        ):
            rows.setdefault(what, []).append(number)
    return _table(("", "`pw.CLASSIC`", "`pw.LARGE`"), ((what, *numbers) for what, numbers in rows.items()))


_SHOWN = {"ai3, fair": "ai3 on `fair`", "planner, fair": "planner on `fair`", "ai3, large": "ai3 on `large`"}
"""Columns of the README's results, all with sampled actions; agents/README.md has all of them, with intervals."""


def results() -> str:
    """Win rates of the zoo in per cent, from the results file of every agent."""
    found = {
        path.parent.name: json.loads(path.read_text("utf-8")) for path in sorted(ROOT.glob("agents/*/results.json"))
    }
    rows = [
        (f"[{name}](agents/{name}/README.md)", rules, *(_rates(pools).get(column, "") for column in _SHOWN))
        for name, it in found.items()
        for rules, pools in it["results"].items()
    ]
    return _table(("agent", "rules", *_SHOWN.values()), rows)


def datasets() -> str:
    """The data sets of the benchmark."""
    rows = [
        (f"`{name}`", ", ".join(dict(one.players)), f"{sum(dict(one.players).values()):,}", f"`{one.digest}`")
        for name, one in RECIPES.items()
    ]
    return _table(("data set", "decisions of", "decisions", "digest"), rows)


def board(track: str) -> str:
    """The entries of a track of the benchmark, the best first."""
    place = ROOT / "leaderboard"
    entries = [(path, json.loads(path.read_text("utf-8"))) for path in sorted(place.glob(f"{track}/*.json"))]
    checked = json.loads((place / "checked.json").read_text("utf-8")) if (place / "checked.json").is_file() else {}
    rows = []
    for path, it in sorted(entries, key=lambda one: one[1]["scores"]["score"], reverse=track not in LOWER_IS_BETTER):
        interval, seen = it["scores"]["interval"], checked.get(f"{track}/{path.name}", {})
        equal = f"{seen['equal']:,} of {seen['turns']:,} turns" if seen.get("turns") else "moves only"
        rows.append((
            f"[{markdown_cell(it['name'])}](../leaderboard/{track}/{path.name})",
            f"{it['scores']['score']:.1f}",
            f"{interval[0]:.1f} to {interval[1]:.1f}" if interval else "one seed",
            len(it["players"]),
            f"{max(one['steps'] for one in it['players']):,}",
            f"{sum(one['seconds'] for one in it['players']):,.0f}",
            it["versions"]["planetwars-env"],
            equal if seen.get("digest") == it["digest"] else "no",
        ))  # fmt: skip
    heading = ("entry", "score", "95 %", "players", "steps of training", "seconds of play", "version", "checked")
    return _table(heading, rows) if rows else "No entry yet.\n"


def first_link() -> str:
    """The README's first link: to the page to play on, once pyproject.toml holds the site's address."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"].get("urls", {})
    address = urls.get("Documentation", "").rstrip("/")
    place = f"{address}/play/play.html" if address else "docs/site.md"
    return (
        f"**[Play it in your browser]({place})**: bots, trained agents, replays and a graph editor; nothing to install."
    )


_MADE_ONCE = (
    *(ids, arguments, info, planets, edges, clock, derived_planets, derived_edges),
    *(memory, shapes, results, first_link, datasets),
)
MAKERS: dict[str, Callable[[], str]] = {
    **{make.__name__: make for make in _MADE_ONCE},
    **{f"board_{track}": partial(board, track) for track in TRACKS},
    **api_names.MAKERS,
}


def pages() -> list[Path]:
    """Everything that may hold such a table."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def renewed(text: str) -> str:
    """The page with its tables made anew; KeyError for a name that stands for none."""
    return _MARKED.sub(lambda match: f"{match[1]}\n{MAKERS[match[2]]()}\n{match[3]}", text)


def _rates(pools: dict[str, Any]) -> dict[str, str]:
    return {
        f"{one['opponent']}, {pool}": f"{100 * one['win_rate']:.1f}"
        for pool, entries in pools.items()
        for one in entries
    }


def _features(features: Iterable[Feature], columns: list[str] | None = None) -> str:
    rows = [
        ((columns or list(map(str, range(99))))[i], f"`{it.name}`", it.unit, f"{it.scale:g}", it.meaning)
        for i, it in enumerate(features)
    ]
    return _table(("column", "feature", "unit", "factor", "meaning"), rows)


def _default(parameter: inspect.Parameter) -> str:
    value = parameter.default
    if value is pw.CLASSIC:
        return "`pw.CLASSIC`"
    if hasattr(value, "name"):
        return f"`{value.name}`"
    return f"`{json.dumps(value) if isinstance(value, str) else value}`"


def main() -> None:
    """Write the tables of README.md and docs/ that come from the code."""
    for page in pages():
        text = page.read_text(encoding="utf-8")
        if (new := renewed(text)) != text:
            print(f"{page.relative_to(ROOT)} is written anew.")
            page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
