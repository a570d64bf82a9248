"""Play of an agent in figures and pictures: people over time, sends by size, first contact, and a few games."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Annotated, Any, NamedTuple

import typer
from matplotlib.figure import Figure
from PIL import Image

from planetwars_env.arena.games import play_match
from planetwars_env.arena.tables import Table
from planetwars_env.cli.shell import games_bar, parse_players, plain_console, user_errors
from planetwars_env.files import write_atomically
from planetwars_env.game import Game
from planetwars_env.graphs.catalogue import resolve_graphs
from planetwars_env.graphs.graph import Graph
from planetwars_env.learn.agent import load_agent
from planetwars_env.render.plots import COLOURS, write_png
from planetwars_env.render.raster import png_of, scene_image
from planetwars_env.render.scene import make_scene
from planetwars_env.replay import Replay

OPPONENTS = ("ai1", "ai3", "planner")
TURNS = (14, 30, 60, 90, 120, 150)
SIZES = {"up to 10 %": 0.1, "10 to 40 %": 0.4, "40 to 75 %": 0.75, "75 to 97 %": 0.97, "more": 1.0}
"""Sends by their part of the planet's people: the largest part of each class."""
MOMENTS = (0.25, 0.6, 0.95)
"""Pictures of a game, as parts of its turns."""
BEGIN = "## Figures\n"


class Played(NamedTuple):
    """Game of the agent, which is player ``side``. ``shares``: its part of all people at the start of every turn."""

    opponent: str
    side: int
    replay: Replay
    shares: list[float]
    sends: list[float]
    sight: int | None
    base_lost: int | None

    @property
    def won(self) -> bool:
        """Whether the agent won."""
        return self.replay.winner == self.side


def how_it_plays(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="An agent of the zoo, or a run's folder.")],
    games: Annotated[int, typer.Option(min=2, help="Games against each opponent, half as either player.")] = 100,
    graphs: Annotated[str, typer.Option(help="A pool.")] = "fair",
    out: Annotated[Path, typer.Option(help="The page; the pictures go into a folder of its name.")] = Path(
        "docs/how-it-plays.md"
    ),
) -> None:
    """Play an agent against bots and itself; write tables and pictures of its play into a page, below "Figures".

    \b
    Examples:
      python -m scripts.research.how_it_plays graph-planetwars
      python -m scripts.research.how_it_plays graph-planetwars --games 10 --graphs test --out /tmp/how-it-plays.md
    """
    with user_errors():
        (player,) = parse_players([agent])
        contender = load_agent(agent) if player.kind.learned else agent
        console, pool = plain_console(), resolve_graphs(graphs)
        opponents = {**{name: name for name in OPPONENTS}, agent: contender}
        with games_bar(console, len(opponents) * games) as count:
            played = [
                _play(contender, name, opponents[name], pool, i, count) for name in opponents for i in range(games)
            ]
        folder = out.with_suffix("")
        _save_plot(folder / "people.png", played)
        text = out.read_text("utf-8") if out.is_file() else f"# How {agent} plays\n\n"
        write_atomically(out, (text.partition(BEGIN)[0] + _figures(agent, graphs, games, played, folder)).encode())
        console.print(f"The page is {out}.")


def _play(
    agent: Any, name: str, opponent: Any, pool: Sequence[Graph], number: int, count: Callable[[int], None]
) -> Played:
    side = 1 + number % 2
    pair = (agent, opponent) if side == 1 else (opponent, agent)
    replay = play_match(*pair, pool[number // 2 % len(pool)], seed=number, max_turns=500)
    count(1)
    return _watched(replay, name, side)


def _watched(replay: Replay, opponent: str, side: int) -> Played:
    """Re-run a game and note what the side did."""
    me, base = side - 1, replay.graph.bases[side - 1]
    slots = {planet.id: i for i, planet in enumerate(replay.graph.planets)}
    shares, sends, sight, lost = [], [], None, None
    for turn, game in enumerate(replay.games()):
        people = game.people()
        flying = [sum(shuttle.people for shuttle in game.shuttles() if shuttle.player == who) for who in (1, 2)]
        totals = [sum(pair[who] for pair in people) + flying[who] for who in (0, 1)]
        shares.append(totals[me] / max(1, sum(totals)))
        if sight is None and game.view(side).owned_by(3 - side):
            sight = turn
        if lost is None and not people[slots[base]][me] and people[slots[base]][1 - me]:
            lost = turn
        if turn < len(replay.moves) and game.player == side:
            sends += [move.people / max(1, people[slots[move.source]][me]) for move in replay.moves[turn]]
    return Played(opponent, side, replay, shares, sends, sight, lost)


def _figures(agent: str, graphs: str, games: int, played: Sequence[Played], folder: Path) -> str:
    names = dict.fromkeys(one.opponent for one in played)
    groups = {name: [one for one in played if one.opponent == name] for name in names}
    rows = [_row(name, group) for name, group in groups.items()]
    headings = ["opponent", "won", *(f"people, turn {turn}" for turn in TURNS), "contact", "base lost"]
    sizes = [(name, *_size_row(group)) for name, group in groups.items()]
    chosen = [(title, one) for title, one in _chosen(played) if one is not None]
    return f"""{BEGIN}
`python -m scripts.research.how_it_plays {agent} --games {games} --graphs {graphs}` made these figures: {games} games
against each opponent on `{graphs}`, half as either player. *People* is the agent's part of all people, in per cent, over
the games that still go on. *Contact* is the turn at which it first sees people of the opponent's (median).

{Table("", headings, rows).markdown()}
![The agent's part of all people over the turns, by opponent]({folder.name}/people.png)

Its sends by their part of the planet's people, in per cent of all sends:

{Table("", ["opponent", "a turn", *SIZES], sizes).markdown()}
## Games

{"".join(_game(title, one, folder) for title, one in chosen)}"""


def _row(name: str, group: Sequence[Played]) -> tuple[str, ...]:
    shares = [[one.shares[turn] for one in group if turn < len(one.shares)] for turn in TURNS]
    seen = [one.sight for one in group if one.sight is not None]
    lost = sum(one.base_lost is not None for one in group)
    return (
        name,
        f"{sum(one.won for one in group)} of {len(group)}",
        *(f"{100 * mean(part):.0f}" if part else "" for part in shares),
        f"{median(seen):.0f}" if seen else "",
        f"{lost} games",
    )


def _size_row(group: Sequence[Played]) -> tuple[str, ...]:
    sends = [part for one in group for part in one.sends]
    found = Counter(next(name for name, most in SIZES.items() if part <= most + 1e-9) for part in sends)
    own_turns = sum(len(one.replay.moves) for one in group) / 2
    return f"{len(sends) / own_turns:.1f}", *(f"{100 * found[name] / max(1, len(sends)):.0f}" for name in SIZES)


def _chosen(played: Sequence[Played]) -> list[tuple[str, Played | None]]:
    """Return a few games with their titles: the quickest win, a win after the base was lost, a long front, and a loss."""
    others = [one for one in played if one.opponent in OPPONENTS[1:]]
    won, lost = [one for one in others if one.won], [one for one in others if one.replay.winner not in (0, one.side)]
    recovered = [one for one in won if one.base_lost is not None]

    def length(one: Played) -> int:
        return one.replay.turns

    return [
        ("An opening", min(won, key=length, default=None)),
        ("A defence: the base is lost, the game is won", max(recovered, key=length, default=None)),
        ("A front", max(played, key=length, default=None)),
        ("A game lost", max(lost, key=length, default=None)),
    ]


def _game(title: str, one: Played, folder: Path) -> str:
    replay, name = one.replay, title.split(":")[0].lower().replace(" ", "-")
    turns = [int(part * (len(replay.moves) - 1)) for part in MOMENTS]
    _save_moments(folder / f"{name}.png", replay, turns)
    end = "drawn" if not replay.winner else "won" if one.won else "lost"
    low = min(range(len(one.shares)), key=lambda turn: one.shares[turn])
    *some, last = (f"{100 * one.shares[turn]:.0f}" for turn in turns)
    changes = list(_captures(replay))
    taken = sum(before == 3 - one.side and after == one.side for before, after in changes)
    lost = sum(before == one.side and after == 3 - one.side for before, after in changes)
    free = sum(not before and after == one.side for before, after in changes)
    return f"""### {title}

Against {one.opponent} on `{replay.graph.name}` as player {one.side}: {end} on turn {replay.turns}. It had
{", ".join(some)} and {last} % of all people on the turns shown ({", ".join(str(turn + 1) for turn in turns)}), and least on turn
{low + 1}: {100 * one.shares[low]:.0f} %. It took {free} free planets and {taken} of the opponent's,
and lost {lost} to the opponent.

![Three positions of the game]({folder.name}/{name}.png)

"""


def _captures(replay: Replay) -> Iterable[tuple[int, int]]:
    """Yield the owners before and after of every planet that changed hands."""
    before: list[int] = []
    for game in replay.games():
        owners = [1 if one > other else 2 if other > one else 0 for one, other in game.people()]
        yield from ((old, new) for old, new in zip(before, owners, strict=False) if old != new)
        before = owners


def _save_plot(path: Path, played: Sequence[Played]) -> None:
    figure = Figure(figsize=(7, 3.6), layout="constrained")
    axes = figure.add_subplot()
    for i, name in enumerate(dict.fromkeys(one.opponent for one in played)):
        group = [one for one in played if one.opponent == name]
        # A game that is over keeps its last value, so that late turns are not those of long games alone.
        lines = [[*one.shares, *[one.shares[-1]] * TURNS[-1]][: TURNS[-1] + 1] for one in group]
        axes.plot([100 * mean(part) for part in zip(*lines, strict=True)], label=name, color=COLOURS[i + 1])
    axes.axhline(50, color=COLOURS[0], linewidth=1)
    axes.set(xlabel="turn", ylabel="part of all people, %", ylim=(0, 102), title="The agent's people, by opponent")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    write_png(path, figure)


def _save_moments(path: Path, replay: Replay, turns: Sequence[int]) -> None:
    """Write a PNG with the positions at these turns side by side."""
    wanted: dict[int, Game] = {turn: game.copy() for turn, game in enumerate(replay.games()) if turn in turns}
    images = [scene_image(make_scene(wanted[turn], names=replay.players)) for turn in turns]
    sheet = Image.new("RGB", (sum(image.width for image in images), max(image.height for image in images)), "white")
    for i, image in enumerate(images):
        sheet.paste(image, (sum(other.width for other in images[:i]), 0))
    sheet.thumbnail((1800, 800), Image.Resampling.LANCZOS)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, png_of(sheet.quantize(64).convert("RGB")))


if __name__ == "__main__":
    typer.run(how_it_plays)
