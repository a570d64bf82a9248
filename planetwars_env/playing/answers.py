"""Answers of the play server to what its pages ask besides a game's messages, as JSON."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from planetwars_env.graphs.catalogue import load_graph
from planetwars_env.graphs.dot import save_dot
from planetwars_env.graphs.graph import Graph
from planetwars_env.playing.origin_check import safe_headers
from planetwars_env.render.pages import replay_page
from planetwars_env.replay import Replay
from planetwars_env.text import slug

LARGEST_BOARD, LARGEST_REPLAY = 2**20, 2**24
"""Bytes of a request with a board, and of one with a game."""
Answer = dict[str, Any]


def answering(answer: Callable[[Request], Awaitable[Answer]]) -> Callable[[Request], Awaitable[Response]]:
    """Return the answer of a function as JSON, with {"error": text} for a fault that a user causes."""

    async def respond(request: Request) -> Response:
        try:
            found = await answer(request)
        except (KeyError, TypeError, IndexError):
            found = {"error": "the request is not one that this page sends"}
        except (ValueError, ImportError, OSError) as fault:
            found = {"error": str(fault)}
        return JSONResponse(found, headers=safe_headers())

    return respond


async def json_in(request: Request, most: int) -> dict[str, Any]:
    """Return the object (JSON) in the body; ValueError for one of more than ``most`` bytes, TypeError for anything else."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise ValueError(f"the file is too large: at most {most // 2**20} MiB")
    try:
        found = json.loads(body)
    except RecursionError:
        found = None
    if not isinstance(found, dict):
        raise TypeError
    return found


async def watch(request: Request) -> Answer:
    """Return the page of a replay that was dropped on a page of this server; nothing of it is kept."""
    try:
        data = await json_in(request, LARGEST_REPLAY)
    except (json.JSONDecodeError, UnicodeDecodeError, TypeError) as fault:
        raise ValueError("the file holds no replay: a replay is a .json file that planetwars saved") from fault
    return {"page": await asyncio.to_thread(lambda: replay_page(Replay.from_dict(data)))}


async def load_board(request: Request) -> Answer:
    """Return a board for the editor, by its name or path, as the JSON of `Graph.from_dict` with a name."""
    graph = await asyncio.to_thread(load_graph, request.query_params["graph"])
    return {"board": {"name": graph.name, **graph.to_dict()}}


def saving(folder: Path | None) -> Callable[[Request], Awaitable[Answer]]:
    """Return what saves a board in the user's folder; one that is there already is replaced on request only."""

    async def save(request: Request) -> Answer:
        asked = await json_in(request, LARGEST_BOARD)
        if folder is None:
            raise ValueError("the server was started without a folder for boards: planetwars play --boards FOLDER")
        graph = Graph.from_dict(asked["board"], asked["board"]["name"])
        path = folder / f"{slug(graph.name, 60) or 'board'}.dot"
        if path.exists() and asked["replace"] is not True:
            return {"exists": path.name}
        folder.mkdir(parents=True, exist_ok=True)
        save_dot(graph, path)
        return {"saved": str(path)}

    return save
