"""Games of a language model, kept one by one with their transcripts, and the report on them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from planetwars_env.arena.evaluation import scheduled_games
from planetwars_env.arena.game_store import FinishedGame, GameKey, GameStore
from planetwars_env.arena.plan import TournamentPlan
from planetwars_env.arena.report import write_report_page
from planetwars_env.arena.tables import Table
from planetwars_env.files import write_atomically
from planetwars_env.move_counts import total
from planetwars_env.text import slug

_TRANSCRIPTS = "transcripts"
_HEADINGS = ["opponent", "games", "won", "replies", "late", "moves", "legal", "tokens per game", "seconds per reply"]


class ModelFigures(NamedTuple):
    """Figures of a model's games. ``parts``: moves and parts of replies that were none; ``tokens``: of all games."""

    games: int = 0
    won: int = 0
    replies: int = 0
    late: int = 0
    parts: int = 0
    legal: int = 0
    tokens: int = 0
    seconds: float = 0.0

    @property
    def legal_rate(self) -> float:
        """Fraction of the parts of all replies that were legal moves; 1 where there are none."""
        return self.legal / self.parts if self.parts else 1.0

    @property
    def tokens_per_game(self) -> float:
        """Mean number of tokens per game; 0 without games."""
        return self.tokens / max(1, self.games)

    def __str__(self) -> str:
        return (
            f"{self.legal_rate:.1%} of {self.parts:,} moves legal, {self.late:,} of {self.replies:,} replies late, "
            f"{self.tokens_per_game:,.0f} tokens per game"
        )


def keep_transcripts(folder: Path, games: Sequence[FinishedGame]) -> None:
    """Write the transcripts of games; before the games are saved, so every game that is kept has one."""
    for game in games:
        for label, text in zip(game.key[:2], game.printed, strict=True):
            if text:
                (folder / _TRANSCRIPTS).mkdir(parents=True, exist_ok=True)
                write_atomically(_transcript(folder, game.key, label), text.encode())


def write_report(plan: TournamentPlan, store: GameStore, folder: Path) -> dict[str, ModelFigures]:
    """Write report.html with the figures and a page for every transcript, and figures.json; return those by opponent."""
    model = plan.contestants[0].name
    games: dict[str, list[ModelFigures]] = {}
    links = []
    for game in scheduled_games(plan, store):
        path = _transcript(folder, game.key, model)
        try:
            lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
            turns = [json.loads(line) for line in lines]
        except ValueError as fault:
            raise ValueError(f"{path} is not a transcript ({fault}): remove the folder to play again") from fault
        sums = {name: sum(turn[name] for turn in turns) for name in ("late", "legal", "tokens", "seconds")}
        parts = sum(turn["asked"] + turn["malformed"] for turn in turns)
        figures = ModelFigures(1, int(game.won_by == model), len(turns), parts=parts, **sums)
        first, second, graph, _ = game.key
        games.setdefault(second if first == model else first, []).append(figures)
        title = f"{first} against {second} on {graph}, turn {game.turns}: {game.won_by or 'nobody'} wins"
        page = path.with_suffix(".html")
        write_report_page(page, "transcript.html", title, turns=turns)
        links.append((title, f"{_TRANSCRIPTS}/{page.name}"))
    all_figures = {name: total(*played) for name, played in games.items()}
    rows, values = [], {}
    for name, one in all_figures.items():
        rates = [f"{one.legal_rate:.1%}", f"{one.tokens_per_game:,.0f}", f"{one.seconds / max(1, one.replies):.2f}"]
        rows.append([name, *(f"{count:,}" for count in one[:5]), *rates])
        more = {"legal_rate": round(one.legal_rate, 4), "tokens_per_game": round(one.tokens_per_game, 1)}
        values[name] = {**one._asdict(), **more}
    title, table = f"{model}, a language model", Table("Figures", _HEADINGS, rows)
    write_report_page(folder / "report.html", "language_model.html", title, figures=table, games=links)
    write_atomically(folder / "figures.json", (json.dumps(values, indent=2) + "\n").encode())
    return all_figures


def _transcript(folder: Path, key: GameKey, label: str) -> Path:
    name = f"{key.first} against {key.second} on {key.graph} {key.repetition} by {label}"
    return folder / _TRANSCRIPTS / f"{slug(name)}.jsonl"
