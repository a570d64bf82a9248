"""Recorded games to learn from, without a download: a data set is a recipe that the engine plays again (docs/benchmark.md).

Axes: T steps, N games side by side, P planet slots.
"""

import hashlib
import io
import json
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np

from planetwars_env.bots.catalogue import Kind, parse_player, resolve_player
from planetwars_env.bots.planner import Planner, PlannerMemory
from planetwars_env.codec.derived import OBSERVATION_FORMS, in_form
from planetwars_env.engine.columns import BOARD
from planetwars_env.engine.kernel_cache import user_cache
from planetwars_env.engine.state import Array, State
from planetwars_env.envs.arguments import EnvArguments, resolve_rules
from planetwars_env.envs.next_games import set_opponents
from planetwars_env.envs.spaces import action_space, observation_space
from planetwars_env.files import read_file, write_atomically
from planetwars_env.learn.advisor import Teacher, actions_of
from planetwars_env.names import chosen_name
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.setup import Autoreset

SEEN, UNSEEN = ("random", "ai1", "ai3"), ("ai2", "advisor")
"""Opponents of nine tenths of the games, and those of the others: to learn from, and to test models of opponents by."""
_LARGEST = 2**30  # Most bytes of a recording
_EPISODES_AT_ONCE = 200


@dataclass(frozen=True)
class Recipe:
    """Recipe of a data set: ``players`` with the number of decisions of each, and the ``digest`` of all arrays.

    Every player has a game for every ``steps`` decisions, a tenth of them against opponents of `UNSEEN`.
    """

    players: tuple[tuple[str, int], ...]
    digest: str = ""
    steps: int = 1000
    seed: int = 0
    rules: str = "PLANETWARS"
    graphs: str = "train"

    @property
    def exact(self) -> bool:
        """Whether every machine records the same: no network plays, whose last bits may differ."""
        return all(parse_player(name).kind is Kind.BOT for name, _ in self.players)


RECIPES = {
    "random-1m": Recipe((("random", 1_000_000),), "7a42cbe3057feddd"),
    "ai1-1m": Recipe((("ai1", 1_000_000),), "9f84e9fbe8d7e9c2"),
    "ai2-1m": Recipe((("ai2", 1_000_000),), "693ea678c955beef"),
    "ai3-1m": Recipe((("ai3", 1_000_000),), "79551fc6fb565502"),
    "agents-1m": Recipe((("graph-planetwars-small", 500_000), ("graph-planetwars", 500_000)), "d6353bdd1814d4f0"),
    "mixed-1m": Recipe(
        tuple((name, 200_000) for name in ("random", "ai1", "ai2", "ai3", "graph-planetwars-small")), "c22837573658f600"
    ),
    "planner-100k": Recipe((("planner", 100_000),), "0b192b5a18e502ce"),
}
"""The data sets of the benchmark, by name."""


class Recording(NamedTuple):
    """Decisions of one player: actions [T, N, P] uint8, and of each [T, N] what `Decisions` says, its graph and player.

    The actions are those of actions="turn" with the default fractions and limits.
    """

    actions: Array
    rewards: Array
    terminated: Array
    truncated: Array
    opponents: Array
    graphs: Array
    players: Array

    @property
    def ended(self) -> Array:
        """[T, N] bool: whether the game ended by the decision."""
        return self.terminated | self.truncated

    @property
    def games(self) -> Array:
        """[T, N] int64: number of the game of each decision, different for all games of the recording."""
        ends = self.ended.astype(np.int64)
        before = np.cumsum(ends, 0) - ends
        return before * ends.shape[1] + np.arange(ends.shape[1])

    @property
    def outcomes(self) -> Array:
        """[T, N] int8: +1, 0 or -1 as the game of a decision ends; 0 where the recording ends before."""
        outcomes, last, ended = np.zeros_like(self.rewards), np.zeros_like(self.rewards[0]), self.ended
        for t in reversed(range(len(outcomes))):
            outcomes[t] = last = np.where(ended[t], self.rewards[t], last)
        return outcomes


class Decisions(NamedTuple):
    """Decisions of n games that go on side by side, one each.

    ``observation`` as an environment returns it, [n, ...]; ``actions`` [n, P] int64; ``rewards`` [n] int8; ``terminated``
    and ``truncated`` [n] bool; ``outcomes`` [n] int8: +1, 0 or -1 as the game ends later, 0 where the recording ends before;
    ``opponents`` [n]: indices of `Dataset.opponents`; ``games`` [n]: a number that a game keeps from step to step;
    ``following``: the observation after the decision, also of a game that ended by it; None unless it was asked for.
    """

    observation: Any
    actions: Array
    rewards: Array
    terminated: Array
    truncated: Array
    outcomes: Array
    opponents: Array
    games: Array
    following: Any


@dataclass(frozen=True, repr=False)
class Dataset:
    """Recorded decisions: actions and results in memory, while the engine makes the observations again in `steps`.

    ``digest``: of all arrays; a paper should quote it beside the version of this package.
    """

    name: str
    recipe: Recipe
    recordings: tuple[Recording, ...] = field(repr=False)
    digest: str
    opponents: tuple[str, ...] = (*SEEN, *UNSEEN)

    def __len__(self) -> int:
        return sum(one.rewards.size for one in self.recordings)

    def __repr__(self) -> str:
        return f"Dataset({self.name}: {len(self):,} decisions in {self.games:,} games, digest {self.digest})"

    @property
    def games(self) -> int:
        """The number of games that ended."""
        return sum(int(one.ended.sum()) for one in self.recordings)

    def metadata(self) -> dict[str, Any]:
        """Return for JSON what was recorded, and the games won and ended by opponent, split by `SEEN` and `UNSEEN`."""
        split: dict[str, Any] = {"seen": {}, "unseen": {}}
        for place, opponent in enumerate(self.opponents):
            ended = [one.ended & (one.opponents == place) for one in self.recordings]
            won = sum(int((one.rewards[end] > 0).sum()) for one, end in zip(self.recordings, ended, strict=True))
            games = int(sum(map(np.sum, ended)))
            split["seen" if opponent in SEEN else "unseen"][opponent] = {"games": games, "won": won}
        recipe = self.recipe
        made_by = {"players": dict(recipe.players), "rules": recipe.rules, "graphs": recipe.graphs, "seed": recipe.seed}
        return {"name": self.name, "digest": self.digest, "decisions": len(self), **made_by, "opponents": split}

    def steps(self, observation: str = "tensors", split: str = "", *, following: bool = False) -> Iterator[Decisions]:
        """Yield the decisions step by step: those of one game follow each other, and a minibatch is of different games.

        ``observation``: a form of the environments. ``split``: "seen" or "unseen", by the opponents; "" for both.
        ``following``: with the observation after each decision. ValueError for other names, and where the engine of this
        machine does not play as recorded.
        """
        observation = chosen_name(observation, OBSERVATION_FORMS, "unknown observation")
        if split not in ("", "seen", "unseen"):
            raise ValueError(f'unknown split {split!r}: choose "seen", "unseen", or "" for both')
        first = 0
        for number, recorded in enumerate(self.recordings):
            side_by_side = recorded.rewards.shape[1]
            batch, rows = _begin(self.recipe, number, side_by_side), _rows(side_by_side, split)
            outcomes, games = recorded.outcomes, first + recorded.games
            first = int(games.max()) + side_by_side
            form = observation, batch.setup.limits, batch.setup.rules
            for t in range(len(recorded.actions)):
                seen, after = in_form(*form, *(array[rows].copy() for array in batch.current)), None
                batch.actions[:] = recorded.actions[t]
                batch.step()
                if not np.array_equal(batch.result.won, recorded.rewards[t]):
                    raise ValueError(f"{self.name}: step {t} does not lead to the recorded results; load it again")
                now = Recording(*(column[t, rows] for column in recorded))
                if following:
                    arrays = [array[rows].copy() for array in batch.current]
                    for array, final in zip(arrays, batch.final, strict=True):
                        array[now.ended] = final[rows][now.ended]
                    after = in_form(*form, *arrays)
                ends = now.rewards, now.terminated, now.truncated, outcomes[t, rows]
                yield Decisions(seen, now.actions.astype(np.int64), *ends, now.opponents, games[t, rows], after)

    def whole_games(self, observation: str = "tensors") -> Iterator[list[Decisions]]:
        """Yield the decisions of each finished game, one row each, in the order in which the games end."""
        running: dict[int, list[Decisions]] = {}
        for step in self.steps(observation, following=True):
            for i, game in enumerate(step.games.tolist()):
                parts: Any = ({key: a[i] for key, a in p.items()} if isinstance(p, dict) else p[i] for p in step)
                row = Decisions(*parts)
                running.setdefault(game, []).append(row)
                if row.terminated or row.truncated:
                    yield running.pop(game)


def load_dataset(name: str, folder: str | Path | None = None) -> Dataset:
    """Return a data set of the benchmark: the recording in ``folder`` (default: the user's cache), else played again.

    A recording with another digest is played again. ValueError for an unknown name, and where the engine plays other games
    than those of the benchmark; a warning where only a network does, whose last bits differ between processors.
    """
    known = chosen_name(name, RECIPES, "there is no data set")
    recipe, path = RECIPES[known], Path(folder or user_cache() / "datasets") / f"{known}.npz"
    recordings = _read(recipe, path)
    if recordings is None:
        recordings, data = record(known, recipe).recordings, io.BytesIO()
        arrays = {f"{i}/{key}": part for i, one in enumerate(recordings) for key, part in one._asdict().items()}
        np.savez_compressed(data, allow_pickle=False, **arrays)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data.getvalue())
    digest = digest_of(recordings)
    if digest != recipe.digest:
        text = f"{known} has the digest {digest} on this machine, and {recipe.digest} in the benchmark"
        if recipe.exact:
            path.unlink(missing_ok=True)
            raise ValueError(f"{text}: this version of the package plays other games")
        warnings.warn(f"{text}: its networks play a little differently here, so name both digests", stacklevel=2)
    return Dataset(known, recipe, recordings, digest)


def record(name: str, recipe: Recipe) -> Dataset:
    """Return the data set of a recipe of one's own, played now."""
    recordings = []
    for number, (player, decisions) in enumerate(recipe.players):
        games = max(2, decisions // recipe.steps)
        batch = _begin(recipe, number, games)
        act, result = _actions(player, batch, recipe), batch.result
        kinds, shape = (np.int8, np.bool_, np.bool_, np.uint8, np.int16, np.uint8), (recipe.steps, games)
        actions = np.zeros((*shape, batch.setup.limits.planets), np.uint8)
        made = Recording(actions, *(np.zeros(shape, kind) for kind in kinds))
        for t in range(recipe.steps):
            made.opponents[t], made.graphs[t] = batch.opponents, batch.state.status[:, BOARD]
            made.players[t] = batch.players + 1
            batch.actions[:] = actions[t] = act()
            batch.step()
            made.rewards[t], made.terminated[t], made.truncated[t] = result.won, result.terminated, result.truncated
        recordings.append(made)
    return Dataset(name, recipe, tuple(recordings), digest_of(recordings))


def digest_of(recordings: Sequence[Recording]) -> str:
    """Return 16 hexadecimal digits of the SHA-256 of all arrays."""
    digest = hashlib.sha256()
    for array in (array for recorded in recordings for array in recorded):
        digest.update(f"{array.dtype} {array.shape}".encode() + array.tobytes())
    return digest.hexdigest()[:16]


def _begin(recipe: Recipe, number: int, games: int) -> Batch:
    arguments = EnvArguments(recipe.rules, opponent=[*SEEN, *UNSEEN], graphs=recipe.graphs)
    batch, unseen = Batch(games, arguments.setup(Autoreset.SAME_STEP)), _rows(games, "unseen")
    set_opponents(batch, list(SEEN), None, None)
    set_opponents(batch, list(UNSEEN), None, np.arange(games)[unseen])
    batch.seed(recipe.seed + 1_000_000 * number)
    batch.reset()
    return batch


def _rows(games: int, split: str) -> slice:
    """Return the games against opponents of a split: the last tenth meets the unseen ones."""
    border = games - max(1, games // 10)
    return {"": slice(None), "seen": slice(border), "unseen": slice(border, None)}[split]


def _actions(name: str, batch: Batch, recipe: Recipe) -> Callable[[], Array]:
    """Return a function that gives the actions of a player in all games of a batch."""
    player = resolve_player(name)
    if player.compiled:
        return Teacher(batch, player.code).act
    made = player.make()
    if isinstance(made, Planner):
        memory = PlannerMemory(batch.board, batch.state, batch.setup.rules, made.budget)

        def plan() -> Array:
            played = State(*(array.copy() for array in batch.state))
            memory.play(played, batch.board, np.arange(batch.games), batch.players)
            return actions_of(batch, played)

        return plan
    if player.kind is not Kind.AGENT:
        raise ValueError(f"{name} cannot be recorded: choose a bot or an agent")
    agent = made.under(resolve_rules(recipe.rules))
    return lambda: agent.act(in_form("tensors", batch.setup.limits, batch.setup.rules, *batch.current))


def _read(recipe: Recipe, path: Path) -> tuple[Recording, ...] | None:
    """Return the recordings in a file; None where there is none, or it is damaged, or another than the recipe's."""
    try:
        with np.load(io.BytesIO(read_file(path, _LARGEST)), allow_pickle=False) as arrays:
            made = tuple(
                Recording(*(arrays[f"{i}/{key}"] for key in Recording._fields)) for i in range(len(recipe.players))
            )
    except (OSError, ValueError, KeyError, BadZipFile, EOFError):
        return None
    return made if digest_of(made) == recipe.digest or not recipe.exact else None


def write_minari(
    dataset: Dataset, folder: str | Path, observation: str = "tensors", episodes: int | None = None
) -> str:
    """Write whole games as a data set of Minari 0.5 into ``folder``, one episode each, and return its id.

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
    chosen = islice(dataset.whole_games(observation), episodes)
    while games := list(islice(chosen, _EPISODES_AT_ONCE)):
        buffers = []
        for steps in games:
            seen: Any = [step.observation for step in steps] + [steps[-1].following]
            if observation != "flat":
                seen = {key: np.stack([part[key] for part in seen]) for key in seen[0]}
            keys = "actions", "rewards", "terminated", "truncated"
            columns = ([getattr(step, key) for step in steps] for key in keys)
            buffers.append(EpisodeBuffer(None, None, None, seen, *columns))
        if made is None:
            made = minari.create_dataset_from_buffers(name, buffers, **spaces, **about)
        else:
            made.update_dataset_from_buffer(buffers)
    return name
