"""Tells the world."""

import socket


class Caller:
    name = "caller"

    def take_turn(self, view):
        try:
            socket.create_connection(("127.0.0.1", int(Path_port())), timeout=1).close()
        except OSError as fault:
            raise RuntimeError(f"no connection: {fault.strerror}") from None
        raise RuntimeError("connected")


def Path_port():  # noqa: N802
    from pathlib import Path

    return (Path(__file__).parent / "port.txt").read_text()
