"""A restored store has the same rows; what is damaged at the target is named."""

import shutil

import pytest
from serving import Served
from shipped import rows_of

from rosenblatt.serve.errors import StoreError
from rosenblatt.serve.shipping.ids import IDS
from rosenblatt.serve.shipping.records import Segment, last_manifest, read_record
from rosenblatt.serve.shipping.restore import restore
from rosenblatt.serve.shipping.target import Target


def test_a_restored_store_has_every_row(shipped, tmp_path):
    store, target = shipped
    restore(tmp_path, Target(str(target)))
    before, after = rows_of(store), rows_of(tmp_path)
    assert all(before[table] for table in before)
    assert after == before


def test_a_restored_service_answers_as_before_and_gives_no_id_twice(shipped, tmp_path):
    store, target = shipped
    (last,) = (value for name, value in rows_of(store)["counters"] if name == "predictions")
    with Served(tmp_path / "new", "--restore", str(target)) as served:
        example = {"features": {"x": 29 / 7, "f4": 1.0}, "label": "c2"}
        again = served.post("/v1/models/m/learn", example, Idempotency_Key="key-29")
        assert again["version"] == 30
        assert served.get("/v1/models/m/shadows")["models"][0]["name"] == "m"
        prediction = served.post("/v1/models/m/predict", {"features": {"x": 1.0}})
        epoch = last_manifest(Target(str(target))).epoch
        assert int(prediction["id"][1:]) >= max(last, epoch * IDS)
        assert [m["name"] for m in served.get("/v1/models?deleted=true")["deleted"]] == ["gone"]
        assert served.post("/v1/models/m/learn", {"id": "p3", "label": "c1"})["version"] > 30


def damage(name):
    """Return a function that damages a file: flips a bit, tears it, or removes it."""

    def flip(path):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 4
        path.write_bytes(data)

    def tear(path):
        path.write_bytes(path.read_bytes()[:-7])

    return {"flipped": flip, "torn": tear, "missing": lambda path: path.unlink()}[name]


@pytest.mark.parametrize("how", ["flipped", "torn", "missing"])
@pytest.mark.parametrize("what", ["manifest", "last segment", "first segment", "base", "chunk"])
def test_damage_is_named_and_nothing_is_restored(shipped, tmp_path, what, how):
    target = tmp_path / "target"
    shutil.copytree(shipped[1], target)
    manifest = last_manifest(Target(str(target)))
    first = manifest.last
    while (before := read_record(Target(str(target)), first, Segment).before) is not None:
        first = before
    path = {
        "manifest": max((target / "manifests").iterdir()),
        "last segment": target / manifest.last.name,
        "first segment": target / first.name,
        "base": target / manifest.base.name,
        "chunk": next((target / "chunks").iterdir()),
    }[what]
    if (what, how) == ("manifest", "missing"):  # of the last two: one may be a try that failed
        path.unlink()
        path = max((target / "manifests").iterdir())
    damage(how)(path)
    with pytest.raises(StoreError) as error:
        restore(tmp_path / "new", Target(str(target)))
    if (what, how) == ("manifest", "missing"):
        assert "manifests are missing" in str(error.value)
    else:
        assert str(path) in str(error.value)
    assert not (tmp_path / "new").exists() or not list((tmp_path / "new").iterdir())


def test_a_segment_of_another_place_is_refused(shipped, tmp_path):
    target = tmp_path / "target"
    shutil.copytree(shipped[1], target)
    last = last_manifest(Target(str(target))).last
    other = read_record(Target(str(target)), last, Segment).before
    (target / last.name).write_bytes((target / other.name).read_bytes())
    with pytest.raises(StoreError, match=f"{last.name}: damaged"):
        restore(tmp_path / "new", Target(str(target)))


def test_a_folder_with_a_store_is_left_alone(shipped):
    store, target = shipped
    before = (store / "store.db").read_bytes()
    with pytest.raises(StoreError, match="has a store already"):
        restore(store, Target(str(target)))
    assert (store / "store.db").read_bytes() == before


def test_the_journal_of_a_store_that_is_gone_is_not_replayed_over_the_restored_one(
    shipped, tmp_path
):
    left = tmp_path / "store.db-wal"
    left.write_bytes(b"what was acknowledged")
    with pytest.raises(StoreError, match="db-wal: the journal of a store that is gone"):
        restore(tmp_path, Target(str(shipped[1])))
    assert [path.name for path in tmp_path.iterdir()] == [left.name]
    left.rename(tmp_path / "moved")
    (tmp_path / "head").write_bytes(b"how much of it was acknowledged")
    restore(tmp_path, Target(str(shipped[1])))
    assert rows_of(tmp_path) == rows_of(shipped[0])


def test_an_empty_target_has_nothing(tmp_path):
    with pytest.raises(StoreError, match="nothing was shipped to it"):
        restore(tmp_path / "new", Target(str(tmp_path / "target")))


@pytest.mark.parametrize("folder", ["manifests", "segments"])
def test_a_file_of_somebody_else_at_the_target_is_named(shipped, tmp_path, folder):
    target = shutil.copytree(shipped[1], tmp_path / "target")
    (target / folder / "notes.txt").write_text("of somebody else")
    with pytest.raises(StoreError, match=f"has {folder}/notes.txt, which is no object of rosen"):
        restore(tmp_path / "new", Target(str(target)))
