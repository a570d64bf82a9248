"""The notebooks: they run from top to bottom in a fresh kernel, and are kept with the outputs of their cells."""

import re

import pytest
from nbformat import NotebookNode, v4

from scripts.release import run_notebooks
from scripts.release.run_notebooks import code_of

NOTEBOOKS = [path.name for path in run_notebooks.notebooks()]
SHORTER = {"NOTEBOOK_STEPS": "4096"}
"""One update, which teaches nothing; the slow test trains as long as the notebook does."""
UNTRAINED = ("01_quickstart.ipynb", "04_write_a_strategy.ipynb")
"""Nothing learned plays in these: they come out the same everywhere."""
LARGEST = 400_000
"""Bytes: a page that plays a game takes a hundred thousand."""


def kept(name: str) -> NotebookNode:
    return run_notebooks.read(run_notebooks.FOLDER / name)


def warnings_of(notebook: NotebookNode) -> list[str]:
    outputs = [output for cell in code_of(notebook) for output in cell.outputs]
    # That kernels are compiled is told once per computer.
    told = [one for one in outputs if "compiles its kernels" not in one.get("text", "")]
    return [str(one) for one in told if one.get("name") == "stderr" or one.output_type == "error"]


def text_outputs(notebook: NotebookNode) -> list[str]:
    """Printed output and texts shown, of each cell together, without the names of pictures: a line may come in parts."""
    found = []
    for cell in code_of(notebook):
        datas = [output.get("data", {"text/plain": output.get("text", "")}) for output in cell.outputs]
        found.append("".join(data["text/plain"] for data in datas if len(data) == 1))
    return found


def test_all_four_are_there() -> None:
    assert NOTEBOOKS == [
        "01_quickstart.ipynb",
        "02_train_and_evaluate.ipynb",
        "03_read_an_agent.ipynb",
        "04_write_a_strategy.ipynb",
    ]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name[:2] in ("02", "04") else ()) for name in NOTEBOOKS]
)
def test_a_notebook_runs_from_top_to_bottom_without_a_warning(name: str) -> None:
    notebook = run_notebooks.executed(kept(name), SHORTER)
    assert not warnings_of(notebook)
    assert [cell.execution_count for cell in code_of(notebook)] == list(range(1, len(code_of(notebook)) + 1))
    assert [bool(cell.outputs) for cell in code_of(notebook)] == [bool(cell.outputs) for cell in code_of(kept(name))]
    if name in UNTRAINED:
        assert text_outputs(notebook) == text_outputs(kept(name)), (
            f"it comes out otherwise now: make notebooks, for {name}"
        )


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_agent_that_the_notebook_trains_beats_random() -> None:
    notebook = kept("02_train_and_evaluate.ipynb")
    check = 'result, *_ = pw.evaluate(agent, ["random"], games=100)\nassert result.total.win_rate > 0.8, result'
    notebook.cells.append(v4.new_code_cell(check))
    run_notebooks.executed(notebook)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_kept_with_the_outputs_of_its_cells(name: str) -> None:
    notebook = kept(name)
    assert notebook.metadata.get(run_notebooks.SOURCES) == run_notebooks.position_digest(notebook), (
        "cells were changed since: make notebooks"
    )
    counts = [cell.execution_count for cell in code_of(notebook)]
    assert counts == list(range(1, len(counts) + 1))
    assert sum(bool(cell.outputs) for cell in code_of(notebook)) > len(counts) / 2
    assert run_notebooks.tidied(kept(name)) == notebook


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_what_is_kept_is_small_and_speaks_of_no_machine_and_no_fault(name: str) -> None:
    text = (run_notebooks.FOLDER / name).read_text(encoding="utf-8")
    assert len(text) < LARGEST
    assert not re.findall(r"/(?:tmp|home|root|Users|work|usr|opt)/\S*", text)
    assert not warnings_of(kept(name))


def test_a_notebook_that_fails_says_where() -> None:
    notebook = v4.new_notebook(cells=[v4.new_code_cell("1 + 1"), v4.new_code_cell("no_such_name")])
    with pytest.raises(run_notebooks.CellExecutionError, match="no_such_name"):
        run_notebooks.executed(notebook)
