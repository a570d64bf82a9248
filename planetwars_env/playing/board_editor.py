"""Board editor of the play server: checks, reads and saves the boards that its page sends.

A board is the JSON of `Graph.from_dict` with a name. `Graph` alone decides whether it keeps the rules.
"""

import asyncio
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from planetwars_env.graphs.catalogue import load_graph
from planetwars_env.graphs.dot import parse_dot, save_dot, write_dot
from planetwars_env.graphs.graph import Graph, GraphError
from planetwars_env.playing.answers import Answer, answering, body_of, json_of
from planetwars_env.playing.origin_check import safe_headers
from planetwars_env.playing.pages import editor_page
from planetwars_env.playing.setup import Opening
from planetwars_env.render.layout import lay_out
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
        Route("/editor/check", answering(_check), methods=["POST"]),
        Route("/editor/spread", answering(_spread), methods=["POST"]),
        Route("/editor/read", answering(_read), methods=["POST"]),
        Route("/editor/load", answering(_load)),
        Route("/editor/save", answering(save), methods=["POST"]),
    ]


async def _check(request: Request) -> Answer:
    """Return the board as .dot, or its first fault and the planet or edge at fault, by its place in the lists."""
    board = await json_of(request, LARGEST_BOARD)
    try:
        return {"fault": None, "dot": write_dot(Graph.from_dict(board, board["name"]))}
    except GraphError as fault:
        return {"fault": {"subject": fault.subject, "position": fault.position, "text": str(fault)}, "dot": ""}


async def _spread(request: Request) -> Answer:
    """Return the places of a board's planets as pages draw them, in the order of the request."""
    board = await json_of(request, LARGEST_BOARD)
    graph = Graph.from_dict(board, board["name"])
    places = (await asyncio.to_thread(lay_out, graph)).places.tolist()
    return {"places": [places[graph.index[planet["id"]]] for planet in board["planets"]]}


async def _read(request: Request) -> Answer:
    """Return the board in a .dot text; ``name`` of the query is its file."""
    name = Path(request.query_params["name"]).stem
    text = (await body_of(request, LARGEST_BOARD)).decode("utf-8-sig")
    return _board(await asyncio.to_thread(parse_dot, text, name))


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
