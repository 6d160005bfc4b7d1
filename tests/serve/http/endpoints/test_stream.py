"""Server-sent events of a model: each second, soon after a change, and to an end."""

import socket
import time

import pytest
from serving import Served

TOKEN = {"ROSENBLATT_TOKEN": "correct-horse"}


@pytest.fixture
def server(tmp_path):
    with Served(tmp_path) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        yield server


def learn(server, *labels):
    for label in labels:
        server.post("/v1/models/m/learn", {"features": {f"is {label}": 1}, "label": label})


def test_an_event_comes_each_second_and_soon_after_a_change(server):
    events = server.events("/v1/models/m/stream")
    first = next(events)
    assert first["model"]["version"] == 0
    assert first["learns"] is True
    start = time.monotonic()
    assert next(events)["model"]["version"] == 0
    assert 0.5 < time.monotonic() - start < 5
    learn(server, "spam", "ham")
    versions = [next(events)["model"]["version"] for _ in range(4)]
    assert versions[-1] == 2
    assert versions == sorted(versions)


def test_a_snapshot_a_shadow_and_another_model_are_changes(server):
    events = server.events("/v1/models/m/stream")
    next(events)
    learn(server, "spam", "ham")
    server.post("/v1/models", {"name": "other"}, status=201)
    server.post("/v1/models/m/shadows", {"name": "pa", "config": {"rule": "pa"}}, status=201)
    server.post("/v1/models/m/rollback", {"version": 1})
    seen = next(e for e in events if e["model"]["version"] == 3 and e["shadows"])
    assert [model["name"] for model in seen["models"]] == ["m", "other"]
    assert [model["name"] for model in seen["shadows"]] == ["m", "pa"]
    assert [change["what"] for change in seen["versions"]["changes"]] == ["rollback"]


def test_the_stream_ends_with_its_model(server):
    events = server.events("/v1/models/m/stream")
    next(events)
    server.ask("DELETE", "/v1/models/m")
    assert len(list(events)) <= 2
    assert server.raw("GET", "/v1/models/m/stream")[0] == 404


def test_open_streams_do_not_hold_up_the_end(server):
    streams = [server.events("/v1/models/m/stream") for _ in range(5)]
    for events in streams:
        next(events)
    start = time.monotonic()
    log = server.stop()
    assert time.monotonic() - start < 8  # uvicorn ends by force after 10
    assert server.process.returncode == 0, log
    for events in streams:
        assert len(list(events)) <= 5  # to the end of the answer, not to an error


def test_a_client_that_goes_is_forgotten(server):
    for _ in range(30):
        events = server.events("/v1/models/m/stream")
        next(events)
        events.close()
    learn(server, "spam")
    assert server.get("/v1/models/m")["version"] == 1
    assert server.stop().count("Traceback") == 0


def test_the_stream_needs_the_token_and_a_replica_says_that_it_learns_nothing(tmp_path):
    bearer = {"Authorization": "Bearer correct-horse"}
    with Served(tmp_path, env=TOKEN) as server:
        server.raw("POST", "/v1/models", b'{"name": "m"}', bearer)
        for headers in ({}, {"Authorization": "Bearer wrong-horse"}):
            assert server.raw("GET", "/v1/models/m/stream", headers=headers)[0] == 401
        assert next(server.events("/v1/models/m/stream", bearer))["learns"] is True
        with Served(tmp_path, "--replica", env=TOKEN) as replica:
            assert next(replica.events("/v1/models/m/stream", bearer))["learns"] is False


def test_head_ends_after_the_headers(server):
    status, headers, data = server.raw("HEAD", "/v1/models/m/stream")
    assert (status, headers["Content-Type"], data) == (200, "text/event-stream", b"")
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        for _ in range(2):  # the connection is kept, and answers again
            connection.sendall(b"HEAD /v1/models/m/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = b""
            while not answer.endswith(b"\r\n\r\n"):
                answer += connection.recv(1000)
            assert answer.startswith(b"HTTP/1.1 200")


def test_only_get_streams(server):
    assert server.raw("POST", "/v1/models/m/stream", b"{}")[0] == 405
