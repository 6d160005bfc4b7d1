"""Models, predictions whose label comes later, keys, limits."""

import asyncio
import threading

import msgspec
import pytest
from service_runs import learn_rows, run_service

from rosenblatt.serve import changes, schema, served
from rosenblatt.serve import writer as writer_module
from rosenblatt.serve.erasure import deletion
from rosenblatt.serve.errors import RefusedError, StoreError
from rosenblatt.serve.schema import (
    LARGEST,
    MAX_FEATURES,
    MAX_TEXT,
    MAX_WORD,
    Example,
    Learned,
    NewModel,
)
from rosenblatt.serve.served import Key, ServedModel
from rosenblatt.serve.service import Service
from rosenblatt.serve.store import kept, tables
from rosenblatt.serve.store.database import Database
from rosenblatt.serve.store.log import Log
from rosenblatt.serve.store.pages import seal
from rosenblatt.serve.store.tables import StoredModel

ROW = ({"a": 1.0}, "x", 1.0)


def test_an_example_may_name_an_earlier_prediction(tmp_path):
    async def test(service, model):
        first = service.predict(model, {"a": 1.0, "b": "red"})
        row = service.row(model, Example("x", id=first.id))
        assert row == ({"a": 1.0, "b": "red"}, "x", 1.0)
        await learn_rows(service, model, [row])
        await service.writer.barrier()
        service.kept_rows._unwritten.clear()  # as after a restart: the database has it
        assert service.row(model, Example("y", id=first.id))[0] == {"a": 1.0, "b": "red"}
        other = await service.create(NewModel("other"))
        for name in ("p999", "", "p", "pé", "q1", f"{first.id}x", "p" + "9" * 40):
            with pytest.raises(RefusedError, match="its features are not kept"):
                service.row(model, Example("x", id=name))
        with pytest.raises(RefusedError, match="no prediction"):
            service.row(other, Example("x", id=first.id))
        return first.id

    first = run_service(tmp_path, test)

    async def again(service, model):
        assert service.features_of(model, first) == {"a": 1.0, "b": "red"}
        assert int(service.predict(model, "text").id[1:]) > int(first[1:]) + 1000

    run_service(tmp_path, again)


def test_predictions_need_not_be_kept(tmp_path):
    async def test(service, model):
        assert service.predict(model, {"a": 1.0}).id is None

    run_service(tmp_path, test, keep_predictions=0.0)


def test_a_key_is_learned_once_and_answered_alike_also_after_a_crash(tmp_path):
    key = Key("k", b"1")
    rows = [({"a": 1.0}, "x", 1.0), ({"b": 1.0}, "y", 1.0)]

    async def test(service, model):
        answers = await asyncio.gather(*(learn_rows(service, model, rows, key) for _ in range(20)))
        assert answers == [answers[0]] * 20
        heads = [model.log(service.reader).head(version) for version in (1, 2)]
        assert answers[0] == [Learned(1, False, heads[0]), Learned(2, False, heads[1])]
        with pytest.raises(RefusedError, match="'k' was used with another body"):
            await learn_rows(service, model, rows, Key("k", b"2"))
        forget = "UPDATE keys SET answer = NULL"  # as a crash before it was written leaves it
        await service.writer.do(lambda connection: connection.execute(forget))
        return answers[0]

    first = run_service(tmp_path, test)

    async def again(service, model):
        assert await learn_rows(service, model, rows, key) == first
        assert model.live.version == 2

    run_service(tmp_path, again)
    run_service(tmp_path, again)


def test_a_key_that_was_dropped_and_comes_again_takes_no_room_twice(monkeypatch):
    monkeypatch.setattr(served, "ANSWERS", 2)
    model = ServedModel(StoredModel(1, "m", {}, 0.0, None))
    for version in range(1, 9):
        model.keep_answer("k", [Learned(version, True)])
        assert model.answers["k"] == [Learned(version, True)]


def test_models_are_deleted_and_restored_with_all_they_know(tmp_path):
    async def test(service, model):
        await learn_rows(service, model, [({"a": 1.0}, "x", 1.0)])
        await deletion.delete(service, "m")
        with pytest.raises(RefusedError, match=r"'m' was deleted: POST .*/restore"):
            service.model("m")
        with pytest.raises(RefusedError, match="restore brings it back"):
            await service.create(NewModel("m"))
        await deletion.bring_back(service, "m")
        assert service.model("m").live.examples == 1
        with pytest.raises(RefusedError, match="there is a model 'm'"):
            await service.create(NewModel("m"))

    run_service(tmp_path, test)


@pytest.mark.parametrize(
    ("features", "says"),
    [
        ({f"f{j}": 1.0 for j in range(MAX_FEATURES + 1)}, "may have 10,000 features"),
        ({"f" * (MAX_WORD + 1): 1.0}, "feature name may have 1,000 characters"),
        ({"f": "v" * (MAX_WORD + 1)}, "value of feature 'f' may have"),
        ("word " * MAX_TEXT, "a text may have 100,000 characters"),
        ({"a": 2 * LARGEST}, "must lie between"),
        ([0.0, -2 * LARGEST], "must lie between"),
        ([], "at least one number"),
    ],
)
def test_rows_over_a_limit_are_refused(tmp_path, features, says):
    async def test(service, model):
        with pytest.raises(RefusedError, match=says):
            service.predict(model, features)
        with pytest.raises(RefusedError, match=says):
            await learn_rows(service, model, [service.row(model, Example("x", features))])

    run_service(tmp_path, test)


@pytest.mark.parametrize(
    ("example", "says"),
    [
        (Example("x"), "either features, or the id"),
        (Example("x", {"a": 1.0}, id="p1"), "either features, or the id"),
        (Example("l" * (MAX_WORD + 1), {"a": 1.0}), "a label may have"),
        (Example(2**70, {"a": 1.0}), "64 bits"),
        (Example("x", {"a": 1.0}, weight=-1.0), "weight must lie between"),
        (Example("x", {"a": 1.0}, weight=float("nan")), "weight must lie between"),
        (Example(True, {"a": 1.0}), "of another kind than the model's labels"),
        (Example("x", [1.0]), "this model has learned names"),
    ],
)
def test_examples_that_do_not_fit_are_refused(tmp_path, example, says):
    async def test(service, model):
        await learn_rows(service, model, [({"a": 1.0}, "x", 1.0)])
        with pytest.raises(RefusedError, match=says):
            await learn_rows(service, model, [service.row(model, example)])

    run_service(tmp_path, test)


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({"rule": "nothing"}, "rule must be one of"),
        ({"shuffle": True}, "config has no shuffle"),
        ({"rule": {"name": "pa1", "c": 1}}, "rule 'pa1' has C; got c"),
        ({"rule": "arow", "penalty": "l1"}, "penalty"),
        ({"rule": "minover"}, "rows come one by one"),
        ({"max_features": 0}, "max_features must be"),
        ({"rule": {"name": ["pa"]}}, "rule needs a name"),
        ({"rule": {"C": 1}}, "rule needs a name"),
        ({"class_weight": {"spam": -1}}, "class_weight of 'spam' must lie between"),
        ({"class_weight": {"spam": "much"}}, "class_weight of 'spam' must lie between"),
    ],
)
def test_configurations_are_checked_before_anything_is_learned(tmp_path, config, says):
    async def test(service, model):
        with pytest.raises(RefusedError, match=says):
            await service.create(NewModel("other", config))
        assert list(service.models) == ["m"]

    run_service(tmp_path, test)


def test_a_model_that_is_full_learns_no_new_name_and_no_new_label(tmp_path, monkeypatch):
    async def test(service, model):
        await learn_rows(service, model, [({name: 1.0}, name, 1.0) for name in "abc"])
        monkeypatch.setattr(schema, "MAX_WEIGHTS", 9)
        await learn_rows(service, model, [service.row(model, Example("a", {"d": 1.0}))])
        for example in (Example("a", {"e": 1.0}), Example("d", {"a": 1.0})):
            with pytest.raises(RefusedError, match=r"3 labels and 4 feature names.*max_features"):
                await learn_rows(service, model, [service.row(model, example)])
        await learn_rows(service, model, [service.row(model, Example("a", {"d": 1.0}))])

    run_service(tmp_path, test)


def test_labels_by_mistake_do_not_stop_the_service(tmp_path, monkeypatch):
    async def test(service, model):
        await learn_rows(service, model, [({name: 1.0}, name, 1.0) for name in "abc"])
        monkeypatch.setattr(schema, "MAX_COPIED", 8)
        with pytest.raises(RefusedError, match=r"3 labels and 3 .* one more label: 'T-1024'"):
            await learn_rows(service, model, [({"a": 1.0}, "T-1024", 1.0)])
        await learn_rows(service, model, [({"d": 1.0}, "a", 1.0)])

    run_service(tmp_path, test)


def test_predictions_in_memory_are_bounded_by_their_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "UNWRITTEN", 10_000)
    monkeypatch.setattr(writer_module, "MAX_DEFERRED", 10_000)
    monkeypatch.setattr(writer_module, "FLUSH_SECONDS", 1000.0)

    async def test(service, model):
        ids = [service.predict(model, "word " * 400).id for _ in range(20)]
        with pytest.raises(RefusedError, match="no prediction"):
            service.features_of(model, ids[0])
        assert service.features_of(model, ids[-1]) == "word " * 400
        await service.writer.barrier()
        assert service.features_of(model, ids[-4]) == "word " * 400
        with pytest.raises(RefusedError, match="no prediction"):
            service.features_of(model, ids[0])

    run_service(tmp_path, test)


def test_a_number_that_only_begins_like_a_prediction_is_none(tmp_path):
    async def test(service, model):
        name = service.predict(model, "a text").id
        for other in (name[1:], f"{name}x", f"p{'0' * 17}{name[1:]}9", "p", "", "p²", "pp1"):
            with pytest.raises(RefusedError, match="no prediction"):
                service.features_of(model, other)

    run_service(tmp_path, test)


def test_a_stop_ends_the_wait_for_the_journal(tmp_path):
    async def test(service, model):
        await learn_rows(service, model, [ROW])
        reader = service.database.connect()
        reader.execute("BEGIN; SELECT count(*) FROM log")
        erasure = asyncio.create_task(changes.erase(service, model, 1))
        await asyncio.sleep(0.3)
        service.stopping.set()
        with pytest.raises(StoreError, match="the next start overwrites it"):
            await erasure
        reader.close()

    run_service(tmp_path, test)


MIXED = [
    ([({"a": 1.0}, "x", 1.0), ([1.0], "x", 1.0)], "this model has learned names"),
    ([([1.0], "x", 1.0), ([1.0, 2.0], "y", 1.0)], "a row of this model has 1 numbers; got 2"),
    ([("a text", "x", 1.0), ("a text", 7, 1.0)], "label 7 is of another kind"),
]


@pytest.mark.parametrize(("rows", "why"), MIXED)
def test_a_body_that_is_refused_has_learned_nothing(tmp_path, rows, why):
    async def test(service, model):
        with pytest.raises(RefusedError, match=why):
            await learn_rows(service, model, rows)
        assert model.log(service.reader).bounds() == (1, 0)
        good, bad = rows
        answers = await asyncio.gather(
            learn_rows(service, model, [good]),
            learn_rows(service, model, [bad]),
            return_exceptions=True,
        )  # the second is checked before the first is learned
        assert [learned.version for learned in answers[0]] == [1]
        assert isinstance(answers[1], RefusedError)
        assert model.log(service.reader).bounds() == (1, 1)

    run_service(tmp_path, test)


def test_a_refused_first_row_leaves_the_kind_open(tmp_path, monkeypatch):
    async def test(service, model):
        def full(*row):
            raise StoreError("the disk is full.")

        monkeypatch.setattr("rosenblatt.serve.store.tables.save_key", full)
        with pytest.raises(StoreError):
            await learn_rows(service, model, [({"a": 1.0}, "x", 1.0)], Key("k", b""))
        assert (await learn_rows(service, model, [([1.0], 7, 1.0)]))[0].version == 1

    run_service(tmp_path, test)


def test_no_prediction_has_the_id_of_an_earlier_one_also_after_erasure_and_restart(tmp_path):
    async def test(service, model):
        first = service.predict(model, "Ann writes").id
        await learn_rows(service, model, [("Ann writes", "x", 1.0)])
        await changes.erase(service, model, 1)
        return first

    first = run_service(tmp_path, test)

    async def again(service, model):
        assert next(service.reader.execute("SELECT count(*) FROM predictions")) == (0,)
        assert service.predict(model, "Bob writes").id != first
        with pytest.raises(RefusedError, match="no prediction"):
            service.row(model, Example("y", id=first))

    run_service(tmp_path, again)


def test_ids_go_on_beyond_those_that_were_reserved(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "RESERVED", 10)

    async def test(service, model):
        given = []
        async with asyncio.timeout(30):
            while len(given) <= 50:  # None while more are being reserved
                if number := service.predict(model, "a text").id:
                    given.append(number)
                await asyncio.sleep(0.001)
        assert len(set(given)) == len(given)
        await service.writer.barrier()
        return given[-1]

    run_service(tmp_path, test)


def test_others_have_their_turn_while_a_long_list_is_written_and_learned(tmp_path, monkeypatch):
    monkeypatch.setattr(writer_module, "TURN_SECONDS", 0.0)
    monkeypatch.setattr(served, "TURN_BYTES", 0)
    count = 1000  # written in some 50 ms: ten times as long as a thread keeps the others waiting

    async def test(service, model):
        rows = [({"a": 1.0, f"f{j}": 1.0}, "xy"[j % 2], 1.0) for j in range(count)]
        learned = asyncio.create_task(learn_rows(service, model, rows))
        turns, versions = 0, set()
        while not learned.done():
            turns += 1
            versions.add(model.live.version)
            await asyncio.sleep(0)
        assert len(versions) > 0.9 * count  # each row is learned in a turn of its own
        assert turns > count + 2  # and others had theirs while all were written
        assert [answer.version for answer in learned.result()] == list(range(1, count + 1))
        log = model.log(service.reader)
        assert [answer.head for answer in learned.result()] == [
            log.head(v) for v in range(1, count + 1)
        ]
        log.check_chain()

    run_service(tmp_path, test)


def test_examples_are_written_in_another_thread_where_the_log_has_a_model_file(tmp_path):
    """SQLite reads a file whole to find the place of the next version."""
    threads = []

    async def put(service, model):
        await learn_rows(service, model, [({"a": 1.0}, "x", 1.0)])
        await changes.put_file(service, model, await changes.get_file(model))
        await learn(service, model)

    async def learn(service, model):
        append = Log.append_examples

        def spied(*arguments):
            threads.append(threading.current_thread().name)
            return append(*arguments)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Log, "append_examples", spied)
            await learn_rows(service, model, [({"a": 1.0}, "x", 1.0)])

    run_service(tmp_path / "put", put)
    run_service(tmp_path / "put", learn)  # after a restart, too
    run_service(tmp_path / "other", learn)
    assert [name.startswith("disk") for name in threads] == [True, True, False]


def test_a_model_with_a_rule_of_a_newer_version_is_named(tmp_path):
    async def test(service, model):
        await learn_rows(service, model, [({"a": 1.0}, "x", 1.0)])

    run_service(tmp_path, test)
    database = Database(tmp_path)
    database.writer.execute(
        "UPDATE models SET config = ?", (seal(msgspec.json.encode({"rule": "later"})),)
    )
    try:
        with pytest.raises(StoreError, match=r"the model 'm' cannot be made .* upgrade rosenblatt"):
            Service(database).restore()
    finally:
        database.close()
