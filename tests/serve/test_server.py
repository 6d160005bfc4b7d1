"""A real process of the service: killed, stopped, followed, refused."""

import json
import resource
import signal
import socket
import sqlite3
import threading
import time
from contextlib import ExitStack, closing, suppress

import kill_service
import pytest
from profiles import scaled
from serving import Served

ROUNDS = scaled(4)  # python tests/support/kill_service.py makes 50


def learn(server, model, *examples):
    server.post("/v1/models", {"name": model}, status=201)
    for features, label in examples:
        server.post(f"/v1/models/{model}/learn", {"features": features, "label": label})


def test_a_killed_service_has_every_example_once_and_the_same_bits(tmp_path):
    assert kill_service.kill_rounds(tmp_path / "store", ROUNDS) > 5 * ROUNDS


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_with_a_snapshot_and_status_0(tmp_path, number):
    with Served(tmp_path) as server:
        learn(server, "m", ({"a": 1}, "x"), ({"b": 1}, "y"))
        prediction = server.post("/v1/models/m/predict", {"features": {"a": 1}})
        log = server.stop(number)
    assert server.process.returncode == 0, log
    messages = [json.loads(line)["message"] for line in log.splitlines()]
    assert messages == ["restored", "audit", "snapshot", "audit"]  # created; learned
    with Served(tmp_path) as server:
        assert server.get("/v1/models/m/versions")["snapshots"] == [2]
        late = {"id": prediction["id"], "label": "y"}
        right = prediction["label"] == "y"
        learned = server.post("/v1/models/m/learn", late)
        assert (learned["version"], learned["was_right"]) == (3, right)


def test_a_second_server_is_refused_and_a_replica_follows(tmp_path):
    with Served(tmp_path) as server:
        learn(server, "m", ({"a": 1}, "x"), ({"b": 1}, "y"))
        with pytest.raises(RuntimeError, match=r"another server .* --replica"):
            Served(tmp_path)
        with Served(tmp_path, "--replica") as replica:
            asked = "/v1/models/m/predict", {"features": {"b": 1}}
            assert replica.post(*asked)["label"] == "y"
            assert replica.post(*asked)["id"] is None
            server.post("/v1/models/m/learn", {"features": {"b": 1}, "label": "z"})
            learn(server, "n", ("a text", True))
            assert eventually(lambda: replica.post(*asked)["version"], 3)
            assert replica.post(*asked)["label"] == "z"
            assert eventually(lambda: len(replica.get("/v1/models")["models"]), 2)
            server.post("/v1/models/m/rollback", {"version": 2})
            assert eventually(lambda: replica.post(*asked)["version"], 4)
            assert replica.post(*asked)["label"] == "y"
            heads = [served.get("/v1/models/m")["head"] for served in (server, replica)]
            assert heads[0] == heads[1] != "00" * 32
            for method, path in [("POST", "/v1/models/m/learn"), ("DELETE", "/v1/models/m")]:
                assert "replica" in replica.ask(method, path, {}, status=403)["error"]


def test_a_flipped_bit_in_the_journal_of_a_killed_service_is_no_torn_end(tmp_path):
    with Served(tmp_path) as server:
        learn(server, "m", *(({f"n{j}": 1}, "xy"[j % 2]) for j in range(100)))
        server.kill()
    journal = tmp_path / "store.db-wal"
    whole = journal.read_bytes()
    turned = bytearray(whole)
    turned[32 + 60 * (24 + 4096) + 2000] ^= 4
    journal.write_bytes(turned)
    with pytest.raises(RuntimeError) as refused:
        Served(tmp_path)
    message = str(refused.value)
    assert "This is a bug" not in message
    assert "store.db-wal: damaged behind frame 60 of" in message
    assert "last good versions: m " in message
    assert "Restore the folder from a backup" in message
    assert journal.read_bytes() == turned
    journal.write_bytes(whole)
    with Served(tmp_path) as server:
        assert server.get("/v1/models/m")["version"] == 100


def test_another_program_that_reads_the_store_takes_no_journal_from_it(tmp_path):
    with Served(tmp_path) as server:
        learn(server, "m", ({"a": 1}, "x"))
    with Served(tmp_path) as server:  # a start that is not the first
        example = {"features": {"b": 1}, "label": "y"}
        server.post("/v1/models/m/learn", example)
        with closing(sqlite3.connect(tmp_path / "store.db")) as other:
            assert other.execute("SELECT max(version) FROM log").fetchone() == (2,)
        assert (tmp_path / "store.db-wal").exists()  # the last of all connections deletes it
        assert server.post("/v1/models/m/learn", example)["version"] == 3
        server.kill()
    with Served(tmp_path) as server:
        assert server.get("/v1/models/m")["version"] == 3


def eventually(read, value, seconds=10):
    """Whether a value is read soon."""
    end = time.monotonic() + seconds
    while read() != value:
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def test_a_token_is_needed_where_there_is_one(tmp_path):
    token = "correct-horse-battery"
    with Served(tmp_path, env={"ROSENBLATT_TOKEN": token}) as server:
        assert server.get("/v1/health/live") == {"live": True}
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": token}):
            status, answer, _ = server.raw("GET", "/v1/models", headers=headers)
            assert (status, answer["WWW-Authenticate"]) == (401, "Bearer")
        assert server.get("/v1/models", Authorization=f"Bearer {token}") == {"models": []}
        assert server.get("/v1/models", Authorization=f"bearer {token}") == {"models": []}
        log = [json.loads(line) for line in server.stop().splitlines()]
    refused = [(line["address"], line["path"]) for line in log if "token" in line["message"]]
    assert refused[0] == ("127.0.0.1", "/v1/models")
    assert "correct-horse" not in str(log)


def test_idle_and_slow_connections_are_closed(tmp_path):
    code = "import rosenblatt.serve.wire.protocol as p; p.IDLE_SECONDS = p.BODY_SECONDS = 0.5"
    with Served(tmp_path / "store", code=code) as server:
        connections = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(3)]
        idle, head, body = connections
        head.sendall(b"POST /v1/models HTTP/1.1\r\nHost:")
        body.sendall(b"POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
        for connection in connections:
            connection.settimeout(10)
        assert idle.recv(100) == b""
        assert head.recv(100) == b""
        assert body.recv(100).startswith(b"HTTP/1.1 408")
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as used:
            used.sendall(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert used.recv(1000).startswith(b"HTTP/1.1 200")
            used.sendall(b"\r\n")  # no request, and yet no silence
            with suppress(ConnectionResetError):  # where the close meets these bytes
                assert used.recv(1000) == b""
        assert server.get("/v1/models") == {"models": []}
        for connection in connections:
            connection.close()


def test_thousands_of_connections_that_are_left_do_no_harm(server):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = min(scaled(10_000), hard - 1000)
    with ExitStack() as connections:
        for _ in range(count):
            connection = socket.create_connection(("127.0.0.1", server.port))
            connections.enter_context(connection)
        assert server.get("/v1/health/ready") == {"ready": True}
    assert server.get("/v1/health/ready") == {"ready": True}
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("days", [40, -40])
def test_retries_are_known_to_a_service_whose_clock_is_wrong(tmp_path, days):
    def retry(server):
        learned = {"features": {"a": 1}, "label": "x"}
        return server.post("/v1/models/m/learn", learned, Idempotency_Key="k")["version"]

    cleaning = """
import time, rosenblatt.serve.maintenance as m
m.HOUR, m.SECONDS, machine = 0.2, 0.05, time.time
"""
    ahead = f"{cleaning}time.time = lambda: machine() + {days} * 86400"
    with Served(tmp_path / "store") as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        assert retry(server) == 1
    with Served(tmp_path / "store", code=ahead) as server:
        time.sleep(1)
        assert retry(server) == 1
    with Served(tmp_path / "store", code=cleaning) as server:
        time.sleep(1)
        assert retry(server) == 1
    with Served(tmp_path / "store", "--keep-keys", "1s", code=cleaning) as server:
        assert eventually(lambda: retry(server), 2)


def slowest_while(server, thread, until=lambda: False):
    """Return the slowest answer of /v1/health/live until a thread ends, and how many there were.

    ``until`` may end it before.
    """
    times = []
    thread.start()
    while thread.is_alive() or not times:
        start = time.perf_counter()
        assert server.get("/v1/health/live") == {"live": True}
        times.append(time.perf_counter() - start)
        time.sleep(0.01)
        if until():
            break
    return max(times), len(times)


def test_the_service_lives_while_another_program_locks_the_store(tmp_path):
    with Served(tmp_path) as server, closing(sqlite3.connect(tmp_path / "store.db")) as other:
        learn(server, "m", ({"a": 1}, "x"), ({"b": 1}, "y"))
        other.isolation_level = None
        other.execute("BEGIN IMMEDIATE")
        example, answers = {"features": {"a": 1}, "label": "x"}, []
        learning = threading.Thread(
            target=lambda: answers.append(server.post("/v1/models/m/learn", example))
        )
        end = time.monotonic() + 1.5
        slowest, count = slowest_while(server, learning, lambda: time.monotonic() > end)
        assert learning.is_alive()  # it waits for the lock
        predicted = server.post("/v1/models/m/predict", {"features": {"a": 1}})
        assert (predicted["version"], answers) == (2, [])
        other.execute("ROLLBACK")
        learning.join(timeout=60)
        assert [answer["version"] for answer in answers] == [3]
        assert slowest < 1, count


def test_the_service_lives_during_a_long_explanation(tmp_path):
    code = """
import time
from rosenblatt.serve.live import LiveModel
predict = LiveModel.predict
def long(self, features, *, explain=False):
    end = time.monotonic() + 1.3 * explain
    while time.monotonic() < end:
        pass
    return predict(self, features, explain=explain)
LiveModel.predict = long
"""
    with Served(tmp_path / "store", code=code) as server:
        learn(server, "m", ({"a": 1}, "x"), ({"b": 1}, "y"))
        query, answers = {"features": {"a": 1}, "explain": True}, []
        explaining = threading.Thread(
            target=lambda: answers.append(server.post("/v1/models/m/predict", query))
        )
        start = time.monotonic()
        slowest, count = slowest_while(server, explaining)
        assert time.monotonic() - start > 1.3
        assert slowest < 1, count
        assert [part["feature"] for part in answers[0]["contributions"]] == ["a"]
