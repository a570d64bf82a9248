"""Access to the play server: this machine, its own pages, the token of its link, and whole requests."""

import socket
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from planetwars_env.playing.server import listen
from support.play_client import cookie_of, fetch, get, origin_of


def test_it_listens_on_this_machine_only() -> None:
    with listen() as found:
        host, port = found.getsockname()
        assert host == "127.0.0.1"
        with pytest.raises(OSError, match="cannot be used"):
            listen(port)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", port), timeout=2)


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:{port}"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1:1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "http://localhost:{port}"},
    ],
)
def test_other_hosts_and_origins_are_refused(server: str, headers: dict[str, str]) -> None:
    port = str(urlsplit(server).port)
    sent = {name: value.replace("{port}", port) for name, value in headers.items()}
    for path in ("/", "/rules"):
        assert get(server, path, **sent)[0] == 403
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "Origin": origin_of(server),
    }
    assert get(server, "/play", **{**upgrade, **sent})[0] == 403


def test_a_connection_of_no_site_is_refused(server: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        connect(f"ws://{urlsplit(server).netloc}/play", additional_headers=cookie_of(server))
    assert refused.value.response.status_code == 403


def test_both_names_of_this_machine_are_good(server: str) -> None:
    port = urlsplit(server).port
    assert get(server, "/", Host=f"localhost:{port}")[0] == 200
    assert get(server, "/", Origin=origin_of(server))[0] == 200


@pytest.mark.parametrize(
    "cookie", ["", "planetwars-{port}=guess", "planetwars-{port}={token}x", "planetwars-1={token}"]
)
def test_without_the_links_token_nobody_is_answered(server: str, cookie: str) -> None:
    """Another user of this machine can connect, and does not know the link."""
    port, token = urlsplit(server).port, urlsplit(server).query.removeprefix("token=")
    cookie = cookie.format(port=port, token=token)
    for path in ("/", "/?token=", "/?token=guess", "/?token=%ff%00", "/rules", "/nowhere"):
        status, text = get(server, path, Cookie=cookie)
        assert status == 403
        assert "whole link" in text
        assert token not in text
    with pytest.raises(InvalidStatus) as refused:
        connect(f"ws://{urlsplit(server).netloc}/play", origin=origin_of(server), additional_headers={"Cookie": cookie})
    assert refused.value.response.status_code == 403


def test_the_link_opens_the_page_and_leaves_its_token_in_a_cookie(server: str) -> None:
    place = urlsplit(server)
    token = place.query.removeprefix("token=")
    assert len(token) >= 32
    status, text, cookie = fetch(server, Cookie=f"planetwars-{place.port}=of-an-older-server")
    assert status == 200
    assert token not in text
    assert cookie.startswith(f"planetwars-{place.port}={token};")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
