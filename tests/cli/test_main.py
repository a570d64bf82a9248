"""The command line as a whole: version, help, pages of the documentation, what is not installed, and printed commands."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest

from planetwars_env import shipped
from planetwars_env.cli import shell
from planetwars_env.cli.demo import what_next
from planetwars_env.cli.shell import resume_hint, typed
from support.command_line import run
from support.paths import ROOT


def output(*arguments: str, status: int = 0) -> str:
    answer = run(*arguments, env={"COLUMNS": "80"}, terminal_width=80)
    assert answer.exit_code == status, answer.output
    return answer.output


def test_the_version_is_that_of_the_package() -> None:
    assert output("--version") == f"planetwars-env {version('planetwars-env')}\n"


@pytest.mark.parametrize("group", [(), ("graphs",), ("zoo",)])
def test_descriptions_of_commands_are_whole_sentences_in_80_columns(group: tuple[str, ...]) -> None:
    commands = output(*group, "--help").split("Commands:")[1]
    assert "..." not in commands
    assert all(len(line) <= 80 for line in commands.splitlines())
    assert all(one.rstrip().endswith((".", ")")) for one in re.split(r"\n  (?=\w)", commands.strip("\n"))[1:])


def test_every_page_is_listed_with_its_title_and_printed() -> None:
    pages = [path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    listed = output("docs").splitlines()
    assert sorted(line.split()[0] for line in listed) == sorted(pages)
    assert "rules                           The rules" in listed
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert output("docs", "rules") == output("docs", "docs/rules.md") == text
    assert "there is no page 'rulse'" in output("docs", "rulse", status=2)


def test_pages_that_the_package_names_exist() -> None:
    named = {
        page
        for path in (ROOT / "planetwars_env").rglob("*")
        if path.suffix in (".py", ".txt")
        for page in re.findall(r"planetwars docs ([a-z/-]+)", path.read_text(encoding="utf-8"))
    }
    assert named
    assert [page for page in named if not (ROOT / "docs" / f"{page}.md").is_file()] == []


def test_missing_libraries_are_named_in_one_sentence_with_the_line_that_installs_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell, "find_spec", lambda module: None)
    for modules, words in ((("torch",), "torch is"), (("a", "b", "c"), "a, b and c are")):
        with pytest.raises(shell.typer.Exit):
            shell.require("agents", *modules)
        assert capsys.readouterr().err == f"Error: {words} not installed: {shipped.pip_line('agents')}\n"


@pytest.mark.parametrize(
    ("origin", "line"),
    [
        (None, 'pip install "planetwars-env[agents]"'),
        ({"url": "file:///x/y%20z", "dir_info": {"editable": True}}, 'pip install -e "/x/y z[agents]"'),
        ({"url": "file:///x/a.whl", "archive_info": {}}, 'pip install "planetwars-env[agents] @ file:///x/a.whl"'),
    ],
)
def test_an_extra_is_installed_from_where_the_package_came(
    origin: object, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = SimpleNamespace(read_text=lambda name: json.dumps(origin) if origin else None)
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: found)
    assert shipped.pip_line("agents") == line


# --- commands that are printed for people: their shell finds each of them ------------------------------------------


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a .venv that runs this process and is not on the PATH; the current folder is it."""
    folder = tmp_path / "check out"
    scripts = folder / ".venv" / "bin"
    scripts.mkdir(parents=True)
    for name in ("python", "planetwars", "tensorboard"):
        (scripts / name).write_text("#!/bin/sh\n")
        (scripts / name).chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(scripts / "python"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.chdir(folder)
    return folder


def commands(text: str) -> list[str]:
    """The lines that are indented, without their comments."""
    return [line.split("  #")[0].strip() for line in text.splitlines() if line.startswith("  ")]


def test_every_command_of_the_demos_what_next_is_found_without_activation(checkout: Path) -> None:
    lines = commands(what_next(Path("runs/demo")))
    for line in lines:
        assert shutil.which(shlex.split(line)[0]), line
    assert ".venv/bin/planetwars train --config default" in lines


def test_the_commands_are_short_where_the_shell_finds_them(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{checkout}/.venv/bin:/usr/bin:/bin")
    assert [line.split()[0] for line in commands(what_next(Path("runs/demo")))] == [*["planetwars"] * 3, "tensorboard"]


def test_another_installation_on_the_path_is_not_the_one_that_is_named(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "planetwars"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert typed("planetwars", "--help") == ".venv/bin/planetwars --help"


def test_outside_its_folder_a_program_is_named_in_full_and_quoted(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert shlex.split(typed("planetwars", "--help")) == [str(checkout / ".venv/bin/planetwars"), "--help"]


def test_an_interrupted_run_names_a_command_that_is_found(checkout: Path) -> None:
    (checkout / "checkpoint.safetensors").touch()
    assert resume_hint(checkout).endswith(f": .venv/bin/planetwars train --out '{checkout}' --resume")


def test_make_setup_the_readme_and_the_quickstart_say_how_to_activate() -> None:
    said = subprocess.run(["make", "-n", "setup"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    pages = [(ROOT / name).read_text().split("    planetwars ")[0] for name in ("README.md", "docs/quickstart.md")]
    for text in (said, *pages):
        assert "source .venv/bin/activate" in text and ".venv/bin/planetwars" in text
