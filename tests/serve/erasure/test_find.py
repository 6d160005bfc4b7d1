"""A value is found wherever a store may have it, and nowhere once it is gone."""

import asyncio
import json
import os
import shutil

import apsw
import msgspec
import pytest
from service_runs import learn_rows, run_service

from rosenblatt import OnlinePerceptron, Perceptron
from rosenblatt.learning.models import files
from rosenblatt.serve import changes
from rosenblatt.serve.erasure import deletion
from rosenblatt.serve.erasure.find import find_value
from rosenblatt.serve.erasure.spellings import Spellings, pages_with
from rosenblatt.serve.errors import StoreError
from rosenblatt.serve.schema import NewModel, Shadow
from rosenblatt.serve.served import Key
from rosenblatt.serve.store.database import FILE, Database

SECRET = "Kryptonite-4711"


def places(folder, value=SECRET, tables=True):
    """Places of a value: those of the tables, or those of files."""
    before = {path: path.read_bytes() for path in folder.iterdir()}
    listed = find_value(folder, value.encode() if isinstance(value, str) else value).places
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    return [where for where in listed if (str(folder) not in where) == tables]


def store(folder, steps, **options):
    """Fill a store that has a model "m" of two other examples."""

    async def test(service, model):
        await learn_rows(service, model, [("some words", "x", 1.0), ("other words", "y", 1.0)])
        await steps(service, model)
        await service.writer.barrier()

    run_service(folder, test, **options)


@pytest.mark.parametrize(
    ("row", "value"),
    [
        (f"a text of {SECRET.upper()}", SECRET),
        ({"a": 1.0, "from": SECRET}, f"from={SECRET}"),
        ({"a": 1.0, "from": SECRET}, json.dumps({"from": SECRET, "a": 1})),
        ({f"to {SECRET}": 1.0}, SECRET),
        ({"b": 3.25, "a": 40.5}, "40.5"),
        ({"b": 3.25, "a": 40.5}, '{"a": 405e-1, "b": 3.25}'),
        ('wörds "quoted" \\ here', '"w\\u00f6rds \\"quoted\\" \\\\ here"'),
    ],
)
def test_an_example_and_a_prediction(tmp_path, row, value):
    async def steps(service, model):
        await learn_rows(service, model, [(row, "x", 1.0)])
        service.predict(model, row)

    store(tmp_path, steps)
    listed = places(tmp_path, value)
    assert "table log, model 'm', version 3" in listed
    assert "table predictions, p1" in listed
    for other in ("another", "41.5", '{"a": 1, "from": "somebody"}'):
        assert places(tmp_path, other) == []


def test_a_label_counts_names_and_the_model(tmp_path):
    async def steps(service, model):
        await learn_rows(service, model, [("a text", SECRET, 1.0)])
        await changes.take_snapshot(service, model)

    store(tmp_path, steps)
    assert places(tmp_path) == [
        "table log, model 'm', version 3",
        "table snapshots, model 'm', version 3",
        "table snapshots, model 'm', version 3: its counts",
        "model 'm' as it is now",
    ]
    assert places(tmp_path, tables=False)  # a page


def test_a_label_that_is_a_number_and_no_float(tmp_path):
    async def steps(service, model):
        number = await service.create(NewModel("n"))
        await learn_rows(service, number, [({"a": 1.0}, 2**53 + 1, 1.0)])

    store(tmp_path, steps)
    assert "table log, model 'n', version 1" in places(tmp_path, str(2**53 + 1))
    assert places(tmp_path, str(2**53 + 1), tables=False)  # a page


def test_a_model_file_in_a_record_and_the_model_that_came_of_it(tmp_path):
    async def steps(service, model):
        trained = OnlinePerceptron().learn_many([{SECRET: 1}, {"b": 1}], ["x", "y"])
        await changes.put_file(service, model, files.to_bytes(trained))
        await changes.roll_back(service, model, 2)

    store(tmp_path, steps)
    assert places(tmp_path) == [
        "table log, model 'm', version 3",
        "table snapshots, model 'm', version 3",
    ]


def test_all_words_of_a_text_are_names(tmp_path):
    async def steps(service, model):
        await learn_rows(service, model, [("Ann Smith", "x", 1.0)])

    store(tmp_path, steps)
    assert places(tmp_path, "Smith, Ann") == ["model 'm' as it is now: all its words are names"]
    assert places(tmp_path, "Smith, Bob") == []


def test_columns_without_names_cannot_be_searched(tmp_path):
    async def steps(service, model):
        trained = Perceptron().fit([[1.0, 0.0], [0.0, 1.0]], ["x", "y"])
        await changes.put_file(service, model, files.to_bytes(trained))

    store(tmp_path, steps)
    findings = find_value(tmp_path, SECRET.encode())
    assert findings.places == []
    assert "table log, model 'm', version 3: its columns have no names" in findings.blind[0]
    assert "less than 4 bytes" in find_value(tmp_path, b"abc").blind[-1]


def test_keys_and_configurations(tmp_path):
    async def steps(service, model):
        await learn_rows(service, model, [("a text", "x", 1.0)], Key(f"of {SECRET}", b"digest"))
        weights = {"class_weight": {SECRET: 2.0}}
        await changes.add_shadow(service, model, Shadow("s", weights))
        await changes.add_shadow(service, model, Shadow("t", weights))
        await changes.promote_shadow(service, model, "t")
        await service.create(NewModel("other", weights))
        await deletion.delete(service, "other")

    store(tmp_path, steps)
    listed = places(tmp_path)
    for where in (
        f"table keys, key 'of {SECRET}'",
        "table shadows, model 'm': the shadow 's'",
        "table log, model 'm', version 4",
        "table models, model 'other': its name or configuration",
    ):
        assert where in listed
    assert places(tmp_path, "other")


def test_free_pages_the_journal_and_other_files(tmp_path):
    async def steps(service, model):
        await learn_rows(service, model, [(f"{SECRET} " * 900, "x", 1.0)])

    folder, copy = tmp_path / "store", tmp_path / "copy"

    async def killed(service, model):
        await steps(service, model)
        shutil.copytree(folder, copy)

    store(folder, killed)
    assert any("of the journal" in where for where in places(copy, tables=False))
    (copy / "notes").write_text(json.dumps(f"ü {SECRET}"))
    assert str(copy / "notes") in places(copy, tables=False)
    database = Database(folder)
    for statement in ("PRAGMA secure_delete = OFF", "DELETE FROM log", "DELETE FROM snapshots"):
        for _ in database.writer.execute(statement):
            pass
    database.close()
    assert places(folder) == []
    assert any(where.endswith("(free)") for where in places(folder, tables=False))


@pytest.mark.parametrize(
    ("row", "value"),
    [
        ("call 5551234567 now", "5551234567"),
        ({"a": 1.0, "to": "5551234567"}, "5.551234567e9"),
        ({"a": 1.0, "b": 5551234567.0}, "5551234567"),
        ("a text of KRYPTONITE, Grüße", "kryptonite, gRÜSSE"),
        ({"a": 1.0, "from": SECRET, "b": True}, json.dumps({"from": SECRET, "b": 1, "a": 1})),
        ([1.0, 2.5, -3.0], "[1, 2.5, -3]"),
        ({"only": 2.0}, '{ "only": 2 }'),
    ],
)
def test_free_pages_and_other_files_have_a_value_in_any_of_its_forms(tmp_path, row, value):
    async def steps(service, model):
        service.predict(model, row)
        await service.writer.barrier()

    folder = tmp_path / "store"
    run_service(folder, steps)
    (folder / "copy").write_bytes(b"before" + msgspec.msgpack.encode((row, "x", 1.0)) + b"after")
    database = Database(folder)
    for statement in ("PRAGMA secure_delete = OFF", "DELETE FROM predictions"):
        for _ in database.writer.execute(statement):
            pass
    database.close()
    assert places(folder, value) == []
    copy, page = places(folder, value, tables=False)
    assert (copy, page.partition(": ")[0]) == (str(folder / "copy"), str(folder / FILE))
    other = value.replace("1", "7").replace("2", "7").replace("y", "z")
    assert places(folder, other, tables=False) == []


def test_a_long_row_with_its_names_in_another_order_may_be_missed_and_that_is_said(tmp_path):
    store(tmp_path, lambda service, model: asyncio.sleep(0))
    row = {f"name {j}": float(j) for j in range(200)}
    (blind,) = find_value(tmp_path, json.dumps(row).encode()).blind
    assert "only with its names in this order" in blind


def test_a_value_that_runs_over_two_pages(tmp_path):
    file = tmp_path / "pages"
    for cut in range(1, len(SECRET)):
        first = os.urandom(4088 - cut) + SECRET[:cut].encode() + bytes(8)
        second = bytes(4) + SECRET[cut:].encode() + os.urandom(4092 - len(SECRET) + cut)
        file.write_bytes(first + bytes(4096) + second)
        for sought in (Spellings([SECRET.encode()]), Spellings([], [SECRET.lower().encode()])):
            file.write_bytes(first + bytes(4096) + second)
            assert pages_with(file, sought) == [1, 3]
            file.write_bytes(first + bytes(4096) + second[::-1])
            assert pages_with(file, sought) == []


def test_an_erased_value_is_nowhere(tmp_path):
    async def steps(service, model):
        await learn_rows(service, model, [(f"a text of {SECRET} " * 300, "x", 1.0)])
        service.predict(model, f"of {SECRET}, a text")
        await changes.take_snapshot(service, model)
        await changes.erase(service, model, 3)

    store(tmp_path, steps)
    assert find_value(tmp_path, SECRET.encode()) == ([], [])


def test_what_is_no_store_is_refused(tmp_path):
    with pytest.raises(StoreError, match="no store"):
        find_value(tmp_path, b"value")
    apsw.Connection(str(tmp_path / FILE)).execute("CREATE TABLE models (x)")
    with pytest.raises(StoreError, match="older layout"):
        find_value(tmp_path, b"value")
