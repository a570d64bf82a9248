"""Board editor of the play server: finds boards by name or path and saves those that its page sends."""

import asyncio
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from planetwars_env.graphs.catalogue import load_graph
from planetwars_env.graphs.dot import save_dot
from planetwars_env.graphs.graph import Graph
from planetwars_env.playing.answers import Answer, answering, json_of
from planetwars_env.playing.origin_check import safe_headers
from planetwars_env.playing.pages import editor_page
from planetwars_env.playing.setup import Opening
from planetwars_env.text import slug

LARGEST_BOARD = 2**20
"""Bytes of a request with a board."""


def editor_routes(opening: Opening) -> list[Route]:
    """Return the page of the editor and what it asks: boards in, {"error": text} for faults that users cause."""

    async def page(request: Request) -> Response:
        return HTMLResponse(editor_page(opening, request.headers["host"]), headers=safe_headers())

    async def save(request: Request) -> Answer:
        asked = await json_of(request, LARGEST_BOARD)
        return _save(opening.boards, asked["board"], replace=asked["replace"] is True)

    return [
        Route("/editor", page),
        Route("/editor/load", answering(_load)),
        Route("/editor/save", answering(save), methods=["POST"]),
    ]


async def _load(request: Request) -> Answer:
    """Return a board by its name or path."""
    return _board(await asyncio.to_thread(load_graph, request.query_params["graph"]))


def _save(folder: Path | None, board: dict[str, Any], replace: bool) -> Answer:
    """Save a board in the user's folder; one that is there already is replaced on request only."""
    if folder is None:
        raise ValueError("the server was started without a folder for boards: planetwars play --boards FOLDER")
    graph = Graph.from_dict(board, board["name"])
    path = folder / f"{slug(graph.name, 60) or 'board'}.dot"
    if path.exists() and not replace:
        return {"exists": path.name}
    folder.mkdir(parents=True, exist_ok=True)
    save_dot(graph, path)
    return {"saved": str(path)}


def _board(graph: Graph) -> Answer:
    return {"board": {"name": graph.name, **graph.to_dict()}}
