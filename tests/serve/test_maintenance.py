"""What the service does on its own: snapshots, compaction, the end of what is kept for a time."""

import asyncio
from types import SimpleNamespace

import pytest
from service_runs import run_service

from rosenblatt.learning.models import files
from rosenblatt.serve import maintenance as module
from rosenblatt.serve.learning import Key
from rosenblatt.serve.maintenance import Maintenance, Policy
from rosenblatt.serve.store import snapshots


async def learn(service, model, count):
    for j in range(count):
        await service.learn(model, [({f"f{j % 7}": 1.0 + j % 3}, "xyz"[j % 3], 1.0)])


async def wait_for(condition):
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)


def versions(service, model):
    return snapshots.snapshot_versions(service.reader, model.number)


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


def test_nothing_is_cleaned_in_the_first_hour(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SECONDS", 0.01)
    clock = [module.time.monotonic()]
    own = SimpleNamespace(monotonic=lambda: clock[0], perf_counter=module.time.perf_counter)
    monkeypatch.setattr(module, "time", own)

    async def test(service, model):
        maintenance = Maintenance(service, Policy())
        await service.learn(model, [({"a": 1.0}, "x", 1.0)], Key("k", b""))
        offset = module.now() + 40 * 86400.0 - clock[0]  # started ahead of the time
        monkeypatch.setattr(module, "now", lambda: offset + clock[0])
        monkeypatch.setattr(maintenance, "_offset", offset)
        await maintenance.start()
        await asyncio.sleep(0.1)
        clock[0] += module.HOUR - 1.0
        await asyncio.sleep(0.1)
        assert next(service.reader.execute("SELECT count(*) FROM keys")) == (1,)
        clock[0] += 2.0
        async with asyncio.timeout(10):
            while next(service.reader.execute("SELECT count(*) FROM keys")) != (0,):
                await asyncio.sleep(0.01)
        await maintenance.stop()

    run_service(tmp_path, test)


@pytest.mark.parametrize("jump", [0.0, 30 * 86400.0])
def test_old_predictions_and_keys_end_but_not_by_a_jump_of_the_clock(tmp_path, monkeypatch, jump):
    async def test(service, model):
        maintenance = Maintenance(service, Policy())
        old = service.predict(model, {"a": 1.0}).id
        await service.learn(model, [({"a": 1.0}, "x", 1.0)], Key("k", b""))
        time = module.now() + 8 * 86400.0 + jump
        monkeypatch.setattr(module, "now", lambda: time)
        if not jump:  # eight days have passed on both clocks
            monkeypatch.setattr(maintenance, "_offset", time - module.time.monotonic())
        await maintenance.clean()
        (keys,) = next(service.reader.execute("SELECT count(*) FROM keys"))
        (kept,) = next(service.reader.execute("SELECT count(*) FROM predictions"))
        assert (keys, kept) == ((1, 1) if jump else (0, 0)), old

    run_service(tmp_path, test)
