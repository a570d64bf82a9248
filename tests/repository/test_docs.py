"""The documentation: its code runs, its commands exist, its tables are the code's, its links lead somewhere."""

import importlib
import re
import shlex
import tomllib
from dataclasses import Field, fields
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import pytest
import typer
import yaml

import planetwars_env
from planetwars_env.arena.grading import load_scheme
from planetwars_env.cli.main import app
from planetwars_env.codec.layout import EDGE_FEATURES, PLANET_FEATURES
from planetwars_env.envs.single import PlanetWarsEnv
from planetwars_env.learn.config import TrainConfig, load_config
from scripts.release import api_names, docs_site, docs_tables
from support.paths import ROOT

PAGES = [str(page.relative_to(ROOT)) for page in docs_tables.pages()]
WRITTEN = [*PAGES, "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "agents/README.md", "graphs/README.md"]

OF_OTHER_TOOLS = ["docs/tools.md"]
"""Its code is that of scripts/examples, which have tests of their own: some of it needs an environment of its own."""


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


# --- code ----------------------------------------------------------------------------------------------------------

PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHORTER = {
    "README.md": {
        'train("demo"': 'train("short.yaml"',
        "games=200": "games=4",
        "games=10)": "games=2, jobs=1)",
        "num_envs=1024": "num_envs=8",
        "num_envs=128": "num_envs=8",
        "60_000": "256",
        "games=100": "games=2",
    },
    "docs/api/learn.md": {'train("demo"': 'train("short.yaml"'},
    "docs/evaluate-your-model.md": {
        "num_envs=64": "num_envs=4",
        "n_steps=32, batch_size=512": "n_steps=8, batch_size=16",
        "20_000": "64",
        "8_000": "64",
        "10_000": "32",
        "games=20,": "games=2,",
        "games=200": "games=2",
    },
    "docs/plugs.md": {"100_000": "256", "10_000": "2", "games=200": "games=2", "games=8": "games=2"},
    "docs/self-play.md": {
        "Args(seed=0,": "Args(total_timesteps=64, num_envs=8, num_steps=4, minibatch_size=16, test_games=2,",
        "games=200": "games=2",
    },
    "docs/training.md": {
        "num_envs=128": "num_envs=8",
        "100_000": "256",
        "200_000": "2_048",
        "played < 200": "played < 20",
    },
}
"""Shorter values for code that takes minutes; `test_the_first_example_of_the_readme_does_what_it_says` runs it in full."""

RUNNABLE = [
    page for page in [*PAGES, "agents/README.md"] if PYTHON.search(text_of(page)) and page not in OF_OTHER_TOOLS
]


def run_blocks(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch, shorter: dict[str, str]) -> dict[str, Any]:
    """Every Python block of a page, from top to bottom, in one namespace and an empty folder."""
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    text = text_of(page)
    for long, short in shorter.items():
        assert long in text, f"{page} no longer has {long}"
        text = text.replace(long, short)
    names: dict[str, Any] = {}
    for block in PYTHON.finditer(text):
        line = text.count("\n", 0, block.start()) + 1
        if file := re.match(r"# (\w+\.py)\n", block[1]):
            (folder / file[1]).write_text(block[1])
        exec(compile("\n" * line + block[1], page, "exec"), names)
    return names


@pytest.mark.parametrize("page", RUNNABLE)
def test_every_python_block_of_a_page_runs_from_top_to_bottom(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo = yaml.safe_load(str(load_config("demo")))
    demo["schedule"] |= {"steps": 256, "evaluation_games": 2, "evaluation_opponents": ["ai3"]}
    demo["learner"] |= {"num_envs": 8, "minibatch_size": 64}
    (tmp_path / "short.yaml").write_text(yaml.safe_dump(demo))
    run_blocks(page, tmp_path, monkeypatch, SHORTER.get(page, {}))


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_first_example_of_the_readme_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run_blocks("README.md", tmp_path, monkeypatch, {'graphs="test"': 'graphs="validation"'})["result"]
    assert result.opponent == "ai2"
    assert result.total.games == 200
    assert result.total.win_rate > 0.3


@pytest.mark.parametrize("page", PAGES)
def test_every_configuration_on_a_page_is_one_that_train_or_grade_takes(page: str, tmp_path: Path) -> None:
    for block in re.findall(r"^```yaml\n(.*?)^```", text_of(page), re.MULTILINE | re.DOTALL):
        settings = yaml.safe_load(block)
        if "opponents" in settings:
            (tmp_path / "scheme.yaml").write_text(block)
            assert load_scheme(tmp_path / "scheme.yaml") == load_scheme(), (
                "the page shows another scheme than the course's"
            )
        else:
            TrainConfig.from_dict(settings)


# --- commands ------------------------------------------------------------------------------------------------------

SHELL = re.compile(r"^```(?:sh|shell|bash|console)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(
    r"^(?: {4})?((?:planetwars|make|python (?:-m )?scripts[/.]|pip install|tensorboard)\b.*)$", re.MULTILINE
)


def commands_of(page: str) -> list[str]:
    """The lines of a page that a shell is to run, without comments; several may stand on one line, far apart."""
    text = text_of(page)
    shell = (
        "\n".join(re.findall(r"^ {4}\S.*$", text, re.MULTILINE)) + "\n" + "\n".join(SHELL.findall(PYTHON.sub("", text)))
    )
    lines = [re.split(r"\s+#", line)[0].strip() for line in COMMAND.findall(shell)]
    return [one for line in lines for one in re.split(r"\s{3,}(?=pip )", line)]


COMMANDS = sorted({(page, line) for page in WRITTEN for line in commands_of(page)})


def parse(command: Any, words: list[str]) -> None:
    """Parse a command's words without running it. UsageError for what the command line does not know."""
    while hasattr(command, "commands") and words:
        assert words[0] in command.commands, f"there is no command {words[0]}"
        command, words = command.commands[words[0]], words[1:]
    if "--help" not in words and not hasattr(command, "commands"):
        command.make_context("planetwars", words)


def script(name: str) -> ModuleType:
    """A file of scripts/ as a module; of a folder that can be run, its ``__main__``."""
    main = (ROOT / "scripts" / name.replace(".", "/") / "__main__.py").is_file()
    return importlib.import_module(f"scripts.{name}{'.__main__' if main else ''}")


@cache
def command_of_script(name: str) -> Any:
    module, name = script(name), name.split(".")[-1]
    if isinstance(several := getattr(module, "app", None), typer.Typer):
        return typer.main.get_command(several)
    single = typer.Typer(add_completion=False)
    single.command()(getattr(module, name, None) or module.main)
    return typer.main.get_command(single)


def option_of(field: Field[Any]) -> str:
    return f"--{field.name.replace('_', '-')}"


def check(line: str) -> None:
    words = shlex.split(line)
    if words[0] == "planetwars":
        parse(typer.main.get_command(app), words[1:])
    elif words[0] == "python":
        name, rest = (words[2], words[3:]) if words[1] == "-m" else (words[1], words[2:])
        name = name.removesuffix(".py").replace("/", ".").removeprefix("scripts.")
        if options := getattr(script(name), "Args", None):  # a dataclass is its command line
            assert {word for word in rest if word.startswith("--")} <= {"--help", *map(option_of, fields(options))}
        else:
            parse(command_of_script(name), rest)
    elif words[0] == "make":
        targets = re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE)
        assert {word for word in words[1:] if "=" not in word} <= set(targets)
    elif words[0] == "pip":
        known = tomllib.loads(text_of("pyproject.toml"))["project"]["optional-dependencies"]
        asked = re.findall(r"\[(.*?)\]", line)
        assert {extra for extras in asked for extra in extras.split(",")} <= set(known)


def test_every_command_of_the_documentation_is_one_that_the_command_line_takes() -> None:
    assert len(COMMANDS) > 60
    faults = []
    for page, line in COMMANDS:
        try:
            check(line)
        except Exception as fault:
            faults.append(f"{page}: {line}: {fault}")
    assert not faults


@pytest.mark.parametrize(
    "line",
    ["planetwars evaluate ai1 --oponents ai2", "make tea", "pip install 'planetwars-env[everything]'",
     "planetwars train --steps many", "python scripts/self_play_ppo.py --sed 1"],
)  # fmt: skip
def test_a_command_that_does_not_exist_is_found_out(line: str) -> None:
    with pytest.raises((AssertionError, typer.TyperException)):
        check(line)


# --- tables --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_tables_from_the_code_are_what_the_code_says(page: str) -> None:
    assert docs_tables.renewed(text_of(page)) == text_of(page), f"{page} is behind the code: make docs"


def test_every_public_name_stands_in_one_group_of_the_reference() -> None:
    names = [name for group in api_names.GROUPS.values() for name in group]
    assert sorted(names) == sorted(planetwars_env._HOMES)


def test_every_table_has_its_place_and_a_wrong_one_is_put_right() -> None:
    pages = "".join(text_of(page) for page in PAGES)
    for name in docs_tables.MAKERS:
        assert pages.count(f"<!-- made by scripts/release/docs_tables.py: {name} -->") == 1, name
    page = text_of("docs/observations.md")
    stale = page.replace("| 7 | `my_people` | people | 0.01 |", "| 7 | `my_people` | people | 0.02 |")
    assert stale != page
    assert docs_tables.renewed(stale) == page


def test_the_docstring_of_the_environment_names_every_feature() -> None:
    said = PlanetWarsEnv.__doc__ or ""
    assert not [one.name for one in (*PLANET_FEATURES, *EDGE_FEATURES) if not re.search(rf"\b{one.name}\b", said)]


# --- links and form ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [*WRITTEN, *docs_site.notebooks()])
def test_every_link_leads_to_a_file_or_has_the_form_of_an_address(page: str) -> None:
    for link in docs_site.links_of(docs_site.page_text(page)):
        address = urlsplit(link)
        if address.scheme:
            assert address.scheme in ("https", "mailto", "data"), link
            assert address.scheme != "https" or re.fullmatch(r"[\w-]+(\.[\w-]+)+", address.netloc), link
        elif address.path:
            assert docs_site.target_of(page, link)[0] is not None, f"{page}: {link} leads nowhere"


@pytest.mark.parametrize("page", WRITTEN)
def test_lists_and_tables_stand_after_an_empty_line(page: str) -> None:
    """Python-Markdown, which makes the site, takes them for the paragraph's text otherwise."""
    text = PYTHON.sub("", SHELL.sub("", text_of(page)))
    begun = re.compile(
        r"^(?![ \t]*(?:[-*] |\d+\. |\||#|>|<!--))(?! {2,})(\S[^\n]*)\n((?:[-*] |\d+\. |\|)[^\n]*)", re.MULTILINE
    )
    assert not [match[2] for match in begun.finditer(text)]
    assert not re.findall(r"^ {1,3}(?:[-*]|\d+\.) .*", text, re.MULTILINE), "a list in a list is indented by four"


def test_outputs_of_a_notebook_are_shown_in_the_richest_form_that_a_page_has() -> None:
    shown = {
        "```text\nwon 3\nlost 1\n```": {"text": ["won 3\n", "lost 1\n"]},
        '<img alt="" src="data:image/png;base64,aGk=">': {"data": {"image/png": "aGk=\n", "text/plain": "<Figure>"}},
        "<div><svg></svg></div>": {"data": {"text/html": ["<svg>", "</svg>"], "text/plain": "Drawing"}},
        "| a |\n|---|\n| 1 |": {"data": {"text/markdown": "| a |\n|---|\n| 1 |", "text/plain": "Markdown"}},
        "```text\n42\n```": {"data": {"text/plain": "42"}},
    }
    assert [docs_site.output_text(output) for output in shown.values()] == list(shown)


def test_the_version_is_the_same_everywhere() -> None:
    version = planetwars_env.__version__
    assert tomllib.loads(text_of("pyproject.toml"))["project"]["version"] == version
    assert yaml.safe_load(text_of("CITATION.cff"))["version"] == version
    assert re.search(r"^## (\S+)", text_of("CHANGELOG.md"), re.MULTILINE)[1] == version  # pyright: ignore[reportOptionalSubscript]
