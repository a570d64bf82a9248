"""Evaluation of a player against each of several opponents, on every graph as both players (`pw.evaluate`).

It is a tournament in which only one player is graded.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from planetwars_env.arena.contestants import numbered_names
from planetwars_env.arena.game_store import IN_MEMORY, FinishedGame, GameStore
from planetwars_env.arena.plan import TournamentPlan, make_plan
from planetwars_env.arena.results import Result, result_against
from planetwars_env.arena.round_robin import run_tournament
from planetwars_env.bots.bot_codes import SELF_PLAY
from planetwars_env.bots.catalogue import Player, listed, resolve_player
from planetwars_env.engine.rules import PLANETWARS, Rules
from planetwars_env.graphs.catalogue import resolve_graphs
from planetwars_env.move_counts import NO_MOVES


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
    probabilities, instead of taking the likeliest; a policy that never wins greedily may win when it samples. ValueError for
    unknown names, less than one game, graphs that are too large for the policy, and for ``sample`` with a player that has no
    probabilities.
    """
    players = [resolve_player(player), *map(resolve_player, listed(opponents))]
    plan = plan_evaluation(players, graphs, games, rules, seed, sample)
    graded = plan.contestants[0].name

    def report(finished: Sequence[FinishedGame]) -> None:
        for game in finished:
            if on_game:
                on_game(game.key.second if game.key.first == graded else game.key.first)

    with GameStore(IN_MEMORY) as store:
        plan = run_tournament(plan, store, jobs=None, before_saved=report)
        return evaluation_results(plan, store)


def plan_evaluation(
    players: Sequence[Player],
    graphs: Any = "test",
    games: int = 200,
    rules: str | Rules = PLANETWARS,
    seed: int = 0,
    sample: bool = False,
    **more: Any,
) -> TournamentPlan:
    """Return the plan of an evaluation of the first of ``players`` against the others.

    Where two have one name, the later opponent, or else the first player, gets a number behind it. ``more``: ``limits``,
    ``max_turns`` and ``keep_moves`` (False) of `make_plan`.
    """
    if any(one.code == SELF_PLAY for one in players):
        raise ValueError("'self' is not a player: name a bot, an agent or a strategy")
    if sample and not (players[0].batched and hasattr(players[0].make(), "sampling")):
        raise ValueError(
            f"{players[0].name} has no probabilities to sample from: a trained agent has them, and a policy with "
            "sampling(seed)"
        )
    *labels, graded = numbered_names(one.name for one in [*players[1:], players[0]])
    labelled = [one._replace(name=label) for one, label in zip(players, [graded, *labels], strict=True)]
    drawn = resolve_graphs(graphs)[: max(1, (games + 1) // 2)]
    evaluated = {"only": {graded}, "numbered": True, "sample": sample, "keep_moves": False}
    return make_plan(labelled, drawn, games, rules, seed=seed, **evaluated | more)


def can_sample(player: Player) -> bool:
    """Return whether the player is a policy with probabilities."""
    sampling = getattr(player.make(), "sampling", None) if player.batched else None
    if sampling is None:
        return False
    try:
        sampling(0)
    except ValueError:  # a model of Q values
        return False
    return True


def evaluation_results(plan: TournamentPlan, store: GameStore) -> list[Result]:
    """Return the results of a plan's first player against each other one."""
    graded, *others = plan.contestants
    mode = "" if not can_sample(graded) else "sampled" if plan.sample else "greedy"
    games, results = scheduled_games(plan, store), []
    for one in others:
        result = result_against(graded.name, one.name, games)
        moves = NO_MOVES if graded.compiled else result.moves
        results.append(replace(result, moves=moves, mode=mode))
    return results


def scheduled_games(plan: TournamentPlan, store: GameStore) -> list[FinishedGame]:
    """Return the games of the schedule, in its order."""
    games = {game.key: game for game in store.games()}
    return [games[key] for key in plan.schedule() if key in games]
