"""Pages of games to watch, beside the results of an evaluation or a tournament."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from urllib.parse import quote

import typer

from planetwars_env.arena.evaluation import scheduled_games
from planetwars_env.arena.game_store import GameStore, distinct_of, load_replay
from planetwars_env.arena.plan import TournamentPlan
from planetwars_env.arena.report import GameLink
from planetwars_env.files import write_atomically
from planetwars_env.render.pages import file_stem, games_page, write_game_page
from planetwars_env.render.text import describe_result
from planetwars_env.replay import Replay, ReplayError
from planetwars_env.text import clean_text


def save_pages(folder: Path, replays: Iterable[Replay]) -> list[GameLink]:
    """Write each game as a page and as a replay into ``folder``. A game that is too long is left out with a message."""
    folder.mkdir(parents=True, exist_ok=True)
    links = []
    for number, replay in enumerate(replays, 1):
        stem = f"{number:03}-{file_stem(replay)}"
        try:
            replay.save(folder / f"{stem}.json")
        except ReplayError as fault:
            typer.echo(f"No page was written of {' against '.join(replay.players)}: {fault}.", err=True)
            continue
        write_game_page(folder / f"{stem}.html", replay)
        names = *replay.players, replay.graph.name or "a graph"
        links.append(GameLink(*names, describe_result(replay), replay.winner, f"{stem}.html"))
    return links


def save_folder_pages(folder: Path, out: Path) -> int:
    """Write a page of each replay in ``folder`` beside ``out``, and into ``out`` their list; return their number.

    Files that are not replays are left out with a message. ValueError for a folder without any.
    """
    games = []
    for path in sorted(folder.iterdir()):
        if not path.name.endswith((".json", ".json.gz")):
            continue
        page = out.parent / f"{path.name.removesuffix('.gz').removesuffix('.json')}.html"
        try:
            replay = Replay.load(path)
            write_game_page(page, replay)
        except ReplayError as fault:
            typer.echo(f"Left out: {clean_text(fault)}.", err=True)
            continue
        games.append((quote(page.name), replay))
    if not games:
        raise ValueError(f"{folder} holds no replay: a replay is a .json or .json.gz file")
    write_atomically(out, games_page(f"{folder.resolve().name}: {len(games)} games", games).encode())
    return len(games)


def tournament_replays(store: GameStore, each: int) -> Iterator[Replay]:
    """Yield the first ``each`` different games of every pair and side."""
    for _, games in groupby(store.games(), lambda game: game.key[:2]):
        different = {game.fingerprint: game.key for game in reversed(list(games))}
        for key in sorted(different.values())[:each]:
            yield load_replay(store, key, console=True)


def evaluation_replays(plan: TournamentPlan, store: GameStore, each: int = 2) -> Iterator[Replay]:
    """Yield ``each`` different games of the first player of a plan against each other one: lost, then drawn, then won ones."""
    player = plan.contestants[0].name
    for opponent in plan.contestants[1:]:
        games = [game for game in scheduled_games(plan, store) if opponent.name in game.key[:2]]
        chosen = sorted(
            distinct_of(games), key=lambda game: (2 * (game.won_by == player) + (not game.winner), games.index(game))
        )
        for game in sorted(chosen[:each], key=games.index):
            yield load_replay(store, game.key, console=True)
