"""Environment to learn, teach and research strategy games: two players conquer a graph of planets under fog of war.

`import planetwars_env as pw` registers the environment ids with Gymnasium and offers every public name as ``pw.NAME``
(docs/api.md lists them). A name's module loads when the name is first used. Deeper imports are private and may change.
"""

from importlib import import_module
from os import environ
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the same names as in _MODULES, for editors and type checkers; a test compares the two
    from planetwars_env.arena.evaluation import evaluate as evaluate
    from planetwars_env.arena.games import play_match as play_match
    from planetwars_env.arena.results import Result as Result
    from planetwars_env.arena.results import Tally as Tally
    from planetwars_env.arena.standings import Standings as Standings
    from planetwars_env.arena.tournament import Tournament as Tournament
    from planetwars_env.arena.tournament import tournament as tournament
    from planetwars_env.bots.belief import Belief as Belief
    from planetwars_env.bots.bot_games import rollout as rollout
    from planetwars_env.bots.catalogue import load_player as load_player
    from planetwars_env.bots.catalogue import player_names as player_names
    from planetwars_env.bots.helpers import arriving as arriving
    from planetwars_env.bots.helpers import distances as distances
    from planetwars_env.bots.helpers import frontier as frontier
    from planetwars_env.bots.helpers import neighbours as neighbours
    from planetwars_env.bots.helpers import next_step as next_step
    from planetwars_env.bots.helpers import shortest_path as shortest_path
    from planetwars_env.bots.helpers import targets as targets
    from planetwars_env.bots.helpers import weights as weights
    from planetwars_env.bots.language_model import LanguageModel as LanguageModel
    from planetwars_env.bots.policy import FunctionPolicy as FunctionPolicy
    from planetwars_env.bots.policy import Policy as Policy
    from planetwars_env.bots.strategy import Strategy as Strategy
    from planetwars_env.codec.layout import FEATURES as FEATURES
    from planetwars_env.codec.layout import Feature as Feature
    from planetwars_env.codec.layout import edge_slots as edge_slots
    from planetwars_env.codec.limits import CLASSIC as CLASSIC
    from planetwars_env.codec.limits import LARGE as LARGE
    from planetwars_env.codec.limits import TINY as TINY
    from planetwars_env.codec.limits import Limits as Limits
    from planetwars_env.codec.rewards import Shaped as Shaped
    from planetwars_env.codec.rewards import Standing as Standing
    from planetwars_env.codec.rewards import Transition as Transition
    from planetwars_env.engine.rules import PLANETWARS as PLANETWARS
    from planetwars_env.engine.rules import PLANETWARS_HALF_STEP as PLANETWARS_HALF_STEP
    from planetwars_env.engine.rules import SPACE_EXPLORERS as SPACE_EXPLORERS
    from planetwars_env.engine.rules import Rules as Rules
    from planetwars_env.envs.arguments import EnvArguments as EnvArguments
    from planetwars_env.envs.memory import MemoryWrapper as MemoryWrapper
    from planetwars_env.envs.memory import VectorMemoryWrapper as VectorMemoryWrapper
    from planetwars_env.envs.pettingzoo import pettingzoo_env as pettingzoo_env
    from planetwars_env.envs.pettingzoo import pettingzoo_parallel_env as pettingzoo_parallel_env
    from planetwars_env.envs.registration import make as make
    from planetwars_env.envs.registration import make_vec as make_vec
    from planetwars_env.envs.sb3 import make_sb3_vec_env as make_sb3_vec_env
    from planetwars_env.envs.single import PlanetWarsEnv as PlanetWarsEnv
    from planetwars_env.envs.text_env import PlanetWarsTextEnv as PlanetWarsTextEnv
    from planetwars_env.envs.vector import PlanetWarsVectorEnv as PlanetWarsVectorEnv
    from planetwars_env.game import Game as Game
    from planetwars_env.graphs.catalogue import load_graph as load_graph
    from planetwars_env.graphs.catalogue import load_pool as load_pool
    from planetwars_env.graphs.generators import GraphGenerator as GraphGenerator
    from planetwars_env.graphs.generators import generate_graph as generate_graph
    from planetwars_env.graphs.graph import Edge as Edge
    from planetwars_env.graphs.graph import Graph as Graph
    from planetwars_env.graphs.graph import GraphError as GraphError
    from planetwars_env.graphs.graph import Planet as Planet
    from planetwars_env.language.replies import parse_moves as parse_moves
    from planetwars_env.language.text_view import TextView as TextView
    from planetwars_env.learn.agent import Agent as Agent
    from planetwars_env.learn.agent import AgentError as AgentError
    from planetwars_env.learn.agent import load_agent as load_agent
    from planetwars_env.learn.config import TrainConfig as TrainConfig
    from planetwars_env.learn.config import load_config as load_config
    from planetwars_env.learn.ppo import Learner as Learner
    from planetwars_env.learn.reading import read_game as read_game
    from planetwars_env.learn.run import Run as Run
    from planetwars_env.learn.run import train as train
    from planetwars_env.learn.sb3 import NetworkPolicy as NetworkPolicy
    from planetwars_env.learn.sb3_callback import EvaluationCallback as EvaluationCallback
    from planetwars_env.learn.sb3_callback import SelfPlayCallback as SelfPlayCallback
    from planetwars_env.learn.sb3_policy import SB3Policy as SB3Policy
    from planetwars_env.learn.torch_policy import TorchPolicy as TorchPolicy
    from planetwars_env.render.drawing import draw as draw
    from planetwars_env.render.pages import watch as watch
    from planetwars_env.replay import Replay as Replay
    from planetwars_env.settings import ConfigError as ConfigError
    from planetwars_env.view import Move as Move
    from planetwars_env.view import PlanetView as PlanetView
    from planetwars_env.view import Shuttle as Shuttle
    from planetwars_env.view import View as View

__version__ = "0.1.0"

_MODULES = {
    "arena.tournament": ("Tournament", "tournament"),
    "arena.evaluation": ("evaluate",),
    "arena.games": ("play_match",),
    "arena.results": ("Result", "Tally"),
    "arena.standings": ("Standings",),
    "bots.belief": ("Belief",),
    "bots.bot_games": ("rollout",),
    "bots.catalogue": ("load_player", "player_names"),
    "bots.helpers": (
        "arriving",
        "distances",
        "frontier",
        "neighbours",
        "next_step",
        "shortest_path",
        "targets",
        "weights",
    ),
    "bots.language_model": ("LanguageModel",),
    "bots.policy": ("FunctionPolicy", "Policy"),
    "bots.strategy": ("Strategy",),
    "codec.layout": ("FEATURES", "Feature", "edge_slots"),
    "codec.limits": ("CLASSIC", "LARGE", "TINY", "Limits"),
    "codec.rewards": ("Shaped", "Standing", "Transition"),
    "engine.rules": ("PLANETWARS", "PLANETWARS_HALF_STEP", "SPACE_EXPLORERS", "Rules"),
    "envs.arguments": ("EnvArguments",),
    "envs.memory": ("MemoryWrapper", "VectorMemoryWrapper"),
    "envs.pettingzoo": ("pettingzoo_env", "pettingzoo_parallel_env"),
    "envs.registration": ("make", "make_vec"),
    "envs.sb3": ("make_sb3_vec_env",),
    "envs.single": ("PlanetWarsEnv",),
    "envs.text_env": ("PlanetWarsTextEnv",),
    "envs.vector": ("PlanetWarsVectorEnv",),
    "game": ("Game",),
    "graphs.catalogue": ("load_graph", "load_pool"),
    "graphs.generators": ("GraphGenerator", "generate_graph"),
    "graphs.graph": ("Edge", "Graph", "GraphError", "Planet"),
    "language.replies": ("parse_moves",),
    "language.text_view": ("TextView",),
    "learn.agent": ("Agent", "AgentError", "load_agent"),
    "learn.config": ("TrainConfig", "load_config"),
    "settings": ("ConfigError",),
    "learn.ppo": ("Learner",),
    "learn.reading": ("read_game",),
    "learn.sb3": ("NetworkPolicy",),
    "learn.sb3_callback": ("EvaluationCallback", "SelfPlayCallback"),
    "learn.sb3_policy": ("SB3Policy",),
    "learn.torch_policy": ("TorchPolicy",),
    "learn.run": ("Run", "train"),
    "render.drawing": ("draw",),
    "render.pages": ("watch",),
    "replay": ("Replay",),
    "view": ("Move", "PlanetView", "Shuttle", "View"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}
_EXTRAS = {
    "torch": "agents",
    "safetensors": "agents",
    "stable_baselines3": "train",
    "sb3_contrib": "train",
    "tensorboard": "train",
    "matplotlib": "render",
}
"""Optional libraries that a public name may need, and the extra that brings each."""
_TRAINING = {"learn.run", "learn.sb3", "learn.sb3_callback", "learn.sb3_policy"}
"""Modules that need all of the extra "train", whichever of its libraries is missed first."""
__all__ = ["__version__", *sorted(_HOMES)]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'planetwars_env' has no attribute '{name}'; it has {', '.join(__all__)}")
    try:
        value = getattr(import_module(f"planetwars_env.{_HOMES[name]}"), name)
    except ModuleNotFoundError as fault:
        extra = _EXTRAS.get((fault.name or "").split(".")[0])
        if extra is None:
            raise
        extra = "train" if _HOMES[name] in _TRAINING else extra
        pip_line = import_module("planetwars_env.shipped").pip_line(extra)
        raise ImportError(f"pw.{name} needs {fault.name}, which is not installed: {pip_line}") from fault
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


if (
    "PLANETWARS_STRATEGY" not in environ
):  # set in the processes of strategies from files: Gymnasium is half of their start
    import_module("planetwars_env.envs.registration")
