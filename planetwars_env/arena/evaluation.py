"""Evaluation of a player against each of several opponents, on every graph as both players (`pw.evaluate`)."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from gymnasium.vector import AutoresetMode

from planetwars_env.arena.games import play_replayed
from planetwars_env.arena.results import Result, tally
from planetwars_env.bots.bot_codes import SELF_PLAY
from planetwars_env.bots.bot_games import play_bot_games
from planetwars_env.bots.catalogue import Player, listed, resolve_player
from planetwars_env.bots.policy import PolicyCaller, under
from planetwars_env.engine.repetition import Repetitions
from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.engine.state import Array
from planetwars_env.envs.arguments import resolve_rules, turn_limit
from planetwars_env.envs.vector import PlanetWarsVectorEnv
from planetwars_env.graphs.catalogue import resolve_graphs
from planetwars_env.graphs.graph import Graph
from planetwars_env.move_counts import NO_MOVES, MoveCounts, total_counts

_SIDE_BY_SIDE = 256
"""Games of a policy that are played in one batch."""


class _Game(NamedTuple):
    """A game: the side of the player, the result, whether it was to move in one position three times, and its moves.

    ``cut_off``: whether the game ended by the turn limit.
    """

    side: int
    winner: int
    turns: int
    repeated: bool
    cut_off: bool
    moves: MoveCounts = NO_MOVES


Games = Iterator[_Game]


def evaluate(
    player: Any,
    opponents: Any = ("random", "ai1", "ai2", "ai3"),
    graphs: Any = "test",
    games: int = 200,
    rules: str | Rules = PLANETWARS,
    seed: int = 0,
    on_game: Callable[[str], None] | None = None,
    sample: bool = False,
) -> list[Result]:
    """``games`` games against each opponent: graphs in their order, each as player 1 and then as player 2, and again.

    ``opponents``: one of them or a list.
    ``player``: a `Policy`, or whatever an environment takes as ``opponent``; docs/evaluate-your-model.md shows how a model
    of another library becomes one. Game i is seeded with ``seed`` + i.
    ``on_game`` is called with the opponent's name after every game. ``sample``: the player draws its actions from its
    probabilities (`sampled`) instead of taking the likeliest. ValueError for unknown names, less than one game, graphs that
    are too large for the policy, and for ``sample`` with a player that has no probabilities.
    """
    if games < 1:
        raise ValueError(f"games must be at least 1, not {games}")
    graphs, chosen = resolve_graphs(graphs), resolve_rules(rules)
    contender = sampled(player, seed) if sample else _known(player)
    opponents = [_known(one) for one in listed(opponents)]
    results = []
    for opponent in opponents:
        played = []
        for game in _play(contender, opponent, graphs, games, chosen, seed):
            played.append(game)
            if on_game:
                on_game(opponent.name)
        repetitions = sum(game.repeated for game in played)
        circling = sum(game.repeated and game.cut_off for game in played)
        moves = total_counts(game.moves for game in played)
        results.append(Result(opponent.name, *tally(game[:3] for game in played), repetitions, circling, moves))
    return results


def sampled(player: Any, seed: int = 0) -> Player:
    """The policy ``player``, drawing its actions from its probabilities instead of taking the likeliest.

    Every evaluation against an opponent begins with a new random number generator seeded with ``seed``. ValueError for a
    player without `sampling`.
    """
    known = _known(player)
    sampling = getattr(known.make(), "sampling", None) if known.batched else None
    if sampling is None:
        raise ValueError(
            f"{known.name} has no probabilities to sample from: a trained agent has them, and a policy with "
            "sampling(seed)"
        )
    return known._replace(make=partial(sampling, seed))


def _known(player: Any) -> Player:
    found = resolve_player(player)
    if found.code == SELF_PLAY:
        raise ValueError("'self' is no player: name a bot, an agent or a strategy")
    return found


def _play(contender: Player, opponent: Player, graphs: Sequence[Graph], games: int, rules: Rules, seed: int) -> Games:
    if not contender.batched:
        compiled = contender.code >= 0 and opponent.code >= 0
        yield from (_play_bot_games if compiled else _play_matches)(contender, opponent, graphs, games, rules, seed)
        return
    policy = under(contender.make(), rules)
    for begin in range(0, games, _SIDE_BY_SIDE):
        chunk = np.arange(begin, min(games, begin + _SIDE_BY_SIDE))
        yield from _play_batch(PolicyCaller(policy), opponent, graphs, chunk, rules, seed)


def _play_batch(
    call: PolicyCaller, opponent: Player, graphs: Sequence[Graph], games: Any, rules: Rules, seed: int
) -> Games:
    """Play the games with these numbers in one batch; the policy no longer sees those that are over."""
    policy = call.policy
    envs = PlanetWarsVectorEnv(
        len(games),
        rules=rules,
        opponent=opponent,
        graphs=graphs,
        actions="order" if policy.max_orders else "turn",
        observation=call.form,
        fractions=policy.fractions,
        limits=policy.limits,
        max_orders=policy.max_orders or 1,
        autoreset_mode=AutoresetMode.DISABLED,
        copy=False,
    )
    players = 1 + games % 2
    observation, _ = envs.reset(
        seed=[seed + int(game) for game in games], options={"graph": games // 2 % len(graphs), "player": players}
    )
    actions = np.zeros((len(games), *(envs.single_action_space.shape or ())), np.int64)
    running, starts = np.ones(len(games), bool), np.ones(len(games), bool)
    repetitions = Repetitions(envs.state, envs.board)
    while running.any():
        rows = np.flatnonzero(running)
        repetitions.note(rows)
        masks = envs.action_masks()[rows] if call.wants_masks else None
        actions[rows] = call(_rows_of(observation, rows), rows, starts[rows], masks)
        starts[rows] = False
        observation, _, terminated, truncated, infos = envs.step(actions)
        for g in np.flatnonzero(running & (terminated | truncated)):
            running[g] = False
            repeated = bool(repetitions.found[g].any())
            yield _Game(int(players[g]), int(infos["winner"][g]), int(infos["turn"][g]), repeated, bool(truncated[g]))


def _rows_of(observation: Any, rows: Array) -> Any:
    """The observations of some games, in either form."""
    if isinstance(observation, dict):
        return {name: part[rows] for name, part in observation.items()}
    return observation[rows]


def _play_bot_games(
    contender: Player, opponent: Player, graphs: Sequence[Graph], games: int, rules: Rules, seed: int
) -> Games:
    """Play games of two compiled bots in one call."""
    places = [game // 2 % len(graphs) for game in range(games)]
    bots = [
        (contender.code, opponent.code) if game % 2 == 0 else (opponent.code, contender.code) for game in range(games)
    ]
    played = play_bot_games(graphs, rules, places, bots, range(seed, seed + games), turn_limit(rules), watch=True)
    for game in range(games):
        repeated = played.repeated[game][game % 2]
        yield _Game(1 + game % 2, played.winners[game], played.turns[game], repeated, played.cut_off[game])


def _play_matches(
    contender: Player, opponent: Player, graphs: Sequence[Graph], games: int, rules: Rules, seed: int
) -> Games:
    limit = turn_limit(rules)
    for number in range(games):
        side, graph, first = 1 + number % 2, graphs[number // 2 % len(graphs)], seed + number
        one, other = (contender, opponent) if side == 1 else (opponent, contender)
        replay, game = play_replayed(one, other, graph, rules, first, limit)
        moves = NO_MOVES if contender.compiled else game.counts[side - 1]
        yield _Game(side, game.winner, game.turns, side in replay.repetitions(), game.ended == "limit", moves)
