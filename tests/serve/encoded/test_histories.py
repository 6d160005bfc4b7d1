"""Random histories of models of raw rows: what is served is what a replay of the log gives."""

import random
from contextlib import suppress

import pytest
from profiles import is_thorough
from raw_rows import MAIL, OBJECTS, PEOPLE
from safetensors.numpy import load
from service_runs import learn_rows, run_apart

from rosenblatt import OnlinePerceptron
from rosenblatt.cli.main import run
from rosenblatt.learning.models import files
from rosenblatt.serve import changes
from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.rows import PlainRows
from rosenblatt.serve.schema import NewModel, Shadow
from rosenblatt.serve.service import Service
from rosenblatt.serve.store import tables
from rosenblatt.serve.store.check import check_store
from rosenblatt.serve.store.database import Database

CONFIGS = [{}, {"rule": "pa1", "output": "average"}, {"rule": "arow"}]
CHANGES = ["learn"] * 6 + ["put", "put", "roll back", "erase", "promote", "shadow", "snapshot"]
LABELS = ["no", "yes", "maybe", "late"]


def random_row(rng):
    """A row of one of the files' forms, or of none."""
    people = {
        "age": rng.choice([1, 2.5, 30, None, "NA"]),
        "job": rng.choice(["Gov", "Own", None, f"new {rng.randrange(9)}", 3.0, True]),
        "pay": rng.choice([None, 1.5, rng.random()]),
    }
    names = rng.sample(["size", "kind", "new", f"q{rng.randrange(5)}"], 3)
    objects = {name: rng.choice([1.5, "oak", None, True]) for name in names if name != "size"}
    mail = {"text": rng.choice(["win a prize", "see you", ""]), "length": rng.choice([1.0, 2])}
    forms = [people, people, objects, mail, "a text", {"age": "old"}]
    return rng.choice(forms), rng.choice(LABELS), rng.choice([1.0, 0.5])


def content(live):
    """What a model is: its file, but for the sign of zeros, its version and its counts."""
    data = live.model.classes_ and live.content()()
    arrays = load(data) if data else {}
    arrays = {name: (array if array.dtype == bool else array + 0) for name, array in arrays.items()}
    names = live.how and live.how.names
    return (
        {name: array.tobytes() for name, array in arrays.items()},
        (live.model.classes_, live.config, live.version, live.progress.snapshot(), names),
    )


async def change(service, model, what, rng, model_files):
    """Make one change; what the service refuses is none."""
    last = model.log(service.reader).bounds()[1]
    if what == "learn":
        rows = [random_row(rng) for _ in range(rng.randrange(1, 9))]
        refused = model.live.refusals(PlainRows(rows))
        good = [row for i, row in enumerate(rows) if i not in refused]
        if good:
            await learn_rows(service, model, good)
    elif what == "put":
        await changes.put_file(service, model, rng.choice(model_files))
    elif what == "roll back":
        await changes.roll_back(service, model, rng.randrange(last + 1))
    elif what == "erase":
        await changes.erase(service, model, rng.randrange(1, last + 2))
    elif what == "snapshot":
        await changes.take_snapshot(service, model)
    elif what == "promote" and "s" in model.shadows:
        await changes.promote_shadow(service, model, "s")
    elif what == "shadow" and "s" not in model.shadows:
        await changes.add_shadow(service, model, Shadow("s", rng.choice(CONFIGS)))


async def check_history(folder, rng, model_files):
    """Make random changes, and compare what is served with replays of the log after each."""
    service = Service(Database(folder))
    service.restore()
    await service.start()
    model = await service.create(NewModel("m"))
    for _ in range(20):
        with suppress(RefusedError):
            await change(service, model, rng.choice(CHANGES), rng, model_files)
        last = model.log(service.reader).bounds()[1]
        assert content(model.live) == content(await service.compute(model, last))
        for shadow in model.shadows.values():
            replayed = await service.compute(model, last, shadow.config)
            assert content(shadow) == content(replayed)
        if rng.random() < 0.1:
            before = content(model.live)
            await service.stop()
            service.database.close()
            service = Service(Database(folder))
            service.restore()
            await service.start()
            await changes.start_shadows(service)
            model = service.model("m")
            assert content(model.live) == before
    versions = range(last + 1)
    with_snapshots = [content(await service.compute(model, version)) for version in versions]
    await service.writer.do(
        lambda c: tables.drop_snapshots(c, model.number, tables.snapshot_versions(c, model.number))
    )
    for version in versions:
        assert content(await service.compute(model, version)) == with_snapshots[version]
    learned = sum(live[1][3]["examples"] for live in with_snapshots)
    await service.stop()
    service.database.close()
    assert check_store(folder).faults == []
    return learned


@pytest.fixture(scope="module")
def model_files(tmp_path_factory):
    """Files of models of several forms of rows, one of them without notes."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "people.csv").write_text(PEOPLE)
    objects = OBJECTS
    for number, label in enumerate(LABELS[:3], 1):
        objects = objects.replace(f'"y": {number}', f'"y": "{label}"')
    (folder / "rows.jsonl").write_text(objects)
    (folder / "mail.tsv").write_text(MAIL)
    found = []
    for path, *options in [
        ("people.csv", "--target", "y", "--impute", "mean"),
        ("people.csv", "--target", "y", "--impute", "indicator", "--average"),
        ("people.csv", "--target", "y", "--impute", "mean", "--scale", "--average"),
        ("people.csv", "--target", "y", "--impute", "zero", "--bits", "8"),
        ("people.csv", "--target", "y", "--impute", "mean", "--interactions", "age*job"),
        ("rows.jsonl",),
        ("rows.jsonl", "--bits", "9"),
        ("mail.tsv", "--schema", "text:text", "--bits", "8"),
    ]:
        assert run(["train", str(folder / path), "-m", str(folder / "m"), "-q", *options]) == 0
        found.append((folder / "m").read_bytes())
    plain = OnlinePerceptron(rule="pa1").learn_many([{"f1": 1}, {"f2": 1}], ["no", "yes"])
    return [*found, files.to_bytes(plain)]


@pytest.mark.parametrize("seed", range(9 if is_thorough() else 2))
def test_what_is_served_is_what_the_log_says(tmp_path, model_files, seed):
    assert run_apart(check_history(tmp_path, random.Random(seed), model_files)) > 0
