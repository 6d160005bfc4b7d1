"""Checksums of pages and rows, and the check of a store: every damage is named, nothing changes."""

import shutil

import attack_store
import numpy as np
import pytest
from service_runs import learn_rows, run_service

from rosenblatt.serve import changes
from rosenblatt.serve.errors import StoreError
from rosenblatt.serve.schema import Shadow
from rosenblatt.serve.served import Key
from rosenblatt.serve.store.check import check_store
from rosenblatt.serve.store.database import FILE, Database
from rosenblatt.serve.store.pages import (
    carry,
    damaged_pages,
    has_checksums,
    page_sums,
    seal,
    unseal,
)

LONG = "a long text " * 900
"""Of several pages."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A store with something in every table, and its state as a kill would leave it."""
    folder = tmp_path_factory.mktemp("store")

    async def test(service, model):
        rows = [({"a": 1.0, "b": "red"}, "xy"[j % 2], 1.0) for j in range(5)]
        await learn_rows(service, model, rows, Key("k", b"digest"))
        await changes.add_shadow(service, model, Shadow("s", {"rule": "pa"}))
        await changes.take_snapshot(service, model)
        await changes.erase(service, model, 2)
        service.predict(model, {"kept": 1.0})
        service.database.journal.empty_journal()
        service.predict(model, LONG)
        await learn_rows(service, model, rows)
        await service.writer.barrier()
        shutil.copytree(folder / "stopped", folder / "killed")
        return service.about(model)

    return folder, run_service(folder / "stopped", test)


@pytest.fixture(params=["stopped", "killed"])
def store(whole, request, tmp_path):
    return shutil.copytree(whole[0] / request.param, tmp_path / "store")


def contents(folder):
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}


def test_a_whole_store_has_a_line_for_each_model_and_no_byte_changes(whole, store):
    before, about = contents(store), whole[1]
    report = check_store(store)
    assert report.faults == []
    assert report.models == [("m", 1, 11, about.head)]
    assert contents(store) == before


def test_a_store_that_is_served_and_a_folder_that_is_none_are_refused(whole, store, tmp_path):
    database = Database(store)
    with pytest.raises(StoreError, match=r"a service has this store\. Stop it first"):
        check_store(store)
    database.close()
    shutil.copytree(whole[0] / "killed", tmp_path / "read")
    reader = Database(tmp_path / "read", readonly=True)
    next(reader.writer.execute("SELECT count(*) FROM log"))
    with pytest.raises(StoreError, match=r"a replica or a backup reads this store\. Stop it first"):
        check_store(tmp_path / "read")
    reader.close()
    assert check_store(tmp_path / "read").faults == []
    (tmp_path / "file").write_text("no folder")
    for folder in (tmp_path, tmp_path / "nothing", tmp_path / "file"):
        with pytest.raises(StoreError, match="no store of a service"):
            check_store(folder)


def test_the_head_of_a_backup_and_of_a_replica_is_that_of_the_store(whole, tmp_path):
    follower = Database(whole[0] / "stopped", readonly=True)
    follower.backup(tmp_path / FILE)
    follower.close()
    assert check_store(tmp_path).models == [("m", 1, 11, whole[1].head)]


def test_a_large_backup_has_checksums_in_every_page(tmp_path):
    database = Database(tmp_path / "store")
    database.writer.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) "
        "INSERT INTO snapshots SELECT 1, i, x'', randomblob(3000), 0 FROM n"
    )
    database.backup(tmp_path / FILE)
    database.close()
    for file in (tmp_path / FILE, tmp_path / "store" / FILE):
        assert file.stat().st_size > 9e6
        assert has_checksums(file)
        assert damaged_pages(file) == []


CHANGES = {
    "UPDATE models SET config = x'00'": "the model 'm' is damaged: its checksum is wrong",
    "UPDATE log SET body = x'00' WHERE version = 3": "the model 'm' is damaged at version 3",
    "UPDATE log SET salt = zeroblob(16) WHERE version = 4": "the model 'm' is damaged at version 4",
    "UPDATE snapshots SET file = x'00'": "table snapshots, model 'm', version",
    "UPDATE shadows SET config = zeroblob(9)": "the shadow 's' is damaged",
    "UPDATE keys SET answer = zeroblob(9)": "the answer to an Idempotency-Key is damaged",
    "UPDATE predictions SET features = zeroblob(9)": "the features of a prediction is damaged",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_row_with_a_wrong_checksum_is_named(store, change):
    database = Database(store)
    database.writer.execute(change)
    assert database.writer.changes() > 0
    database.close()
    faults = check_store(store).faults
    assert any(CHANGES[change] in fault for fault in faults), faults


def test_a_page_with_a_wrong_checksum_is_named_and_no_row_of_it_is_used(store):
    size = (store / FILE).stat().st_size
    data = (store / FILE).read_bytes()
    for page in range(2, size // 4096 + 1):
        turned = bytearray(data)
        turned[page * 4096 - 100] ^= 8
        (store / FILE).write_bytes(turned)
        assert damaged_pages(store / FILE) == [page]
        assert f"{store / FILE}: page {page} has a wrong checksum" in check_store(store).faults


def test_the_sums_are_those_of_sqlite():
    words = np.random.default_rng(0).integers(0, 2**32, (3, 20), dtype=np.uint32)
    for row, sums in zip(words.tolist(), page_sums(words).tolist(), strict=True):
        first, second = 7, 9
        for a, b in zip(row[::2], row[1::2], strict=True):
            first = (first + a + second) % 2**32
            second = (second + b + first) % 2**32
        start = carry(np.array([[7, 9]], np.uint32), len(row))[0].tolist()
        assert [(s + t) % 2**32 for s, t in zip(sums, start, strict=True)] == [first, second]


def test_every_bit_of_a_sealed_value_is_guarded():
    sealed = seal(b"a value")
    assert unseal(sealed, "it") == b"a value"
    for at in range(len(sealed)):
        for bit in range(8):
            turned = bytearray(sealed)
            turned[at] ^= 1 << bit
            with pytest.raises(StoreError, match="it is damaged"):
                unseal(bytes(turned), "it")
    for cut in (sealed[:-1], b"", "text"):
        with pytest.raises(StoreError):
            unseal(cut, "it")


def test_damage_of_a_store_is_named_or_has_no_effect():
    """python tests/support/attack_store.py does it 3,000 times."""
    counts, faults = attack_store.attack(8, seed=0)
    assert faults == []
    assert counts.total() == 8
