"""Pins of constraints.txt with the hashes of their files: python -m scripts.release.lock UV [--cpu WHERE].

requirements.lock holds every pin, requirements-cuda.lock what torch's build for Linux on PyPI needs besides (CUDA). uv asks
PyPI for the hashes of all files of a version, whatever system and Python they are for. Builds of torch for processors alone
have the same version, another index and other hashes, which are added.
"""

import hashlib
import re
import subprocess
from pathlib import Path
from typing import Annotated

import typer

ROOT = Path(__file__).resolve().parents[2]
PINS = ROOT / "constraints.txt"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
HASH = re.compile(r"--hash=(\w+:\w+)")
ENTRY = re.compile(r"^[\w.-]+==.*(?:\n[ \t]+.*)*", re.MULTILINE)
PYTHON = "3.12"
"""uv resolves for this Python and all later ones; it lists the hashes of files for older ones too."""
HEAD = """\
# {what}
# Written by `make lock`; docs/trust.md says what the hashes are worth. Install with:
#   python -m pip install --require-hashes --no-deps -r {files}
"""
ALL = "The versions of constraints.txt with the hashes of their files."
CUDA = "What torch needs besides requirements.lock where its build for CUDA is installed (PyPI's for Linux)."


def compiled(uv: Path, requirements: str, *options: str) -> dict[str, str]:
    """The entry of each library, by name, with the hashes that the index tells."""
    command = [str(uv), "pip", "compile", "--quiet", "--no-config", "--universal", "--generate-hashes", "--no-annotate"]
    command += ["--no-header", "--no-python-downloads", "--python-version", PYTHON, *options, "-"]
    text = subprocess.run(command, input=requirements, text=True, check=True, stdout=subprocess.PIPE).stdout
    return {entry.split("==")[0]: entry for entry in ENTRY.findall(text)}


def cpu_hashes(uv: Path, torch: str, where: str) -> list[str]:
    """Hashes of the builds of `torch` (a pin) without CUDA: of an index, or of the wheels in a folder."""
    if not Path(where).is_dir():
        entries = compiled(uv, f"{torch}+cpu", "--no-deps", "--index", where)
        return HASH.findall(entries["torch"])
    wheels = sorted(Path(where).glob(f"{torch.replace('==', '-')}+cpu-*.whl"))
    if not wheels:
        raise typer.BadParameter(f"there is no wheel of {torch}+cpu in {where}", param_hint="--cpu")
    return [f"sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}" for wheel in wheels]


def with_hashes(entry: str, more: list[str]) -> str:
    """The entry with these hashes besides its own."""
    hashes = sorted({*HASH.findall(entry), *more})
    return " \\\n".join([entry.split(" \\\n")[0], *(f"    --hash={one}" for one in hashes)])


def write(name: str, what: str, files: str, entries: list[str]) -> None:
    """Write one of the two files, with the command that installs it."""
    (ROOT / name).write_text(HEAD.format(what=what, files=files) + "\n".join(entries) + "\n", encoding="utf-8")


def main(
    uv: Annotated[Path, typer.Argument(help="The program uv.")],
    cpu: Annotated[str, typer.Option(help="An index of torch's CPU builds, or a folder with such wheels.")] = CPU_INDEX,
) -> None:
    """Write requirements.lock and requirements-cuda.lock."""
    pinned = compiled(uv, PINS.read_text(encoding="utf-8"), "--no-deps")
    torch = pinned["torch"].split()[0]
    pulled_in = compiled(uv, torch, "--constraints", str(PINS))
    pinned["torch"] = with_hashes(pinned["torch"], cpu_hashes(uv, torch, cpu))
    write("requirements.lock", ALL, "requirements.lock", list(pinned.values()))
    cuda = [entry for name, entry in pulled_in.items() if name not in pinned]
    write("requirements-cuda.lock", CUDA, "requirements.lock -r requirements-cuda.lock", cuda)


if __name__ == "__main__":
    typer.run(main)
