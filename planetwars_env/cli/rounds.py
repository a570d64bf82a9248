"""Command `planetwars rounds`: commands edit strategies, round by round, and a ladder plays them."""

from pathlib import Path
from typing import Annotated

import typer

from planetwars_env.cli.errors import require_for_players, user_errors
from planetwars_env.cli.options import Graphs, Jobs, MaxTurns, Rules, Unsafe


def rounds(
    commands: Annotated[
        list[str],
        typer.Argument(
            metavar="AGENT_COMMAND...",
            help="Commands that edit strategy/strategy.py in their folder; NAME=COMMAND names one.",
        ),
    ],
    number: Annotated[int, typer.Option("--rounds", min=1, help="Rounds to play in all.")] = 3,
    minutes: Annotated[float, typer.Option(min=0.001, help="Minutes of a command in a round.")] = 30,
    bots: Annotated[str, typer.Option(help="Bots and agents that play too, with commas.")] = "random,ai1,ai2",
    games: Annotated[int, typer.Option(min=2, help="Games that every new version plays.")] = 40,
    graphs: Graphs = "test",
    rules: Rules = "PLANETWARS",
    out: Annotated[Path, typer.Option(help="Folder of everything; the same command goes on from it.")] = Path(
        "runs/rounds"
    ),
    jobs: Jobs = -1,
    max_turns: MaxTurns = None,
    unsafe: Unsafe = False,
) -> None:
    """Let coding agents improve strategies: each round a command edits its own, given the games of the round before.

    \b
    Examples:
      planetwars rounds "python improve.py" "python other.py"
      planetwars rounds "ada=./coder --task task.md" "bob=./coder --task task.md" --rounds 5 --minutes 10
      planetwars rounds "python improve.py" --bots ai1,ai3 --out runs/improve
    """
    with user_errors(f"Finished rounds are in {out}: the same command goes on from them."):
        names = [name.strip() for name in bots.split(",") if name.strip()]
        require_for_players(names)
        from planetwars_env.arena.contestants import contestant_of
        from planetwars_env.arena.game_store import GameStore
        from planetwars_env.arena.isolation import ResourceLimits
        from planetwars_env.arena.ladder import Ladder
        from planetwars_env.arena.ladder_site import write_site
        from planetwars_env.arena.plan import TournamentPlan
        from planetwars_env.arena.rounds import LADDER_FOLDER, Rounds, coding_agents
        from planetwars_env.arena.sandbox import choose_sandbox
        from planetwars_env.arena.tournament import GAMES_FILE
        from planetwars_env.envs.arguments import resolve_rules, turn_limit
        from planetwars_env.graphs.catalogue import resolve_graphs

        agents, chosen, drawn = coding_agents(commands), resolve_rules(rules), resolve_graphs(graphs)
        typer.echo(f"Isolation of strategies: {choose_sandbox(unsafe).value}. The commands run with all your rights.")
        plan = TournamentPlan(
            [contestant_of(name) for name in names], drawn, chosen, 2 * len(drawn), turn_limit(chosen, max_turns),
            ResourceLimits(unsafe=unsafe), disturb=True,
        )  # fmt: skip
        (out / LADDER_FOLDER).mkdir(parents=True, exist_ok=True)
        with GameStore(out / GAMES_FILE) as store, store.lock():
            found = Ladder(out / LADDER_FOLDER, out, store, plan, games)
            played = Rounds(found, agents, number, minutes)
            played.play(jobs, typer.echo)
            found.look()
            (out / "site").mkdir(exist_ok=True)
            write_site(found, out / "site", 2, "Rounds of coding agents", idle=True)
            typer.echo(
                f"\n{played.table()}\nThe site is {out / 'site' / 'index.html'}; {out / 'agents'} has the strategies."
            )
