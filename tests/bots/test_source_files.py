"""Files of a strategy: a file with the modules beside it, a folder, a .zip, and the class that they mean."""

import os
import random
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

import planetwars_env as pw
from planetwars_env.bots import source_files
from planetwars_env.bots.catalogue import Kind, kind_of, parse_player, resolve_player
from support.strategy_files import bot


def write(folder: Path, **files: str) -> Path:
    """Write .py files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def files_of(name: Path | str) -> set[str]:
    found = parse_player(name).files()
    assert found is not None
    return set(found.files)


# --- which files -------------------------------------------------------------------------------------------------


def test_a_file_sees_the_modules_beside_it_that_it_imports_and_no_others(tmp_path: Path) -> None:
    above = "import helper, json\nfrom maps.far import (\n    distance,\n    near,\n)\nfrom . import third"
    write(tmp_path, mine=bot(above=above), helper="from fourth import x", third="", fourth="x = 1", classmate="1 / 0")
    write(tmp_path / "maps", __init__="", far="def distance(): pass\nnear = 1", unused="")
    (tmp_path / "json.py").write_text("1 / 0")
    expected = {"mine.py", "helper.py", "third.py", "fourth.py", "maps/__init__.py", "maps/far.py"}
    assert files_of(tmp_path / "mine.py") == expected
    assert pw.load_player(tmp_path / "mine.py").take_turn(None) == []


def test_a_folder_and_a_zip_are_all_of_their_files_and_a_folder_with_nothing_but_a_folder_is_looked_into(
    tmp_path: Path,
) -> None:
    folder = write(tmp_path / "hand_in" / "team 4" / "red", strategy=bot(above="import helper"), helper="")
    (folder / "table.txt").write_text("7")
    for hidden in (".git", "__pycache__", "__MACOSX"):
        write(folder / hidden, x="")
    (tmp_path / "hand_in" / "README.md").write_text("ours")
    archive = shutil.make_archive(str(tmp_path / "a"), "zip", tmp_path, "hand_in")
    for place in (folder, tmp_path / "hand_in", archive):
        assert files_of(place) == {"strategy.py", "helper.py", "table.txt"}
    assert pw.load_player(archive).take_turn(None) == []


def test_the_fingerprint_covers_every_file_and_nothing_beside_them(tmp_path: Path) -> None:
    folder = write(tmp_path / "mine", strategy=bot(above="import helper"), helper="")
    file = write(tmp_path, solo=bot(above="import beside"), beside="", other="") / "solo.py"

    def prints() -> tuple[str, str]:
        first, second = parse_player(folder).files(), parse_player(file).files()
        assert first and second
        return first.fingerprint(), second.fingerprint()

    before = prints()
    (tmp_path / "other.py").write_text("edited = 1")
    assert prints() == before
    (folder / "helper.py").write_text("edited = 1")
    (tmp_path / "beside.py").write_text("edited = 1")
    assert all(old != new for old, new in zip(before, prints(), strict=True))


def test_an_agents_folder_stays_an_agents_folder(tmp_path: Path) -> None:
    assert kind_of(str(tmp_path)) is Kind.AGENT
    for name in ("config.yaml", "weights.safetensors"):
        write(tmp_path, agent=bot())
        assert kind_of(str(tmp_path)) is Kind.FILES
        (tmp_path / name).touch()
    assert kind_of(str(tmp_path)) is Kind.AGENT


def test_a_module_in_the_current_folder_is_found_with_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, mine=bot(above="import helper"), helper="", other="")
    write(tmp_path / "team", red=bot(above="from . import plans\nimport helper"), plans="")
    monkeypatch.chdir(tmp_path)
    assert files_of("mine:Mine") == {"mine.py", "helper.py"}
    assert files_of("team.red:Mine") == {"team/red.py", "team/plans.py", "helper.py"}
    assert pw.load_player("mine:Mine").take_turn(None) == []
    with pytest.raises(ValueError, match=r"module mine has no class Yours; its strategies are: Strategy, Mine|Mine"):
        resolve_player("mine:Yours")
    with pytest.raises(ValueError, match="there is no module nobody in the current folder"):
        parse_player("nobody:Yours").files()
    assert parse_player("planetwars_env.bots.planner:Planner").files() is None
    assert pw.load_player("support.opponents:Idle").name == "idle"  # elsewhere on Python's path


# --- which file and which class ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "entry"),
    [
        ({"strategy": "", "main": "", "mine": bot()}, "strategy.py"),
        ({"main": "", "mine": bot()}, "main.py"),
        ({"__init__": "from .mine import Mine", "mine": bot()}, "__init__.py"),
        ({"__init__": "", "mine": "anything"}, "mine.py"),
        ({"plans": "def plan(): pass", "mine": bot(), "helper": "x = 1"}, "mine.py"),
    ],
)
def test_the_file_that_holds_the_strategy_is_found_by_the_rule(
    files: dict[str, str], entry: str, tmp_path: Path
) -> None:
    write(tmp_path, **files)
    found = parse_player(tmp_path).files()
    assert found is not None and found.entry == entry


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            {"red": bot(), "blue": bot()},
            r"looked for strategy\.py.*found blue\.py, red\.py\. Name the file strategy\.py",
        ),
        ({"red": "", "blue": ""}, r"found blue\.py, red\.py"),
        ({"a/red": bot(), "b/red": bot()}, r"found no \.py file"),
    ],
)
def test_where_the_rule_does_not_decide_nothing_is_guessed(files: dict[str, str], said: str, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    write(tmp_path, **files)
    with pytest.raises(ValueError, match=said):
        parse_player(tmp_path).files()


TWO = bot("Red", turn="return [1]") + bot("Blue", turn="return [2]")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (bot("Only", turn="return [1]"), [1]),
        (TWO, [2]),
        (f"{TWO}\nSTRATEGY = Red", [1]),
        ("from helper import Red", [1]),
        ("from helper import Red, Blue\nSTRATEGY = Blue", [2]),
    ],
)
def test_the_class_is_the_marked_one_else_the_last_of_the_file_else_the_only_imported_one(
    text: str, answer: list[int], tmp_path: Path
) -> None:
    write(tmp_path, strategy=text, helper=TWO)
    assert pw.load_player(tmp_path).take_turn(None) == answer


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("from helper import Red, Blue", r"name it: STRATEGY = MyClass\. Found: Red, Blue"),
        ("class Mine:\n    def move(self): pass", r"Found: Mine \(without take_turn\)"),
        ("x = 1", "Found: no class"),
        ("STRATEGY = 5", "STRATEGY in strategy.py must be a class with take_turn, not 5"),
    ],
)
def test_a_class_that_is_not_clear_is_not_guessed(text: str, said: str, tmp_path: Path) -> None:
    write(tmp_path, strategy=text, helper=TWO)
    with pytest.raises(ValueError, match=said):
        pw.load_player(tmp_path)


# --- modules apart -----------------------------------------------------------------------------------------------


def test_two_strategies_with_modules_and_classes_of_the_same_names_do_not_meet(tmp_path: Path) -> None:
    turn = "import later\nreturn [helper.X, later.X]"
    for number in (1, 2):
        folder = tmp_path / str(number)
        write(folder, strategy=bot(above="import helper", turn=turn), helper=f"X = {number}", later=f"X = {-number}")
    makers = [resolve_player(tmp_path / str(number)).make for number in (1, 2)]
    assert [make().take_turn(None) for make in makers] == [[1, -1], [2, -2]]
    assert len({make().__class__.__module__ for make in makers}) == 2


@pytest.mark.parametrize("name", ["random", "json", "planetwars_env", "numpy"])
def test_a_file_called_as_a_module_of_python_or_the_package_replaces_nothing(name: str, tmp_path: Path) -> None:
    write(tmp_path / "one", strategy=bot(above=f"import {name}", turn=f"return [{name}.__name__]"), **{name: "1 / 0"})
    assert pw.load_player(tmp_path / "one").take_turn(None) == [name]
    write(tmp_path / "two", strategy=bot(above=f"from . import {name}", turn=f"return [{name}.X]"), **{name: "X = 1"})
    assert pw.load_player(tmp_path / "two").take_turn(None) == [1]
    write(tmp_path / "three", strategy=bot(above=f"from {name} import mine"), **{name: "mine = 1"})
    with pytest.raises(ImportError) as caught:
        pw.load_player(tmp_path / "three")
    assert f"{name}: the strategy has a file of this name" in caught.value.__notes__[0]


def test_a_package_may_import_itself_by_its_name(tmp_path: Path) -> None:
    above = "from red_giant.plans import X\nimport red_giant.plans"
    text = bot(above=above, turn="return [X, red_giant.plans.X]")
    write(tmp_path / "red_giant", __init__="from red_giant.mine import Mine", mine=text, plans="X = 3")
    assert pw.load_player(tmp_path / "red_giant").take_turn(None) == [3, 3]


def test_a_traceback_names_the_users_file_and_shows_its_line(tmp_path: Path) -> None:
    write(tmp_path / "mine", strategy=bot(above="import helper"), helper="x = 1\ny = x / 0")
    with pytest.raises(ZeroDivisionError) as caught:
        pw.load_player(tmp_path / "mine")
    last = caught.traceback[-1]
    assert (str(last.path), last.lineno) == (str(tmp_path / "mine" / "helper.py"), 1)


# --- hostile -----------------------------------------------------------------------------------------------------


def archive(path: Path, **entries: str) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("strategy.py", bot())
        for name, text in entries.items():
            file.writestr(name, text)
    return path


@pytest.mark.parametrize(
    "name", ["../evil.py", "/etc/evil.py", "a/../../evil.py", "C:/evil.py", "a\\..\\evil.py", "a//b", "x" * 300]
)
def test_a_zip_that_names_files_outside_of_it_is_refused(name: str, tmp_path: Path) -> None:
    path = archive(tmp_path / "a.zip", **{name: "1 / 0"})
    with pytest.raises(ValueError, match=r"a\.zip cannot be unpacked: .* is not a (path inside of it|valid file name)"):
        parse_player(path).files()
    assert [one.name for one in tmp_path.iterdir()] == ["a.zip"]


def test_a_zip_with_a_link_a_bomb_or_a_name_twice_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = zipfile.ZipInfo("secret.py")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(archive(tmp_path / "link.zip"), "a") as file:
        file.writestr(link, "/etc/passwd")
    with zipfile.ZipFile(archive(tmp_path / "bomb.zip"), "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr("zeros", bytes(source_files.MOST_BYTES))
    archive(tmp_path / "both.zip", a="", **{"a/b.py": ""})
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as file:
        for number in range(2_000):
            file.writestr(f"{number}.py", "")
    whole = archive(tmp_path / "whole.zip").read_bytes()
    (tmp_path / "cut.zip").write_bytes(whole.replace(b"take_turn", b"take_turm"))
    for name, said in (
        ("link", "is a link or a device"),
        ("bomb", "cannot be unpacked: it holds more than 64 MiB"),
        ("both", "stands there twice, or as a file and as a folder"),
        ("many", "holds more than 1,000 files"),
        ("cut", "cannot be unpacked: Bad CRC"),
    ):
        assert kind_of(str(tmp_path / f"{name}.zip")) is Kind.FILES
        with pytest.raises(ValueError, match=rf"{name}\.zip.*{said}"):
            parse_player(tmp_path / f"{name}.zip").files()


def test_only_the_zip_of_a_model_is_told_how_models_are_loaded(tmp_path: Path) -> None:
    for name, entry in (("model", "_stable_baselines3_version"), ("photos", "beach.jpg")):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as file:
            file.writestr(entry, "2.7.0")
        with pytest.raises(ValueError, match=rf"{name}\.zip is not loaded: it holds no Python file") as caught:
            parse_player(tmp_path / f"{name}.zip").files()
        assert ("--trust-pickle" in str(caught.value)) == (name == "model")


def test_a_damaged_zip_is_read_or_refused_by_its_name(tmp_path: Path) -> None:
    rng, said, wholes = random.Random(5), list[str](), []
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with zipfile.ZipFile(tmp_path / "whole.zip", "w", method) as file:
            file.writestr("strategy.py", bot())
            file.writestr("more/é.txt", "x" * 500)
        wholes.append((tmp_path / "whole.zip").read_bytes())
    for _ in range(1_000):
        data = bytearray(rng.choice(wholes))
        for _ in range(rng.choice([1, 1, 8])):
            data[rng.randrange(len(data))] = rng.choice([0, 1, 255, rng.randrange(256)])
        (tmp_path / "a.zip").write_bytes(data[: rng.choice([len(data), rng.randrange(len(data))])])
        kind_of(str(tmp_path / "a.zip"))
        try:
            parse_player(tmp_path / "a.zip").files()
        except ValueError as fault:
            said.append(str(fault))
    assert 500 < len(said) < 1_000 and all(str(tmp_path / "a.zip") in one for one in said)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="links and pipes of POSIX")
def test_a_folder_with_links_out_of_it_pipes_or_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.py").write_text("x = 1")
    folder = write(tmp_path / "mine", strategy=bot(above="import secret"), helper="")
    (folder / "inner.py").symlink_to("helper.py")
    assert files_of(folder) == {"strategy.py", "helper.py", "inner.py"}
    for target, said in ((tmp_path / "secret.py", "is a link out of"), (tmp_path, "is a link to a folder")):
        (folder / "secret.py").symlink_to(target)
        for name in (folder, *([folder / "strategy.py"] if target.is_file() else [])):
            with pytest.raises(ValueError, match=said):
                parse_player(name).files()
        (folder / "secret.py").unlink()
    os.mkfifo(folder / "pipe")
    with pytest.raises(ValueError, match=r"pipe cannot be a file of a strategy: this is not a regular file"):
        parse_player(folder).files()
    (folder / "pipe").unlink()
    (folder / "large").write_bytes(bytes(2**20))
    monkeypatch.setattr(source_files, "MOST_BYTES", 2**19)
    with pytest.raises(ValueError, match=r"large cannot be a file of a strategy: the file holds more than"):
        parse_player(folder).files()


def test_of_too_many_files_none_is_read(tmp_path: Path) -> None:
    folder = write(tmp_path / "mine", strategy=bot(), **{f"helper{number}": "" for number in range(1_001)})
    with pytest.raises(ValueError, match="holds more than 1,000 files and folders"):
        parse_player(folder).files()
    assert files_of(folder / "strategy.py") == {"strategy.py"}


def test_a_zip_is_unpacked_for_its_data_and_named_in_tracebacks(tmp_path: Path) -> None:
    above = "from pathlib import Path\nX = Path(__file__).with_name('helper.py')"
    folder = write(tmp_path / "mine", strategy=bot(above=above), helper="# data")
    player = pw.load_player(shutil.make_archive(str(tmp_path / "packed"), "zip", folder))
    place = vars(sys.modules[type(player).__module__])["X"]
    assert place.read_text() == "# data" and not place.is_relative_to(tmp_path / "mine")
