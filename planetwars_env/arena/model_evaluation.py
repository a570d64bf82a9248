"""Games of a language model, kept one by one with their transcripts, and the report on them."""

import html
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from planetwars_env.arena import report_page
from planetwars_env.arena.evaluation import scheduled_rows
from planetwars_env.arena.game_records import FinishedGame, GameKey
from planetwars_env.arena.game_store import GameStore
from planetwars_env.arena.plan import TournamentPlan
from planetwars_env.files import write_atomically
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
        """Share of the parts of all replies that were legal moves; 1 where there are none."""
        return self.legal / self.parts if self.parts else 1.0

    def plus(self, other: "ModelFigures") -> "ModelFigures":
        """Return the sums."""
        sums: Any = [one + more for one, more in zip(self, other, strict=True)]
        return ModelFigures(*sums)

    def to_dict(self) -> dict[str, Any]:
        """Return the values for JSON."""
        per_game = self.tokens / max(1, self.games)
        return {**self._asdict(), "legal_rate": round(self.legal_rate, 4), "tokens_per_game": round(per_game, 1)}

    def describe(self) -> str:
        """Return the figures in words."""
        return (
            f"{self.legal_rate:.1%} of {self.parts:,} moves legal, {self.late:,} of {self.replies:,} replies late, "
            f"{self.tokens / self.games:,.0f} tokens per game"
        )

    def row(self, name: str) -> list[str]:
        """Return a row of a table."""
        per_game, per_reply = self.tokens / max(1, self.games), self.seconds / max(1, self.replies)
        numbers = (self.games, self.won, self.replies, self.late, self.parts)
        return [
            name,
            *(f"{one:,}" for one in numbers),
            f"{self.legal_rate:.1%}",
            f"{per_game:,.0f}",
            f"{per_reply:.2f}",
        ]


def check_settings(store: GameStore, settings: Mapping[str, Any]) -> None:
    """ValueError if the games in the store were played with other settings of the model; a new store keeps these."""
    if store.metadata("model", dict(settings)) != settings:
        raise ValueError(f"the games in {store.path.parent} were played with another --set: choose another --keep")
    store.save_metadata("model", dict(settings))


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
    figures: dict[str, ModelFigures] = {}
    links = []
    for row in scheduled_rows(plan, store):
        turns, page = _turns(folder, row.key, model), _transcript(folder, row.key, model).with_suffix(".html")
        opponent = row.second if row.first == model else row.first
        figures[opponent] = figures.get(opponent, ModelFigures()).plus(_figures(turns, row.won_by == model))
        title = f"{row.first} against {row.second} on {row.graph}, turn {row.turns}: {row.won_by or 'nobody'} wins"
        write_atomically(page, report_page.page(title, [_turn(turn) for turn in turns]).encode())
        links.append((title, f"{_TRANSCRIPTS}/{page.name}"))
    table = report_page.table(("Figures", _HEADINGS, [one.row(name) for name, one in figures.items()]))
    page_of_all = report_page.page(f"{model}, a language model", [table, report_page.games_list(links)])
    write_atomically(folder / "report.html", page_of_all.encode())
    values = {name: one.to_dict() for name, one in figures.items()}
    write_atomically(folder / "figures.json", (json.dumps(values, indent=2) + "\n").encode())
    return figures


def _figures(turns: list[dict[str, Any]], won: bool) -> ModelFigures:
    """Return the figures of one game."""
    return ModelFigures(
        1,
        int(won),
        len(turns),
        sum(turn["late"] for turn in turns),
        sum(turn["asked"] + turn["malformed"] for turn in turns),
        sum(turn["legal"] for turn in turns),
        sum(turn["tokens"] for turn in turns),
        sum(turn["seconds"] for turn in turns),
    )


def _turn(turn: dict[str, Any]) -> str:
    """Return a turn as HTML: the message and the reply."""
    late = ", late" if turn["late"] else ""
    head = f"Turn {turn['turn']}: {turn['legal']} of {turn['asked']} moves legal, {turn['tokens']:,} tokens{late}"
    message, reply = (html.escape(turn[name]) for name in ("message", "reply"))
    return f"<details><summary>{html.escape(head)}</summary><pre>{message}</pre></details><pre>{reply}</pre>"


def _turns(folder: Path, key: GameKey, label: str) -> list[dict[str, Any]]:
    """Return the turns of a kept transcript. ValueError for another file."""
    path = _transcript(folder, key, label)
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []
    except ValueError as fault:
        raise ValueError(f"{path} is not a transcript ({fault}): remove the folder to play again") from fault


def _transcript(folder: Path, key: GameKey, label: str) -> Path:
    name = f"{key.first} against {key.second} on {key.graph} {key.repetition} by {label}"
    return folder / _TRANSCRIPTS / f"{slug(name)}.jsonl"
