"""Release check: builds sdist and wheel, and tries them in new environments: python scripts/release/release_check.py [--bare].

The wheel is installed in an empty environment outside the checkout. There everything that needs no extra has to work, and
everything that needs one has to say which; then the extras are added one after the other, and each has to bring what it is for.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

ROOT = Path(__file__).resolve().parents[2]
LEGAL = ("LICENSE", "SECURITY.md")
"""Files beside the metadata of a wheel."""
DATA = {
    "graphs": "planetwars_env/_data/graphs",
    "agents": "planetwars_env/_data/agents",
    "docs": "planetwars_env/_data/docs",
}

BARE = """
import gymnasium, importlib.util, pathlib, sys
import planetwars_env as pw
from planetwars_env.arena.evaluation import evaluate
from planetwars_env.bots.catalogue import bot_names
from planetwars_env.envs.registration import RULES_OF_IDS as IDS
from planetwars_env.graphs.catalogue import graph_names
from planetwars_env.graphs.catalogue import POOLS

assert pathlib.Path(pw.__file__).is_relative_to(sys.prefix), pw.__file__
for name in IDS:
    env = gymnasium.make(name, opponent="ai1", graphs="test")
    env.reset(seed=0)
    env.step(env.action_space.sample(mask=env.unwrapped.sample_mask()))
    envs = gymnasium.make_vec(name, num_envs=4, vectorization_mode="vector_entry_point", opponent=["random", "ai3"])
    envs.reset(seed=0)
    envs.step(envs.action_space.sample())
graphs = sum(len(pw.load_pool(name)) for name in POOLS) + len([pw.load_graph(name) for name in graph_names()])
replay = pw.play_match("planner", "ai3", "test/0", max_turns=30)
replay.save("game.json")
pw.Replay.load("game.json", verify=True)
for bot in bot_names():
    assert evaluate(bot, ["random"], graphs="duel", games=2)[0].total.games == 2
print(f"{len(IDS)} ids, {graphs} graphs, {len(bot_names())} bots, a match")
"""
SERVE = """
import subprocess, urllib.request
server = subprocess.Popen(["planetwars", "play", "--no-browser"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
try:
    said = server.stdout.readline()
    assert "http" in said, said
    address = said.split("at ")[1].split()[0]
    for _ in range(50):
        try:
            assert b"<html" in urllib.request.urlopen(address, timeout=5).read().lower()
            break
        except OSError:
            __import__("time").sleep(0.2)
    else:
        raise SystemExit("the page was not served")
finally:
    server.kill()
"""
FRAMES = """
import gymnasium, planetwars_env
for mode in ("rgb_array", "human"):
    env = gymnasium.make("PlanetWars-v0", graphs="duel", render_mode=mode)
    env.reset(seed=0)
    env.render()
    env.close()
"""
AGENTS = """
import gymnasium
import planetwars_env as pw
from planetwars_env.shipped import agent_names

agents = {name: pw.load_player(name) for name in agent_names()}
assert agents
for name, agent in agents.items():
    for rules in agent.rules:
        assert pw.play_match(name, "ai1", "test/0", rules=rules, max_turns=40).turns > 0
gymnasium.make("PlanetWars-v0", opponent=name).reset(seed=0)
"""
SB3 = """
import planetwars_env as pw
venv = pw.make_sb3_vec_env("PlanetWars-v0", num_envs=4)
venv.reset()
"""
SHORT_RUN = """\
learner: {num_envs: 8, minibatch_size: 64}
schedule: {steps: 256, evaluate_every: 256, evaluation_games: 2, evaluation_opponents: [random]}
"""


class Extra(NamedTuple):
    """``brings``: modules that are there with it and not without; ``tries``: commands, or Python, that need it."""

    name: str
    brings: tuple[str, ...]
    tries: tuple[str, ...]


EXTRAS = (
    Extra("play", ("starlette", "uvicorn", "websockets"), (SERVE,)),
    Extra("mcp", ("mcp",), ("planetwars mcp",)),
    Extra("pettingzoo", ("pettingzoo",), ("import planetwars_env as pw; pw.pettingzoo_env(graphs='duel').reset(seed=0)",)),
    Extra("render", ("matplotlib", "PIL", "pygame", "imageio_ffmpeg"), (
        "planetwars watch game.json --out picture.png",
        "planetwars watch game.json --out film.gif",
        "planetwars watch game.json --out film.mp4",
        "planetwars graphs preview duel --out sheet.png",
        FRAMES,
    )),
    Extra("agents", ("torch", "safetensors"), (
        AGENTS,
        "planetwars zoo list",
        "planetwars evaluate graph-planetwars --opponents random --graphs duel --games 2",
    )),
    Extra("train", ("stable_baselines3", "sb3_contrib", "tensorboard"), (
        "planetwars train --config short.yaml --out run",
        SB3,
    )),
)  # fmt: skip
"""In the order they are added: train brings agents and render too."""
RESOLVED = ("all", "cluster", "minari", "openspiel", "pyg", "recordvideo")
"""Made of others, or too large to be installed for nothing: pip only has to find versions for them."""
WITHOUT_EXTRAS = (
    "planetwars --help",
    "planetwars graphs list",
    "planetwars graphs show duel",
    "planetwars new Mine",
    "planetwars evaluate mine.py --opponents random --graphs duel --games 2",
    "planetwars evaluate ai2 --opponents random --graphs duel --games 4 --out results.json",
    "planetwars rank mine.py random ai1 --graphs duel --games 2",
    "planetwars grade mine.py --graphs duel",
    "planetwars benchmark --quick --only memory",
    "planetwars docs rules",
    "planetwars --version",
    "planetwars watch game.json --check",
    "planetwars watch game.json --out page.html",
    "planetwars watch game.json --out picture.svg",
)


def main(
    bare: Annotated[
        bool, typer.Option("--bare", help="Leave the extras out: the bare wheel, and what it says.")
    ] = False,
) -> None:
    """Build, install and try; status 1 with what went wrong."""
    with tempfile.TemporaryDirectory(prefix="planetwars-release-") as name:
        folder = Path(name)
        wheel = build(folder / "dist")
        user = User(folder, wheel)
        user.install("")
        for code in (BARE, *WITHOUT_EXTRAS):
            user.does(code)
        for extra in EXTRAS:
            user.misses(extra)
        for extra in () if bare else EXTRAS:
            user.install(extra.name)
            user.has(extra)
        for name in () if bare else RESOLVED:
            user.resolves(name)
    typer.echo("The release is sound.")


def build(folder: Path) -> Path:
    """Sdist, and the wheel out of it; their contents are looked at. The wheel's path."""
    run([sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)])
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    with tarfile.open(sdist) as archive:
        check_sdist([name.partition("/")[2] for name in archive.getnames()])
    with zipfile.ZipFile(wheel) as archive:
        check_wheel(archive.namelist())
    typer.echo(
        f"{sdist.name}: {sdist.stat().st_size // 1024:,} KiB; {wheel.name}: {wheel.stat().st_size // 1024:,} KiB"
    )
    return wheel


def check_wheel(names: list[str]) -> None:
    """The package and its data, all of them, and nothing else."""
    strange = [name for name in names if not name.startswith("planetwars_env/") and ".dist-info/" not in name]
    strange += [name for name in names if "__pycache__" in name or name.split("/")[1].startswith("test")]
    require(not strange, f"the wheel holds what is no part of it: {strange}")
    wanted = {path.relative_to(ROOT).as_posix() for path in files_under(ROOT / "planetwars_env")}
    for source, place in DATA.items():
        wanted |= {f"{place}/{path.relative_to(ROOT / source).as_posix()}" for path in files_under(ROOT / source)}
    lost = [name for name in LEGAL if not any(one.endswith(f".dist-info/licenses/{name}") for one in names)]
    require(not lost, f"the wheel lacks {lost}")
    found = {name for name in names if name.startswith("planetwars_env/")}
    require(found == wanted, f"the wheel and the checkout differ: {sorted(found ^ wanted)}")


def check_sdist(names: list[str]) -> None:
    """Everything that the tests and the documentation need, and nothing that was only left behind."""
    tops = {name.split("/")[0] for name in names}
    needed = {"planetwars_env", "graphs", "agents", "tests", "docs", "scripts", "Makefile", "README.md", "CITATION.cff"}
    require(needed <= tops, f"the sdist lacks {sorted(needed - tops)}")
    left = tops & {"runs", "site", "build", "dist", ".venv", ".ci"}
    require(not left, f"the sdist holds {sorted(left)}")


def files_under(folder: Path) -> list[Path]:
    """The files that belong to the project."""
    return [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]


class User:
    """Somebody with an empty environment and an empty folder to work in."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.home, self.wheel = folder / "work", wheel
        self.home.mkdir()
        (self.home / "short.yaml").write_text(SHORT_RUN)
        run([sys.executable, "-m", "venv", str(folder / "venv")])
        programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        self.python = str(programs / "python")
        kept = {
            key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
        }
        self.environment = {**kept, "PATH": f"{programs}{os.pathsep}{kept['PATH']}", "SDL_VIDEODRIVER": "dummy"}

    def install(self, extra: str) -> None:
        """The wheel with an extra, in the versions of constraints.txt; nothing may contradict."""
        typer.echo(f"--- the wheel{f' with [{extra}]' if extra else ''}")
        self._pip("install", "-q", "-c", str(ROOT / "constraints.txt"), self._wheel_with(extra))
        self._pip("check")

    def resolves(self, extra: str) -> None:
        """Pip finds versions for an extra beside the others, without installing them."""
        self._pip("install", "-q", "--dry-run", "-c", str(ROOT / "constraints.txt"), self._wheel_with(extra))
        typer.echo(f"    [{extra}] resolves")

    def does(self, code: str) -> None:
        """A command, or Python, ends well."""
        status, said = self._try(code)
        require(status == 0, f"{code.strip()}\nended with {status}:\n{said}")
        typer.echo(f"    ok: {summary(code)}")

    def misses(self, extra: Extra) -> None:
        """Without an extra nothing of it is installed, and whatever needs it fails with its pip line."""
        require(not self._modules(extra), f"{self._modules(extra)} are there without [{extra.name}]")
        for code in extra.tries:
            status, said = self._try(code)
            line = f'pip install "planetwars-env[{extra.name}] @ {self.wheel.as_uri()}"'
            require(status != 0 and line in said, f"{code.strip()}\nlacks '{line}':\n{said}")
            require(
                "Traceback" not in said or not code.startswith("planetwars"), f"{code}\nends in a traceback:\n{said}"
            )
        typer.echo(f"    without [{extra.name}] it says so, {len(extra.tries)} ways")

    def has(self, extra: Extra) -> None:
        """With an extra everything it is for works."""
        found = self._modules(extra)
        require(found == list(extra.brings), f"[{extra.name}] brings {found}, not {list(extra.brings)}")
        for code in extra.tries:
            self.does(code)

    def _modules(self, extra: Extra) -> list[str]:
        asked = f"from importlib.util import find_spec; print(*[m for m in {extra.brings} if find_spec(m)])"
        return self._try(asked)[1].split()

    def _wheel_with(self, extra: str) -> str:
        return f"planetwars-env[{extra}] @ {self.wheel.as_uri()}" if extra else str(self.wheel)

    def _pip(self, *words: str) -> None:
        run([self.python, "-m", "pip", *words], cwd=self.home, env=self.environment)

    def _try(self, code: str) -> tuple[int, str]:
        words = code.split() if code.startswith("planetwars ") else [self.python, "-c", code]
        done = subprocess.run(
            words, cwd=self.home, env=self.environment, text=True, timeout=600,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        return done.returncode, done.stdout


def summary(code: str) -> str:
    """A command, or the name of a piece of Python."""
    return next((name for name, value in globals().items() if value is code), code)


def run(words: list[str], **arguments: object) -> None:
    """Run a program that has to end well; what it printed is shown where it does not."""
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **arguments)  # pyright: ignore
    require(done.returncode == 0, f"{' '.join(words)}\nended with {done.returncode}:\n{done.stdout}")


def require(held: bool, fault: str) -> None:
    """Stop with ``fault`` unless ``held``."""
    if not held:
        typer.echo(f"NOT SOUND: {fault}", err=True)
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
