"""Learning goes on while the target is away, and the target catches up."""

import msgspec
import pytest
from serving import Served
from shipped import commits_of, rows_of, wait_for

from rosenblatt.serve.errors import StoreError
from rosenblatt.serve.shipping.claim import FencedError, begin_epoch, claim, take_over
from rosenblatt.serve.shipping.records import encode_manifest, last_manifest, manifest_name
from rosenblatt.serve.shipping.restore import restore
from rosenblatt.serve.shipping.target import Target

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


def test_a_copy_that_a_kill_left_in_the_folder_goes_with_the_next_start(tmp_path):
    (tmp_path / "restoring").mkdir()
    for left in (tmp_path / "base", tmp_path / "restoring" / "store.db"):
        left.write_bytes(b"what may be erased")
    with Served(tmp_path):
        assert not (tmp_path / "base").exists()
        assert not (tmp_path / "restoring").exists()


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
