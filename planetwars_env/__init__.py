"""Learn, teach and research strategy games: two players conquer a graph of planets under fog of war.

`import planetwars_env` registers the environment ids with Gymnasium; every other part loads when it is first used.
"""

from importlib import import_module
from typing import Any

from planetwars_env.envs.registration import register_all

__version__ = "0.1.0"

_HOMES = {
    "PLANETWARS": "engine.rules",
    "PLANETWARS_HALF_STEP": "engine.rules",
    "SPACE_EXPLORERS": "engine.rules",
    "Rules": "engine.rules",
    "Graph": "graphs.graph",
    "GraphError": "graphs.graph",
    "GraphGenerator": "graphs.generators",
    "generate_graph": "graphs.generators",
    "load_graph": "graphs.catalogue",
    "load_pool": "graphs.catalogue",
    "Move": "view",
    "View": "view",
    "Game": "game",
    "CLASSIC": "codec.limits",
    "LARGE": "codec.limits",
    "Limits": "codec.limits",
    "Shaped": "codec.rewards",
    "Standing": "codec.rewards",
    "Transition": "codec.rewards",
    "Strategy": "bots.strategy",
    "load_strategy": "bots.catalogue",
    "strategy_names": "bots.catalogue",
    "Replay": "replay",
    "draw": "render.drawing",
    "watch": "render.watching",
    "play_match": "arena.match",
    "MemoryWrapper": "envs.memory",
    "VectorMemoryWrapper": "envs.memory",
    "make_sb3_vec_env": "envs.sb3",
    "pettingzoo_env": "envs.pettingzoo",
    "pettingzoo_parallel_env": "envs.pettingzoo",
}
__all__ = ["__version__", *sorted(_HOMES)]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'planetwars_env' has no attribute '{name}'; it has {', '.join(__all__)}")
    value = getattr(import_module(f"planetwars_env.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


register_all()
