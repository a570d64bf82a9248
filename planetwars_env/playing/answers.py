"""Answers of the play server to what its pages ask besides a game's messages, as JSON."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from planetwars_env.playing.origin_check import safe_headers

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


async def body_of(request: Request, most: int) -> bytes:
    """Return the body; ValueError for one of more than ``most`` bytes."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise ValueError(f"the file is too large: at most {most // 2**20} MiB")
    return body


async def json_of(request: Request, most: int) -> dict[str, Any]:
    """Return the object (JSON) in the body; TypeError for anything else."""
    try:
        found = json.loads(await body_of(request, most))
    except RecursionError:
        found = None
    if not isinstance(found, dict):
        raise TypeError
    return found
