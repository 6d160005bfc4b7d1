"""Learning goes on while the target is away, and the target catches up."""

import json
import time
from contextlib import closing
from functools import partial
from http.client import HTTPException

import apsw
import msgspec
import pytest
from serving import Served
from shipped import commits_of, rows_of, wait_for

from rosenblatt.serve.errors import StoreError
from rosenblatt.serve.shipping import claim as claims
from rosenblatt.serve.shipping import shipper as shippers
from rosenblatt.serve.shipping.base import last_erasure
from rosenblatt.serve.shipping.claim import Claim, FencedError, begin_epoch, claim, take_over
from rosenblatt.serve.shipping.records import encode_manifest, last_manifest, manifest_name
from rosenblatt.serve.shipping.restore import restore
from rosenblatt.serve.shipping.shipper import Shipper
from rosenblatt.serve.shipping.target import Target
from rosenblatt.serve.store.database import Database
from rosenblatt.serve.store.tables import reserve_numbers

MODEL = "/v1/models/m"


@pytest.mark.parametrize("most", [2**26, 1000])
def test_a_target_that_was_away_catches_up(tmp_path, most):
    target, away = tmp_path / "target", tmp_path / "away"
    code = "import rosenblatt.serve.shipping.shipper as s\n"
    code += f"s.BASE_SECONDS, s.MAX_WAITING = 0.3, {most}\n"
    served = Served(tmp_path / "a", "--ship", str(target), "--ship-seconds", "0.05", code=code)
    served.post("/v1/models", {"name": "m"}, status=201)
    wait_for(lambda: served.get("/v1/shipping")["commits"] == commits_of(tmp_path / "a"))
    target.rename(away)
    target.write_text("no folder")
    for i in range(40):
        served.post(f"{MODEL}/learn", {"features": {f"x{i}": 1.0}, "label": i % 2})
    wait_for(lambda: served.get("/v1/shipping")["lag"] > 0.5)
    assert served.get("/v1/shipping")["fault"]
    served.get("/v1/health/ready")  # it learns
    target.unlink()
    away.rename(target)
    wait_for(lambda: served.get("/v1/shipping")["commits"] == commits_of(tmp_path / "a"))
    assert served.get("/v1/shipping")["fault"] is None
    log = served.stop()
    assert log.count("the target takes nothing") == 1
    restore(tmp_path / "b", Target(str(target)))
    assert rows_of(tmp_path / "b") == rows_of(tmp_path / "a")


def test_a_stop_ships_everything_and_the_next_start_needs_no_base(tmp_path):
    target, options = tmp_path / "target", ("--ship", str(tmp_path / "target"))
    code = "import rosenblatt.serve.shipping.shipper as s; s.GRACE_SECONDS = 0.0"
    with Served(tmp_path / "a", *options, "--ship-seconds", "0.05", code=code) as served:
        served.post("/v1/models", {"name": "m"}, status=201)
        wait_for(lambda: last_manifest(Target(str(target))).cleaned)
    bases = list((target / "bases").iterdir())
    with Served(tmp_path / "a", *options, "--ship-seconds", "0.05") as served:
        served.post(f"{MODEL}/learn", {"features": {"x": 1.0}, "label": 1})
        wait_for(lambda: served.get("/v1/shipping")["commits"] == commits_of(tmp_path / "a"))
    assert list((target / "bases").iterdir()) == bases
    restore(tmp_path / "b", Target(str(target)))
    assert rows_of(tmp_path / "b") == rows_of(tmp_path / "a")


def test_an_owner_that_slept_finds_the_one_behind_it(tmp_path):
    target = Target(str(tmp_path / "target"))
    for name in "ab":
        (tmp_path / name).mkdir()
    old = claim(target, tmp_path / "a", 0).manifest
    assert begin_epoch(target, tmp_path / "b", old) is not None
    assert begin_epoch(target, tmp_path / "a", old) is None
    with pytest.raises(FencedError, match=r"epoch 2, .*; this one had epoch 1"):
        claim(target, tmp_path / "a", 0)
    assert last_manifest(target).epoch == 2


def test_a_store_that_is_not_the_owner_is_refused(shipped, tmp_path):
    store, target = shipped
    with pytest.raises(StoreError, match="has the log of another store"):
        claim(Target(str(target)), tmp_path, 10**6)
    with pytest.raises(StoreError, match="an older state"):
        claim(Target(str(target)), store, 1)


def test_a_store_takes_over_from_the_state_that_it_has_alone(tmp_path):
    target = Target(str(tmp_path / "target"))
    for name in "ab":
        (tmp_path / name).mkdir()
    restored = claim(target, tmp_path / "a", 0).manifest
    sent = msgspec.structs.replace(restored, number=2, commits=9)  # while the other was built
    target.create(manifest_name(2), encode_manifest(sent))
    with pytest.raises(StoreError, match="its primary lives, and has sent more meanwhile"):
        take_over(target, tmp_path / "b", restored)
    assert last_manifest(target) == sent


def test_nobody_takes_over_at_a_target_that_cannot_fence(tmp_path, monkeypatch):
    target = Target(str(tmp_path / "target"))
    for name in "ab":
        (tmp_path / name).mkdir()
    restored = claim(target, tmp_path / "a", 0).manifest
    monkeypatch.setattr(target, "create", target.replace)
    with pytest.raises(StoreError, match="creates an object that is there already"):
        take_over(target, tmp_path / "b", restored)
    assert last_manifest(target) == restored


def test_a_manifest_names_changes_of_the_owner_and_not_each_start(tmp_path, monkeypatch):
    monkeypatch.setattr(claims, "BEGINS", 2)
    target, numbers = Target(str(tmp_path / "target")), []
    for name in "aaabaacc":
        (tmp_path / name).mkdir(exist_ok=True)
        begun = begin_epoch(target, tmp_path / name, last_manifest(target))
        numbers.append(begun.manifest.begins)
    assert numbers == [[1], [1], [1], [1, 4], [4, 5], [4, 5], [5, 7], [5, 7]]


def test_the_lag_after_a_crash_is_that_of_the_target(tmp_path):
    options = ("--ship", str(tmp_path / "target"), "--ship-seconds", "0.05")
    served = Served(tmp_path / "a", *options)
    served.post("/v1/models", {"name": "m"}, status=201)
    wait_for(lambda: served.get("/v1/shipping")["commits"] == commits_of(tmp_path / "a"))
    (tmp_path / "target").rename(tmp_path / "away")
    (tmp_path / "target").write_text("no folder")
    served.post(f"{MODEL}/learn", {"features": {"x": 1.0}, "label": 1})
    served.kill()
    (tmp_path / "target").unlink()
    (tmp_path / "away").rename(tmp_path / "target")
    time.sleep(1.5)
    no_base = "from rosenblatt.serve.shipping.shipper import Shipper\n"
    no_base += "Shipper._is_base_due = lambda self: False\n"
    for _ in range(2):  # a start that has sent nothing is no moment at which all was there
        again = Served(tmp_path / "a", *options, code=no_base)
        lag = again.get("/v1/shipping")["lag"]
        again.kill()
    assert 1.5 < lag < 60
    with Served(tmp_path / "a", *options) as whole:
        wait_for(lambda: whole.get("/v1/shipping")["lag"] < 1)


def test_the_log_says_whose_disk_is_full(tmp_path):
    code = """
from rosenblatt.serve.store.database import Database
from rosenblatt.serve.store.tables import reserve_numbers
import apsw
def copy(self, source, path):
    raise apsw.FullError("database or disk is full")
Database.copy = copy
import rosenblatt.serve.shipping.shipper as s
s.BASE_SECONDS = 0.1
"""
    options = ("--ship", str(tmp_path / "target"), "--ship-seconds", "0.05")
    with Served(tmp_path / "a", *options, code=code) as served:
        wait_for(lambda: served.get("/v1/shipping")["fault"])
        for _ in range(10):  # tries that come between two copies are no end of the fault
            time.sleep(0.05)
            assert served.get("/v1/shipping")["fault"]
        log = served.stop()
    lines = [json.loads(line) for line in log.splitlines() if '"fault"' in line]
    assert [line["message"] for line in lines] == ["the store cannot be copied"]
    assert "again" not in log
    assert lines[0]["fault"] == f"no base can be made: {tmp_path / 'a' / 'base'}: the disk is full."


def test_a_base_that_is_on_its_way_is_not_cleaned_away(tmp_path):
    target = tmp_path / "target"
    code = """
import time
import rosenblatt.serve.shipping.shipper as s
s.BASE_SECONDS, s.GRACE_SECONDS, make_base = 0.05, 0.5, s.make_base
def make_slowly(*arguments):
    made = make_base(*arguments)
    time.sleep(1.0)
    return made
s.make_base = make_slowly
"""
    options = ("--ship", str(target), "--ship-seconds", "0.05")
    with Served(tmp_path / "a", *options, code=code) as served:
        served.post("/v1/models", {"name": "m"}, status=201)
        served.post(f"{MODEL}/learn", {"features": {"x": 1.0}, "label": 1})
        wait_for(lambda: served.get("/v1/shipping")["commits"])
        ticket = served.ask("DELETE", f"{MODEL}/versions/1")["shipped"]["ticket"]
        asked = f"/v1/shipping?erasure={ticket}"
        wait_for(lambda: served.get(asked)["erasure"]["state"] == "done", 15)
    restore(tmp_path / "b", Target(str(target)))
    assert rows_of(tmp_path / "b") == rows_of(tmp_path / "a")


def test_a_start_makes_a_base_no_younger(tmp_path, monkeypatch):
    monkeypatch.setattr(shippers, "GRACE_SECONDS", 0.0)
    target, begin = Target(str(tmp_path / "target")), time.time()

    def ships(shipper):
        shipper._step()
        return shipper.manifest.cleaned

    with closing(Database(tmp_path / "a")) as database:
        reserve(database)
        first = Shipper(database, claim(target, database.folder, 1), 1.0)
        wait_for(partial(ships, first))
        assert begin < first.manifest.base_time < time.time()
        reserve(database)
        first._step()
        again = claim(target, database.folder, 2)
        for age, is_due in ((0.0, False), (shippers.BASE_AGE, True)):
            aged = msgspec.structs.replace(again.manifest, base_time=begin - age)
            assert Shipper(database, Claim(target, aged), 1.0)._is_base_due() is is_due


def reserve(database):
    """Change a store by a commit."""
    with database.transaction():
        reserve_numbers(database.writer)


def test_a_copy_that_a_kill_left_in_the_folder_goes_with_the_next_start(tmp_path):
    left = ("restoring", "unshipped")
    for name in left:
        (tmp_path / name).mkdir()
    for path in (tmp_path / "base", *(tmp_path / name / "store.db" for name in left)):
        path.write_bytes(b"what may be erased")
    with Served(tmp_path):
        assert not [name for name in ("base", *left) if (tmp_path / name).exists()]


def test_an_erasure_before_a_stop_leaves_the_target_after_the_next_start(tmp_path):
    target = tmp_path / "target"
    options = ("--ship", str(target), "--ship-seconds", "0.05")
    code = "import rosenblatt.serve.shipping.shipper as s\ns.GRACE_SECONDS = 0.1\n"
    with Served(tmp_path / "a", *options, code=code) as served:  # whose next base is in 30 s
        served.post("/v1/models", {"name": "m"}, status=201)
        wait_for(lambda: last_manifest(Target(str(target))).cleaned)
        served.post(f"{MODEL}/learn", {"features": {"x": 1.0}, "label": 1})
        wait_for(lambda: served.get("/v1/shipping")["commits"] == commits_of(tmp_path / "a"))
        ticket = served.ask("DELETE", f"{MODEL}/versions/1")["shipped"]["ticket"]
        wait_for(lambda: served.get("/v1/shipping")["commits"] == commits_of(tmp_path / "a"))
    with Served(tmp_path / "a", *options, code=code) as served:
        asked = f"/v1/shipping?erasure={ticket}"
        wait_for(lambda: served.get(asked)["erasure"]["state"] == "done", 10)


def test_a_purge_that_a_kill_cut_off_leaves_the_target_after_the_next_start(tmp_path):
    target, store = tmp_path / "target", tmp_path / "a"
    options = ("--ship", str(target), "--ship-seconds", "0.05")
    code = "import rosenblatt.serve.shipping.shipper as s\ns.GRACE_SECONDS = 0.1\n"
    code += "s.BASE_SECONDS = 0.2\n"
    dies = """
from rosenblatt.serve.erasure import deletion
import os, time
def purge_some(connection, number, after):
    time.sleep(0.5)  # what has begun is shipped
    os._exit(1)
deletion._purge_some = purge_some
"""
    served = Served(store, *options, code=code + dies)
    served.post("/v1/models", {"name": "m"}, status=201)
    served.post(f"{MODEL}/learn", {"features": {"ann@example.org": 1.0}, "label": 1})
    served.ask("DELETE", MODEL)
    wait_for(lambda: served.get("/v1/shipping")["commits"] == commits_of(store))
    wait_for(lambda: last_manifest(Target(str(target))).cleaned)
    with pytest.raises((OSError, HTTPException)):
        served.post(f"{MODEL}/purge", None)
    served.process.communicate()
    with Served(store, *options, code=code) as again:
        wait_for(lambda: not again.get("/v1/models?deleted=true")["deleted"])
        wait_for(lambda: erased_of(store))
        erased = erased_of(store)
        wait_for(lambda: last_manifest(Target(str(target))).cleaned[-1][0] >= erased, 10)


def erased_of(store):
    """Return the state of the last erasure of a store that is in use; 0 if there was none."""
    with closing(apsw.Connection(f"{store / 'store.db'}", flags=apsw.SQLITE_OPEN_READONLY)) as c:
        return last_erasure(c)
