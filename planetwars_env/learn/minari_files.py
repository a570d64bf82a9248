"""Data sets of the benchmark for Minari 0.5, a game as an episode (`planetwars dataset NAME --minari FOLDER`)."""

import json
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from planetwars_env.envs.arguments import EnvArguments
from planetwars_env.envs.spaces import action_space, observation_space
from planetwars_env.learn.datasets import Dataset, Decisions
from planetwars_env.sim.setup import Autoreset

_EPISODES_AT_ONCE = 200


def write_minari(
    dataset: Dataset, folder: str | Path, observation: str = "tensors", episodes: int | None = None
) -> str:
    """Write whole games as a data set of Minari into ``folder``, one episode each, and return its id.

    ``episodes``: the first so many, None for all; "tensors" take about 6 kB per decision. ValueError where it exists.
    """
    os.environ["MINARI_DATASETS_PATH"] = str(Path(folder).resolve())
    import minari  # pyright: ignore[reportMissingImports]
    from minari.data_collector import EpisodeBuffer  # pyright: ignore[reportMissingImports]

    arguments = EnvArguments(dataset.recipe.rules, graphs=dataset.recipe.graphs, observation=observation)
    setup = arguments.setup(Autoreset.SAME_STEP)
    spaces = {"observation_space": observation_space(setup, observation), "action_space": action_space(setup)}
    name, made = f"planetwars/{dataset.name}-v1", None
    about = {"algorithm_name": ", ".join(dict(dataset.recipe.players)), "description": json.dumps(dataset.metadata())}
    chosen = islice(_whole_games(dataset, observation), episodes)
    while games := list(islice(chosen, _EPISODES_AT_ONCE)):
        buffers = []
        for steps in games:
            seen: Any = [one.observation for one in steps] + [steps[-1].following]
            if observation != "flat":
                seen = {key: np.stack([one[key] for one in seen]) for key in seen[0]}
            keys = "actions", "rewards", "terminated", "truncated"
            columns = ([getattr(one, key) for one in steps] for key in keys)
            buffers.append(EpisodeBuffer(None, None, None, seen, *columns))
        if made is None:
            made = minari.create_dataset_from_buffers(name, buffers, **spaces, **about)
        else:
            made.update_dataset_from_buffer(buffers)
    return name


def _whole_games(dataset: Dataset, observation: str) -> Iterator[list[Decisions]]:
    """Yield the decisions of each finished game, one row each, in the order in which the games end."""
    running: dict[int, list[Decisions]] = {}
    for step in dataset.steps(observation, following=True):
        for i, game in enumerate(step.games.tolist()):
            parts: Any = ({key: a[i] for key, a in p.items()} if isinstance(p, dict) else p[i] for p in step)
            row = Decisions(*parts)
            running.setdefault(game, []).append(row)
            if row.terminated or row.truncated:
                yield running.pop(game)
