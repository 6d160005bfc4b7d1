"""Weights that leave the floating-point range: said, and mended by an erasure or a rollback."""

import asyncio

import pytest
from service_runs import learn_one, learn_rows, run_service

from rosenblatt import OnlinePerceptron
from rosenblatt.learning.models import files
from rosenblatt.serve import changes
from rosenblatt.serve.config import check_sizes
from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.live import LiveModel
from rosenblatt.serve.maintenance import Maintenance, Policy
from rosenblatt.serve.rows import PlainRows
from rosenblatt.serve.schema import LARGEST, NewModel, Shadow
from rosenblatt.serve.served import Key, LearnWork

PA = {"rule": "pa", "fit_intercept": False}
ROWS = [({"a": 1.0}, "x", 1.0), ({"b": 1.0}, "y", 1.0)]
TINY = ({"c": 1e-160}, "y", 1.0)  # PA's step is loss / ‖x‖²
FINE = ({"a": 1.0}, "y", 1.0)


async def overflow(service, model):
    await learn_rows(service, model, ROWS)
    with pytest.raises(RefusedError, match="version 3 cannot be learned, and is in the log, so"):
        await learn_rows(service, model, [TINY])


@pytest.mark.parametrize("repair", ["erase", "roll_back"])
def test_an_erasure_or_a_rollback_brings_the_model_back(tmp_path, repair):
    async def test(service, model):
        await overflow(service, model)
        with pytest.raises(RefusedError, match="erase that version, or roll back") as refusal:
            service.predict(model, {"a": 1.0})
        assert (refusal.value.status, model.about().overflow) == (409, 3)
        for call in (lambda: learn_rows(service, model, [FINE]), lambda: changes.get_file(model)):
            with pytest.raises(RefusedError, match="at version 3"):
                await call()
        assert await changes.take_snapshot(service, model) == 0  # none of such weights
        await Maintenance(service, Policy(snapshot_every=1))._take_snapshots(1)
        assert service.versions(model).snapshots == []
        await (changes.erase if repair == "erase" else changes.roll_back)(
            service, model, 3 if repair == "erase" else 2
        )
        assert model.about().overflow is None
        twin = OnlinePerceptron(**PA, max_features=2**20)
        for features, label, weight in ROWS:
            twin.learn_one(features, label, weight)
        assert files.to_bytes(model.live.model) == files.to_bytes(twin)
        await learn_rows(service, model, [FINE])

    run_service(tmp_path, test, PA)


def test_a_restart_finds_the_same(tmp_path):
    run_service(tmp_path, overflow, PA)

    async def again(service, model):
        assert model.about().overflow == 3
        assert model.live.examples == 2

    run_service(tmp_path, again)


def test_a_shadow_that_overflows_leaves_the_model_alone(tmp_path):
    async def test(service, model):
        await learn_rows(service, model, ROWS)
        await changes.add_shadow(service, model, Shadow("s", PA))
        await learn_rows(service, model, [TINY, FINE])
        assert (model.shadows["s"].overflow, model.live.overflow) == (3, None)
        assert (model.shadows["s"].version, model.live.version) == (4, 4)
        with pytest.raises(RefusedError, match="at version 3"):
            await changes.promote_shadow(service, model, "s")

    run_service(tmp_path, test)


def test_nothing_puts_such_weights_in_the_place_of_a_model(tmp_path):
    async def test(service, model):
        await overflow(service, model)
        with pytest.raises(RefusedError, match="at version 3"):
            await changes.roll_back(service, model, 3)
        with pytest.raises(RefusedError, match="the weights of the model are not finite"):
            await changes.put_file(service, model, files.to_bytes(model.live.model))
        assert (model.live.version, model.about().overflow) == (3, 3)
        await service.create(NewModel("other"))
        other = service.model("other")
        await learn_rows(service, other, ROWS)
        await changes.add_shadow(service, other, Shadow("s", PA))
        late = asyncio.create_task(learn_rows(service, other, [TINY]))
        with pytest.raises(RefusedError, match="at version 3"):
            await asyncio.gather(changes.promote_shadow(service, other, "s"), late)
        await late

    run_service(tmp_path, test, PA)


def test_examples_of_the_same_commit_and_a_retry_are_told_that_they_are_in_the_log(tmp_path):
    async def test(service, model):
        await learn_rows(service, model, ROWS)
        outcomes, _ = await service.learn(model, PlainRows([FINE, TINY, FINE]), Key("k", b"1"))
        assert (outcomes[0].version, outcomes[0].was_right) == (3, False)
        for version, outcome in enumerate(outcomes[1:], 4):
            assert f"version {version} cannot be learned, and is in the log" in str(outcome)
        with pytest.raises(RefusedError, match="left the floating-point range at version 4"):
            await learn_rows(service, model, [FINE])
        assert service.answer_of(model, Key("k", b"1")) is None
        work = LearnWork(service.writer, model, PlainRows([FINE, TINY, FINE]), Key("k", b"1"))
        service.writer.submit(work)
        assert [str(outcome) for outcome in await work.future] == [
            str(outcome) for outcome in outcomes
        ]
        await changes.erase(service, model, 4)
        assert model.live.examples == 4  # the last one, too
        assert len(service.answer_of(model, Key("k", b"1"))) == 3

    run_service(tmp_path, test, PA)


def test_no_number_of_a_config_is_too_large():
    for config in ({"eta0": 1e31}, {"alpha": 1e200}, {"rule": {"name": "pa1", "C": 1e99}}):
        with pytest.raises(ValueError, match=r"may be 1e\+30 at most"):
            check_sizes(config)


def test_rules_whose_steps_are_bounded_survive_the_largest_numbers():
    for rule in ("perceptron", "logistic", "arow", "scw1", "adagrad", "sop"):
        live = LiveModel.from_config({"rule": rule})
        for j in range(200):
            row = {f"f{j % 3}": LARGEST * (-1) ** j, f"f{j % 5 + 3}": 1 / LARGEST}
            weight = LARGEST if j % 2 else 1.0
            learn_one(live, (row, "xy"[j % 7 % 2], weight), j + 1)
        assert live.overflow is None
