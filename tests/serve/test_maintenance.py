"""What the service does on its own: snapshots, compaction, the end of what is kept for a time."""

import asyncio
import time
from types import SimpleNamespace

import pytest
from service_runs import learn_rows, run_service

from rosenblatt.learning.models import files
from rosenblatt.serve import maintenance as module
from rosenblatt.serve.errors import StoreError
from rosenblatt.serve.maintenance import Maintenance, Policy
from rosenblatt.serve.schema import NewModel
from rosenblatt.serve.served import Key
from rosenblatt.serve.store import database, tables

DAY = 86400.0


async def learn(service, model, count):
    for j in range(count):
        await learn_rows(service, model, [({f"f{j % 7}": 1.0 + j % 3}, "xyz"[j % 3], 1.0)])


async def wait_for(condition):
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)


def versions(service, model):
    return tables.snapshot_versions(service.reader, model.number)


def test_snapshots_are_taken_in_the_background_and_at_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SECONDS", 0.01)

    async def test(service, model):
        maintenance = Maintenance(service, Policy(snapshot_every=10))
        await maintenance.start()
        await learn(service, model, 12)
        await wait_for(lambda: versions(service, model))
        assert versions(service, model)[-1] >= 10
        await learn(service, model, 1)
        await maintenance.stop()
        assert versions(service, model)[-1] == model.live.version == 13

    run_service(tmp_path, test)


@pytest.mark.parametrize("what", ["take_snapshot", "start_shadows"])
def test_a_step_that_fails_keeps_no_other_from_its_turn(tmp_path, monkeypatch, what):
    monkeypatch.setattr(module, "SECONDS", 0.01)
    monkeypatch.setattr(module, "HOUR", 0.0)
    failed = []

    async def fail(*args):
        failed.append(args)
        raise StoreError("the disk is full.")

    async def test(service, model):
        monkeypatch.setattr(module.changes, what, fail)
        await learn_rows(service, model, [({"a": 1.0}, "x", 1.0)], Key("k", b""))
        for _ in range(50):
            service.predict(model, {"a": 1.0})
        await service.writer.barrier()
        maintenance = Maintenance(
            service, Policy(snapshot_every=1, predictions_bytes=0, keep_keys=0.0)
        )
        await maintenance.start()
        await wait_for(lambda: counted(service) == (0, 0) and len(failed) > 2)
        if what == "start_shadows":
            await wait_for(lambda: versions(service, model) == [1])
        await maintenance.stop()

    run_service(tmp_path, test)


def test_a_model_without_a_snapshot_keeps_no_other_from_its_own(tmp_path, monkeypatch):
    take = module.changes.take_snapshot

    async def take_or_fail(service, model):
        if model.name == "m":
            raise StoreError("the disk is full.")
        return await take(service, model)

    monkeypatch.setattr(module.changes, "take_snapshot", take_or_fail)

    async def test(service, model):
        other = await service.create(NewModel("other"))
        await learn(service, model, 2)
        await learn(service, other, 2)
        maintenance = Maintenance(service, Policy())
        await maintenance.start()
        await maintenance.stop()
        assert (versions(service, model), versions(service, other)) == ([], [2])

    run_service(tmp_path, test)


def test_long_logs_are_compacted_at_a_snapshot(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SECONDS", 0.01)

    async def test(service, model):
        maintenance = Maintenance(service, Policy(snapshot_every=5, keep_examples=20))
        await maintenance.start()
        for _ in range(12):
            await learn(service, model, 5)
            await asyncio.sleep(0.05)
        await wait_for(lambda: model.log(service.reader).bounds()[0] > 1)
        await maintenance.stop()
        first, last = model.log(service.reader).bounds()
        assert last == 60
        assert last - first >= 20
        assert versions(service, model)[0] == first
        live = files.to_bytes(model.live.model)
        assert files.to_bytes((await service.compute(model, 60)).model) == live
        return live

    live = run_service(tmp_path, test)

    async def again(service, model):
        assert files.to_bytes(model.live.model) == live

    run_service(tmp_path, again)


def counted(service):
    """The numbers of keys and of predictions in the store."""
    return tuple(
        next(service.reader.execute(f"SELECT count(*) FROM {table}"))[0]
        for table in ("keys", "predictions")
    )


def test_nothing_is_cleaned_in_the_first_hour(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SECONDS", 0.01)
    clock = [module.time.monotonic()]
    own = SimpleNamespace(monotonic=lambda: clock[0], perf_counter=module.time.perf_counter)
    monkeypatch.setattr(module, "time", own)

    async def test(service, model):
        maintenance = Maintenance(service, Policy(keep_keys=0.0))
        await learn_rows(service, model, [({"a": 1.0}, "x", 1.0)], Key("k", b""))
        await maintenance.start()
        await asyncio.sleep(0.1)
        clock[0] += module.HOUR - 1.0
        await asyncio.sleep(0.1)
        assert counted(service) == (1, 0)
        clock[0] += 2.0
        await wait_for(lambda: counted(service) == (0, 0))
        await maintenance.stop()

    run_service(tmp_path, test)


def test_predictions_and_keys_end_by_the_time_of_service(tmp_path, monkeypatch):
    served = [0.0]
    monotonic = time.monotonic
    monkeypatch.setattr(database.time, "monotonic", lambda: monotonic() + served[0])

    async def test(service, model):
        maintenance = Maintenance(service, Policy())
        service.predict(model, {"a": 1.0})
        await learn_rows(service, model, [({"a": 1.0}, "x", 1.0)], Key("k", b""))
        served[0] += 6 * DAY
        await maintenance.clean()
        assert counted(service) == (1, 1)
        served[0] += 2 * DAY
        await maintenance.clean()
        assert counted(service) == (0, 0)

    run_service(tmp_path, test)


@pytest.mark.parametrize("days", [40, -40])
def test_no_jump_of_the_clock_ends_anything_before_its_time(tmp_path, monkeypatch, days):
    served, jump = [0.0], [0.0]
    monotonic, machine = time.monotonic, time.time
    monkeypatch.setattr(database.time, "monotonic", lambda: monotonic() + served[0])
    monkeypatch.setattr(database.time, "time", lambda: machine() + jump[0])

    async def jump_while_served(service, model):
        maintenance = Maintenance(service, Policy())
        service.predict(model, {"a": 1.0})
        await learn_rows(service, model, [({"a": 1.0}, "x", 1.0)], Key("k", b""))
        jump[0] += days * DAY
        served[0] += 3 * DAY
        await maintenance.clean()
        assert counted(service) == (1, 1)
        await learn_rows(service, model, [({"a": 1.0}, "x", 1.0)], Key("l", b""))
        await maintenance.start()
        await maintenance.stop()

    async def retry(service, model):  # the machine's clock jumped back meanwhile
        maintenance = Maintenance(service, Policy())
        served[0] += 3 * DAY
        await maintenance.clean()
        assert counted(service) == (2, 1)
        for key, version in (("k", 1), ("l", 2)):
            learned = await learn_rows(service, model, [({"a": 1.0}, "x", 1.0)], Key(key, b""))
            assert [answer.version for answer in learned] == [version]
        served[0] += 2 * DAY  # eight days of service, of which one start
        await maintenance.clean()
        assert counted(service) == (1, 0)
        served[0] += 3 * DAY
        await maintenance.clean()
        assert counted(service) == (0, 0)

    run_service(tmp_path, jump_while_served)
    jump[0] = 0.0
    run_service(tmp_path, retry)


def test_ages_go_on_from_the_youngest_row_after_a_kill(tmp_path, monkeypatch):
    served = [0.0]
    monotonic = time.monotonic
    monkeypatch.setattr(database.time, "monotonic", lambda: monotonic() + served[0])

    async def test(service, model):  # ends without a note
        await learn_rows(service, model, [({"a": 1.0}, "x", 1.0)], Key("k", b""))
        served[0] += 8 * DAY
        await learn_rows(service, model, [({"a": 1.0}, "x", 1.0)], Key("l", b""))

    async def again(service, model):
        await Maintenance(service, Policy()).clean()
        assert [key for (key,) in service.reader.execute("SELECT key FROM keys")] == ["l"]

    run_service(tmp_path, test)
    served[0] = 0.0
    run_service(tmp_path, again)
