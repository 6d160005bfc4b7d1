"""A real process of the service with budgets: what goes, what is refused, and what stays."""

import json
import os
import shutil
import subprocess
import time

import pytest
from serving import Served

from rosenblatt.serve.store.database import Database

LEARN, PREDICT, READY = "/v1/models/m/learn", "/v1/models/m/predict", "/v1/health/ready"
ROLLBACK = "/v1/models/m/rollback"
NDJSON = {"Content-Type": "application/x-ndjson"}


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def sizes(server):
    """Bytes of the parts of the store, as the metrics have them."""
    lines = server.raw("GET", "/metrics")[2].decode().splitlines()
    found = [line.split() for line in lines if line.startswith("rosenblatt_store_bytes{")]
    return {name.split('"')[1]: float(value) for name, value in found}


def predict(server, count, size=200):
    """Ids of predictions of texts, each another one."""
    rows = [{"features": f"{j:06d} " + "x" * size} for j in range(count)]
    body = "\n".join(map(json.dumps, rows)).encode()
    status, _, data = server.raw("POST", PREDICT, body, NDJSON)
    assert status == 200
    return [json.loads(line)["id"] for line in data.splitlines()]


def last_written(folder):
    """The number of the youngest prediction that the database of a running store has."""
    database = Database(folder, readonly=True)
    try:
        return next(database.connect().execute("SELECT ifnull(max(id), 0) FROM predictions"))[0]
    finally:
        database.close()


def label(server, number, status=200):
    return server.post(LEARN, {"id": number, "label": "x"}, status=status)


def test_the_oldest_predictions_go_and_the_file_stops_growing(tmp_path):
    with Served(tmp_path, "--predictions-bytes", "500kB") as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        ids = predict(server, 5_000)
        wait_for(lambda: 2.5e5 < sizes(server).get("predictions", 0) <= 5e5)
        for _ in range(3):
            last = predict(server, 5_000)[-1]
            wait_for(lambda: last_written(tmp_path) >= int(last[1:]))  # noqa: B023
            wait_for(lambda: sizes(server)["predictions"] <= 5e5)
        # 20,000 texts of 207 bytes were predicted. The file may have room for one round more
        # than the budget, as a round is written before what it makes too much is deleted.
        assert sizes(server)["file"] < 2.5e6 < 20_000 * 207
        last = predict(server, 1)[0]
        time.sleep(1)
        server.kill()  # with what memory has of them
    with Served(tmp_path, "--predictions-bytes", "500kB") as server:
        label(server, ids[0], status=404)
        label(server, last)


@pytest.mark.parametrize(("count", "size", "budget"), [(1_000, 200, "100kB"), (300, 17_000, "2MB")])
def test_the_youngest_predictions_stay_up_to_the_budget(tmp_path, count, size, budget):
    limit = {"100kB": 1e5, "2MB": 2e6}[budget]
    with Served(tmp_path, "--predictions-bytes", budget) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        ids = predict(server, count, size)
        wait_for(lambda: last_written(tmp_path) >= int(ids[-1][1:]))
        wait_for(lambda: 0.7 * limit < sizes(server).get("predictions", 0) <= limit)
        server.kill()
    with Served(tmp_path, "--predictions-bytes", budget) as server:
        kept = int(0.6 * limit / (1.1 * size + 50))
        assert kept > 10
        label(server, ids[-kept])
        label(server, ids[-1])
        label(server, ids[0], status=404)


def test_keys_go_by_age_and_younger_ones_are_answered(tmp_path):
    with Served(tmp_path, "--keys-bytes", "100kB") as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        example = [{"features": {"a": 1}, "label": "x"}] * 100
        learned = [server.post(LEARN, example, Idempotency_Key=f"k{j}") for j in range(30)]
        wait_for(lambda: 0 < sizes(server).get("keys", 0) <= 1e5)
        assert server.post(LEARN, example, Idempotency_Key="k29") == learned[29]
        assert server.post(LEARN, example, Idempotency_Key="k0")[0]["version"] == 3001


def test_a_log_at_its_budget_takes_nothing_and_deletes_nothing(tmp_path):
    example = {"features": {"a" * 700: 1}, "label": "x"}
    with Served(tmp_path, "--log-bytes", "50kB") as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        first = server.post(LEARN, example, Idempotency_Key="first")
        file = server.raw("GET", "/v1/models/m/file")[2]
        learned = 1
        while (answer := server.raw("POST", LEARN, json.dumps(example).encode()))[0] == 200:
            learned += 1
        assert answer[0] == 507
        assert "budget of 50,000 bytes" in json.loads(answer[2])["error"]
        assert 40 < learned < 70
        lines = "\n".join([json.dumps(example)] * 5).encode()
        assert server.raw("POST", LEARN, lines, NDJSON)[0] == 507
        server.post(LEARN, [example] * 2, status=507)
        assert server.raw("PUT", "/v1/models/m/file", file)[0] == 507
        assert server.raw("PUT", "/v1/models/new/file", file)[0] == 507
        assert [model["name"] for model in server.get("/v1/models")["models"]] == ["m"]
        assert server.post(LEARN, example, Idempotency_Key="first") == first
        assert server.post(PREDICT, example | {"label": None}, status=422)
        assert server.post(PREDICT, {"features": example["features"]})["label"] == "x"
        wait_for(lambda: server.raw("GET", READY)[0] == 503)
        assert server.get("/v1/health/live") == {"live": True}
        assert server.get("/v1/models/m")["version"] == learned
        assert server.ask("DELETE", "/v1/models/m/versions/1")["version"] == learned + 1
        assert server.post("/v1/models/m/rollback", {"version": 5})["version"] == learned + 2
        assert server.get("/v1/models/m/versions")["first"] == 1
        server.post("/v1/models/m/shadows", {"name": "s"}, status=201)  # an erasure gave room
        more = 0
        while more < 75 and server.raw("POST", ROLLBACK, b'{"version": 5}')[0] == 200:
            more += 1
        assert 10 < more < 75  # a tenth of the budget
        server.post("/v1/models/m/shadows/s/promote", None, status=507)
        server.post("/v1/models/m/shadows", {"name": "t"}, status=507)
        wait_for(lambda: server.raw("GET", READY)[0] == 503)
        assert "--log-bytes more" in json.loads(server.raw("GET", READY)[2])["error"]
        assert len(server.get("/v1/models/m/versions")["snapshots"]) < 30
        assert server.raw("POST", "/v1/models/m/rollback", b'{"version": 5}')[0] == 507
        assert server.ask("DELETE", "/v1/models/m/versions/2")["version"] == learned + more + 3
        learned += more + 1
    with Served(tmp_path, "--log-bytes", "200kB") as server:
        assert server.post(LEARN, example)["version"] == learned + 3
        assert server.get(READY) == {"ready": True}
        assert server.raw("PUT", "/v1/models/new/file", file)[0] == 200
        created = server.get("/v1/models/new")
        assert (created["version"], created["snapshot"]) == (1, 1)
        server.kill()
    with Served(tmp_path) as server:
        again = server.get("/v1/models/new")
        assert [again[f] for f in ("head", "labels")] == [created[f] for f in ("head", "labels")]
        assert server.post("/v1/models/new/learn", example)["version"] == 2


def test_predictions_are_not_kept_where_none_are_wanted(tmp_path):
    with Served(tmp_path) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        assert predict(server, 3000) == [f"p{j}" for j in range(1, 3001)]
    with Served(tmp_path, "--keep-predictions", "0") as server:
        assert predict(server, 3) == [None] * 3
        wait_for(lambda: sizes(server).get("predictions") == 0)
        label(server, "p3000", status=404)


@pytest.fixture
def disk(tmp_path):
    """A file system of 32 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", folder]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_predictions_alone_leave_room_to_learn(disk):
    with Served(disk) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        label(server, predict(server, 1)[0])
        for _ in range(5):  # 50 MB
            last = predict(server, 1000, size=10_000)[-1]
            time.sleep(0.6)
        wait_for(lambda: 0 < shutil.disk_usage(disk).free < 10 * 2**20)
        for _ in range(200):
            server.post(LEARN, {"features": "y" * 1000, "label": "y"})
        assert server.get(READY) == {"ready": True}
        label(server, last)
        kept = sizes(server)["predictions"]
        assert 10e6 < kept < 30e6
        time.sleep(1.5)
        assert sizes(server)["predictions"] == kept  # the others wait
        log = server.stop()
    assert "the store failed" not in log


def test_predictions_that_wait_for_room_are_written_then_or_erased(disk):
    ballast = disk / "ballast"
    with open(ballast, "wb") as file:
        file.write(b"\0" * (30 * 2**20))
    with Served(disk) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        erased = server.post(PREDICT, {"features": "to be erased"})["id"]
        kept = server.post(PREDICT, {"features": "to be kept"})["id"]
        time.sleep(1.5)
        assert sizes(server)["predictions"] == 0
        version = label(server, erased)["version"]
        server.ask("DELETE", f"/v1/models/m/versions/{version}")
        later = server.post(PREDICT, {"features": "a later one"})["id"]
        ballast.unlink()
        wait_for(lambda: sizes(server)["predictions"] > 60)
        server.kill()
    with Served(disk) as server:
        label(server, erased, status=404)
        label(server, kept)
        label(server, later)
