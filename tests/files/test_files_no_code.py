"""Loading what others made runs none of their code, and nothing is half written: scans of all modules, and planted files."""

import ast
import pickle
import re
import sqlite3
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

import planetwars_env as pw
from planetwars_env.learn.agent import AgentError
from planetwars_env.learn.zoo import load_results
from support.command_line import run
from support.file_kinds import KINDS, make
from support.paths import PACKAGE

RUNS_CODE = {
    "pickle", "cPickle", "_pickle", "dill", "cloudpickle", "shelve", "marshal", "code", "runpy",
    "eval", "exec", "compile", "__import__", "import_module", "exec_module", "unsafe_load", "full_load", "UnsafeLoader",
    "FullLoader", "load_extension", "enable_load_extension", "torch.load", "torch.jit", "yaml.load", "joblib.load",
    "hub", "import_module_of", "load_from_zip_file", "load_from_pkl", "PPO.load", "MaskablePPO.load", "DQN.load", "read_pickle",
}  # fmt: skip
BUILT_IN = {"eval", "exec", "compile"}
ALLOWED = {
    ("__init__.py", "import_module"): "names of the package, loaded on first use",
    ("arena/confinement/supervisor.py", "import_module"): "the package's own modules, which the owner names",
    ("bots/catalogue.py", "import_module"): "the loader of agents",
    ("cli/main.py", "import_module"): "the commands, by a list of their names",
    ("bots/loading.py", "import_module"): "module:Class, named by the user",
    ("bots/loading.py", "exec_module"): "a strategy's files, named by the user",
    ("bots/loading.py", "__import__"): "the same",
    ("bots/loading.py", "import_module_of"): "the same",
    ("bots/language_model.py", "import_module_of"): "llm:MODULE:FUNCTION, named by the user",
    ("learn/config.py", "import_module_of"): "module:Class of a configuration that the user trains, and --import",
    ("learn/sb3.py", "load_from_zip_file"): "pw.SB3Policy, which a user calls with a file, or --trust-pickle",
    ("learn/sb3.py", "load_from_pkl"): "the VecNormalize of that model",
}


SOURCES = {path.relative_to(PACKAGE).as_posix(): path.read_text() for path in PACKAGE.rglob("*.py")}


def uses(source: str) -> set[str]:
    """Names of `RUNS_CODE` that a source imports or calls."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {str(node.module).split(".")[0], *(alias.name for alias in node.names)}
        elif isinstance(node, ast.Call):
            text = ast.unparse(node.func)
            last = text.split(".")[-1]
            found |= {text} if last in BUILT_IN else {text, last}  # re.compile and network.eval run nothing
            if any(key.arg == "allow_pickle" and ast.unparse(key.value) != "False" for key in node.keywords):
                found.add("pickle")
            if text.endswith("np.load") and not any(key.arg == "allow_pickle" for key in node.keywords):
                found.add("pickle")
    return found & RUNS_CODE


def test_no_module_of_the_package_can_run_code_out_of_data() -> None:
    """But for those that the user names to be run, each with its reason."""
    found = {(place, name) for place, source in SOURCES.items() for name in uses(source)}
    assert found == set(ALLOWED)


@pytest.mark.parametrize(
    "source",
    [
        "import pickle", "from pickle import loads", "torch.load(path)", "np.load(path)", "np.load(path, allow_pickle=True)",
        "yaml.load(text, Loader)", "eval('1')", "yaml.unsafe_load(text)", "MaskablePPO.load(path)",
    ],
)  # fmt: skip
def test_the_scan_finds_what_could(source: str) -> None:
    assert uses(source)


class Planted:
    """Leaves a mark where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


def bait(kind: str, mark: Path, path: Path) -> bytes:
    """A file that would leave ``mark`` if anything in it were run."""
    if kind == "pickle":
        return pickle.dumps(Planted(mark))
    if kind == "torch":
        torch.save({"weights": Planted(mark)}, path)
    elif kind == "numpy":
        np.savez(path.with_suffix(".npz"), limits=np.array([Planted(mark)], object), answers=np.zeros(1))
        path.with_suffix(".npz").replace(path)
    elif kind == "yaml":
        return f"!!python/object/apply:pathlib.Path.touch [{{!!python/object/apply:pathlib.Path [{mark}]}}]\n".encode()
    elif kind == "shell":
        return f"task: !!python/object/apply:os.system ['touch {mark}']\n".encode()
    elif kind == "python":
        return f"from pathlib import Path\nPath({str(mark)!r}).touch()\n".encode()
    elif kind == "sb3":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("data", pickle.dumps(Planted(mark)))
    elif kind == "trigger":
        base = sqlite3.connect(path)
        base.execute("CREATE TABLE metadata (name TEXT PRIMARY KEY, value TEXT)")
        base.execute(
            f"CREATE TRIGGER t AFTER INSERT ON metadata BEGIN SELECT load_extension('{mark}'), writefile('{mark}','x'); END"
        )
        base.commit()
        base.close()
    return path.read_bytes()


BAITS = ["pickle", "torch", "numpy", "yaml", "shell", "python", "sb3", "trigger"]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("kind", BAITS)
def test_a_planted_file_is_refused_unrun(name: str, kind: str, tmp_path: Path) -> None:
    mark, path = tmp_path / "mark", make(KINDS[name], tmp_path / "good")
    path.unlink()
    data = bait(kind, mark, tmp_path / "bait")
    for leftover in path.parent.glob(f"{path.name}-*"):
        leftover.unlink()
    path.write_bytes(data)
    with pytest.raises(KINDS[name].error):
        KINDS[name].read(path)
    assert not mark.exists()


@pytest.mark.parametrize("kind", ["pickle", "torch", "sb3"])
def test_the_baits_would_work_on_who_unpickles(kind: str, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    data = bait(kind, mark, tmp_path / "bait")
    if kind == "torch":
        torch.load(tmp_path / "bait", weights_only=False)
    else:
        pickle.loads(zipfile.ZipFile(tmp_path / "bait").read("data") if kind == "sb3" else data)
    assert mark.exists()


def test_code_that_lies_beside_an_agent_or_a_board_is_not_run(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    agent = make(KINDS["weights"], tmp_path / "agent").parent
    make(KINDS["graph"], agent)
    for name in ("__init__.py", "sitecustomize.py", "agent.py", "config.py", "torch.py"):
        (agent / name).write_text(f"from pathlib import Path\nPath({str(mark)!r}).touch()\n")
    pw.load_player(str(agent))
    assert len(pw.load_graph(str(agent / "board.dot")).planets) and not mark.exists()


@pytest.mark.parametrize("opponent", ["evil.py", "evil:Evil"])
def test_results_do_not_name_a_program_to_measure_against(opponent: str, tmp_path: Path) -> None:
    path = make(KINDS["results"], tmp_path)
    path.write_text(path.read_text().replace('"ai1"', f'"{opponent}"'))
    with pytest.raises(AgentError, match=r"results\.json.*program"):
        load_results(tmp_path)


def test_a_saved_model_of_sb3_is_refused_with_the_reason(tmp_path: Path) -> None:
    mark, model = tmp_path / "mark", tmp_path / "model.zip"
    bait("sb3", mark, model)
    result = run("evaluate", model, "--games", "2")
    assert result.exit_code == 1 and re.search(r"model\.zip is not loaded.*pickles", " ".join(result.output.split()))
    assert not mark.exists()


# --- and no module writes to a file that has its name already, but through `replacement_file` (planetwars_env/files.py)

WRITES = {
    "write_text", "write_bytes", "savefig", "savez", "savez_compressed", "save_file", "imsave", "to_csv", "copyfile",
}  # fmt: skip
WRITERS = {
    ("files.py", "write_bytes"): "into a draft",
    ("arena/submissions.py", "copyfile"): "into a folder of its own, before anything reads it",
    ("arena/round_robin.py", "open"): "appended to, while a tournament plays",
    ("arena/confinement/walls.py", "write_bytes"): "a strategy's files, into a folder of its own",
    ("bots/source_files.py", "write_bytes"): "into a temporary folder",
    ("learn/datasets.py", "savez_compressed"): "into memory, and then in one step",
    ("arena/confinement/walls.py", "write_text"): "/proc, to set up the namespaces of a strategy's process",
}


def writes(source: str) -> set[str]:
    """Names of the calls that write to a file by its name."""
    found = set()
    for node in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
        name = ast.unparse(node.func).split(".")[-1]
        given = [*node.args, *(key.value for key in node.keywords)]
        modes = [arg.value for arg in given if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        if name in WRITES or (name in ("open", "fdopen") and any(set(mode) & set("wax") for mode in modes)):
            found.add(name)
    return found


def test_everything_is_written_in_one_step() -> None:
    assert {(place, name) for place, source in SOURCES.items() for name in writes(source)} <= set(WRITERS)


@pytest.mark.parametrize(
    "source",
    ['path.open("w")', 'open(path, mode="a")', "path.write_text(text)", "figure.savefig(path)", 'open(p, "xb")'],
)
def test_the_scan_finds_who_writes_otherwise(source: str) -> None:
    assert writes(source)
