"""Command `planetwars ladder`: a folder of submissions that play on and on, and a site with the standings."""

import subprocess
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from planetwars_env.cli.options import Address, Graphs, Jobs, KeptGames, MaxTurns, Memory, Rules, Seconds, Unsafe
from planetwars_env.cli.shell import parse_players, user_errors

_LOOK_EVERY, _SITE_EVERY, _HISTORY_EVERY = 10.0, 5.0, 60.0
"""Seconds between two looks at the folder when nothing is due, two writings of the site, and two points of the history."""


def ladder(
    folder: Annotated[Path, Argument(help="Submissions: .py files, folders and .zips; or a git repository of them.")],
    bots: Annotated[str, Option(help="Bots and agents that are always there, with commas.")] = "random,ai1,ai2,ai3",
    games: Annotated[int, Option(min=2, help="Games that every version plays before it waits for others.")] = 60,
    graphs: Graphs = "test",
    rules: Rules = "PLANETWARS",
    out: KeptGames = Path("runs/ladder"),
    site: Annotated[Path | None, Option(help="Folder of the site; default: site in --out.")] = None,
    serve: Annotated[int | None, Option(metavar="PORT", help="Serve the site on this port.")] = None,
    host: Annotated[str, Option(help="Address to serve on; 0.0.0.0: for other machines too.")] = "127.0.0.1",
    once: Annotated[bool, Option("--once", help="Play until nothing is due, and end.")] = False,
    replays: Annotated[int, Option(min=0, help="Lost games of everybody to show; they reveal the graphs.")] = 2,
    jobs: Jobs = -1,
    address: Address = None,
    seconds: Seconds = 1.0,
    memory: Memory = 2048,
    max_turns: MaxTurns = None,
    unsafe: Unsafe = False,
) -> None:
    """Play the submissions in a folder against each other, new versions first, and keep a site with their standings.

    \b
    Examples:
      planetwars ladder submissions --serve 8000       # http://127.0.0.1:8000
      planetwars ladder submissions --once             # for cron: play what is due, and end
      planetwars ladder submissions --bots ai3 --games 100 --out runs/term
    """
    with user_errors(f"Finished games are in {out}: run the same command again, and it continues."):
        players = parse_players(name.strip() for name in bots.split(",") if name.strip())
        from planetwars_env.arena import contestants, sandbox, tasks, tournament
        from planetwars_env.arena import ladder as ladders
        from planetwars_env.arena.isolation import ResourceLimits
        from planetwars_env.arena.plan import make_plan

        if not folder.is_dir():
            raise ValueError(f"{folder} is not a folder: name the one that holds the submissions")
        typer.echo(f"Isolation: {sandbox.choose_sandbox(unsafe).value}.")
        limits = ResourceLimits(turn=seconds, memory=memory * 2**20, unsafe=unsafe)
        always = list(map(contestants.contestant_of, players))
        plan = make_plan(always, graphs, None, rules, max_turns, limits, disturb=True)
        site = site or out / "site"
        site.mkdir(parents=True, exist_ok=True)
        with tournament.open_store(out) as store, tasks.ray_cluster(address):
            if serve is not None:
                _serve(site, host, serve)
            write = partial(ladders.write_site, site=site, replays=replays, title=f"Ladder on {graphs}, {rules}")
            _run(ladders.Ladder(folder, out, store, plan, games), write, site, jobs, once)


def _run(ladder: Any, write: Any, site: Path, jobs: int, once: bool) -> None:
    """Look, play and write in turn; ``once``: end where nothing is due."""
    pulled = written = remembered = float("-inf")
    changed = True
    while True:
        if pulled < 0 or (not once and time.monotonic() > pulled + _LOOK_EVERY):
            _pull(ladder.folder)
            pulled = time.monotonic()
        news = ladder.look()
        for line in news:
            typer.echo(line)
        played = ladder.play_round(jobs)
        changed = changed or bool(news or played)
        if changed and (not played or time.monotonic() > written + _SITE_EVERY):
            if not played or time.monotonic() > remembered + _HISTORY_EVERY:
                ladder.keep_history(ladder.standings())
                remembered = time.monotonic()
            standings = write(ladder, idle=not played)
            state = "playing" if played else "nothing is due"
            typer.echo(f"{time.strftime('%H:%M:%S')} {standings.played} games, {state}: {site / 'index.html'}")
            written, changed = time.monotonic(), bool(played)
        if not played:
            if once:
                return
            time.sleep(_LOOK_EVERY)


def _pull(folder: Path) -> None:
    """Update a git repository; a failure is printed, and the files stay as they are."""
    if not (folder / ".git").exists():
        return
    command = ["git", "-C", str(folder), "pull", "--quiet", "--ff-only"]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as fault:
        said = getattr(fault, "stderr", "") or fault
        typer.echo(f"git pull failed, and the files stay as they are: {said}", err=True)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


def _serve(site: Path, host: str, port: int) -> None:
    """Serve the site from a thread, until the program ends."""
    server = ThreadingHTTPServer((host, port), partial(_Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    typer.echo(f"The site is at http://{host}:{server.server_port}")
