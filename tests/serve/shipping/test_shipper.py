"""Learning goes on while the target is away, and the target catches up."""

import pytest
from serving import Served
from shipped import commits_of, rows_of, wait_for

from rosenblatt.serve.errors import StoreError
from rosenblatt.serve.shipping.claim import FencedError, begin_epoch, claim
from rosenblatt.serve.shipping.records import last_manifest
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
