"""No id of a prediction is given out twice, whenever an owner of a target is killed."""

import shutil
from contextlib import closing

import pytest
from serving import Served
from takeovers import run, start_standby

from rosenblatt.serve.shipping.claim import claim
from rosenblatt.serve.shipping.ids import IDS, epoch_of_ids, skip_ids
from rosenblatt.serve.shipping.records import last_manifest
from rosenblatt.serve.shipping.target import Target
from rosenblatt.serve.store.database import Database

SENDS_NOTHING = "from rosenblatt.serve.shipping.shipper import Shipper\n"
SENDS_NOTHING += "Shipper._send = lambda self: None\n"
SKIPS_NOTHING = "from rosenblatt.serve import roles\nimport os\n"
SKIPS_NOTHING += "roles.skip_ids = lambda database, epoch: os._exit(1)\n"


def first_id(served):
    """The number of the first prediction of a service that has just become a primary."""
    return int(served.post("/v1/models/m/predict", {"features": {"x": 1.0}})["id"][1:])


def test_what_an_owner_gave_out_and_did_not_ship_no_later_one_gives_out(shipped, tmp_path):
    target = str(shutil.copytree(shipped[1], tmp_path / "target"))
    with (
        start_standby(tmp_path / "a", target, 0.1, code=SENDS_NOTHING) as one,
        start_standby(tmp_path / "b", target, 0.1) as two,
    ):
        assert run("promote", f"http://127.0.0.1:{one.port}")[0] == 0
        given = first_id(one)
        one.kill()
        assert run("promote", f"http://127.0.0.1:{two.port}")[0] == 0
        assert first_id(two) // IDS > given // IDS > 0


def test_an_owner_that_is_killed_as_it_takes_over_leaves_them_out_at_its_start(shipped, tmp_path):
    target = str(shutil.copytree(shipped[1], tmp_path / "target"))
    one = start_standby(tmp_path / "a", target, 0.1, code=SKIPS_NOTHING)
    one.post("/v1/promote", None)
    one.process.communicate(timeout=60)
    with Served(tmp_path / "a", "--standby", target) as again:
        assert first_id(again) // IDS == last_manifest(Target(target)).epoch - 1 > 0


def test_a_store_that_comes_from_another_target_keeps_its_epoch(tmp_path):
    target = Target(str(tmp_path / "target"))
    assert [claim(target, tmp_path, 0, epoch).manifest.epoch for epoch in (4, 1, 9)] == [4, 5, 9]


def test_a_copy_that_ships_elsewhere_begins_behind_the_epochs_of_its_target(shipped, tmp_path):
    source, target = str(shipped[1]), str(tmp_path / "target")
    with Served(tmp_path / "a", "--restore", source, "--ship", target) as served:
        assert first_id(served) // IDS == last_manifest(Target(source)).epoch
        assert last_manifest(Target(target)).epoch == last_manifest(Target(source)).epoch + 1


@pytest.mark.parametrize("epoch", [1, 3])
def test_a_store_that_is_past_an_epoch_goes_on_as_it_was(tmp_path, epoch):
    with closing(Database(tmp_path)) as database:
        assert epoch_of_ids(database.writer) == 1
        skip_ids(database, epoch)
        assert epoch_of_ids(database.writer) == epoch
        skip_ids(database, epoch - 1)
        assert epoch_of_ids(database.writer) == epoch
