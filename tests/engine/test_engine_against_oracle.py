"""The engine plays as the slow oracle does, on boards and with moves that hypothesis makes up, illegal ones too."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.hypothesis_strategies import encounters, examples, scripts, scripts_in_midgame, vast_scripts
from support.implementations import ENGINE, ORACLE, PLAYERS, PRESETS, Script, open_script, play_script
from support.paths import ROOT

pytestmark = pytest.mark.kernels
every_preset = pytest.mark.parametrize("preset", PRESETS)
every_way = pytest.mark.parametrize("way", PLAYERS)


@every_way
@every_preset
@pytest.mark.parametrize("kind", [scripts, scripts_in_midgame], ids=["from the start", "from any state"])
def test_games_agree(kind: Callable[[str], st.SearchStrategy[Script]], way: str, preset: str) -> None:
    @examples(150)
    @given(st.lists(kind(preset), min_size=1, max_size=3))
    def agree(games: list[Script]) -> None:
        assert PLAYERS[way](games) == [play_script(ORACLE, script) for script in games]

    agree()


@every_way
@every_preset
def test_games_of_more_people_than_32_bits_hold_agree(way: str, preset: str) -> None:
    @examples(50)
    @given(st.lists(vast_scripts(preset), min_size=1, max_size=2))
    def agree(games: list[Script]) -> None:
        assert PLAYERS[way](games) == [play_script(ORACLE, script) for script in games]
        for script in games:
            flying = sum(people for *_, people, _ in open_script(ENGINE, script).to_dict()["shuttles"])
            assert flying > 2**32

    agree()


@every_way
@pytest.mark.parametrize("preset", ["planetwars", "space_explorers"])
def test_games_decided_on_one_planet_agree(way: str, preset: str) -> None:
    """Growth, landing and shrinking with the ties and equal sides that whole games seldom come to."""

    @examples(300)
    @given(st.lists(encounters(preset), min_size=1, max_size=3))
    def agree(games: list[Script]) -> None:
        assert PLAYERS[way](games) == [play_script(ORACLE, script) for script in games]

    agree()


@every_preset
def test_views_of_both_players_agree(preset: str) -> None:
    @examples(60)
    @given(scripts(preset) | scripts_in_midgame(preset))
    def agree(script: Script) -> None:
        engine, slow = open_script(ENGINE, script), open_script(ORACLE, script)
        for moves in script.turns:
            for player in (1, 2):
                assert engine.seen_by(player) == slow.seen_by(player)
            engine.play(moves)
            slow.play(moves)

    agree()


@every_preset
def test_a_game_written_down_and_read_again_goes_on_alike(preset: str) -> None:
    @examples(60)
    @given(scripts(preset) | scripts_in_midgame(preset))
    def goes_on(script: Script) -> None:
        board = ENGINE.prepare(script.board)
        match = open_script(ENGINE, script)
        for moves in script.turns:
            again = ENGINE.resume(board, match.to_dict(), preset, script.max_turns)
            assert again.to_dict() == match.to_dict()
            match.play(moves)
            again.play(moves)
            assert again.to_dict() == match.to_dict()

    goes_on()


@every_preset
def test_a_copy_goes_its_own_way(preset: str) -> None:
    @examples(60)
    @given(scripts(preset) | scripts_in_midgame(preset))
    def parts(script: Script) -> None:
        match = open_script(ENGINE, script)
        for moves in script.turns:
            before = match.to_dict()
            copy = match.copy()
            copy.play(moves)
            assert match.to_dict() == before
            match.play(moves)
            assert match.to_dict() == copy.to_dict()

    parts()


@pytest.mark.long
def test_the_uncompiled_engine_agrees_too() -> None:
    """The same tests of whole games in a process where Numba leaves the kernels plain Python, on fewer examples."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PLANETWARS_EXAMPLES": "4"}
    wanted = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", __file__, "-k", "games"]
    ended = subprocess.run(wanted, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-2000:]
    assert f"{(3 * len(PRESETS) + 2) * len(PLAYERS)} passed" in ended.stdout
