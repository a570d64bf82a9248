"""Sizes of the benchmark's tables: the full and the quick benchmark."""

from dataclasses import dataclass

from planetwars_env.bots.bot_codes import BOTS


@dataclass(frozen=True)
class BenchmarkSettings:
    """Sizes of a benchmark; every figure is measured ``runs`` times for ``seconds`` each."""

    runs: int = 5
    seconds: float = 0.5
    settle: int = 100
    """Steps before the first measured one: games are between their start and this many steps old."""
    opponents: tuple[str, ...] = tuple(BOTS)
    games: tuple[int, ...] = (1, 64, 1024, 8192)
    threads: tuple[int, ...] = (1, 2)
    batch: int = 1024
    """Games in tables that do not vary them."""
    sync_games: int = 16
    sb3_games: int = 256
    planets: tuple[int, ...] = (10, 30, 100, 300, 1000)
    many_games: tuple[int, ...] = (64, 256, 1024, 4096, 16384)
    starts: int = 3
    """Cold starts at most: each compiles everything."""
    learning_config: str = "graph-planetwars-small"
    learning_goals: tuple[tuple[str, float], ...] = (("test", 0.85), ("fair", 0.95))
    """Graphs, and the win rate on them at which the clock stops."""
    learning_games: int = 200
    learning_every: int = 100_000
    """Environment steps between evaluations."""
    learning_minutes: float = 20
    """CPU time of a training run at most."""


FULL = BenchmarkSettings()
QUICK = BenchmarkSettings(
    runs=3,
    seconds=0.2,
    settle=40,
    games=(1, 1024),
    opponents=("random", "ai3"),
    planets=(10, 100, 1000),
    many_games=(64, 1024, 4096),
    starts=1,
)
