"""The zoo: agents by name, folders made of runs, and that every shipped agent still plays as its card says."""

import json
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import planetwars_env as pw
from planetwars_env import shipped as shipped_data
from planetwars_env.arena.contestants import contestant_of, fingerprint_player
from planetwars_env.arena.evaluation import evaluate
from planetwars_env.arena.results import z_of
from planetwars_env.bots.policy import Policy
from planetwars_env.codec.limits import CLASSIC, LARGE
from planetwars_env.learn import zoo
from planetwars_env.learn.agent import Agent, AgentError, load_agent, save_agent
from planetwars_env.learn.config import TrainConfig
from planetwars_env.playing.setup import choices
from planetwars_env.shipped import data_root
from scripts.release import zoo as release
from scripts.release.zoo_card import header, results_text, with_results
from scripts.release.zoo_recording import OBSERVATIONS, Recording, record
from support import file_kinds
from support.command_line import run, succeed

FRESH_GAMES, FRESH_SEED = 30, 2_026
"""On graphs that are in no pool."""
TINY = file_kinds.TINY | {"schedule": {"seed": 3}}
FILES = {"README.md", "config.yaml", "weights.safetensors", "results.json", "observations.npz"}
run_release = partial(run, program=release.app)


def make_run(folder: Path) -> Path:
    """Files of a run, with random weights that are large enough for the agent to move people."""
    folder.mkdir(parents=True)
    config = TrainConfig.from_dict(TINY)
    drawn = torch.Generator().manual_seed(1)
    weights = Agent("newborn", config).network.state_dict()
    weights = {name: torch.randn(part.shape, generator=drawn) for name, part in weights.items()}
    weights["head"].abs_()
    save_agent(folder, config, weights, {})
    file_kinds.KINDS["history"].write(folder / "history.json")
    return folder


@pytest.fixture(scope="module", autouse=True)
def quick_plan() -> Iterator[None]:
    """Games against quick opponents, and fewer of them, than on the cards of shipped agents."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(release, "FAIR_OPPONENTS", ("ai3", "noop"))
        patch.setattr(release, "YARDSTICK", 2)
        yield


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("runs") / "newborn")


@pytest.fixture(scope="module")
def made(run_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A zoo with one agent in it, made by the command."""
    root = tmp_path_factory.mktemp("zoo")
    result = run_release("add", run_folder, "--as", "tiny", "--zoo", root, "--games", 2, "--opponents", "random",
                         "--opponents", "noop", "--machine", "an abacus")  # fmt: skip
    assert result.exit_code == 0, result.output
    return root


@pytest.fixture
def shipped(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same in the place of the shipped agents, to be changed at will."""
    root = tmp_path / "agents"
    shutil.copytree(made, root)
    for module in (shipped_data, release):
        monkeypatch.setattr(module, "data_root", lambda kind="graphs": root if kind == "agents" else data_root(kind))
    return root


@pytest.mark.parametrize("name", shipped_data.agent_names())
def test_a_shipped_agent_answers_what_it_was_once_shown_as_it_did_then(name: str) -> None:
    folder = data_root("agents") / name
    recording = Recording.load(folder / OBSERVATIONS)
    assert len(recording.actions) >= 200
    assert recording.agreement(folder) >= 0.995


@pytest.mark.parametrize("opponent", [pytest.param("random", marks=pytest.mark.slow), "ai3"])
@pytest.mark.parametrize("name", shipped_data.agent_names())
def test_a_shipped_agent_wins_on_fresh_boards_as_often_as_its_card_says(name: str, opponent: str) -> None:
    """Within the 99 % interval that the card's games give for so many fresh ones."""
    folder, agent = data_root("agents") / name, load_agent(name)
    first, *_ = zoo.load_results(folder)["results"].values()
    card = {entry["opponent"]: entry for entry in first["test"]}[opponent]
    boards = pw.GraphGenerator("classic", count=FRESH_GAMES // 2, seed=FRESH_SEED)
    wins = evaluate(agent, [opponent], boards, FRESH_GAMES, agent.rules[0], seed=FRESH_SEED)[0].total.wins
    assert abs(z_of(wins, FRESH_GAMES, card["wins"], card["games"])) <= 2.5758, f"{wins}, not {card['win_rate']:.1%}"


@pytest.mark.parametrize("name", shipped_data.agent_names())
def test_a_shipped_agents_card_and_the_table_say_what_its_results_are(name: str) -> None:
    root = data_root("agents")
    results = zoo.load_results(root / name)
    assert {path.name for path in (root / name).iterdir()} >= FILES
    card = (root / name / "README.md").read_text(encoding="utf-8")
    assert card.startswith(header(load_agent(name))), "a hub of models reads the head of a card"
    assert results_text(results) in card
    for rules, pools in results["results"].items():
        assert f"\n| [{name}]({name}/README.md) | {rules} |" in (root / "README.md").read_text(encoding="utf-8")
        assert pools["test"][0]["games"] == 200


def test_a_run_becomes_a_folder_of_data_with_a_card(made: Path, run_folder: Path) -> None:
    assert {path.name for path in made.iterdir()} == {"README.md", "tiny"}
    assert {path.name for path in (made / "tiny").iterdir()} == FILES
    for file in ("config.yaml", "weights.safetensors"):
        assert (made / "tiny" / file).read_bytes() == (run_folder / file).read_bytes()
    results = json.loads((made / "tiny" / "results.json").read_text())
    assert results["training"] == {"steps": 4096, "games": 70, "minutes": 1.5, "machine": "an abacus"}
    played = {
        pool: [(one["opponent"], one["games"]) for one in entries]
        for pool, entries in results["results"]["PLANETWARS"].items()
    }
    fair = [("ai3", 4), ("noop", 4)]
    assert played == {"test": [("random", 2), ("noop", 2)], "fair": fair, "large": [("ai3", 4)]}
    text, entry = (made / "tiny" / "README.md").read_text(), results["results"]["PLANETWARS"]["test"][0]
    interval = f"{100 * entry['ci_low']:.1f} to {100 * entry['ci_high']:.1f}"
    for part in ("# tiny", "4,096 of 1,000,000 planned", "2 minutes on an abacus", "| seed | 3 |", "PLANETWARS", interval,
                 "agents/tiny/config.yaml", 'play_match("tiny"'):  # fmt: skip
        assert part in text
    assert f"| {interval} |" in text.split("\n| test | random | 2 | ")[1].splitlines()[0] + "\n"


def test_an_agent_of_the_zoo_plays_by_its_name_wherever_a_bot_does(shipped: Path, tmp_path: Path) -> None:
    agent: Any = pw.load_player("tiny")
    assert isinstance(agent, Policy) and agent.name == "tiny"
    assert "tiny" in pw.player_names() and "tiny" in choices()["agents"]
    by_name, by_folder = (pw.play_match(one, "ai1", "rings", max_turns=30) for one in ("tiny", str(shipped / "tiny")))
    assert by_name == by_folder and by_name.players == ("tiny", "ai1")
    env = pw.make_sb3_vec_env("PlanetWars-v0", num_envs=2, opponent=["tiny", "ai1"], graphs="rings")
    env.reset()
    assert len({fingerprint_player(contestant_of(one)) for one in ("tiny", str(shipped / "tiny"))}) == 1
    succeed("evaluate", "tiny", "--opponents", "tiny", "--games", 2, "--graphs", "rings")


def test_an_unknown_name_is_answered_with_the_agents_too(shipped: Path) -> None:
    with pytest.raises(ValueError, match=r"choose from noop, .*planner, tiny, .*did you mean 'tiny'\?"):
        pw.load_player("tinny")
    (shipped / "tiny").rename(shipped / ".tiny.1.tmp")  # as half written
    assert shipped_data.agent_names() == []


def test_a_graph_network_plays_boards_beyond_those_of_its_training_and_the_same_on_them(made: Path) -> None:
    roomy, tight = load_agent(made / "tiny"), load_agent(made / "tiny", limits=CLASSIC)
    assert roomy.limits == LARGE and tight.limits == CLASSIC
    assert pw.play_match(roomy, "ai1", "large/3", max_turns=20).turns == 20
    assert pw.play_match(roomy, "ai1", "test/3", max_turns=40) == pw.play_match(tight, "ai1", "test/3", max_turns=40)


def test_in_the_second_half_of_a_game_an_agent_samples_by_the_turn() -> None:
    agent, game = Agent("untrained", TrainConfig.from_dict(TINY)), pw.Game(pw.load_graph("test/3"), max_turns=500)
    observation = agent.observe(pw.rollout(game, ("ai3", "ai3"), turns=40)[0])

    def acts(elapsed: float) -> bytes:
        return agent.act(observation | {"clock": np.array([[elapsed, 0]], np.float32)}).tobytes()

    early, late = ([acts(begin + turn / 10**6) for turn in range(20)] for begin in (0.4, 0.6))
    assert len(set(early)) == 1 and len(set(late)) > 1
    assert late == [acts(0.6 + turn / 10**6) for turn in range(20)]


def test_a_recording_is_agreed_with_by_its_agent_and_by_no_other(made: Path, tmp_path: Path) -> None:
    recording = Recording.load(made / "tiny" / OBSERVATIONS)
    assert len(recording.actions) == 256 and recording.actions.any(axis=1).sum() > 100
    assert recording.agreement(made / "tiny") == 1
    again = record(load_agent(made / "tiny"), pw.PLANETWARS)
    assert np.array_equal(again.actions, recording.actions)
    assert all(np.array_equal(again.observations[name], part) for name, part in recording.observations.items())
    other = Agent("other", load_agent(made / "tiny").config)
    weights = {name: -part for name, part in load_agent(made / "tiny").network.state_dict().items()}
    save_agent(tmp_path, other.config, weights, {})
    assert recording.agreement(tmp_path) < 0.995


def test_a_name_that_is_taken_is_refused_unless_it_is_to_be_replaced(shipped: Path, run_folder: Path) -> None:
    add = ["add", run_folder, "--as", "tiny", "--zoo", shipped, "--games", 2, "--opponents", "noop"]
    before = (shipped / "tiny" / "results.json").read_bytes()
    refused = run_release(*add)
    assert refused.exit_code == 1 and "exists already: --replace" in refused.output
    assert (shipped / "tiny" / "results.json").read_bytes() == before
    assert run_release(*add, "--replace").exit_code == 0
    assert [one["opponent"] for one in zoo.load_results(shipped / "tiny")["results"]["PLANETWARS"]["test"]] == ["noop"]
    assert {path.name for path in shipped.iterdir()} == {"README.md", "tiny"}


def test_an_interrupted_addition_leaves_everything_as_it_was(shipped: Path, run_folder: Path) -> None:
    def interrupt(opponent: str) -> None:
        raise KeyboardInterrupt

    before = {path: path.read_bytes() for path in shipped.rglob("*") if path.is_file()}
    plan = {"test": (("noop",), 2)}
    for name in ("tiny", "other"):
        with pytest.raises(KeyboardInterrupt):
            release.add_agent(run_folder, shipped, name, "an abacus", plan, replace=True, on_game=interrupt)
    assert {path: path.read_bytes() for path in shipped.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("name", ["Tiny", "a/b", "..", "-", "two words"])
def test_a_name_that_would_be_no_folder_or_no_word_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="small letters"):
        release.check_new(tmp_path, name, replace=True)


def test_a_folder_that_is_no_finished_run_is_refused(tmp_path: Path) -> None:
    half = make_run(tmp_path / "half")
    (half / "history.json").unlink()
    for folder, said in ((half, "history.json"), (tmp_path, "no agent in")):
        result = run_release("add", folder, "--as", "half", "--zoo", tmp_path / "zoo", "--games", 2)
        assert result.exit_code == 1 and said in result.output
    assert not (tmp_path / "zoo" / "half").exists()


def test_measured_again_results_card_and_table_are_rewritten_and_no_other_word(shipped: Path) -> None:
    card, table = shipped / "tiny" / "README.md", shipped / "README.md"
    before = card.read_text(), (shipped / "tiny" / "results.json").read_text(), table.read_text()
    results = json.loads(before[1])
    for one in results["results"]["PLANETWARS"]["test"]:
        one.update(wins=0, losses=6, win_rate=0.0)
    release.write_results(shipped / "tiny", results)
    card.write_text(with_results(before[0], results).replace("## Limits", "## What it cannot do"))
    table.write_text("# Our agents\n\nBefore.\n")
    assert card.read_text() != before[0]
    answer = run_release("measure")
    assert answer.exit_code == 0, answer.output
    assert card.read_text() == before[0].replace("## Limits", "## What it cannot do")
    assert (shipped / "tiny" / "results.json").read_text() == before[1]
    assert table.read_text() == before[2].replace("# Agents\n", "# Our agents\n\nBefore.\n")


@pytest.mark.parametrize(
    ("command", "arguments"), [(run_release, ["measure", "nobody"]), (run, ["zoo", "verify", "nobody"])]
)
def test_an_unknown_agent_is_answered_in_one_sentence(command: Any, arguments: list[str], shipped: Path) -> None:
    result, said = command(*arguments), "there is no agent 'nobody'"
    assert result.exit_code == 1 and said in result.output and len(result.output.strip().splitlines()) == 1


def test_verify_finds_the_recorded_games_equal_and_a_wrong_card_different(shipped: Path) -> None:
    listed = run("zoo", "list")
    assert listed.exit_code == 0 and "PLANETWARS" in listed.output and "noop" in listed.output
    results = json.loads((shipped / "tiny" / "results.json").read_text())
    same = run("zoo", "verify", "tiny", "--seed", 0)
    assert same.exit_code == 0 and "+0.00" in same.output and "DIFFERS" not in same.output
    for one in results["results"]["PLANETWARS"]["test"]:
        one.update(games=400, wins=400 if one["wins"] < 3 else 0)
    release.write_results(shipped / "tiny", results)
    wrong = run("zoo", "verify", "tiny", "--seed", 0)
    assert wrong.exit_code == 1 and "DIFFERS" in wrong.output


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({"PLANETWARS": {}}, "by every rule set"),
        ({"PLANETWARS": {"test": []}}, "every pool must have results"),
        ({"CHESS": {"test": []}}, "unknown rules 'CHESS': known are PLANETWARS"),
    ],
)
def test_results_without_games_or_of_unknown_rules_are_refused(shipped: Path, found: Any, said: str) -> None:
    results = json.loads((shipped / "tiny" / "results.json").read_text())
    release.write_results(shipped / "tiny", {**results, "results": found})
    with pytest.raises(AgentError, match=said):
        zoo.load_results(shipped / "tiny")


def _wild(shown: dict[str, np.ndarray], rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The observations with some numbers, or a shape, as no environment makes them."""
    parts = {name: part.copy() for name, part in shown.items()}
    name = ("planets", "edges", "edge_index", "clock")[rng.integers(4)]
    part = parts[name]
    values = [-1, 2**31 - 1, -(2**31), 10**6] if part.dtype.kind == "i" else [-1e30, 1e30, np.nan, np.inf, -1, 0.5, 7]
    for _ in range(rng.integers(1, 200)):
        part.flat[rng.integers(part.size)] = values[rng.integers(len(values))]
    if rng.random() < 0.2:
        parts[name] = [part[:, :-1], part.astype(np.float64), part[..., None], part[:0]][rng.integers(4)]
    elif rng.random() < 0.2:
        parts["edges"][:, :, 0] = 1  # more edges than there are
    return parts


def test_wild_numbers_in_recorded_observations_are_refused_and_never_reach_a_kernel(tmp_path: Path) -> None:
    """Each attack that gets past the check would write into memory that is somebody else's."""
    folder = data_root("agents") / "graph-planetwars"
    recording, rng = Recording.load(folder / OBSERVATIONS), np.random.default_rng(1)
    shown = {name: part[:16] for name, part in recording.observations.items()}
    agent, refused = load_agent(folder, limits=recording.limits), 0
    agent.act(shown)
    for _ in range(200):
        try:
            agent.act(_wild(shown, rng))
        except ValueError:
            refused += 1
    assert refused > 150
