"""The engine plays as the slow oracle does, on boards and with moves that hypothesis makes up, illegal ones too."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import oracle
from support.hypothesis_strategies import encounters, examples, scripts, scripts_in_midgame, vast_scripts
from support.implementations import PRESETS, Engine, Script, play_script
from support.paths import ROOT

pytestmark = pytest.mark.kernels
every_preset = pytest.mark.parametrize("preset", PRESETS)


@every_preset
@pytest.mark.parametrize(
    ("kind", "number"),
    [(scripts, 150), (scripts_in_midgame, 150), (vast_scripts, 50)],
    ids=["from the start", "from any state", "of more people than 32 bits hold"],
)
def test_games_agree(kind: Callable[[str], st.SearchStrategy[Script]], number: int, preset: str) -> None:
    @examples(number)
    @given(kind(preset))
    def agree(script: Script) -> None:
        assert play_script(Engine, script) == play_script(oracle.Game, script)
        flying = sum(people for *_, people, _ in script.open(Engine).to_dict()["shuttles"])
        assert kind is not vast_scripts or flying > 2**32

    agree()


@pytest.mark.parametrize("preset", ["planetwars", "space_explorers"])
def test_games_decided_on_one_planet_agree(preset: str) -> None:
    """Growth, landing and shrinking with the ties and equal sides that whole games seldom come to."""

    @examples(300)
    @given(encounters(preset))
    def agree(script: Script) -> None:
        assert play_script(Engine, script) == play_script(oracle.Game, script)

    agree()


@every_preset
def test_views_of_both_players_agree(preset: str) -> None:
    @examples(60)
    @given(scripts(preset) | scripts_in_midgame(preset))
    def agree(script: Script) -> None:
        engine, slow = script.open(Engine), script.open(oracle.Game)
        for moves in script.turns:
            for player in (1, 2):
                assert engine.seen_by(player) == slow.seen_by(player)
            engine.play(moves)
            slow.play(moves)

    agree()


@pytest.mark.long
def test_the_uncompiled_engine_agrees_too() -> None:
    """The same tests of whole games in a process where Numba leaves the kernels plain Python, on fewer examples."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PLANETWARS_EXAMPLES": "4"}
    wanted = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", __file__, "-k", "games"]
    ended = subprocess.run(wanted, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-2000:]
    assert f"{3 * len(PRESETS) + 2} passed" in ended.stdout
