"""What the tests of shipping share: a store with everything, its rows, and a wait."""

import time
from contextlib import closing

import apsw

from rosenblatt.serve.store.database import FILE, Database

TABLES = ("models", "log", "snapshots", "predictions", "keys", "shadows", "counters")


def wait_for(condition, seconds=60.0):
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "not in time"
        time.sleep(0.05)


def commits_of(store):
    """Return the number of commits of a store that may be in use."""
    with closing(apsw.Connection(f"{store / FILE}", flags=apsw.SQLITE_OPEN_READONLY)) as reader:
        return reader.execute("SELECT value FROM counters WHERE name = 'commits'").get


def rows_of(store):
    """Return all rows of all tables of a store that is at rest."""
    with closing(Database(store, readonly=True)) as database:
        return {
            table: list(database.writer.execute(f"SELECT * FROM {table} ORDER BY 1, 2"))
            for table in TABLES
        }


def fill(served):
    """Make models of a service with each kind of record, keys, predictions and shadows."""
    served.post("/v1/models", {"name": "m", "config": {"rule": "arow"}}, status=201)
    for i in range(30):
        example = {"features": {"x": i / 7, f"f{i % 5}": 1.0}, "label": f"c{i % 3}"}
        served.post("/v1/models/m/learn", example, Idempotency_Key=f"key-{i}")
    for i in range(5):
        served.post("/v1/models/m/predict", {"features": {"x": float(i)}})
    shadow = {"name": "s", "config": {"rule": "pa1"}}
    served.post("/v1/models/m/shadows", shadow, status=201)
    served.post("/v1/models/m/rollback", {"version": 10})
    served.ask("DELETE", "/v1/models/m/versions/5")
    data = served.raw("GET", "/v1/models/m/file")[2]
    assert served.raw("PUT", "/v1/models/copy/file", data)[0] == 200
    for name in ("gone", "purged"):
        served.post("/v1/models", {"name": name}, status=201)
        served.post(f"/v1/models/{name}/learn", {"features": "some words", "label": "a"})
        served.ask("DELETE", f"/v1/models/{name}")
    served.post("/v1/models/purged/purge", None)
