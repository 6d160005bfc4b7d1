"""The metrics: what a parser of Prometheus' format reads, right numbers, and a bounded size."""

import re
import time
from pathlib import Path

import numpy as np
from prometheus_client.parser import text_string_to_metric_families
from service_runs import learn_rows, run_service

from rosenblatt.serve import changes
from rosenblatt.serve.maintenance import Maintenance, Policy
from rosenblatt.serve.schema import NewModel
from rosenblatt.serve.shipping.replica import Replica
from rosenblatt.serve.store.database import Database
from rosenblatt.serve.telemetry import metrics as module
from rosenblatt.serve.telemetry import observed
from rosenblatt.serve.telemetry.watch import Watch

PAGE = (Path(__file__).parents[3] / "docs" / "service-metrics.md").read_text("utf-8")
OTHERS = observed.OTHERS


def read(service):
    """The samples of a service: {name: {value of the label, or "": number}}."""
    found = {}
    for family in text_string_to_metric_families(service.metrics.text(service.observe()).decode()):
        for sample in family.samples:
            label = sample.labels.get("model") or sample.labels.get("part") or ""
            found.setdefault(sample.name, {})[label] = sample.value
    return found


def rows(count, upside_down=False):
    words = ("one", "two") if upside_down else ("two", "one")
    return [({words[j % 2]: 1.0}, "xy"[j % 2], 1.0) for j in range(count)]


async def counted(service):
    await Watch(service).look()
    return read(service)


def test_a_parser_reads_them_and_the_page_has_all_of_them(tmp_path):
    async def test(service, model):
        await learn_rows(service, model, rows(10))
        service.metrics.refusals.labels("404").inc()
        service.metrics.requests.labels("learn").observe(0.003)
        text = service.metrics.text(service.observe()).decode()
        families = list(text_string_to_metric_families(text))
        heads = re.findall(r"^# TYPE (\S+) \w+$", text, re.M)
        assert len(families) == len(heads) == len(set(heads)) == text.count("# HELP")
        assert sorted(re.findall(r"`((?:rosenblatt|process)_\w+)`", tables())) == sorted(heads)
        for family in families:
            assert family.documentation.endswith(".")
            if family.type == "counter":  # the parser takes _total away
                assert f"{family.name}_total" in heads

    run_service(tmp_path, test)


def tables():
    return "\n".join(line for line in PAGE.splitlines() if line.startswith("| `"))


def test_the_page_says_how_many_models_have_series_of_their_own():
    assert f"The first {observed.MAX_MODELS} models" in PAGE
    assert f'model="{OTHERS}"' in PAGE


def test_bins_end_at_1_2_5_from_a_tenth_of_a_millisecond_to_ten_seconds():
    ends = [*np.outer(10.0 ** np.arange(-4, 1), [1, 2, 5]).ravel(), 10.0]
    assert np.allclose(module.SECONDS, ends)
    histogram = module.Metrics().commits
    for seconds in (0.0001, 0.00011, 10.0, 11.0):
        histogram.observe(seconds)
    bins = dict(histogram.samples())
    assert [bins[f'_bucket{{le="{end}"}}'] for end in ("0.0001", "0.0002", "10.0", "+Inf")] == [
        1,
        2,
        3,
        4,
    ]
    assert (bins["_count"], bins["_sum"]) == (4, 21.00021)


def test_numbers_of_a_model_are_those_of_the_model(tmp_path):
    async def test(service, model):
        await learn_rows(service, model, [*rows(200), *rows(30, True)])
        found, about = await counted(service), service.about(model)
        of_model = {
            name.removeprefix("rosenblatt_model_"): by.get("m") for name, by in found.items()
        }
        assert of_model["version"] == about.version == 230
        assert (of_model["examples"], of_model["errors"]) == (about.examples, about.errors)
        assert of_model["error_ratio"] == about.error
        assert of_model["recent_error_ratio"] == about.recent_error
        low, high = of_model["error_low_ratio"], of_model["error_high_ratio"]
        assert np.allclose((low, high), about.interval, atol=0.01 * (high - low))
        assert (
            0
            < of_model["recent_error_low_ratio"]
            < about.error
            < of_model["recent_error_high_ratio"]
        )
        assert of_model["bytes"] > 8 * about.features
        assert (of_model["unsaved_versions"], found["rosenblatt_models"][""]) == (230, 1)
        assert of_model["snapshot_timestamp_seconds"] == model.created
        await changes.take_snapshot(service, model)
        found = read(service)
        assert found["rosenblatt_model_unsaved_versions"]["m"] == 0
        assert abs(found["rosenblatt_model_snapshot_timestamp_seconds"]["m"] - time.time()) < 60

    run_service(tmp_path, test)


def test_a_restart_knows_its_snapshot(tmp_path):
    async def learn(service, model):
        await learn_rows(service, model, rows(20))
        await changes.take_snapshot(service, model)
        await learn_rows(service, model, rows(3))

    async def look(service, model):
        found = read(service)
        assert found["rosenblatt_model_unsaved_versions"]["m"] == 3
        saved = found["rosenblatt_model_snapshot_timestamp_seconds"]["m"]
        assert model.created <= saved <= time.time()
        assert service.about(model).snapshot == 20

    run_service(tmp_path, learn)
    run_service(tmp_path, look)


def test_models_beyond_the_limit_are_one_sum(tmp_path, monkeypatch):
    monkeypatch.setattr(observed, "MAX_MODELS", 2)

    async def test(service, model):
        for name in ("b", "others", "d"):
            await service.create(NewModel(name, {}))
        for k, each in enumerate(service.models.values()):
            await learn_rows(service, each, rows(10 * (k + 1)))
        await changes.take_snapshot(service, service.model("d"))
        found = await counted(service)
        series = [by for name, by in found.items() if name.startswith("rosenblatt_model_")]
        assert len(series) == len(module.OF_MODEL)
        assert all(list(by) == ["m", "b", OTHERS] for by in series)
        assert list(found["rosenblatt_model_version"].values()) == [10, 20, 70]
        errors = [service.model(name).live.progress.errors for name in ("others", "d")]
        assert found["rosenblatt_model_errors"][OTHERS] == sum(errors)
        assert found["rosenblatt_model_error_ratio"][OTHERS] == sum(errors) / 70
        assert found["rosenblatt_model_unsaved_versions"][OTHERS] == 30
        saved = found["rosenblatt_model_snapshot_timestamp_seconds"][OTHERS]
        assert saved == service.model("others").created
        await service.create(NewModel("e", {}))
        assert read(service)["rosenblatt_models"][""] == 5

    run_service(tmp_path, test)


def test_a_drift_goes_on_until_the_error_is_down_and_a_rollback_is_no_alarm(tmp_path):
    async def test(service, model):
        await learn_rows(service, model, rows(2000))
        assert (await counted(service))["rosenblatt_model_drift"]["m"] == 0
        await learn_rows(service, model, rows(300, True))
        found = await counted(service)
        assert found["rosenblatt_model_drift"]["m"] == 1
        assert (
            found["rosenblatt_model_drift_alarms"]["m"]
            == found["rosenblatt_drift_alarms_total"][""]
        )
        alarms = found["rosenblatt_drift_alarms_total"][""]
        assert alarms >= 1
        await learn_rows(service, model, rows(2500))
        found = await counted(service)
        assert found["rosenblatt_model_drift"]["m"] == 0
        await changes.roll_back(service, model, 2300)
        await learn_rows(service, model, rows(1))
        found = await counted(service)
        assert found["rosenblatt_model_drift"]["m"] == 1  # as it was then
        assert found["rosenblatt_drift_alarms_total"][""] == alarms
        await changes.erase(service, model, 1)
        await learn_rows(service, model, rows(1, True))
        assert (await counted(service))["rosenblatt_drift_alarms_total"][""] == alarms

    run_service(tmp_path, test, config={"rule": "lms", "eta0": 1e-9})


def test_room_is_that_of_the_log_and_of_the_disk(tmp_path):
    async def test(service, model):
        found = read(service)
        assert "rosenblatt_log_free_bytes" not in found  # nobody has read it yet
        await learn_rows(service, model, rows(100))
        await Maintenance(service, Policy()).keep_budgets()
        found = read(service)
        assert found["rosenblatt_log_budget_bytes"][""] == 10**6
        free = 10**6 - found["rosenblatt_store_bytes"]["log"]
        assert 0 < found["rosenblatt_log_free_bytes"][""] == free < 10**6
        assert found["rosenblatt_disk_free_bytes"][""] < found["rosenblatt_disk_size_bytes"][""]
        assert found["rosenblatt_waiting_requests"][""] == 0
        assert found["process_resident_memory_bytes"][""] > 10**7
        assert "rosenblatt_replica_lag_seconds" not in found

    run_service(tmp_path, test, log_bytes=10**6)


def test_a_replica_says_how_far_it_is_behind_and_nothing_of_the_disk(tmp_path):
    async def test(service, model):
        await learn_rows(service, model, rows(10))
        database = Database(tmp_path, readonly=True)
        try:
            replica = Replica(database)
            replica.restore()
            await learn_rows(service, model, rows(5))
            found = read(replica)
            assert found["rosenblatt_model_version"]["m"] == 10
            assert 0 <= found["rosenblatt_replica_lag_seconds"][""] < 10
            assert found["rosenblatt_replica_lag_versions"][""] == 0  # it has not looked yet
            await replica._catch_up()
            found = read(replica)
            assert found["rosenblatt_model_version"]["m"] == 15
            for name in ("disk_free_bytes", "waiting_requests", "model_unsaved_versions"):
                assert f"rosenblatt_{name}" not in found
        finally:
            database.close()

    run_service(tmp_path, test)


def test_a_scrape_of_a_hundred_models_takes_milliseconds(tmp_path):
    """The bound has room for a busy machine; each interval by itself would take 100 ms in all."""

    async def test(service, model):
        for j in range(99):
            await service.create(NewModel(f"model-{j}", {"rule": "pa1"}))
        for each in service.models.values():
            await learn_rows(service, each, rows(70))
        await counted(service)
        times = []
        for _ in range(10):
            start = time.thread_time()
            service.metrics.text(service.observe())
            times.append(time.thread_time() - start)
        assert min(times) < 0.02

    run_service(tmp_path, test)
