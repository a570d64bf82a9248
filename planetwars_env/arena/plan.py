"""Plan of a round robin: who plays whom, on what, and under which conditions.

The seeds of a game come from its players, its graph, its repetition and the tournament's seed, never from the time. So a
tournament that was killed and started again ends with the same table as one without interruption. That seed is a number or
a secret: with a secret nobody can know the games beforehand, though graphs, bots and other strategies' files may be public.
"""

import hashlib
import json
import secrets
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import chain, combinations, islice
from typing import Any

from planetwars_env.arena.contestants import fingerprint_player
from planetwars_env.arena.game_store import IN_MEMORY, GameKey, GameStore
from planetwars_env.arena.isolation import ResourceLimits
from planetwars_env.bots.catalogue import Player
from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.envs.arguments import resolve_rules
from planetwars_env.game import turn_limit
from planetwars_env.graphs.catalogue import resolve_graphs
from planetwars_env.graphs.disturb import disturbed
from planetwars_env.graphs.generators import RandomGenerator
from planetwars_env.graphs.graph import Graph

Seed = int | str
"""A number, or the text of a secret."""


@dataclass(frozen=True)
class TournamentPlan:
    """Plan of a round robin. ``games``: of each pair, half of them as either player; graphs are used in turn.

    ``max_turns``: games are cut off there, as a draw. ``only``: labels of contestants that are graded: they play the others and
    not each other, and no seed depends on their labels.
    ``seed``: a number or the text of a secret; None for the store's, or a new secret in a new one.
    ``disturb``: play on graphs that are like these and cannot be looked up. ``fingerprints``: of the isolated strategies by
    label, as they were when the games began. ``budget``: games in total, chosen for what they tell about the ranking
    (ratings.py); None for all. ``numbered``: game i of a pair is seeded with ``seed`` + i, and no seed is hidden.
    ``sample``: the graded players draw their actions from their probabilities. ``keep_moves``: also of policies' games.
    ValueError for a number of games that cannot be played, and for contestants of one name.
    """

    contestants: Sequence[Player]
    graphs: Sequence[Graph]
    rules: Rules
    games: int
    max_turns: int
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    seed: Seed | None = None
    only: Collection[str] | None = None
    disturb: bool = False
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    budget: int | None = None
    numbered: bool = False
    sample: bool = False
    keep_moves: bool = True

    def __post_init__(self) -> None:
        names = [one.name for one in self.contestants]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"{', '.join(twice)}: named twice: every player takes part once, under a name of its own")
        if self.numbered and self.games < 1:
            raise ValueError(f"games must be at least 1, not {self.games}")
        if not self.numbered and (self.games < 2 or self.games % 2):
            raise ValueError(f"games must be an even number from 2, half of them as either player, not {self.games}")
        if self.budget is not None and self.budget < 2:
            raise ValueError(f"the budget must be at least 2 games, one as either player, not {self.budget}")

    @cached_property
    def by_label(self) -> dict[str, Player]:
        """The contestants by label."""
        return {one.name: one for one in self.contestants}

    @cached_property
    def by_graph(self) -> dict[str, Graph]:
        """The graphs by label."""
        return dict(zip(graph_labels(self.graphs), self.graphs, strict=True))

    def schedule(self) -> Iterator[GameKey]:
        """Yield every game, pair by pair."""
        for one, other in combinations(self.contestants, 2):
            if self.meet(one, other):
                games = chain.from_iterable(self.pair_games(one.name, other.name))
                yield from islice(games, self.games)

    def seeds(self, key: GameKey) -> tuple[int, int]:
        """Return the seeds of player 1 and player 2 in a game of a prepared plan."""
        if self.seed is None:
            raise ValueError("the plan has no seed yet: prepare_plan(plan, store) gives it one")
        graded = self.only or ()
        if not self.numbered:
            return game_seed(key, 1, self.seed, graded), game_seed(key, 2, self.seed, graded)
        place = list(self.by_graph).index(key.graph) + key.repetition * len(self.graphs)
        first = int(self.seed) + 2 * place + (key.first not in graded)
        return first, first + 1

    def meet(self, one: Player, other: Player) -> bool:
        """Whether these two play each other."""
        return self.only is None or (one.name in self.only) != (other.name in self.only)

    def pair_games(self, one: str, other: str) -> list[tuple[GameKey, GameKey]]:
        """Return the games of a pair, each in both orders."""
        names = list(self.by_graph)
        places = [(names[game % len(names)], game // len(names)) for game in range((self.games + 1) // 2)]
        return [(GameKey(one, other, *place), GameKey(other, one, *place)) for place in places]


def make_plan(
    contestants: Sequence[Player], graphs: Any = "test", games: int | None = None, rules: str | Rules = PLANETWARS,
    max_turns: int | None = None, limits: ResourceLimits | None = None, **more: Any,
) -> TournamentPlan:  # fmt: skip
    """Return a plan from names of graphs and rules; ValueError for an unknown one.

    ``games``: None for each graph once as either player; ``max_turns``: None for what the environments use; ``more``: the
    other fields of `TournamentPlan`.
    """
    chosen, drawn = resolve_rules(rules), resolve_graphs(graphs)
    games, last = 2 * len(drawn) if games is None else games, turn_limit(chosen, max_turns)
    return TournamentPlan(contestants, drawn, chosen, games, last, limits or ResourceLimits(), **more)


def game_seed(key: GameKey, player: int, seed: Seed = 0, graded: Collection[str] = ()) -> int:
    """Return the seed of ``player`` (1, 2) in a game: a 53-bit hash of pair, graph, repetition, label and ``seed``.

    It is the same whether the player moves first or second. Nothing follows from it about the seed of the opponent.
    ``graded``: labels that count as one and the same, so that a grade does not depend on a name.
    """
    pair = ["" if label in graded else label for label in key[:2]]
    words = [*sorted(pair), key.graph, pair[player - 1], str(key.repetition), str(seed)]
    return _hash("\0".join(words)) >> 11


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


def graph_labels(graphs: Sequence[Graph]) -> list[str]:
    """Return the graphs' names; missing and repeated names get a number."""
    names = [graph.name for graph in graphs]
    times = Counter(names)
    return [name if name and times[name] == 1 else f"{name or 'graph'}#{b}" for b, name in enumerate(names)]


def prepare_plan(plan: TournamentPlan, store: GameStore) -> TournamentPlan:
    """Return the plan with its seed, which a new store keeps, and with the (disturbed) graphs that are played on.

    ValueError if games in the store were played under other conditions. Contestants, graphs and games may be added.
    """
    seed = plan.seed
    if seed is None:
        seed = store.metadata("conditions", {}).get("seed")
    if seed is None:
        seed = secrets.token_hex(16)
    graphs = plan.graphs
    if plan.disturb:  # by a generator seeded with the graph's name, what it holds, and the seed
        texts = [f"{graph.name}\0{json.dumps(graph.to_dict())}\0{seed}" for graph in graphs]
        graphs = [disturbed(one, RandomGenerator(_hash(text))) for one, text in zip(graphs, texts, strict=True)]
    plan = replace(plan, seed=seed, graphs=graphs, disturb=False)
    kept = store.path != IN_MEMORY  # only games in a file can be those of another state of a player
    fingerprints = {one.name: fingerprint_player(one) for one in plan.contestants if kept or one.isolated}
    contestants = {one.name: [one.spec, fingerprints.get(one.name, "")] for one in plan.contestants}
    conditions = {
        "rules": asdict(plan.rules),
        "max_turns": plan.max_turns,
        "limits": asdict(plan.limits),
        "seed": plan.seed,
        **({} if plan.only is None else {"seeds": "numbered" if plan.numbered else "without the labels of the graded"}),
        **({"sample": True} if plan.sample else {}),
    }
    known = store.metadata("conditions", conditions)
    changed = [name for name in sorted({*conditions, *known}) if known.get(name) != conditions.get(name)]
    graphs = {name: [graph.name, graph.to_dict()] for name, graph in plan.by_graph.items()}
    before, graphs_before = store.metadata("contestants", {}), store.metadata("graphs", {})
    changed += [label for label, what in contestants.items() if before.get(label, what) != what]
    changed += [f"graph {name}" for name, what in graphs.items() if graphs_before.get(name, what) != what]
    if changed:
        raise ValueError(
            f"the games in this folder were played with other versions of: {', '.join(changed)}. Choose another folder "
            "(--out), or remove this one to play all games again"
        )
    store.save_metadata("conditions", conditions)
    store.save_metadata("contestants", {**before, **contestants})
    store.save_metadata("graphs", {**graphs_before, **graphs})
    return replace(plan, fingerprints={one.name: fingerprints[one.name] for one in plan.contestants if one.isolated})
