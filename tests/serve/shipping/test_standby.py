"""A standby follows, takes over, and its primary is fenced."""

import time
import zlib
from functools import partial

import msgspec
import pytest
from s3_server import s3_bucket
from serving import Served
from shipped import commits_of, wait_for
from takeovers import Load, command, start_primary, start_standby, take_over

MODEL = "/v1/models/m"
SECONDS = 0.1


@pytest.fixture(params=["folder", "s3"])
def url(request, tmp_path):
    if request.param == "folder":
        yield str(tmp_path / "target")
    else:
        with s3_bucket() as bucket:
            yield bucket


def test_a_standby_takes_over_from_a_killed_primary_with_its_bits(tmp_path, url):
    store = tmp_path / "a"
    primary = start_primary(store, url, SECONDS)
    with start_standby(tmp_path / "b", url, SECONDS) as standby:
        _, point, _, learned = take_over(primary, store, standby, url, "x")
        assert learned > 10
        assert point < SECONDS + 5  # of a machine that does other things meanwhile
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
            assert command("promote", f"http://127.0.0.1:{standby.port}").returncode == 0
        wait_for(lambda: not load.is_alive())
        assert "(503, " in str(load.refusal)
        ready = primary.ask("GET", "/v1/health/ready", status=503)
        assert "another service has taken over" in ready["error"]
        assert "taken over by another store" in primary.get("/v1/shipping")["fenced"]
        refused = primary.post(f"{MODEL}/learn", {"features": {"f0": 1.0}, "label": 1}, status=503)
        assert "rosenblatt unshipped" in refused["error"]
        primary.post(f"{MODEL}/predict", {"features": {"f0": 1.0}})  # it still answers
        log = primary.stop()
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
        promoted = command("promote", f"http://127.0.0.1:{alone.port}")
    assert (promoted.returncode, "it is no standby" in promoted.stderr) == (1, True)
