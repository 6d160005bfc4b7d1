"""Every version, after any changes: the model that learned just the examples of its history."""

import tempfile
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from service_runs import learn_one, learn_rows, run_apart, run_service

from rosenblatt import OnlinePerceptron
from rosenblatt.learning.models import files
from rosenblatt.learning.online.base import lock_of
from rosenblatt.serve import changes
from rosenblatt.serve.errors import RefusedError, StoreError
from rosenblatt.serve.history import AT_ONCE, BYTES_AT_ONCE, _runs, state_at
from rosenblatt.serve.live import LiveModel
from rosenblatt.serve.schema import MAX_NAMES, Example, NewModel, Shadow
from rosenblatt.serve.service import Service
from rosenblatt.serve.store import tables
from rosenblatt.serve.store.database import Database
from rosenblatt.serve.store.log import LAST, Kind, Record, decode_row, encode_body
from rosenblatt.serve.store.search import find_records

SHADOW = {"rule": "pa"}


def example(j):
    """Example j, always the same."""
    rng = np.random.default_rng(j)
    names = rng.choice(12, 4, replace=False)
    features = {f"f{k}": float(v) for k, v in zip(names, rng.standard_normal(4), strict=True)}
    return Example("xyz"[j % 3 if j % 7 else 0], features, weight=0.5 + j % 2)


PUT = files.to_bytes(OnlinePerceptron(rule="pa1").learn_many([{"f1": 1}, {"f2": 1}], ["x", "left"]))
"""A model file of another configuration."""


class Twin:
    """What happened at each version; the model of a version is found by the definitions."""

    def __init__(self):
        self.records = [("start", None)]

    def add(self, what, value):
        self.records.append((what, value))

    def erase(self, version):
        self.records[version] = ("erased", None)
        self.add("erasure", version)

    def versions(self, *kinds):
        """Versions of records of some kinds."""
        return [v for v, (what, _) in enumerate(self.records) if what in kinds]

    def model(self, version, config, is_shadow=False):
        """The model of a version, and how many examples it counts."""
        learned, model, what = [], None, ""
        while version and model is None:
            what, value = self.records[version]
            if what == "learn":
                learned.append(value)
            if what == "roll_back":
                version = value
                continue
            if what == "put" and not is_shadow:
                model = LiveModel.from_file(value).model
            elif what == "promote" and not is_shadow:
                model, _ = self.model(version - 1, value, is_shadow=True)
            elif what in ("put", "promote"):
                break
            version -= 1
        model = model or OnlinePerceptron(**{"max_features": 2**20} | config)
        for j in reversed(learned):
            e = example(j)
            model.learn_one(e.features, e.label, e.weight)
        return model, len(learned)


def same(live, model, length):
    """The same bits as a model that learned the same examples."""
    assert live.examples == length
    assert live.model.classes_ == model.classes_
    if model.classes_:
        assert files.to_bytes(live.model) == files.to_bytes(model)


async def run(folder, operations, config):
    """Carry out operations on a service and on the twin, and compare every version of both."""
    service, twin, count = Service(Database(folder)), Twin(), 0
    service.restore()
    await service.start()
    model = await service.create(NewModel("m", config))
    await changes.add_shadow(service, model, Shadow("s", SHADOW))
    for what, number in operations:
        if what == "learn":
            for _ in range(number % 3 + 1):
                await learn_rows(service, model, [service.row(model, example(count))])
                twin.add("learn", count)
                count += 1
        elif what == "roll_back":
            version = number % len(twin.records)
            await changes.roll_back(service, model, version)
            twin.add("roll_back", version)
        elif what == "erase":
            if versions := twin.versions("learn", "put"):
                version = versions[number % len(versions)]
                await changes.erase(service, model, version)
                twin.erase(version)
        elif what == "put":
            await changes.put_file(service, model, PUT)
            twin.add("put", PUT)
        elif what == "promote":
            if model.shadows["s"].model.classes_:
                await changes.promote_shadow(service, model, "s")
                twin.add("promote", SHADOW)
                await changes.add_shadow(service, model, Shadow("s", SHADOW))
        elif what == "snapshot":
            await changes.take_snapshot(service, model)
        else:
            await service.stop()
            service.database.close()
            service = Service(Database(folder))
            service.restore()
            await service.start()
            await changes.start_shadows(service)
            model = service.model("m")
        last = len(twin.records) - 1
        same(model.live, *twin.model(last, config))
        same(model.shadows["s"], *twin.model(last, SHADOW, is_shadow=True))
    for version in range(len(twin.records)):
        same(await service.at(model, version), *twin.model(version, config))
    await service.stop()
    service.database.close()


KINDS = st.sampled_from(
    ["learn"] * 4 + ["roll_back", "erase", "erase", "put", "promote", "snapshot", "restart"]
)


@thorough(15)
@given(st.lists(st.tuples(KINDS, st.integers(0, 50)), max_size=12))
def test_every_version_is_what_its_history_says(operations):
    with tempfile.TemporaryDirectory() as folder:
        run_apart(run(folder, operations, {"rule": "arow", "output": "average"}))


@pytest.mark.parametrize("config", [{}, {"rule": "auto"}], ids=str)
def test_a_long_history_of_all_kinds(tmp_path, config):
    operations = [("learn", 8), ("roll_back", 3), ("learn", 5), ("erase", 1), ("snapshot", 0),
                  ("learn", 2), ("roll_back", 6), ("roll_back", 9), ("erase", 4), ("restart", 0),
                  ("learn", 8), ("erase", 7), ("roll_back", 2), ("restart", 0), ("promote", 0),
                  ("learn", 2), ("erase", 1), ("put", 0), ("learn", 2), ("promote", 0),
                  ("learn", 1), ("erase", 9), ("roll_back", 30), ("erase", 3), ("restart", 0),
                  ("roll_back", 0), ("learn", 1), ("promote", 0), ("erase", 2)]  # fmt: skip
    run_apart(run(tmp_path, operations, config))


def test_a_model_file_starts_a_history_of_its_own(tmp_path):
    async def test(service, model):
        await learn_rows(service, model, [service.row(model, example(j)) for j in range(5)])
        trained = OnlinePerceptron(rule="pa1", max_features=MAX_NAMES)
        trained.learn_many([{"a": 1}, {"b": 1}], ["left", "right"])
        assert await changes.put_file(service, model, files.to_bytes(trained)) == 6
        assert model.live.config == {"rule": "pa1"}
        assert model.live.predict({"b": 1}).label == "right"
        await learn_rows(service, model, [service.row(model, Example("left", {"b": 2}))])
        trained.learn_one({"b": 2}, "left")
        same(await service.at(model, 7), trained, 1)
        assert (await service.at(model, 5)).predict(example(0).features).label in "xyz"
        await changes.roll_back(service, model, 5)
        assert model.live.config == {}

    run_service(tmp_path, test)


def test_the_first_versions_may_be_compacted_away(tmp_path):
    async def test(service, model):
        await learn_rows(service, model, [service.row(model, example(j)) for j in range(9)])
        before = files.to_bytes((await service.at(model, 5)).model)
        live = await service.at(model, 4)
        log = model.log(service.database.writer)
        tables.save_snapshot(service.database.writer, model.number, live.freeze()())
        log.drop_before(4)
        service.forget(model)
        assert files.to_bytes((await service.at(model, 5)).model) == before
        with pytest.raises(RefusedError, match="version 3 is not kept: the versions are 4 to 9"):
            await service.at(model, 3)
        tables.drop_snapshots(service.database.writer, model.number, [4])
        service.forget(model)
        with pytest.raises(StoreError, match="begins at version 4"):
            await service.at(model, 5)

    run_service(tmp_path, test)


def test_what_cannot_be_learned_counts_as_a_version_and_changes_nothing(tmp_path):
    async def test(service, model):
        await learn_rows(service, model, [service.row(model, example(j)) for j in range(4)])
        before = files.to_bytes(model.live.model)
        late = ({"f1": 1.0}, 7, 1.0)  # a number among texts
        with pytest.raises(RefusedError, match="label 7 is of another kind"):
            await learn_rows(service, model, [late])
        assert model.live.version == 4
        record = Record(5, Kind.EXAMPLE, 0.0, encode_body(late))  # as stores of before may have it
        await service.writer.do(lambda c: model.log(c).append([record]))
        live = state_at(model.log(service.reader), 5, {})
        assert (files.to_bytes(live.model), live.version) == (before, 5)

    run_service(tmp_path, test)


@pytest.mark.parametrize("rule", ["cw", "auto"])
def test_a_live_model_and_its_snapshot_go_on_alike(rule):
    live = LiveModel.from_config({"rule": rule})
    for j in range(40):
        e = example(j)
        learn_one(live, (e.features, e.label, e.weight), j + 1)
        copy = LiveModel.from_snapshot(live.freeze()())
        assert copy.progress.snapshot() == live.progress.snapshot()
        row = example(j + 1).features
        prediction = live.predict(row, explain=True)
        assert copy.predict(row, explain=True) == prediction
    shares = live.model.predict_proba_one(row) if rule == "auto" else None
    assert prediction.probabilities == shares


def test_an_explanation_beside_learning_names_the_version_of_its_scores():
    live = LiveModel.from_config({})
    for version, label in ((1, "x"), (2, "y")):
        learn_one(live, ({label: 1.0}, label, 1.0), version)
    learning = threading.Thread(target=learn_one, args=(live, ({"x": 5.0}, "x", 1.0), 3))
    with lock_of(live.model):  # as an explanation holds it
        before = live.predict({"x": 1.0}, explain=True)
        learning.start()
        learning.join(0.2)
        assert learning.is_alive()
        assert live.predict({"x": 1.0}, explain=True) == before
    learning.join()
    after = live.predict({"x": 1.0}, explain=True)
    assert (before.version, after.version) == (2, 3)
    assert before.scores != after.scores


def test_a_model_is_read_without_a_file_that_a_kill_would_leave(tmp_path, monkeypatch):
    """A file in the folder for temporary ones would have words that an erasure does not reach."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    listed, load = [], files.load

    def load_and_list(path):
        listed.append(list(tmp_path.iterdir()))
        return load(path)

    monkeypatch.setattr(files, "load", load_and_list)
    assert LiveModel.from_file(PUT).model.classes_ == ["left", "x"]
    assert listed == [[]]
    with pytest.raises(ValueError, match=r"^not a ") as error:
        LiveModel.from_file(b"no model")
    assert "/dev/fd" not in str(error.value)


def test_an_erasure_that_fails_half_way_is_finished_before_any_snapshot(tmp_path, monkeypatch):
    async def test(service, model):
        await learn_rows(service, model, [service.row(model, example(j)) for j in range(6)])

        def fail(*arguments):
            raise StoreError("the disk failed.")

        with monkeypatch.context() as patch:
            patch.setattr(service, "compute", fail)
            with pytest.raises(StoreError):
                await changes.erase(service, model, 3)
        assert model.has_erased
        await changes.take_snapshot(service, model)
        assert not model.has_erased
        expected = state_at(model.log(service.reader), 7, {})
        assert files.freeze(model.live.model)() == files.freeze(expected.model)()
        assert model.live.examples == 5
        assert await changes.erase(service, model, 3) == []  # a retry changes nothing
        assert model.live.version == 7
        with pytest.raises(RefusedError, match="is a change of the model, and no example"):
            await changes.erase(service, model, 7)
        assert not model.has_erased

    run_service(tmp_path, test)


def test_an_earlier_version_that_is_computed_while_it_is_erased_forgets(tmp_path, monkeypatch):
    async def test(service, model):
        await learn_rows(service, model, [service.row(model, example(j)) for j in range(6)])
        compute, computed = service.compute, []

        async def compute_slowly(model, version, config=None):
            live = await compute(model, version, config)
            if not computed:
                computed.append(version)
                await changes.erase(service, model, 2)  # between the reading and the keeping
            return live

        monkeypatch.setattr(service, "compute", compute_slowly)
        live = await service.at(model, 4)
        expected = state_at(model.log(service.reader), 4, {})
        assert files.freeze(live.model)() == files.freeze(expected.model)()
        assert (live.examples, computed) == (3, [4])

    run_service(tmp_path, test)


def test_a_shadow_takes_the_place_of_the_model(tmp_path):
    async def test(service, model):
        await learn_rows(service, model, [service.row(model, example(j)) for j in range(9)])
        await changes.add_shadow(service, model, Shadow("s", {"rule": "arow"}))
        await changes.add_shadow(service, model, Shadow("t", {"rule": "pa"}))
        await learn_rows(service, model, [service.row(model, example(9))])
        shadow = model.shadows["s"]
        expected = files.freeze(shadow.model)()
        assert await changes.promote_shadow(service, model, "s") == 11
        assert files.freeze(model.live.model)() == expected
        assert (model.live.config, model.live.examples) == ({"rule": "arow"}, 0)
        assert list(model.shadows) == ["t"]
        assert model.shadows["t"].examples == 0  # it starts where the model does
        await changes.roll_back(service, model, 10)
        assert (model.live.config, model.live.examples) == ({}, 10)
        with pytest.raises(RefusedError, match="no shadow 's'"):
            await changes.promote_shadow(service, model, "s")

    run_service(tmp_path, test)


def test_a_shadow_of_a_shortened_log_is_promoted_as_the_log_trains_it(tmp_path):
    async def test(service, model):
        await changes.add_shadow(service, model, Shadow("s", {"rule": "arow"}))
        await learn_rows(service, model, [service.row(model, example(j)) for j in range(4)])
        await changes.take_snapshot(service, model)
        await learn_rows(service, model, [service.row(model, example(j)) for j in range(4, 9)])
        log = model.log(service.database.writer)
        log.drop_before(4)
        assert model.shadows["s"].examples == 9
        await changes.promote_shadow(service, model, "s")
        trained = OnlinePerceptron(rule="arow", max_features=2**20)
        for j in range(4, 9):
            trained.learn_one(example(j).features, example(j).label, example(j).weight)
        same(model.live, trained, 0)
        await changes.erase(service, model, 7)
        same(model.live, state_at(log, 11, {}).model, 0)
        assert log.needs_before(9)
        assert not log.needs_before(10)

    run_service(tmp_path, test)


def test_a_shadow_that_fails_leaves_its_name_free(tmp_path, monkeypatch):
    async def test(service, model):
        async def fail(*arguments):
            raise StoreError("the log is damaged.")

        with monkeypatch.context() as patch:
            patch.setattr(service, "compute", fail)
            with pytest.raises(StoreError):
                await changes.add_shadow(service, model, Shadow("s", {}))
        await changes.add_shadow(service, model, Shadow("s", {}))
        with pytest.raises(RefusedError, match="the shadow 's' has learned nothing"):
            await changes.promote_shadow(service, model, "s")

    run_service(tmp_path, test)


def test_a_long_log_is_caught_up_with_before_examples_wait(tmp_path, monkeypatch):
    monkeypatch.setattr(changes, "MAX_LAG", 2)

    async def test(service, model):
        await learn_rows(service, model, [service.row(model, example(j)) for j in range(5)])
        compute, waited = service.compute, []

        async def compute_early(model, version, config=None):
            live = await compute(model, 1, config)
            waited.append(model.unlocked.is_set())
            return live

        monkeypatch.setattr(service, "compute", compute_early)
        catch_up = changes._catch_up
        behind = []

        async def note(service, model, live):
            behind.append((5 - live.version, model.unlocked.is_set()))
            await catch_up(service, model, live)

        monkeypatch.setattr(changes, "_catch_up", note)
        await changes.add_shadow(service, model, Shadow("s", {"rule": "pa"}))
        assert behind == [(4, True), (0, False)]
        twin = state_at(model.log(service.reader), 5, {"rule": "pa"}, other_config=True)
        assert files.freeze(model.shadows["s"].model)() == files.freeze(twin.model)()

    run_service(tmp_path, test)


def test_examples_are_found_by_what_they_contain(tmp_path):
    async def test(service, model):
        mail = {"from": "ann@example.org", "known": False}
        rows = [(mail, "ham", 1.0), ("a letter from Zoë", "ham", 1.0), ({"size": 3.0}, "spam", 2.0)]
        rows.append((mail, "spam", 1.0))
        await learn_rows(service, model, rows)

        def find(text, before=LAST, count=9):
            log = model.log(service.reader)
            return [record.version for record in find_records(log, text, before, count)]

        assert find("example.org") == [4, 1]
        assert find("example.org", count=1) == [4]
        assert find("example.org", before=4) == [1]
        assert [find(text) for text in ("Zoë", "size", "spam", "%")] == [[2], [3], [4, 3], []]
        assert [find(text) for text in ("3", "3.0", "2", "?")] == [[3], [3], [], []]
        (found,) = find_records(model.log(service.reader), "size", LAST, 9)
        assert decode_row(found.body) == ({"size": 3.0}, "spam", 2.0)
        await changes.erase(service, model, 4)
        assert find("example.org") == [1]

    run_service(tmp_path, test)


def test_a_replay_holds_few_bytes_of_rows_at_once():
    bodies = [bytes(400_000)] * 10 + [b"{}"] * (AT_ONCE + 1)
    records = [Record(v, Kind.EXAMPLE, 0.0, body) for v, body in enumerate(bodies)]
    records.insert(5, Record(5, Kind.ROLLBACK, 0.0, b"1"))
    runs = [[len(record.body) for record in run] for run in _runs(records)]
    assert max(map(sum, runs)) < 2 * BYTES_AT_ONCE
    assert max(map(len, runs)) == AT_ONCE
    assert [body for run in runs for body in run] == [len(record.body) for record in records]
