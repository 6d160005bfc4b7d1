"""Deleted models: not in memory at a start, gone after a purge, and the disk space with them."""

import asyncio
import time

import numpy as np
import pytest
from service_runs import learn_rows, run_service
from serving import Served

from rosenblatt.learning.models import files
from rosenblatt.serve import changes
from rosenblatt.serve.erasure import deletion
from rosenblatt.serve.erasure.find import find_value
from rosenblatt.serve.errors import RefusedError, StoreError
from rosenblatt.serve.schema import Example, NewModel, Shadow
from rosenblatt.serve.served import Key
from rosenblatt.serve.store import tables
from rosenblatt.serve.store.check import check_store
from rosenblatt.serve.store.database import FILE

SECRET = "kryptonite4711"
TABLES = ("log", "snapshots", "predictions", "keys", "shadows")


def rows_of(service, number):
    """How many rows each table has of a model."""
    counts = [f"SELECT count(*) FROM {table} WHERE model = {number}" for table in TABLES]
    return [next(service.reader.execute(count))[0] for count in counts]


def wait_for(ask, expected):
    """Ask until the answer is as expected, for some seconds; return the last one."""
    end = time.monotonic() + 20.0
    while (answer := ask()) != expected and time.monotonic() < end:
        time.sleep(0.02)
    return answer


async def fill(service, name, count=30):
    """Make a model that has rows in every table."""
    model = await service.create(NewModel(name, {"class_weight": {SECRET: 2.0}}))
    for j in range(count):
        row = (f"{SECRET} text {j}", f"label {j % 3}", 1.0)
        await learn_rows(service, model, [row], Key(f"{SECRET} {j}", b"digest"))
        service.predict(model, f"{SECRET} {j}")
    await changes.add_shadow(service, model, Shadow("s", {"rule": "pa"}))
    await changes.take_snapshot(service, model)
    return model


def test_a_purged_model_is_nowhere_and_its_name_is_free(tmp_path, monkeypatch):
    monkeypatch.setattr(deletion, "ROWS", 7)  # of several steps

    async def test(service, model):
        gone = await fill(service, "gone")
        kept = await fill(service, "kept")
        head = service.about(gone).head
        with pytest.raises(RefusedError, match="'gone' is in use: DELETE"):
            await deletion.purge(service, "gone")
        with pytest.raises(RefusedError, match="no deleted model 'none'"):
            await deletion.purge(service, "none")
        await deletion.delete(service, "gone")
        with pytest.raises(RefusedError, match="purge ends it"):
            await service.create(NewModel("gone", {}))
        assert min(rows_of(service, gone.number)) > 0
        before = rows_of(service, kept.number)
        about = await deletion.purge(service, "gone")
        assert (about.name, about.version, about.head) == ("gone", 30, head)
        assert rows_of(service, gone.number) == [0] * len(TABLES)
        assert rows_of(service, kept.number) == before
        assert "gone" not in service.deleted
        with pytest.raises(RefusedError, match="no model 'gone'"):
            await deletion.bring_back(service, "gone")
        await deletion.delete(service, "kept")
        await deletion.purge(service, "kept")
        new = await service.create(NewModel("gone", {}))
        assert new.number > kept.number  # a replica must not take it for the old one
        assert service.about(new).version == 0

    run_service(tmp_path, test)
    assert find_value(tmp_path, SECRET.encode()) == ([], [])
    assert check_store(tmp_path).faults == []


def test_what_still_runs_writes_nothing_to_a_purged_model(tmp_path):
    async def test(service, model):
        gone = await fill(service, "gone")
        await deletion.delete(service, "gone")
        with pytest.raises(RefusedError, match="'gone' was deleted"):
            await learn_rows(service, gone, [("a text", "label 1", 1.0)])
        assert service.predict(gone, "a text").id is None
        async with gone.changing:
            late = asyncio.create_task(changes.roll_back(service, gone, 3))
            await asyncio.sleep(0.01)
        await late  # it came before
        purging = asyncio.create_task(deletion.purge(service, "gone"))
        await asyncio.sleep(0)
        with pytest.raises(RefusedError, match="'gone' was purged"):
            await changes.roll_back(service, gone, 3)
        await purging
        assert rows_of(service, gone.number) == [0] * len(TABLES)

    run_service(tmp_path, test)


def test_an_answer_about_a_model_that_was_purged_meanwhile_says_so(tmp_path):
    """An erasure waits for those who read the store; its model is not damaged, and is gone."""

    async def test(service, model):
        gone = await fill(service, "gone")
        await deletion.delete(service, "gone")
        await deletion.purge(service, "gone")
        with pytest.raises(RefusedError, match="'gone' was purged"):
            service.about(gone)

    run_service(tmp_path, test)


def test_a_purge_that_was_cut_off_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(deletion, "ROWS", 7)

    async def begin(service, model):
        gone = await fill(service, "gone")
        await deletion.delete(service, "gone")
        do, calls = service.writer.do, []

        async def fail_later(write):
            calls.append(write)
            if len(calls) > 9:
                raise StoreError("the disk is full.")
            return await do(write)

        monkeypatch.setattr(service.writer, "do", fail_later)
        with pytest.raises(StoreError):
            await deletion.purge(service, "gone")
        monkeypatch.undo()
        assert max(rows_of(service, gone.number)) > 0
        return gone.number

    async def go_on(service, model):
        assert set(service.models) == {"m"}
        assert service.deleted == {}
        await service.create(NewModel("gone", {}))
        await deletion.finish_purges(service)
        assert rows_of(service, number) == [0] * len(TABLES)
        assert tables.purged_numbers(service.reader) == []

    number = run_service(tmp_path, begin)
    assert [model.name for model in check_store(tmp_path).models] == ["m"]
    run_service(tmp_path, go_on)
    assert find_value(tmp_path, SECRET.encode()) == ([], [])


def test_a_deleted_model_comes_to_memory_when_it_is_restored(tmp_path):
    kept = []

    async def begin(service, model):
        gone = await fill(service, "gone")
        await learn_rows(service, gone, [(f"text {j}", f"label {j % 3}", 1.0) for j in range(9)])
        kept.extend([files.to_bytes(gone.live.model), files.to_bytes(gone.shadows["s"].model)])
        await deletion.delete(service, "gone")

    async def go_on(service, model):
        assert "gone" not in service.models
        assert service.deleted["gone"].live.version == 0
        gone = await deletion.bring_back(service, "gone")
        assert kept == [files.to_bytes(m.model) for m in (gone.live, gone.shadows["s"])]
        await learn_rows(service, gone, [service.row(gone, Example("label 1", "more"))])
        assert gone.live.version == 40
        assert await deletion.bring_back(service, "gone") is gone

    run_service(tmp_path, begin)
    run_service(tmp_path, go_on)


def test_the_disk_space_comes_back(tmp_path):
    async def test(service, model):
        gone = await service.create(NewModel("gone", {}))
        rng = np.random.default_rng(0)
        names = [f"name {j}" for j in range(20_000)]
        for label in "xyz":
            await learn_rows(service, gone, [(dict.fromkeys(names[:5000], 1.0), label, 1.0)])
        for _ in range(12):
            some = rng.choice(names, 9_000, replace=False)
            await learn_rows(service, gone, [(dict.fromkeys(some.tolist(), 1.0), "x", 1.0)])
            await changes.take_snapshot(service, gone)
        await service.writer.empty_journal()
        large = (tmp_path / FILE).stat().st_size
        await deletion.delete(service, "gone")
        assert await deletion.give_back_pages(service) == 0
        await deletion.purge(service, "gone")
        assert await deletion.give_back_pages(service) > 0.9 * large / 4096
        await service.empty_journal()
        assert (tmp_path / FILE).stat().st_size < 0.1 * large
        assert await deletion.give_back_pages(service) == 0

    run_service(tmp_path, test)
    assert check_store(tmp_path).faults == []


def test_pages_are_kept_for_what_is_written_next_but_not_too_many(tmp_path, monkeypatch):
    async def test(service, model):
        await learn_rows(service, model, [(f"{j} text " * 3000, "x", 1.0) for j in range(20)])
        for version in range(1, 21):
            model.log(service.database.writer).erase(version)
        assert await deletion.give_back_pages(service) == 0
        monkeypatch.setattr(deletion, "FREE_PAGES", 10)
        assert await deletion.give_back_pages(service) > 50

    run_service(tmp_path, test)


def test_over_http_and_in_a_replica(tmp_path):
    with Served(tmp_path) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        for j in range(3):
            server.post("/v1/models/m/learn", {"label": "x", "features": f"{SECRET} {j}"})
        with Served(tmp_path, "--replica") as replica:
            assert replica.get("/v1/models/m")["version"] == 3
            server.post("/v1/models/m/purge", None, status=409)
            server.ask("DELETE", "/v1/models/m")
            deleted = server.get("/v1/models?deleted=true")
            seen = wait_for(lambda: replica.get("/v1/models?deleted=true"), deleted)
            assert seen == deleted
            replica.get("/v1/models/m", status=404)
            assert deleted["models"] == []
            assert [model["name"] for model in deleted["deleted"]] == ["m"]
            assert server.post("/v1/models/m/purge", None) == deleted["deleted"][0]
            server.post("/v1/models/m/restore", None, status=404)
            server.post("/v1/models", {"name": "m"}, status=201)
            server.post("/v1/models/m/learn", {"label": "y", "features": "another"})
            about = server.get("/v1/models/m")
            assert about["labels"] == [["y", 1]]
            seen = wait_for(lambda: replica.get("/v1/models")["models"], [about])
            assert seen == [about]
            assert replica.post("/v1/models/m/purge", None, status=403)
    assert find_value(tmp_path, SECRET.encode()).places == []
