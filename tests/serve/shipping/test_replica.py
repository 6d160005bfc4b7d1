"""A replica follows the log of another process, whatever comes there."""

import asyncio
import time

from service_runs import learn_rows, run_service

from rosenblatt.serve.schema import NewModel
from rosenblatt.serve.shipping import replica as module
from rosenblatt.serve.shipping.replica import Replica
from rosenblatt.serve.store.database import Database
from rosenblatt.serve.store.log import Kind, Record, encode_body


def test_what_only_a_newer_version_can_replay_is_said_and_the_rest_is_followed(
    tmp_path, monkeypatch, caplog
):
    monkeypatch.setattr(module, "SECONDS", 0.01)
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.01)
    newer = Record(1, Kind.PROMOTION, time.time(), encode_body({"rule": "of-tomorrow"}))

    async def until(is_so):
        async with asyncio.timeout(10):
            while not is_so():
                await asyncio.sleep(0.01)

    async def test(service, model):
        database = Database(tmp_path, readonly=True)
        replica = Replica(database)
        replica.restore()
        await replica.start()
        other = await service.create(NewModel("other"))
        await service.writer.do(lambda c: other.log(c).append([newer]))
        await until(lambda: replica.failed is not None)
        assert replica.failed.startswith(
            "the model 'other' cannot be made from the store: rule must"
        )
        assert replica.failed.endswith("If a newer rosenblatt wrote it, upgrade rosenblatt.")
        await learn_rows(service, model, [("a prize", "spam", 1.0)])
        await until(lambda: replica.models["m"].live.version == 1)
        behind = await service.create(NewModel("zebra"))
        await learn_rows(service, behind, [("a prize", "spam", 1.0)])
        await until(lambda: "zebra" in replica.models)
        await until(lambda: replica.models["zebra"].live.version == 1)
        assert replica.failed is not None
        await replica.stop()
        replica.reader.close()
        database.close()

    run_service(tmp_path, test)
    assert len([r for r in caplog.records if r.message == "the store failed"]) == 1
