"""Board editor of the play server: checks, reads, saves and plays the boards that its page sends.

A board is the JSON of `Graph.from_dict` with a name. `Graph` alone decides whether it keeps the rules.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from planetwars_env.graphs.catalogue import load_graph
from planetwars_env.graphs.dot import parse_dot, save_dot, write_dot
from planetwars_env.graphs.graph import Graph, GraphError
from planetwars_env.play.opening import Opening
from planetwars_env.play.origin_check import safe_headers
from planetwars_env.play.pages import editor_page
from planetwars_env.play.sessions import Sessions
from planetwars_env.play.setup import make_game_setup
from planetwars_env.render.layout import lay_out
from planetwars_env.text import slug

LARGEST_BOARD = 2**20
"""Bytes of a request with a board."""

_Answer = dict[str, Any]


def editor_routes(opening: Opening, sessions: Sessions) -> list[Route]:
    """Return the page of the editor and what it asks: boards in, {"error": text} for faults that users cause."""

    async def page(request: Request) -> Response:
        return HTMLResponse(editor_page(opening, request.headers["host"]), headers=safe_headers())

    async def play(request: Request) -> _Answer:
        asked = await _json(request)
        board, players, rules = (
            Graph.from_dict(asked["board"], asked["board"]["name"]),
            asked["players"],
            asked["rules"],
        )
        setup = await asyncio.to_thread(
            make_game_setup, (str(players[0]), str(players[1])), board, str(rules), None, None, opening.setup.unsafe
        )
        return {"session": await sessions.open(setup)}

    async def save(request: Request) -> _Answer:
        asked = await _json(request)
        return _save(opening.boards, asked["board"], replace=asked["replace"] is True)

    return [
        Route("/editor", page),
        Route("/editor/check", _route(_check), methods=["POST"]),
        Route("/editor/spread", _route(_spread), methods=["POST"]),
        Route("/editor/read", _route(_read), methods=["POST"]),
        Route("/editor/load", _route(_load)),
        Route("/editor/save", _route(save), methods=["POST"]),
        Route("/editor/play", _route(play), methods=["POST"]),
    ]


def _route(answer: Callable[[Request], Awaitable[_Answer]]) -> Callable[[Request], Awaitable[Response]]:
    """Return the answer of a function as JSON, with {"error": text} for a fault that a user causes."""

    async def respond(request: Request) -> Response:
        try:
            found = await answer(request)
        except (KeyError, TypeError, IndexError):
            found = {"error": "the request is not one that the board editor sends"}
        except (ValueError, ImportError, OSError) as fault:
            found = {"error": str(fault)}
        return JSONResponse(found, headers=safe_headers())

    return respond


async def _check(request: Request) -> _Answer:
    """Return the board as .dot, or its first fault and the planet or edge at fault, by its place in the lists."""
    board = await _json(request)
    try:
        return {"fault": None, "dot": write_dot(Graph.from_dict(board, board["name"]))}
    except GraphError as fault:
        return {"fault": {"subject": fault.subject, "position": fault.position, "text": str(fault)}, "dot": ""}


async def _spread(request: Request) -> _Answer:
    """Return the places of a board's planets as pages draw them, in the order of the request."""
    board = await _json(request)
    graph = Graph.from_dict(board, board["name"])
    places = (await asyncio.to_thread(lay_out, graph)).places.tolist()
    return {"places": [places[graph.index[planet["id"]]] for planet in board["planets"]]}


async def _read(request: Request) -> _Answer:
    """Return the board in a .dot text; ``name`` of the query is its file."""
    name = Path(request.query_params["name"]).stem
    text = (await _body(request)).decode("utf-8-sig")
    return _board(await asyncio.to_thread(parse_dot, text, name))


async def _load(request: Request) -> _Answer:
    """Return a board by its name or path."""
    return _board(await asyncio.to_thread(load_graph, request.query_params["graph"]))


def _save(folder: Path | None, board: dict[str, Any], replace: bool) -> _Answer:
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


def _board(graph: Graph) -> _Answer:
    return {"board": {"name": graph.name, **graph.to_dict()}}


async def _json(request: Request) -> dict[str, Any]:
    try:
        found = json.loads(await _body(request))
    except RecursionError:
        found = None
    if not isinstance(found, dict):
        raise TypeError
    return found


async def _body(request: Request) -> bytes:
    """Return the body; ValueError for one that is too large."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_BOARD:
            raise ValueError(f"the board is too large: at most {LARGEST_BOARD // 2**20} MiB")
    return body
