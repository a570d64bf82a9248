"""Replays of a tournament's games from its store."""

from dataclasses import replace

from planetwars_env.arena.game_records import GameKey
from planetwars_env.arena.game_store import GameStore, GameStoreError
from planetwars_env.bots.bot_codes import COMPILED_BOTS
from planetwars_env.bots.bot_games import moves_of_bot_game
from planetwars_env.graphs.graph import Graph
from planetwars_env.replay import Forfeit, Replay, check_memory, rules_of
from planetwars_env.text import clean_name


def load_replay(store: GameStore, key: GameKey, console: bool = False) -> Replay:
    """Return the replay of a game. KeyError if the store has no such game, GameStoreError if it is damaged.

    A game that was forfeited is shown as far as it went; the replay says by whom it was forfeited and why. ``console``: with
    what the strategies told and printed, and with the texts of their faults.
    """
    seed, moves = store.moves(key)
    try:
        conditions, (name, data) = store.metadata("conditions", {}), store.metadata("graphs", {})[key.graph]
        rules, graph = rules_of(conditions["rules"]), Graph.from_dict(data, name)
        check_memory(graph, rules)
        limit = conditions["max_turns"]
        if moves is None:
            known = store.metadata("contestants", {})
            one, other = (COMPILED_BOTS[known[label][0]] for label in key[:2])
            moves = moves_of_bot_game(graph, rules, (one, other), seed, limit)
        replay = Replay.of(graph, rules, (key.first, key.second), seed, limit, moves, _forfeit_of(store, key))
        return replace(replay, console=store.notes(key)) if console else replay
    except (LookupError, TypeError, ValueError, RuntimeError) as fault:
        raise GameStoreError(f"{store.path}: the game {tuple(key)} cannot be shown ({fault})") from fault


def _forfeit_of(store: GameStore, key: GameKey) -> Forfeit | None:
    """Return the forfeit that ended a game, None if it ended otherwise. Both players forfeit if neither can begin."""
    lost = [(player, fault) for _, player, fault in store.faults(key) if fault.forfeits == "game"]
    if not lost:
        return None
    player, fault = lost[0]
    reason = clean_name(f"{fault.kind}: {fault.summary}" if fault.summary else fault.kind)
    return Forfeit(player if len(lost) == 1 else 0, reason)
