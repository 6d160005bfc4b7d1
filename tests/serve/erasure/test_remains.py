"""What an erasure reaches, and what it says that it cannot."""

import pytest
from service_runs import learn_rows, run_service

from rosenblatt import OnlinePerceptron
from rosenblatt.learning.models import files
from rosenblatt.serve import changes
from rosenblatt.serve.erasure import deletion
from rosenblatt.serve.errors import RefusedError, StoreError
from rosenblatt.serve.maintenance import Maintenance, Policy
from rosenblatt.serve.schema import Example, NewModel, Remains, Shadow
from rosenblatt.serve.served import Key
from rosenblatt.serve.store import tables
from rosenblatt.serve.store.tables import find_key

SECRET = "kryptonite4711"
ROWS = [("lunch at noon", "ham", 1.0), (f"a prize of {SECRET}", "spam", 1.0),
        ("noon is fine", "ham", 1.0), ("another prize", "spam", 1.0)]  # fmt: skip


def secret_files(folder):
    return [path.name for path in folder.iterdir() if SECRET.encode() in path.read_bytes()]


def test_a_promoted_shadow_is_trained_again_without_the_example(tmp_path):
    async def test(service, model):
        await changes.add_shadow(service, model, Shadow("s", {"rule": "arow"}))
        await learn_rows(service, model, ROWS)
        assert await changes.promote_shadow(service, model, "s") == 5
        assert SECRET in model.live.model.feature_names_
        await changes.roll_back(service, model, 3)
        await changes.roll_back(service, model, 5)
        assert await changes.erase(service, model, 2) == []
        assert SECRET not in model.live.model.feature_names_
        trained = OnlinePerceptron(rule="arow", max_features=2**20)
        for features, label, _ in (ROWS[0], *ROWS[2:]):
            trained.learn_one(features, label)
        assert files.to_bytes(model.live.model) == files.to_bytes(trained)
        assert secret_files(tmp_path) == []

    run_service(tmp_path, test)
    assert secret_files(tmp_path) == []


@pytest.mark.parametrize("fails", ["_compute_last", "restart_shadows"])
def test_an_erasure_that_fails_half_way_is_finished_before_a_shadow_is_promoted(
    tmp_path, monkeypatch, fails
):
    async def test(service, model):
        await learn_rows(service, model, ROWS)
        await changes.add_shadow(service, model, Shadow("s", {"rule": "arow"}))

        async def fail(*arguments):
            raise StoreError("the disk failed.")

        with monkeypatch.context() as patch:
            patch.setattr(changes, fails, fail)
            with pytest.raises(StoreError):
                await changes.erase(service, model, 2)
            assert SECRET in model.shadows["s"].model.feature_names_
            assert model.has_erased
        await changes.promote_shadow(service, model, "s")
        assert model.live.config == {"rule": "arow"}
        assert SECRET not in model.live.model.feature_names_
        replayed = await service.compute(model, model.live.version)
        assert files.to_bytes(replayed.model) == files.to_bytes(model.live.model)
        assert await changes.erase(service, model, 2) == []
        assert secret_files(tmp_path) == []

    run_service(tmp_path, test)


def test_a_file_that_was_put_may_hold_it_and_can_be_erased_too(tmp_path):
    async def test(service, model):
        await learn_rows(service, model, ROWS)
        data = await changes.get_file(model)
        other = await service.create(NewModel("other", {}))
        await changes.put_file(service, other, data)
        await changes.put_file(service, model, data)
        stranger = OnlinePerceptron().learn_many([{"size": 1}, {"size": 2}], ["big", "small"])
        await changes.put_file(service, model, files.to_bytes(stranger))
        await changes.roll_back(service, model, 5)
        here = Remains("m", 5, "file", 4)
        there = Remains("other", 1, "file", 0)
        assert await changes.erase(service, model, 2) == [here, there]
        assert SECRET in model.live.model.feature_names_
        await changes.roll_back(service, model, here.rollback)
        assert SECRET not in model.live.model.feature_names_
        assert secret_files(tmp_path)
        await changes.roll_back(service, model, 5)
        await changes.erase(service, model, 5)
        assert model.live.examples == 3  # as if it had never been put
        assert SECRET not in model.live.model.feature_names_
        await deletion.delete(service, "other")
        assert there in await changes.erase(service, model, 3)
        await deletion.bring_back(service, "other")
        stranger_file = Remains("m", 6, "file", 5)  # of an erased file nothing is known
        assert await changes.erase(service, other, 1) == [stranger_file]
        assert secret_files(tmp_path) == []
        with pytest.raises(
            RefusedError, match="version 2 is a change of the model, and no example"
        ):
            await changes.erase(service, other, 2)

    run_service(tmp_path, test)
    assert secret_files(tmp_path) == []


def test_an_erasure_that_is_repeated_names_every_later_file(tmp_path):
    async def test(service, model):
        stranger = OnlinePerceptron().learn_many([{"size": 1}, {"size": 2}], ["big", "small"])
        await changes.put_file(service, model, files.to_bytes(stranger))
        await learn_rows(service, model, [({"size": 3.0}, "big", 1.0)])
        await changes.put_file(service, model, files.to_bytes(stranger))
        expected = [Remains("m", 3, "file", 2)]
        assert await changes.erase(service, model, 2) == expected
        assert await changes.erase(service, model, 2) == expected

    run_service(tmp_path, test)


def test_the_start_of_a_shortened_log_may_hold_it(tmp_path):
    async def test(service, model):
        await learn_rows(service, model, ROWS)
        await changes.take_snapshot(service, model)
        await learn_rows(service, model, [ROWS[1], ({"b": 1.0}, "new", 1.0)])
        model.log(service.database.writer).drop_before(4)
        assert await changes.erase(service, model, 5) == [Remains("m", 4, "start", None)]
        assert await changes.erase(service, model, 6) == []

    run_service(tmp_path, test)


SAME = {
    "order": ({"a": 1.0, "b": "red"}, {"b": "red", "a": 1.0}, True),
    "another value": ({"a": 1.0}, {"a": 2.0}, False),
    "bool": ({"a": 1.0}, {"a": True}, True),
    "missing": ({"a": 1.0}, {"a": 1.0, "b": None}, True),
    "more": ({"a": 1.0}, {"a": 1.0, "b": 1.0}, False),
    "text": ("A free, free prize", "prize: a FREE one".replace(" one", ""), True),
    "another text": ("a free prize", "a free lunch", False),
    "numbers": ([1.0, 2.0], [1.0, 2.0], True),
    "order of numbers": ([1.0, 2.0], [2.0, 1.0], False),
}


@pytest.mark.parametrize("case", SAME)
@pytest.mark.parametrize("written", [False, True])
def test_predictions_of_the_same_row_go_in_every_model(tmp_path, case, written):
    features, other, goes = SAME[case]

    async def test(service, model):
        second = await service.create(NewModel("second", {}))
        await learn_rows(service, model, [(features, "x", 1.0)])
        kept = [service.predict(which, other).id for which in (model, second)]
        if written:
            await service.writer.barrier()
        await changes.erase(service, model, 1)
        for which, number in zip((model, second), kept, strict=True):
            if goes:
                with pytest.raises(RefusedError, match="no prediction"):
                    service.features_of(which, number)
            else:
                assert service.features_of(which, number) == other
        left = tables.same_predictions(service.reader, other)
        assert len(left) == (0 if goes else 2)

    run_service(tmp_path, test)


def test_a_prediction_that_the_budget_removed_from_the_disk_leaves_memory_too(tmp_path):
    async def test(service, model):
        ids = [service.predict(model, text).id for text in (SECRET, f"{SECRET}!", "another")]
        await service.writer.barrier()
        await Maintenance(service, Policy(predictions_bytes=0)).keep_budgets()
        await learn_rows(service, model, [(service.features_of(model, ids[0]), "x", 1.0)])
        await changes.erase(service, model, 1)
        for number in ids[:2]:
            with pytest.raises(RefusedError, match="no prediction"):
                service.row(model, Example("x", id=number))
        assert service.features_of(model, ids[2]) == "another"

    run_service(tmp_path, test)


def test_a_key_keeps_no_digest_of_what_was_erased(tmp_path):
    async def test(service, model):
        for j, row in enumerate(ROWS):
            await learn_rows(service, model, [row], Key(f"k{j}", b"digest"))
        await changes.erase(service, model, 2)
        stored = [find_key(service.reader, model.number, f"k{j}").digest for j in range(4)]
        assert [digest == b"digest" for digest in stored] == [True, False, True, True]
        for digest in (b"digest", b"another"):
            (learned,) = await learn_rows(service, model, [ROWS[1]], Key("k1", digest))
            assert learned.version == 2
        with pytest.raises(RefusedError, match="was used with another body"):
            await learn_rows(service, model, [ROWS[0]], Key("k0", b"another"))
        assert model.live.version == 5

    run_service(tmp_path, test)
