"""The queue of requests that learn: bounded, and who finds it full is told when to come again."""

import json
import sqlite3
import threading
import time
from contextlib import closing, contextmanager

import pytest
from serving import Served

from rosenblatt.serve import Client

LEARN, EXAMPLE = "/v1/models/m/learn", {"features": {"a": 1}, "label": "x"}
NDJSON = {"Content-Type": "application/x-ndjson"}
FEW = "import rosenblatt.serve.served as s; s.QUEUED = 4"
SMALL = "import rosenblatt.serve.served as s; s.QUEUED_BYTES = 2_000"


@contextmanager
def stuck(tmp_path, code):
    """A service whose store another program locks, and the end of the lock."""
    with Served(tmp_path / "store", code=code) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        server.post(LEARN, [EXAMPLE, EXAMPLE | {"label": "y"}])
        with closing(sqlite3.connect(tmp_path / "store" / "store.db")) as other:
            other.isolation_level = None
            other.execute("BEGIN IMMEDIATE")
            yield server, lambda: other.execute("ROLLBACK")


def in_threads(call, count):
    threads = [threading.Thread(target=call, args=[j]) for j in range(count)]
    for thread in threads:
        thread.start()
    return threads


def until_full(server):
    """Ask until the queue is full; return the answer that says so. An empty list waits not."""
    end = time.monotonic() + 20
    while True:
        status, headers, data = server.raw("POST", LEARN, b"[]")
        if status != 200:
            return status, headers, json.loads(data)
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("code", "waiting", "value"),
    [(FEW, 4, EXAMPLE), (SMALL, 2, {"features": {"a": 1, "t": "x" * 990}, "label": "x"})],
    ids=["requests", "bytes"],
)
def test_what_is_over_the_bound_is_refused_and_all_else_goes_on(tmp_path, code, waiting, value):
    answers = []
    with stuck(tmp_path, code) as (server, unlock):
        threads = in_threads(lambda j: answers.append(server.post(LEARN, value)), waiting)
        status, headers, problem = until_full(server)
        assert (status, headers["Retry-After"], problem["title"]) == (503, "1", "Queue full")
        start = time.monotonic()
        for _ in range(20):
            assert server.get("/v1/health/live") == {"live": True}
            assert server.get("/v1/health/ready") == {"ready": True}
            assert server.post("/v1/models/m/predict", {"features": {"a": 1}})["version"] == 2
        assert time.monotonic() - start < 5
        assert answers == []
        with Client(f"http://127.0.0.1:{server.port}", retries=10) as client:
            late = threading.Thread(target=lambda: answers.append(client.learn("m", {"a": 1}, "x")))
            late.start()
            time.sleep(0.3)
            unlock()
            for thread in [*threads, late]:
                thread.join(60)
        versions = sorted(answer["version"] for answer in answers)
        assert versions == list(range(3, 4 + waiting))
        assert server.post(LEARN, EXAMPLE)["version"] == 4 + waiting


def test_lines_wait_for_a_place_and_keep_their_order(tmp_path):
    rows = [{"features": {"n": j}, "label": "xy"[j % 2]} for j in range(5_000)]
    body = b"\n".join(json.dumps(row).encode() for row in rows)
    answered = []
    with stuck(tmp_path, FEW) as (server, unlock):
        threads = in_threads(lambda j: server.post(LEARN, EXAMPLE), 4)
        until_full(server)
        lines = threading.Thread(
            target=lambda: answered.append(server.raw("POST", LEARN, body, NDJSON))
        )
        lines.start()
        time.sleep(0.5)
        assert answered == []
        unlock()
        for thread in [*threads, lines]:
            thread.join(60)
        status, _, data = answered[0]
        versions = [json.loads(line)["version"] for line in data.splitlines()]
        assert (status, versions) == (200, list(range(7, 5_007)))
        for version, row in ((7, rows[0]), (3_006, rows[2_999]), (5_006, rows[-1])):
            assert server.get(f"/v1/models/m/versions/{version}")["features"] == row["features"]
