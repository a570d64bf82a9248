"""Tournaments: every game once, the same table however it came about, and ratings of known cases."""

import csv
import io
import json
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import planetwars_env as pw
from planetwars_env.arena import report
from planetwars_env.arena.contestants import contestant_of
from planetwars_env.arena.game_store import (
    IN_MEMORY,
    FinishedGame,
    GameKey,
    GameStore,
    GameStoreError,
    load_replay,
)
from planetwars_env.arena.games import close_strategies, play_match
from planetwars_env.arena.plan import TournamentPlan, game_seed, graph_labels, prepare_plan
from planetwars_env.arena.ratings import POINTS_PER_LOG_ODDS, bradley_terry, informative_pairs, rounds
from planetwars_env.arena.report import tournament_pages, write_pages
from planetwars_env.arena.round_robin import MOST_PRINTED, keep_printed, run_tournament
from planetwars_env.arena.standings import compute_standings
from planetwars_env.arena.tables import Table
from planetwars_env.bots.bot_games import moves_of_bot_game, place_games, play_on
from planetwars_env.bots.notes import TurnNotes, first_notes
from planetwars_env.cli.replay_pages import save_pages, tournament_replays
from planetwars_env.cli.results_table import print_tables, tournament_bar
from planetwars_env.cli.shell import plain_console
from planetwars_env.engine import columns
from planetwars_env.engine.repetition import watch
from planetwars_env.engine.rules import PLANETWARS, PLANETWARS_HALF_STEP, SPACE_EXPLORERS, Rules
from planetwars_env.game import Game
from planetwars_env.graphs.board import pack
from planetwars_env.graphs.catalogue import load_graph
from planetwars_env.graphs.graph import Graph
from planetwars_env.move_counts import MoveCounts, counts_of_replay, play_counted
from planetwars_env.render.text import replay_text
from planetwars_env.replay import Replay, ReplayError
from planetwars_env.text import file_name
from planetwars_env.view import Move
from support.command_line import run, succeed
from support.paths import HOSTILE, SPREADER, TESTS
from support.ray_cluster import kill_a_worker, local_ray
from support.stored_games import games_in
from support.strategy_files import bot
from support.tournament_program import GAMES, play, the_plan

PROGRAM = str(TESTS / "support" / "tournament_program.py")
GRAPHS = [load_graph("duel"), load_graph("test/3"), load_graph("test/4")]
RANDOM = 1


def plan(
    names: list[str], games: int = 6, graphs: list[Graph] = GRAPHS, rules: Rules = PLANETWARS, seed: int = 0
) -> TournamentPlan:
    return TournamentPlan(list(map(contestant_of, names)), graphs, rules, games, 200, seed=seed)


# --- what is played ----------------------------------------------------------------------------------------------


def test_every_pair_plays_the_boards_in_turn_as_both_players() -> None:
    keys = list(plan(["noop", "random", "ai1"], games=8).schedule())
    assert len(keys) == len(set(keys)) == 3 * 8
    assert set(keys) >= {GameKey("random", "noop", "duel", 0), GameKey("noop", "random", "duel", 1)}
    assert [key.graph for key in keys[:8:2]] == ["duel", "test/3", "test/4", "duel"]


@pytest.mark.parametrize(
    ("names", "games", "why"),
    [
        *((["noop", "random"], games, "even number") for games in (0, -2, 3)),
        *((["random"], 2, "at least two"), (["ai1", "ai1"], 2, "ai1: named twice"), (["x", "ai1"], 2, "'x'")),
    ],
)
def test_what_cannot_be_played_is_refused(names: list[str], games: int, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        pw.tournament(names, "duel", games)


def test_boards_without_a_name_of_their_own_get_numbers() -> None:
    nameless = Graph.from_dict(GRAPHS[0].to_dict())
    assert graph_labels([nameless, *GRAPHS[:1], nameless]) == ["graph#0", "duel", "graph#2"]


def test_a_player_has_one_seed_in_both_orders_of_a_pair_and_nobody_else_has_it() -> None:
    key = GameKey("a", "b", "duel", 0)
    assert game_seed(key, 1) == game_seed(GameKey("b", "a", "duel", 0), 2) != game_seed(key, 2)
    others = [GameKey("a", "c", "duel", 0), GameKey("a", "b", "rings", 0), GameKey("a", "b", "duel", 1)]
    assert len({game_seed(one, 1) for one in [key, *others]} | {game_seed(key, 1, seed=1), game_seed(key, 1, "x")}) == 6


# --- secrets ------------------------------------------------------------------------------------------------------


def test_two_tournaments_have_nothing_in_common_and_each_is_kept_with_its_secret(tmp_path: Path) -> None:
    """Only the file of results knows the secret until the end; resumed, it finds the same games on the same graphs."""
    without = replace(plan(["random", "ai1"]), seed=None, disturb=True)
    plans = []
    for name in ("one", "two"):
        with GameStore(tmp_path / name) as store:
            plans.append(prepare_plan(without, store))
            run_tournament(without, store, jobs=1)
            rows = store.games()
            run_tournament(without, store, jobs=1)
            assert store.games() == rows
            assert prepare_plan(without, store) == plans[-1]
            assert store.metadata("conditions")["seed"] == plans[-1].seed
            for row in rows:
                load_replay(store, row.key).verify()
    one, two = plans
    assert len(str(one.seed)) == 32 and one.seed != two.seed
    assert set(one.graphs).isdisjoint(two.graphs) and set(one.graphs).isdisjoint(GRAPHS)
    keys = list(one.schedule())
    assert {game_seed(key, 1, one.seed or "") for key in keys}.isdisjoint(
        game_seed(key, 1, two.seed or "") for key in keys
    )


@pytest.mark.parametrize("chosen", [[], ["--seed", "7"], ["--undisturbed"]])
def test_the_command_says_what_could_be_known_and_tells_the_secret_afterwards(
    tmp_path: Path, chosen: list[str]
) -> None:
    out = tmp_path / "out"
    arguments = ["rank", "random", "noop", "--graphs", "rings", "--games", "2", "--jobs", "1", "--out", str(out)]
    said = " ".join(succeed(*arguments, *chosen).output.split())
    assert ("--seed 7, which is not secret" in said) == (chosen[:1] == ["--seed"])
    assert ("as they are in their files" in said) == (chosen == ["--undisturbed"])
    table = json.loads((out / "ranking.json").read_text())
    assert table["games"] == 2
    assert table["seed"] == 7 if "--seed" in chosen else len(table["seed"]) == 32
    with GameStore(out / "games.sqlite") as store:
        assert store.metadata("conditions")["seed"] == table["seed"]
        graph = "rings" if chosen == ["--undisturbed"] else "disturbed rings"
        assert {row.key.graph for row in store.games()} == {graph}


# --- compiled games ----------------------------------------------------------------------------------------------


@pytest.mark.kernels
@pytest.mark.parametrize("rules", [PLANETWARS, PLANETWARS_HALF_STEP, SPACE_EXPLORERS])
def test_a_duel_is_the_same_alone_and_among_others_and_its_moves_lead_to_its_result(rules: Rules) -> None:
    def played(graphs: Sequence[Graph], boards: Sequence[int], seeds: Sequence[int]) -> list[tuple[int, ...]]:
        board = pack(graphs, rules)
        state = place_games(board, rules, boards, seeds, 90)
        positions = watch(state)
        play_on(state, board, np.full((len(seeds), 2), RANDOM), positions=positions)
        ends = state.status[:, [columns.WINNER, columns.TURN]].tolist()
        return [(*end, number) for end, number in zip(ends, positions.fingerprints.tolist(), strict=True)]

    many = played(GRAPHS, [0, 1, 2, 1], [5, 6, 7, 8])
    assert played(GRAPHS[1:2], [0], [6]) == many[1:2] and len(set(many)) == 4
    moves = moves_of_bot_game(GRAPHS[1], rules, (RANDOM, RANDOM), 6, 90)
    replay = Replay.of(GRAPHS[1], rules, ("random", "random"), 6, 90, moves)
    assert (replay.winner, replay.turns) == many[1][:2]


# --- the store --------------------------------------------------------------------------------------------------


def test_a_game_is_there_once_and_is_the_one_that_was_played(tmp_path: Path) -> None:
    with GameStore(tmp_path / "games.sqlite") as store:
        key = GameKey("a", "b", "duel", 0)
        store.add([FinishedGame(key, 1, 10, "rules", "x")])
        store.add(
            [FinishedGame(key, 2, 20, "rules", "y"), FinishedGame(GameKey("b", "a", "duel", 0), 0, 5, "limit", "z")]
        )
        assert [(row.key.first, row.winner) for row in store.games()] == [("a", 2), ("b", 0)]
        with pytest.raises(KeyError):
            store.game(GameKey("a", "b", "rings", 0))


def test_a_file_of_an_older_format_is_refused(tmp_path: Path) -> None:
    GameStore(tmp_path / "5.sqlite").close()
    for name, change in (
        ("5", "PRAGMA user_version=5"),
        ("1", "CREATE TABLE facts (name); CREATE TABLE games (first)"),
    ):
        base = sqlite3.connect(tmp_path / f"{name}.sqlite")
        base.executescript(change)
        base.close()
        with pytest.raises(
            GameStoreError, match=f"has format {name}, and this version of planetwars-env reads format 6"
        ):
            GameStore(tmp_path / f"{name}.sqlite")


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "games.sqlite").write_text("a diary" * 100)
    base = sqlite3.connect(tmp_path / "chess.sqlite")
    with base:
        base.execute("CREATE TABLE games (white TEXT)")
    base.close()
    for name in ("games", "chess"):
        with pytest.raises(ValueError, match=rf"{name}\.sqlite is damaged or no file of a tournament"):
            GameStore(tmp_path / f"{name}.sqlite")


def test_a_tournament_can_grow_but_not_change(tmp_path: Path) -> None:
    with GameStore(tmp_path / "games.sqlite") as store:
        run_tournament(plan(["noop", "random"]), store, jobs=1)
        before = store.games()
        told: list[tuple[int, int]] = []
        run_tournament(plan(["noop", "random", "ai1"]), store, 1, lambda *both: told.append(both))
        assert told[0] == (6, 18) and sum(games for games, _ in told) == 18
        assert before == [game for game in store.games() if game in before] != store.games()
        for changed in (plan(["noop", "random"], seed=1), plan(["noop", "random"], rules=SPACE_EXPLORERS)):
            with pytest.raises(ValueError, match=r"other versions of: (seed|rules)"):
                run_tournament(changed, store, jobs=1)


def test_an_edited_strategy_does_not_inherit_the_games_of_its_older_self(tmp_path: Path) -> None:
    file = Path(shutil.copy(SPREADER, tmp_path))
    with GameStore(tmp_path / "games.sqlite") as store:
        prepare_plan(plan([str(file), "noop"]), store)
        file.write_text(file.read_text() + "\n")
        with pytest.raises(ValueError, match="other versions of: spreader"):
            run_tournament(plan([str(file), "noop"]), store, jobs=1)


def test_an_edit_of_a_helper_while_the_games_are_played_ends_them(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(bot(above="import helper"))
    (tmp_path / "helper.py").write_text("SAID = 1")
    with GameStore(tmp_path / "games.sqlite") as store:

        def edit(games: int, _: int) -> None:
            if games:
                (tmp_path / "helper.py").write_text("SAID = 2")

        with pytest.raises(ValueError, match=r"mine\.py was edited while its games were played"):
            run_tournament(plan([str(tmp_path / "mine.py"), "noop"], games=40, graphs=GRAPHS[:1]), store, 1, edit)
        assert 0 < len(store.keys()) < 40


# --- killed and started again ------------------------------------------------------------------------------------


def test_a_tournament_that_was_killed_ends_with_the_same_table(tmp_path: Path) -> None:
    """More kills, of several processes, by more signals: test_interruption.py."""
    folder = tmp_path / "killed"
    folder.mkdir()
    command = [sys.executable, PROGRAM, str(folder), "1"]
    for enough in (2, 5):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while len(games_in(folder)) < enough and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    assert subprocess.run(command, timeout=120, check=False).returncode == 0
    table = (folder / "table.json").read_text()
    assert table == play(tmp_path, 1)
    assert json.loads(table)["games"] == len(list(the_plan().schedule())) == 6 * GAMES


# --- on a cluster ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_cluster_plays_the_same_tournament_though_its_workers_are_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that started the tournament plays nothing and writes everything."""
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    tables = []
    for workers in (0, 1, 2):
        folder = tmp_path / str(workers)
        folder.mkdir()
        with local_ray(workers) if workers else nullcontext("1") as place:
            program = subprocess.Popen([sys.executable, PROGRAM, str(folder), place])
            kills = 2 * (workers == 2)
            while program.poll() is None:
                if kills and games_in(folder):
                    kills -= kill_a_worker("play_games")
                time.sleep(0.1)
        assert program.returncode == 0 and kills == 0
        tables.append((folder / "table.json").read_text())
    assert tables[0] == tables[1] == tables[2]
    assert json.loads(tables[0])["games"] == 6 * GAMES


def test_an_address_without_a_ray_is_told_in_one_sentence() -> None:
    result = run("rank", "random", "ai1", "--address", "nowhere")
    assert result.exit_code == 1
    assert "no Ray can be joined at nowhere" in result.output and "ray start --head" in result.output


# --- tables ------------------------------------------------------------------------------------------------------


def store_of(games: list[FinishedGame]) -> GameStore:
    store = GameStore(IN_MEMORY)
    store.add(games)
    return store


def test_a_game_that_was_played_the_same_way_twice_counts_once() -> None:
    same = [FinishedGame(GameKey("a", "b", "duel", n), 1, 10, "rules", "same") for n in range(5)]
    other = [
        FinishedGame(GameKey("a", "b", "rings", 0), 2, 10, "rules", "same"),
        FinishedGame(GameKey("b", "a", "duel", 0), 0, 9, "limit", "same"),
    ]
    standings = compute_standings(store_of(same + other), ["a", "b"])
    assert (standings.played, standings.distinct) == (7, 3)
    first, second = standings.cells["a", "b"]
    assert (first.wins, first.losses, second.draws) == (1, 1, 1)
    assert "3 distinct games of 7 played" in report.as_markdown(standings)


def test_the_command_writes_every_form_of_the_table_and_a_page_of_a_game_of_every_pair(tmp_path: Path) -> None:
    words = ["rank", "random", "noop", "ai1", "--graphs", "duel", "--games", "10", "--html", "--jobs", "1", "--out"]
    assert "Ranking" in succeed(*words, tmp_path).output
    written = json.loads((tmp_path / "ranking.json").read_text())
    assert [place["rank"] for place in written["ranking"]] == [1, 2, 3]
    assert len((tmp_path / "pairs.csv").read_text().splitlines()) == 1 + 6
    places = list(csv.DictReader((tmp_path / "standings.csv").open()))
    assert [one["place"] for one in places] == ["1", "2", "3"]
    assert [one["contestant"] for one in places] == [one["contestant"] for one in written["ranking"]]
    assert [float(one["rating_low"]) for one in places] == [one["rating_low"] for one in written["ranking"]]
    assert (tmp_path / "matrix.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "ranking.html").read_text()
    assert page.index("Ratings") < page.index("Ranking (") < page.index("the row wins") < page.index("by player")
    assert not re.search(r'src="|href="http', page) and '{"refresh":null}' in page
    links = set(re.findall(r'<a href="([^"#]+)', page))
    games = {link for link in links if link.startswith("replays/")}
    assert "replays/001-ai1-against-noop-on-disturbed-duel.html" in games and len(games) == 6
    assert links - games == {f"contestants/{name}.html" for name in ("ai1", "noop", "random")}
    for link in games:
        page = tmp_path / link
        assert 'src="player.js"' in page.read_text() and page.with_name("player.js").is_file()
        Replay.load(page.with_suffix(".json"), verify=True)
    own = (tmp_path / "contestants" / "ai1.html").read_text()
    assert 'id="noop"' in own and 'href="../ranking.html"' in own and 'href="../replays/' in own
    for target in re.findall(r'href="(\.\./[^"]+|[a-z0-9]+\.html)"', own):
        assert (tmp_path / "contestants" / target).is_file()


@pytest.mark.parametrize("count", [2, 8, 9, 20])
@pytest.mark.parametrize("stem", ["s", "student_", "a_name_of_more_than_forty_characters_which_is_long_"])
def test_names_are_never_cut_at_80_columns(count: int, stem: str) -> None:
    labels = [f"{stem}{i}" for i in range(count)]
    games = [
        FinishedGame(GameKey(*pair, "duel", 0), 1, 9, "rules", str(i)) for i, pair in enumerate(permutations(labels, 2))
    ]
    output = io.StringIO()
    standings = compute_standings(store_of(games), labels)
    print_tables(plain_console(file=output, width=80), standings, Path("runs/class"))
    said = output.getvalue()
    assert "…" not in said and max(map(len, said.splitlines())) <= 80
    assert count <= 8 or len(said.splitlines()) < 10 + count * (1 + len(stem) // 20)
    # The parts of a long name stand below each other, in the second column.
    head, *lines = said.splitlines()[1:]
    column = [line[head.index("contestant") : head.index("rating")].strip() for line in lines]
    assert all(label in "".join(column) for label in labels) and head.split()[-3:] == ["w/d/l", "won", "faults"]
    assert ("Games that the row wins" in said) == (count <= 8)
    assert ("The win matrix, all pairs and all faults are in runs/class/ranking.md" in said) == (count > 8)


def test_forfeits_and_faults_are_told_by_whom_and_why(tmp_path: Path) -> None:
    """In the list of games, the text, the page and the file; a game that nobody could begin was forfeited by both.

    Faults stand once with their number in the page of their contestant.
    """
    names = [str(HOSTILE / name) for name in ("thrower.py", "broken_reset.py", "broken_import.py")]
    with GameStore(tmp_path / "games.sqlite") as store:
        run_tournament(plan([*names, "noop"], games=2, graphs=GRAPHS[:1]), store, jobs=1)
        close_strategies()
        links = save_pages(tmp_path, tournament_replays(store, 1))
        standings = compute_standings(store, ["thrower", "noop"])
    said = [one.title for one in links]
    assert not [words for words in said if "a draw" in words]
    (words,) = [words for words in said if words.startswith("noop against thrower")]
    assert "thrower (player 2) forfeited on turn 6: exception: ValueError: this turn is broken on purpose" in words
    assert any("both players forfeited on turn 1" in words for words in said)
    for one in links:
        words, page = one.title, tmp_path / one.link
        replay = Replay.load(page.with_suffix(".json"), verify=True)
        assert (replay.forfeit is not None) == ("forfeited" in words)
        assert words.split(": ", 1)[1] in replay_text(replay)
        if replay.forfeit:
            assert replay.winner == (3 - replay.forfeit.player if replay.forfeit.player else 0)
            lie = {**replay.to_dict(), "forfeit": [3 - replay.forfeit.player if replay.forfeit.player else 1, "no"]}
            with pytest.raises(ReplayError, match="winner is recorded"):
                Replay.from_dict(lie).verify()
    pages = tournament_pages(standings, "A <b>title</b>", playing=(4, 10))
    assert set(pages) == {"ranking.html", "contestants/thrower.html", "contestants/noop.html"}
    assert "<b>title" not in pages["ranking.html"] and "4 of 10 games are played" in pages["ranking.html"]
    assert all('{"refresh":5}' in text for text in pages.values())
    thrower, noop = pages["contestants/thrower.html"], pages["contestants/noop.html"]
    assert "6 times: exception: ValueError: this turn is broken on purpose (thrower.py, line" in thrower
    assert thrower.count("Traceback (most recent") == 1 and "2 of these cost the game" in thrower
    assert "2 games were lost by forfeit" in thrower and "turns took" not in thrower and "slowest turn took" in thrower
    assert "<td>2</td><td>0</td>" in thrower and "<td>0</td><td>2</td>" in noop and "Faults" not in noop
    history = {"curves": [], "span": 1, "high": 0, "range": 1}
    values = {"state": "", "not_playing": Table("", [], []), "history": history}
    ladder = tournament_pages(standings, "Ladder", ladder=values)
    assert "Traceback" not in ladder["contestants/thrower.html"] and "index.html" in ladder
    write_pages(tmp_path, {"ranking.html": "", "contestants/gone.html": ""})
    write_pages(tmp_path, pages)
    assert {path.stem for path in (tmp_path / "contestants").iterdir()} == {"thrower", "noop"}


def test_names_of_pages_are_as_different_as_labels() -> None:
    labels = ["a b", "a-b", "a_b", "\u00e4 b", "\u00e4" * 100, "\u00e4" * 99, "x" * 100, "x" * 101]
    names = [file_name(label) for label in labels]
    assert len({*names}) == len(labels) and all(re.fullmatch(r"[\w-]{1,110}", name) for name in names)


def test_the_page_follows_the_games_while_they_are_played(tmp_path: Path) -> None:
    shown: list[tuple[int, int, int]] = []
    with tournament_bar(plain_console(file=io.StringIO()), lambda st, both: shown.append((st.played, *both))) as bar:
        pw.tournament(["noop", "random"], graphs=["duel"], games=4, out=tmp_path, jobs=1, on_games=bar)
        bar(0, 4, lambda: pytest.fail("the standings were shown a moment ago"))
    assert shown and all(0 < played == done <= total == 4 for played, done, total in shown)


@pytest.mark.parametrize("wrong", [[3, "x"], [1], "x", [1, "\x1b[2J"], [True, "x"], [1, "x" * 999]])
def test_a_wrong_forfeit_is_refused(wrong: object) -> None:
    told = play_match("noop", "noop", "duel", max_turns=3).to_dict()
    with pytest.raises(ReplayError, match="forfeit"):
        Replay.from_dict({**told, "forfeit": wrong})
    with pytest.raises(ReplayError, match="nobody can forfeit"):
        Replay.from_dict({**told, "forfeit": [1, "late"]}).verify()


# --- ratings -----------------------------------------------------------------------------------------------------


def test_ratings_are_found_again_from_the_games_that_they_predict() -> None:
    strength = np.array([1.0, 2.0, 4.0, 9.0])
    scores = 1e5 * strength[:, None] / (strength[:, None] + strength)
    np.fill_diagonal(scores, 0)
    ratings = bradley_terry(scores).points
    assert np.diff(ratings) == pytest.approx(400 * np.diff(np.log10(strength)), abs=0.01)


def test_who_never_lost_or_never_played_is_rated_finitely() -> None:
    ratings = bradley_terry(np.array([[0.0, 10, 1000, 0], [0, 0, 6, 0], [0, 4, 0, 0], [0, 0, 0, 0]]))
    assert np.isfinite(ratings.points).all()
    assert ratings.points.argmax() == 0
    assert ratings.half_widths.argmax() == 3


def random_scores(truth: np.ndarray, games: int, generator: np.random.Generator) -> np.ndarray:
    """Points of a round robin between players of these strengths (log odds)."""
    expected = 1 / (1 + np.exp(np.subtract.outer(truth, truth).T))
    won = np.triu(generator.binomial(games, expected), 1)
    return won + np.triu(games - won, 1).T


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("spread", [0.6, 1.5])
def test_an_interval_of_95_per_cent_holds_the_true_rating_that_often(spread: float, adaptive: bool) -> None:
    """Also where games were chosen by estimates, which without a prior made half of the intervals miss."""
    held = []
    for seed in range(20):
        generator = np.random.default_rng(seed)
        truth = generator.normal(0, spread, 20)
        scores, remaining = random_scores(truth, 6 * (not adaptive), generator), 9 * (1 - np.eye(20, dtype=np.int64))
        for _ in range(30 * adaptive):
            for i, j in informative_pairs(bradley_terry(scores), remaining, 10):
                won = generator.binomial(2, 1 / (1 + np.exp(truth[j] - truth[i])))
                scores[i, j] += won
                scores[j, i] += 2 - won
        ratings = bradley_terry(scores)
        held.append(abs(ratings.log_odds - (truth - truth.mean())) * POINTS_PER_LOG_ODDS < ratings.half_widths)
    assert 0.9 < np.mean(held) < 0.98


# --- adaptive pairing ------------------------------------------------------------------------------------------------


def test_games_are_chosen_for_a_newcomer_and_between_equals() -> None:
    scores = random_scores(np.array([2.0, 0, 0, -2]), 200, np.random.default_rng(1))
    scores = np.pad(scores, (0, 1))
    pairs = informative_pairs(bradley_terry(scores), np.full((5, 5), 9) - 9 * np.eye(5, dtype=int), 12)
    assert sum(4 in pair for pair in pairs) == 12
    old = informative_pairs(bradley_terry(scores[:4, :4]), np.full((4, 4), 9) - 9 * np.eye(4, dtype=int), 1)
    assert old not in ([(0, 3)], [(3, 0)])


def test_adaptive_rounds_play_the_budget_on_many_graphs_as_both_players(tmp_path: Path) -> None:
    """Of an odd budget one game is left; the progress ends with all games that are played."""
    adaptive, told = replace(plan(["noop", "random", "ai1", "ai2"], games=6), budget=21), list[tuple[int, int]]()
    with GameStore(tmp_path / "games.sqlite") as store:
        run_tournament(adaptive, store, 1, lambda *both: told.append(both))
        assert told[0] == (0, 20) and sum(games for games, _ in told) == 20
        keys = store.keys()
        assert len(keys) == 20 and keys <= set(adaptive.schedule())
        assert {(one.second, one.first, *one[2:]) for one in keys} == keys
        assert {one.graph for one in keys} == {"duel", "test/3", "test/4"}
        assert set().union(*rounds(prepare_plan(adaptive, store), store)) == keys
        told.clear()
        run_tournament(replace(adaptive, budget=1000), store, 1, lambda *both: told.append(both))
        assert store.keys() == set(adaptive.schedule())
        assert told[0] == (20, 36) and sum(games for games, _ in told) == 36


def test_an_adaptive_tournament_that_was_interrupted_ends_with_the_same_games(tmp_path: Path) -> None:
    """On disturbed graphs: a seed gives the same games to everybody."""
    adaptive = replace(plan(["noop", "random", "ai1", "ai2"], games=40), budget=80, disturb=True)
    rows = []
    for stops in ([], [3, 30]):
        with GameStore(tmp_path / f"{len(stops)}.sqlite") as store:
            for stop in stops:

                def interrupt(_: int, total: int, store: GameStore = store, stop: int = stop) -> None:
                    if len(store.keys()) >= stop:
                        raise KeyboardInterrupt

                with pytest.raises(KeyboardInterrupt):
                    run_tournament(adaptive, store, 1, interrupt)
            run_tournament(adaptive, store, jobs=1)
            rows.append(store.games())
    assert rows[0] == rows[1] and len(rows[0]) == 80


def test_a_class_plays_without_the_submissions_that_cannot_be_loaded(tmp_path: Path) -> None:
    folder, out = tmp_path / "class", tmp_path / "run"
    (folder / "eve").mkdir(parents=True)
    (folder / "eve" / "notes.txt").write_text("later")
    (folder / "ada.py").write_text(SPREADER.read_text())
    (folder / "bob.py").write_text("1 +\n")
    words = ["rank", "random", "--submissions", folder, "--graphs", "duel", "--games", 2, "--max-turns", 20]
    words += ["--jobs", 1, "--html", "--out", out]
    first, again = (run(*words, env={"COLUMNS": "300"}) for _ in range(2))
    assert first.exit_code == again.exit_code == 0, first.output + again.output
    assert "2 of 2 games were played before" in again.output
    table = json.loads((out / "ranking.json").read_text())
    assert {one["contestant"] for one in table["ranking"]} == {"random", "spreader"}
    (place,) = (one for one in table["ranking"] if one["contestant"] == "spreader")
    author = {"student": "ada", "strategy": "spreader", "submission": str(folder / "ada.py")}
    assert author.items() <= place.items() and table["played"]["players"][1]["digest"]
    assert table["played"]["graphs"]["name"] == "duel" and table["played"]["package"] == pw.__version__
    (line,) = (one for one in csv.DictReader((out / "standings.csv").open()) if one["contestant"] == "spreader")
    assert author.items() <= line.items()
    for name in ("ranking.md", "ranking.html"):
        assert all(part in (out / name).read_text() for part in (">ada<" if "html" in name else "| ada |", "ada.py"))
        assert "bob.py" in (out / name).read_text()
    assert "student" in first.output and "ada" in first.output
    reasons = {one["student"]: one["reason"] for one in table["broken"]}
    assert set(reasons) == {"bob", "eve"} and "invalid syntax" in reasons["bob"] and "no Python file" in reasons["eve"]
    for student, reason in reasons.items():
        assert f"Warning: {student} did not load and is left out: {reason}" in first.output
        assert all(f"did not load: {reason}" in (out / name).read_text() for name in ("ranking.md", "ranking.html"))


def test_strategies_can_be_made_to_play_only_the_bots() -> None:
    names = [str(SPREADER), str(HOSTILE / "thrower.py"), "random", "ai1"]
    played = pw.tournament(names, "duel", 2, bots_only=True, max_turns=20, jobs=1)
    pairs = {frozenset(pair) for pair in played.standings.cells}
    assert pairs == {frozenset((one, bot)) for one in ("spreader", "thrower") for bot in ("random", "ai1")}
    for some in (names[:2], names[2:]):
        with pytest.raises(ValueError, match="name at least one of either"):
            pw.tournament(some, "duel", 2, bots_only=True)


def test_games_outside_the_schedule_do_not_count() -> None:
    """A row that somebody else wrote into the file: a repetition that is not played, or a graph that is none."""
    forged = [
        FinishedGame(GameKey("random", "noop", "duel", 7), 1, 3, "rules", "x"),
        FinishedGame(GameKey("noop", "random", "?", 0), 2, 3, "rules", "y"),
    ]
    chosen = plan(["random", "noop"], games=2, graphs=GRAPHS[:1])
    with GameStore(IN_MEMORY) as store:
        run_tournament(chosen, store, jobs=1)
        honest = compute_standings(store, ["random", "noop"], set(chosen.schedule()))
        store.add(forged)
        assert compute_standings(store, ["random", "noop"], set(chosen.schedule())) == honest
        assert compute_standings(store, ["random", "noop"]).played == honest.played + 2


# --- what the moves did ------------------------------------------------------------------------------------------

ILLEGAL = """
print("<b>turn</b>", view.turn)
return [pw.Move(0, 99, 5), pw.Move(0, 1, 0), pw.Move(99, 0, 1), pw.Move(0, 1, 10**6)]
"""


def test_moves_are_counted_and_the_dropped_ones_by_reason() -> None:
    graph = load_graph("duel")
    game, (home, other) = Game(graph), sorted(planet.id for planet in graph.planets)
    first = [
        Move(home, 99, 5),
        Move(home, other, 0),
        Move(other, home, 1),
        Move(home, other, 10**6),
        Move(home, other, 1),
    ]
    accepted, counts = play_counted(game, first)
    assert accepted == [False] * 4 + [True]
    assert counts == MoveCounts(sent=5, no_edge=1, no_people=1, not_yours=1, too_many=1)
    replay = Replay.of(graph, PLANETWARS, ("a", "b"), 0, 9, [first, []])
    assert counts_of_replay(replay) == (counts, MoveCounts())
    said = "a (player 1) sent 5 moves; 4 were dropped (1: no edge joins the planets; 1: less than one person;"
    assert said in replay_text(replay)


def test_a_strategy_without_a_legal_move_is_told_first_and_what_it_printed_is_kept(tmp_path: Path) -> None:
    (tmp_path / "mover.py").write_text(bot("Mover", turn=ILLEGAL, name="Mover"))
    words = ["rank", str(tmp_path / "mover.py"), "random", "--graphs", "duel", "--max-turns", "20", "--jobs", "1"]
    result = succeed(*words, "--out", tmp_path / "run", "--html", env={"COLUMNS": "300"})
    said = "None of the 80 moves of Mover is legal, so it never moved"
    assert 0 < result.output.index(said) < result.output.index("Ranking")
    for name in ("ranking.md", "ranking.html"):
        text = (tmp_path / "run" / name).read_text()
        assert text.index(said) < text.index("Ranking (")
    written = json.loads((tmp_path / "run" / "ranking.json").read_text())
    assert written["moves"][0]["contestant"] == "Mover" and written["moves"][0]["no_edge"] == 80
    printed = (tmp_path / "run" / "printed" / "Mover.txt").read_text()
    assert "--- Mover against random on disturbed duel\n<b>turn</b> 1\n" in printed
    evaluated = run("evaluate", *words[1:2], "--opponents", *words[2:7], "--games", "2")
    assert evaluated.output.index("None of the") < evaluated.output.index("won / drawn / lost")


TALK = """
self.say(f"I say {view.turn}")
self.mark(view.owned_by(view.player)[0], "here")
print("printed on", view.turn)
if view.turn > 2:
    raise RuntimeError("not again")
time.sleep(0.05)
return []
"""


def test_what_strategies_say_mark_and_print_is_in_the_replays_of_a_tournament(tmp_path: Path) -> None:
    (tmp_path / "talker.py").write_text(bot("Talker", above="import time", turn=TALK))
    players = [str(tmp_path / "talker.py"), "noop"]
    played = pw.tournament(players, graphs=["duel"], out=tmp_path / "run", max_turns=40, disturb=False, jobs=1)
    replay = played.replay("Talker", "noop", "duel")
    assert replay.forfeit is not None and replay.winner == 2
    notes = {one.turn: one for one in replay.console}
    assert [notes[turn].said for turn in (1, 3, 5)] == [("I say 1",), ("I say 3",), ("I say 5",)]
    assert notes[1].marks == ((notes[1].marks[0][0], "here"),) and notes[1].printed == "printed on 1\n"
    assert "fault 1 of 3" in notes[3].fault and "not again" in notes[3].fault and notes[7].fault.endswith("not again")
    assert "printed on 7" in (tmp_path / "run" / "printed" / "Talker.txt").read_text()
    with GameStore(tmp_path / "run" / "games.sqlite") as store:
        assert load_replay(store, GameKey("Talker", "noop", "duel", 0)).console == ()
    times = played.standings.times["Talker"]
    assert times.turns == 8 and 0.05 < times.slowest < times.seconds < 20


def test_of_much_that_is_told_in_a_game_the_beginning_is_kept() -> None:
    notes = [TurnNotes(turn, 1 + turn % 2, printed="x" * 2_000 * (turn % 2)) for turn in range(1_000)]
    kept = first_notes(notes)
    assert 90 < sum(one.player == 2 for one in kept) <= 100 and sum(one.player == 1 for one in kept) == 500


def test_what_a_strategy_prints_is_bounded(tmp_path: Path) -> None:
    game = FinishedGame(GameKey("a/../b", "c", "duel", 0), 1, 1, "rules", "x", printed=("x" * 8_000, ""))
    for _ in range(150):
        keep_printed(tmp_path, [game])
    (file,) = tmp_path.iterdir()
    assert file.name == "a_2f_2e_2e_2fb.txt" and file.stat().st_size <= MOST_PRINTED
