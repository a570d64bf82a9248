"""Players that a process of a tournament keeps from game to game: strategies from files stay loaded."""

from collections import OrderedDict

from planetwars_env.arena.contestants import fingerprint_player
from planetwars_env.arena.isolation import Isolated, ResourceLimits
from planetwars_env.arena.players import GamePlayer, IsolatedPlayer, open_player
from planetwars_env.bots.catalogue import Player

_PROCESSES = 6
"""Strategies from files that one process keeps loaded."""
_loaded: "OrderedDict[tuple[str, str, ResourceLimits], IsolatedPlayer]" = OrderedDict()
"""The strategies' processes that this process keeps, the last used last."""


def open_kept(player: Player, limits: ResourceLimits, fingerprint: str = "") -> GamePlayer:
    """Return a player that is ready; ValueError for a strategy with another ``fingerprint`` than when the games began."""
    if not player.isolated:
        return open_player(player)
    place = player.spec, fingerprint_player(player), limits
    if fingerprint and fingerprint != place[1]:
        raise ValueError(
            f"{player.spec} was edited while its games were played. The finished games are those of its older version: "
            "choose another folder (--out) for the new one"
        )
    if place not in _loaded:
        _loaded[place] = IsolatedPlayer(Isolated(player.spec, limits))
    _loaded.move_to_end(place)
    while len(_loaded) > _PROCESSES:
        _loaded.popitem(last=False)[1].close()
    return _loaded[place]


def take_printed(first: GamePlayer, second: GamePlayer) -> tuple[str, str]:
    """Return what both printed since the last call; a strategy that plays itself printed it as the first player."""
    one, other = (each.take_printed() for each in (first, second))
    return one, other


def close_strategies() -> None:
    """End the strategies' processes of this process; those of workers end with the workers."""
    while _loaded:
        _loaded.popitem()[1].close()
