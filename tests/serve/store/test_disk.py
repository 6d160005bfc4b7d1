"""The disk of a store: full, or of a store that cannot be written."""

import json
import os
import resource
import shutil
import signal
import subprocess
import time

import pytest
from serving import Served

from rosenblatt.serve.store.database import Database
from rosenblatt.serve.store.log import Log, decode_row

LEARN, PREDICT = "/v1/models/m/learn", "/v1/models/m/predict"


def lift_limit(server, folder):
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)


def set_limit(server, folder):
    size = max(path.stat().st_size for path in folder.iterdir()) + 50_000
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def fill(server, folder):
    with open(folder / "ballast", "wb") as file:
        free = shutil.disk_usage(folder).free
        file.write(b"\0" * max(0, free - 200_000))


def make_room(server, folder):
    (folder / "ballast").unlink()


@pytest.fixture(params=["limit", "tmpfs"])
def disk(request, tmp_path):
    """A folder, and functions that take its room and give it back."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if request.param == "limit":
        yield folder, set_limit, lift_limit
        return
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    yield folder, fill, make_room
    subprocess.run(["umount", folder], check=True)


# No path: it needs no token.
NOT_READY = "the store takes no examples at present: the log of the service says why."


def test_a_full_disk_takes_no_example_and_predictions_go_on(disk):
    folder, take_room, give_room = disk
    acknowledged, sent = [], 0

    def send(server):
        nonlocal sent
        sent += 1
        name = f"{sent:06d}" + "x" * 900
        body = json.dumps({"features": {name: 1}, "label": "xy"[sent % 2]}).encode()
        status, _, data = server.raw("POST", LEARN, body)
        if status == 200:
            acknowledged.append((json.loads(data)["version"], name))
        return status

    with Served(folder) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        assert [send(server) for _ in range(20)] == [200] * 20
        take_room(server, folder)
        statuses = [send(server) for _ in range(300)]
        full = next(j for j, status in enumerate(statuses) if status != 200)
        assert set(statuses[full:]) <= {200, 503, 507}
        assert statuses.count(200) < 270
        assert server.post(PREDICT, {"features": {"a": 1}})["label"] in ("x", "y")
        for _ in range(5):  # twice a second it looks whether there is room for a small commit
            while send(server) == 200:
                pass
            status, _, answer = server.raw("GET", "/v1/health/ready")
            if status != 200:
                break
        assert (status, json.loads(answer)["detail"]) == (503, NOT_READY)
        give_room(server, folder)
        end = time.monotonic() + 10
        while server.raw("GET", "/v1/health/ready")[0] != 200:
            assert time.monotonic() < end
            time.sleep(0.1)
        assert [send(server) for _ in range(5)] == [200] * 5
        log = server.stop(signal.SIGKILL)
        assert 0 < log.count("the store failed") <= log.count("takes examples again") + 1 < 50
    with Served(folder) as server:
        assert server.get("/v1/models/m")["examples"] == len(acknowledged)
    assert [(v, next(iter(row[0]))) for v, row in rows_of(folder)] == acknowledged


def rows_of(folder):
    """Versions and rows of the log."""
    database = Database(folder, readonly=True)
    rows = [(r.version, decode_row(r.body)) for r in Log(database.writer, 1, "m").read()]
    database.close()
    return rows


def test_a_store_that_cannot_be_written_is_refused_and_a_replica_reads_it(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("the owner's files can be made read-only for a process that is not root alone")
    with Served(folder) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        server.post(LEARN, [{"features": {"a": 1}, "label": label} for label in "xy"])
    if subprocess.run(["mount", "--bind", folder, folder], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)
        with pytest.raises(RuntimeError, match="cannot be written: Read-only file system"):
            Served(folder)
    finally:
        subprocess.run(["umount", folder], check=True)
    with Served(folder) as server:
        assert server.get("/v1/models/m")["version"] == 2
