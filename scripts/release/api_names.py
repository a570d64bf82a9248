"""Groups of public names: the overview in docs/api.md, and for docs/api/ a table and the directives of the reference."""

import inspect
import re
from collections.abc import Callable
from functools import partial

import planetwars_env as pw

GROUPS = {
    "learn": (
        "train", "Run", "load_agent", "Agent", "AgentError", "load_config", "TrainConfig", "ConfigError", "NetworkPolicy",
        "Learner", "read_game", "load_dataset", "Dataset",
    ),
    "compete": ("evaluate", "EvaluationCallback", "SelfPlayCallback", "Result", "Tally", "tournament", "Tournament", "Standings"),
    "environments": (
        "make", "make_vec", "make_sb3_vec_env", "pettingzoo_env", "pettingzoo_parallel_env", "EnvArguments",
        "PlanetWarsEnv", "PlanetWarsVectorEnv", "PlanetWarsTextEnv", "MemoryWrapper", "VectorMemoryWrapper",
        "FEATURES", "Feature", "edge_slots", "pyg_arrays",
        "Limits", "TINY", "CLASSIC", "LARGE", "Shaped", "Transition", "Standing",
    ),
    "game": (
        "Game", "Move", "View", "PlanetView", "Shuttle", "Rules", "PLANETWARS", "PLANETWARS_HALF_STEP", "SPACE_EXPLORERS",
        "play_match", "Replay", "rollout", "Belief", "draw", "watch", "play",
    ),
    "graphs": (
        "Graph", "Planet", "Edge", "GraphError", "load_graph", "load_pool", "generate_graph", "GraphGenerator",
    ),
    "players": (
        "Strategy", "Policy", "FunctionPolicy", "TorchPolicy", "SB3Policy", "load_player", "player_names", "neighbours",
        "weights", "distances", "shortest_path", "next_step", "frontier", "targets", "arriving", "TextView", "parse_moves",
        "LanguageModel",
    ),
}  # fmt: skip
"""Every public name once; a test compares it with what `import planetwars_env` offers."""

_TITLES = {
    "learn": "training",
    "compete": "evaluation and tournaments",
    "environments": "environments",
    "game": "games",
    "graphs": "graphs",
    "players": "players",
}

_CONSTANTS = {
    "FEATURES": "The name, unit and scale of every column of an observation, part by part.",
    "TINY": 'The limits that the generator "tiny" fits into: 10 planets, 18 edges.',
    "CLASSIC": "The limits that the pools train, validation, test and fair fit into: 21 planets, 36 edges.",
    "LARGE": "The limits that the pool large fits into.",
    "PLANETWARS": "The rules of PlanetWars: where players meet there is a battle.",
    "PLANETWARS_HALF_STEP": "The same with flights that take two turns for each unit of weight.",
    "SPACE_EXPLORERS": "The rules of SpaceExplorers: people of both players live together, the majority owns.",
}


def group(name: str) -> str:
    """The table of a group's names, then a directive of mkdocstrings for each."""
    names = GROUPS[name]
    rows = "".join(f"| `pw.{one}` | {summary(one)} |\n" for one in names)
    directives = "\n".join(f"::: planetwars_env.{pw._HOMES[one]}.{one}\n" for one in names)
    return f"| name | meaning |\n| --- | --- |\n{rows}\n{directives}"


def summary(name: str) -> str:
    """The first sentence of a name's docstring, as a cell of a table."""
    if name in _CONSTANTS:
        return _CONSTANTS[name]
    text = (inspect.getdoc(getattr(pw, name)) or "").split("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=\.)\s", text)[0].replace("``", "`").replace("|", "\\|")


def overview() -> str:
    """Table of the groups with their pages and names."""
    rows = "".join(
        f"| [{title}](api/{name}.md) | {', '.join(f'`{one}`' for one in GROUPS[name])} |\n"
        for name, title in _TITLES.items()
    )
    return f"| page | names |\n| --- | --- |\n{rows}"


MAKERS: dict[str, Callable[[], str]] = {
    "api_overview": overview,
    **{f"api_{name}": partial(group, name) for name in GROUPS},
}
"""The makers of docs_tables.py that write docs/api.md and docs/api/."""
