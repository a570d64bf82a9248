"""Networks, algorithms and rewards of the user's, which a configuration names as ``module:name``.

Training imports their modules, from the current folder, too. Loading an agent imports nothing: it finds them only if the
program has imported the module already, so that a folder of somebody else cannot name code to run.
"""

import sys
from pathlib import Path
from typing import Any

from planetwars_env.bots.loading import import_module_of
from planetwars_env.learn.config import TrainConfig
from planetwars_env.settings import ConfigError


def plugs_of(config: TrainConfig) -> dict[str, str]:
    """Return the plugs of a configuration by the key that names them."""
    named = {
        "network: kind": config.network.kind,
        "learner: algorithm": config.learner.algorithm,
        "task: reward": config.task.reward,
    }
    return {key: name for key, name in named.items() if ":" in name}


def import_plugs(config: TrainConfig) -> None:
    """Import the modules of a configuration's plugs, which runs their code; ConfigError names one that cannot be imported."""
    for key, name in plugs_of(config).items():
        import_from_here(key, name.partition(":")[0])
        imported_plug(key, name)


def import_from_here(key: str, module: str) -> None:
    """Import a module by its name, also from the current folder; ConfigError begins with ``key``."""
    try:
        import_module_of(module)
    except ImportError as fault:
        raise ConfigError(
            f"{key}: module {module} cannot be imported ({fault}): it must be installed or lie in {Path.cwd()}"
        ) from fault


def imported_plug(key: str, name: str) -> Any:
    """Return the object ``module:name`` of a module that was imported before; ConfigError, naming it, for another."""
    module, _, attribute = name.partition(":")
    if module not in sys.modules:
        raise ConfigError(
            f"{key} is {name}, code that is no part of the agent: import {module} before, or planetwars evaluate "
            f"--import {module}"
        )
    found = getattr(sys.modules[module], attribute, None)
    if not callable(found):
        raise ConfigError(f"{key}: module {module} has no class or function {attribute}")
    return found
