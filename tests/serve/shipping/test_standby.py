"""A standby follows, takes over, and its primary is fenced."""

import json
import shutil
import signal
import socket
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial

import apsw
import msgspec
import pytest
from profiles import by_night
from s3_server import s3_bucket
from serving import Served
from shipped import commits_of, wait_for
from takeovers import Load, run, start_primary, start_standby, take_over

from rosenblatt.serve.errors import StoreError
from rosenblatt.serve.shipping import standby as standbys
from rosenblatt.serve.shipping.claim import claim, owns
from rosenblatt.serve.shipping.restore import restore
from rosenblatt.serve.shipping.standby import discard, prepare
from rosenblatt.serve.shipping.target import Target
from rosenblatt.serve.shipping.unshipped import find_unshipped

MODEL = "/v1/models/m"
SECONDS = 0.1


ON_S3 = by_night("test_target.py tries each operation of a target on S3; a takeover is by a folder")


@pytest.fixture(params=["folder", pytest.param("s3", marks=ON_S3)])
def url(request, tmp_path):
    if request.param == "folder":
        yield str(tmp_path / "target")
    else:
        with s3_bucket() as bucket:
            yield bucket


def test_a_standby_takes_over_from_a_killed_primary_with_its_bits(tmp_path, url):
    store, seconds = tmp_path / "a", 0.5 if url.startswith("s3") else SECONDS
    primary = start_primary(store, url, seconds)
    with start_standby(tmp_path / "b", url, seconds) as standby:
        _, point, _, learned = take_over(primary, store, standby, url, "x", seconds)
        assert learned > 10
        assert point < seconds + 5  # of a machine that does other things meanwhile
        assert standby.get("/v1/health/ready") == {"ready": True}
        standby.kill()
        with Served(tmp_path / "b", "--standby", url) as again:  # it knows what it is
            assert again.get("/v1/shipping")["role"] == "primary"
            again.post(f"{MODEL}/learn", {"features": {"f0": 1.0}, "label": 1})


def test_a_primary_that_lives_learns_nothing_after_the_promotion(tmp_path):
    url = str(tmp_path / "target")
    with (
        start_primary(tmp_path / "a", url, SECONDS) as primary,
        start_standby(tmp_path / "b", url, SECONDS) as standby,
    ):
        refused = standby.post(f"{MODEL}/learn", {"features": {"f0": 1.0}, "label": 1}, status=503)
        assert "a standby predicts only" in refused["error"]
        load = Load(primary, "c", 1)
        load.start()
        for _ in range(2):
            assert run("promote", f"http://127.0.0.1:{standby.port}")[0] == 0
        wait_for(lambda: not load.is_alive())
        assert "(503, " in str(load.refusal)
        ready = primary.ask("GET", "/v1/health/ready", status=503)
        assert "another service has taken over" in ready["error"]
        assert "taken over by another store" in primary.get("/v1/shipping")["fenced"]
        refused = primary.post(f"{MODEL}/learn", {"features": {"f0": 1.0}, "label": 1}, status=503)
        assert "rosenblatt unshipped" in refused["error"]
        primary.post(f"{MODEL}/predict", {"features": {"f0": 1.0}})  # it still answers
        log = primary.stop()
        lines = [json.loads(line) for line in standby.stop().splitlines()]
    audit = [line for line in lines if line.get("what") == "promote"]
    assert [(line["role"], line["by"]) for line in audit] == [("standby", None), ("primary", None)]
    assert audit[0]["epoch"] > 1
    assert '"message": "fenced"' in log
    with pytest.raises(RuntimeError, match="was a primary"):
        Served(tmp_path / "a", "--standby", url)


def test_a_standby_and_a_primary_that_are_killed_go_on(tmp_path):
    url = str(tmp_path / "target")
    primary = start_primary(tmp_path / "a", url, SECONDS)
    standby = start_standby(tmp_path / "b", url, SECONDS)
    for round in range(2):
        load = Load(primary, f"c{round}", round)
        load.start()
        time.sleep(0.3)
        standby.kill()
        standby = start_standby(tmp_path / "b", url, SECONDS)
        primary.kill()
        load.join()
        primary = Served(tmp_path / "a", "--ship", url, "--ship-seconds", str(SECONDS))
        wait_for(partial(follows, standby, primary.get(MODEL)["head"]))
    primary.stop()
    standby.stop()


def follows(standby, head):
    """Return whether a standby has a log, also while it builds its store anew."""
    try:
        return standby.get(MODEL)["head"] == head
    except (OSError, AssertionError):
        return False


def test_an_erasure_reaches_the_target_and_the_standby(tmp_path):
    url, code = tmp_path / "target", "import rosenblatt.serve.shipping.shipper as s\n"
    code += "s.BASE_SECONDS = s.GRACE_SECONDS = 0.1\n"
    primary = start_primary(tmp_path / "a", str(url), SECONDS, code=code)
    standby = start_standby(tmp_path / "b", str(url), SECONDS)
    secret = {"features": {"mail ann@example.org": 1.0}, "label": 1}
    version = primary.post(f"{MODEL}/learn", secret)["version"]
    primary.post(f"{MODEL}/predict", {"features": secret["features"]})
    primary.post(f"{MODEL}/learn", {"features": {"f0": 1.0}, "label": 0})
    wait_for(lambda: standby.get(MODEL)["version"] == version + 1)
    wait_for(lambda: finds(url, b"ann@example.org") and finds(tmp_path / "b", b"ann@example.org"))
    receipt = primary.ask("DELETE", f"{MODEL}/versions/{version}")["shipped"]
    assert receipt["state"] == "pending"
    ticket = f"/v1/shipping?erasure={receipt['ticket']}"
    wait_for(lambda: primary.get(ticket)["erasure"]["state"] == "done")
    done = primary.get(ticket)["erasure"]
    assert 0 <= time.time() - done["done"] < 60
    assert done["standbys"] == []
    assert not finds(url, b"ann@example.org")
    assert not finds(tmp_path / "b", b"ann@example.org")
    wait_for(lambda: standby.get(MODEL)["head"] == primary.get(MODEL)["head"])
    primary.stop()
    standby.stop()


def test_an_erasure_is_not_done_while_a_standby_builds_its_store(tmp_path, monkeypatch):
    code = "import rosenblatt.serve.shipping.shipper as s\ns.BASE_SECONDS = s.GRACE_SECONDS = 0.1\n"
    target, building, goes_on = tmp_path / "target", threading.Event(), threading.Event()

    def restore_slowly(folder, target):
        building.set()
        assert goes_on.wait(60)
        return restore(folder, target)

    monkeypatch.setattr(standbys, "restore", restore_slowly)
    with start_primary(tmp_path / "a", str(target), SECONDS, code=code) as primary:
        version = primary.post(f"{MODEL}/learn", {"features": {"f0": 1.0}, "label": 0})["version"]
        wait_for(lambda: primary.get("/v1/shipping")["commits"] == commits_of(tmp_path / "a"))
        with ThreadPoolExecutor(1) as pool:
            made = pool.submit(prepare, tmp_path / "b", Target(str(target)), 0.05)
            building.wait(60)
            ticket = primary.ask("DELETE", f"{MODEL}/versions/{version}")["shipped"]["ticket"]
            asked = f"/v1/shipping?erasure={ticket}"
            wait_for(lambda: primary.get(asked)["erasure"]["done"] is not None)
            late = primary.get(asked)["erasure"]
            assert (late["state"], late["standbys"]) == ("pending", [socket.gethostname()])
            goes_on.set()
            follower = made.result()
        follower.start(lambda: None)
        wait_for(lambda: primary.get(asked)["erasure"]["state"] == "done")
        follower.stop()
        follower.database.close()
        (note,) = (target / "standbys").iterdir()
        note.write_bytes(b"damaged")
        assert f"{note}: damaged" in primary.ask("GET", asked, status=503)["error"]


def test_a_standby_whose_target_is_away_is_not_ready_and_predicts(shipped, tmp_path):
    target = shutil.copytree(shipped[1], tmp_path / "target")
    with start_standby(tmp_path / "b", str(target), 0.05) as standby:
        assert standby.get("/v1/health/ready") == {"ready": True, "role": "standby"}
        target.rename(tmp_path / "away")
        wait_for(lambda: standby.raw("GET", "/v1/health/ready")[0] == 503)
        problem = standby.ask("GET", "/v1/health/ready", status=503)
        assert problem["title"] == "Target away"
        assert str(tmp_path) not in str(problem)
        standby.post(f"{MODEL}/predict", {"features": {"x": 1.0}})
        (tmp_path / "away").rename(target)
        wait_for(lambda: standby.raw("GET", "/v1/health/ready")[0] == 200)


def test_a_copy_that_a_kill_left_goes_with_the_next_look_at_what_is_unshipped(shipped, tmp_path):
    store = shutil.copytree(shipped[0], tmp_path / "a")
    (store / "unshipped").mkdir()
    (store / "unshipped" / "store.db").write_bytes(b"what may be erased")
    assert list(find_unshipped(store, str(shipped[1]))) == []
    assert not (store / "unshipped").exists()


def test_an_erasure_is_done_that_waited_while_others_learned(tmp_path):
    code = "import rosenblatt.serve.shipping.shipper as s\ns.BASE_SECONDS = s.GRACE_SECONDS = 0.1\n"
    primary = start_primary(tmp_path / "a", str(tmp_path / "target"), SECONDS, code=code)
    primary.post(f"{MODEL}/learn", {"features": {"f0": 1.0}, "label": 0})
    with closing(apsw.Connection(str(tmp_path / "a" / "store.db"))) as reader:
        reader.execute("BEGIN; SELECT count(*) FROM log")  # as a backup, or a base
        erasure = threading.Thread(
            target=lambda: receipts.append(primary.ask("DELETE", f"{MODEL}/versions/1"))
        )
        receipts = []
        erasure.start()
        for _ in range(20):
            primary.post(f"{MODEL}/learn", {"features": {"f1": 1.0}, "label": 1})
            time.sleep(0.03)
    erasure.join()
    ticket = f"/v1/shipping?erasure={receipts[0]['shipped']['ticket']}"
    wait_for(lambda: primary.get(ticket)["erasure"]["state"] == "done", 10)
    primary.stop()


def finds(folder, value):
    """Return whether a file of a folder has a value, also one that is packed."""
    for path in folder.rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        if path.parent.name == "chunks":
            data = zlib.decompress(data)
        if path.parent.name == "segments" and data and folder.name == "target":
            data = zlib.decompress(msgspec.msgpack.decode(data)["patch"])
        if value in data:
            return True
    return False


def test_what_two_roles_need_is_refused(tmp_path):
    with pytest.raises(RuntimeError, match="--ship and --standby do not go together"):
        Served(tmp_path / "a", "--ship", "x", "--standby", "y")
    with Served(tmp_path / "a") as alone:
        assert alone.ask("POST", "/v1/promote", status=409)["error"].startswith("this service")
        assert alone.get("/v1/shipping")["target"] is None
        assert alone.get("/v1/shipping?erasure=1", status=409)
        assert commits_of(tmp_path / "a") > 0
        status, _, error = run("promote", f"http://127.0.0.1:{alone.port}")
    assert (status, "it is no standby" in error) == (1, True)


def test_a_store_of_its_own_is_no_standby_and_stays(shipped, tmp_path):
    target = str(shipped[1])
    with Served(tmp_path) as own:
        own.post("/v1/models", {"name": "m"}, status=201)
    with pytest.raises(StoreError, match="has the log of another store"):
        claim(Target(target), tmp_path, 10**6)
    with pytest.raises(RuntimeError, match="has a store that is not a standby's"):
        Served(tmp_path, "--standby", target)
    with Served(tmp_path) as own:
        assert [model["name"] for model in own.get("/v1/models")["models"]] == ["m"]


def test_what_is_beside_a_standbys_store_stays(shipped, tmp_path):
    (tmp_path / "token").write_text("correct-horse-battery")
    prepare(tmp_path, Target(str(shipped[1])), 1.0).database.close()
    discard(tmp_path)
    assert not list(tmp_path.glob("store.db*"))
    assert (tmp_path / "token").exists()


def test_a_standby_of_another_target_is_refused_and_stays(shipped, tmp_path):
    with Served(tmp_path / "other", "--ship", str(tmp_path / "target")) as other:
        other.post("/v1/models", {"name": "m"}, status=201)
        for _ in range(100):
            other.post(f"{MODEL}/learn", {"features": {"f0": 1.0}, "label": 1})
        wait_for(lambda: other.get("/v1/shipping")["commits"] == commits_of(tmp_path / "other"))
    prepare(tmp_path / "b", Target(str(tmp_path / "target")), 1.0).database.close()
    with pytest.raises(StoreError, match="is it the target of another store"):
        prepare(tmp_path / "b", Target(str(shipped[1])), 1.0)
    assert commits_of(tmp_path / "b") > commits_of(shipped[0])


def test_of_two_standbys_that_are_promoted_at_once_one_is(shipped, tmp_path, monkeypatch):
    target = Target(str(shutil.copytree(shipped[1], tmp_path / "target")))
    first, second = (prepare(tmp_path / name, target, 1.0) for name in "ab")
    catch_up, seen = first.catch_up, []

    def overtaken():
        seen.append(catch_up())
        if len(seen) == 2:
            second.promote()
        return seen[-1]

    monkeypatch.setattr(first, "catch_up", overtaken)
    with pytest.raises(StoreError, match="another store became its owner at this moment"):
        first.promote()
    assert (owns(target, tmp_path / "a"), owns(target, tmp_path / "b")) == (False, True)
    for follower in (first, second):
        follower.database.close()


def test_the_lag_of_a_standby_needs_no_clock(shipped, tmp_path, monkeypatch):
    follower = prepare(tmp_path / "b", Target(str(shipped[1])), 1.0)
    monkeypatch.setattr(time, "time", lambda: 0.0)  # it jumps back
    time.sleep(0.05)
    assert 0.05 <= follower.lag() < 60
    follower.database.close()


def test_a_signal_during_a_promotion_ends_the_service(shipped, tmp_path):
    target = shutil.copytree(shipped[1], tmp_path / "target")
    code = "import rosenblatt.serve.server as s; s.STOP_SECONDS = 1"
    standby = start_standby(tmp_path / "b", str(target), SECONDS, code=code)
    with socket.create_connection(("127.0.0.1", standby.port)) as slow:
        slow.sendall(b"POST /v1/models/m/predict HTTP/1.1\r\nHost: localhost\r\n")
        slow.sendall(b"Content-Length: 9\r\n\r\n{")
        time.sleep(0.2)
        standby.post("/v1/promote", None)
        time.sleep(0.3)
        standby.stop(signal.SIGTERM)
    assert standby.process.returncode == 0


def test_systemd_waits_for_a_standby_that_becomes_a_primary(shipped, tmp_path):
    target = shutil.copytree(shipped[1], tmp_path / "target")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(30)
        env = {"NOTIFY_SOCKET": systemd.getsockname(), "WATCHDOG_USEC": "400000"}
        with start_standby(tmp_path / "b", str(target), env=env) as standby:
            while systemd.recv(100) != b"READY=1":
                pass
            standby.post("/v1/promote", None)
            heard = []
            while not heard or heard[-1] != b"READY=1":
                heard.append(systemd.recv(100))
    limits = [line for line in heard if line.startswith(b"WATCHDOG_USEC=")]
    assert limits == [b"WATCHDOG_USEC=86400000000", b"WATCHDOG_USEC=400000"]
