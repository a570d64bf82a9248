"""`planetwars mcp`: a client of the mcp package plays whole games over standard input and output."""

import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import planetwars_env as pw
from planetwars_env.graphs.dot import save_dot
from support.command_line import run
from support.scripted_models import BotModel

mcp = pytest.importorskip("mcp", reason='mcp is not installed: pip install "planetwars-env[mcp]"')
anyio = pytest.importorskip("anyio")
stdio = pytest.importorskip("mcp.client.stdio")

Call = Callable[..., Awaitable[str]]


def with_client(*options: str, act: Callable[[Call, Any], Awaitable[None]]) -> None:
    """Start the command and call ``act`` with a function that calls a tool and returns its text."""
    server = stdio.StdioServerParameters(
        command=sys.executable, args=["-m", "planetwars_env", "mcp", *options], env=stdio.get_default_environment()
    )

    async def session() -> None:
        async with mcp.Client(stdio.stdio_client(server)) as client:

            async def call(tool: str, **arguments: Any) -> str:
                result = await client.call_tool(tool, arguments)
                text = result.content[0].text
                return text.replace(f"Error executing tool {tool}", "error") if result.is_error else text

            await act(call, client)

    anyio.run(session)


@pytest.mark.parametrize("player", [1, 2])
def test_a_bot_plays_a_whole_game_with_the_same_result_as_directly(player: int, tmp_path: Path) -> None:
    graph = pw.load_graph("rings")

    async def act(call: Call, client: Any) -> None:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert tools == {"new_game", "look", "send", "end_turn", "give_up", "simulate", "replay"}
        model = BotModel("ai3", graph)
        text = await call("new_game", opponent="ai1", graph="rings", player=player, seed=0)
        assert text.startswith(f"You are player {player} of two")
        assert "the game is not over" in await call("replay")
        while "The game is over" not in text:
            reply = model([{"role": "user", "content": text}])
            text = await call("end_turn", moves="" if reply == "wait" else reply)
            assert "Not ordered" not in text
        players = ("ai3", "ai1") if player == 1 else ("ai1", "ai3")
        direct = pw.play_match(*players, graph)
        told = await call("replay")
        assert f"wins on turn {direct.turns}" in told and "without fog" in told
        page = Path(re.match("The page is (.*)\n", told)[1])  # type: ignore[index]
        assert page.parent == tmp_path and "<html" in page.read_text()
        assert ("you have won" in text) == (direct.winner == player)
        assert "error: The game is over" in await call("send", source=1, destination=2, people=1)

    with_client("--replays", str(tmp_path), act=act)


def test_tools_tell_what_is_wrong_and_simulations_leave_the_game_alone() -> None:
    async def act(call: Call, client: Any) -> None:
        assert await call("look") == "error: there is no game: call new_game first"
        assert "unknown opponent '/etc/passwd.py': choose one of" in await call("new_game", opponent="/etc/passwd.py")
        assert "player must be 1 or 2" in await call("new_game", player=3)
        text = await call("new_game", opponent="ai2", graph="line")
        for _ in range(6):
            text = await call("end_turn")
        before = await call("look")
        assert before == text
        tried = await call("simulate", moves="send 1 -> 2: 1\nsend 1 -> 5: 1", turns=10)
        assert "not tried: send 1 -> 5: 1: no edge joins 1 and 5" in tried
        assert re.search(r"^your planets: \d+\.\d \(1\.0\)$", tried, re.MULTILINE)
        assert "turns must be between 1 and 200" in await call("simulate", turns=0)
        assert "no compiled bot is called" in await call("simulate", bot="nobody")
        assert await call("look") == before
        assert await call("send", source=1, destination=2, people=1) == "Orders of this turn: 1 -> 2: 1"
        assert "Not ordered:\n- send 1 -> 3: 1: no edge joins" in await call("send", source=1, destination=3, people=1)
        text = await call("end_turn", moves="send 1 -> 2: 1\nnonsense")
        assert "1 line is not a move and was passed over" in text and "1 (14), 2 (2)." in text
        assert "finish it or give up" in await call("replay")
        assert "The game is over: you has given up" not in await call("give_up") and "without fog" in await call(
            "replay"
        )

    with_client("--opponent", "random", act=act)


def test_a_model_names_no_files_and_cannot_know_the_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "test").mkdir()
    monkeypatch.chdir(tmp_path)
    save_dot(pw.load_graph("duel"), tmp_path / "test" / "own.dot")

    async def act(call: Call, client: Any) -> None:
        own = str(tmp_path / "test" / "own.dot")
        for place in ("/etc/passwd", "test/../../../../etc/passwd", "test/own.dot", own, "test/", "."):
            assert f"unknown graph '{place}'" in await call("new_game", graph=place)
        for seed in ({}, {}, {"seed": 7}):
            await call("new_game", graph="duel", **seed)
            await call("give_up")
            await call("replay")

    with_client("--opponent", "random", "--replays", "pages", act=act)
    seeds = sorted(int(page.stem.rpartition("-")[2]) for page in (tmp_path / "pages").iterdir())
    assert len(set(seeds)) == 3 and 7 in seeds


def test_a_wrong_name_is_told_before_the_server_waits() -> None:
    answer = run("mcp", "--opponent", "ai9")
    assert answer.exit_code == 1 and "unknown strategy 'ai9'" in answer.output
