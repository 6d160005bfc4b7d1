"""The bytes of a store's parts: exact after every change, and those of the disk."""

import os
import random
import re
from pathlib import Path

import apsw
import pytest
from service_runs import learn_rows, run_service

from rosenblatt.serve import changes, writer
from rosenblatt.serve.maintenance import Maintenance, Policy
from rosenblatt.serve.rows import PlainRows
from rosenblatt.serve.schema import Shadow
from rosenblatt.serve.served import Key
from rosenblatt.serve.store import layout, tables
from rosenblatt.serve.store.database import FILE, Database
from rosenblatt.serve.store.log import Log
from rosenblatt.serve.store.tables import StoredKey, encode_features, save_key, save_predictions

DOCS = (Path(__file__).parents[3] / "docs" / "service.md").read_text("utf-8")
TABLES = ("log", "predictions", "keys")


def counted_anew(connection):
    """What the counters say of a store that begins to count now."""
    sums = [f"SELECT ifnull(sum({layout.row_bytes(table)}), 0) FROM {table}" for table in TABLES]
    return [next(connection.execute(text))[0] for text in sums]


def assert_counted(connection):
    assert list(layout.read_sizes(connection)[:3]) == counted_anew(connection)


def test_the_bytes_are_counted_exactly_after_every_change(tmp_path):
    async def test(service, model):
        row = {f"f{j}": 1.0 for j in range(30)}
        for j in range(30):
            label = "xy"[j % 2]
            asked = service.predict(model, row if j % 3 else "a text of words" * j)
            assert asked.id
            await learn_rows(service, model, [(row, label, 1.0)] * (1 + j % 3), Key(f"k{j}", b"d"))
        await learn_rows(service, model, [({"a" * 900: 1.0, "b" * 900: 1.0}, "x", 1.0)])
        await service.writer.barrier()
        assert_counted(service.reader)
        before = layout.read_sizes(service.reader)
        assert min(before) > 1000
        await changes.erase(service, model, 3)  # and the predictions of the row
        await changes.roll_back(service, model, 10)
        await changes.put_file(service, model, await changes.get_file(model))
        await changes.add_shadow(service, model, Shadow("s", {"rule": "pa"}))
        assert_counted(service.reader)
        after = layout.read_sizes(service.reader)
        assert after.predictions < before.predictions
        assert after.log > before.log  # the model file
        await changes.take_snapshot(service, model)
        await Maintenance(service, Policy(keep_examples=1))._compact()
        assert_counted(service.reader)
        assert layout.read_sizes(service.reader).log < after.log
        await Maintenance(service, Policy(predictions_bytes=0, keys_bytes=0)).keep_budgets()
        assert_counted(service.reader)
        assert layout.read_sizes(service.reader)[1:3] == (0, 0)

    run_service(tmp_path, test)


def test_a_store_of_before_is_counted_from_its_next_start_on(tmp_path):
    database = Database(tmp_path)
    with database.writer as write:
        number = tables.add_model(write, "m", {}, 0.0)
        rows = PlainRows([({"a": 1.0}, "x", 1.0)] * 50)
        Log(write, number, "m").append_examples(rows.bodies, rows.ends, 0.0)
        for (name,) in list(write.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")):
            write.execute(f"DROP TRIGGER {name}")
        write.execute("DELETE FROM counters WHERE name != 'predictions'")
        Log(write, number, "m").append_examples(rows.bodies, rows.ends, 0.0)
    database.close()
    reader = Database(tmp_path, readonly=True)
    assert layout.read_sizes(reader.writer)[:3] == (0, 0, 0)
    reader.close()
    for _ in range(2):
        database = Database(tmp_path)
        assert layout.read_sizes(database.writer).log > 100 * 90
        assert_counted(database.writer)
        database.close()


def named(rng):
    return {f"f{rng.randrange(1000)}": round(rng.gauss(0, 1), 3) for _ in range(20)}


def short(rng):
    return "win a prize " + "x" * rng.randrange(30)


def mail(rng):
    return " ".join(str(rng.random()) for _ in range(100))


def many(rng):
    return {f"f{j}": rng.random() for j in range(700)}


@pytest.mark.parametrize("learned", [1, 100])
@pytest.mark.parametrize("row", [named, short, mail, many])
def test_counted_bytes_are_those_of_the_disk(tmp_path, row, learned):
    rng = random.Random(0)
    database = Database(tmp_path)
    write, count = database.writer, 300 if row is many else 1000
    if row in (named, short) and learned == 1:
        count = 4000
    with write:
        number = tables.add_model(write, "m", {}, 0.0)
        for j in range(count):
            features = row(rng)
            example = PlainRows([(features, "spam", 1.0)])
            Log(write, number, "m").append_examples(example.bodies, example.ends, 1.7e9)
            save_predictions(write, [(2**24 + j, number, 1.7e9 + j, encode_features(features))])
            stored = StoredKey(b"d" * 32, j, j + learned, b"a" * 74 * learned)
            save_key(write, number, f"{rng.getrandbits(128):032x}", stored, 1.7e9 + j)
    counted = layout.read_sizes(write)
    database.close()
    file = apsw.Connection(os.fspath(tmp_path / FILE), flags=apsw.SQLITE_OPEN_READONLY)
    pages = dict(file.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
    file.close()
    taken = pages["log"], pages["predictions"], pages["keys"] + pages["keys_by_time"]
    for of_counters, of_disk in zip(counted[:3], taken, strict=True):
        assert of_counters == pytest.approx(of_disk, rel=0.06, abs=8192)
    if row is named and learned == 1:  # docs/service.md says what an event takes
        quoted = re.search(r"named numbers takes: (\d+) bytes .*, (\d+) as .*, and (\d+) for", DOCS)
        for said, of_disk in zip(quoted.groups(), taken, strict=True):
            assert int(said) == pytest.approx(of_disk / count, rel=0.03)


def test_the_room_of_a_disk(tmp_path, monkeypatch):
    disk = os.statvfs(tmp_path)
    free, tenth = disk.f_bavail * disk.f_frsize, disk.f_blocks * disk.f_frsize / 10

    async def test(service, model):
        for reserve in (0, free // 2, 2 * free, 10**18):
            monkeypatch.setattr(writer, "RESERVE", reserve)
            await learn_rows(service, model, [({"a": 1.0}, "x", 1.0)])
            assert service.writer.has_room == (free > min(reserve, tenth))

    run_service(tmp_path, test)
