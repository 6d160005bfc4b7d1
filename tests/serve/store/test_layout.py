"""A store of layout 1, which has neither checksums of pages nor a chain, goes on."""

import asyncio
import gzip
import hashlib
from pathlib import Path

import apsw
import pytest
from service_runs import learn_rows, run_service

from rosenblatt.learning.models import files
from rosenblatt.serve.errors import StoreError
from rosenblatt.serve.served import Key
from rosenblatt.serve.shipping.replica import Replica
from rosenblatt.serve.store.database import FILE, Database
from rosenblatt.serve.store.layout import FORMAT
from rosenblatt.serve.store.log import Kind
from rosenblatt.serve.store.pages import damaged_pages, has_checksums

OLD = Path(__file__).with_name("layout_1.db.gz")
WEIGHTS = "a8afc42e9739699c99452da23f6b872d7b5e72d683ef8b8772fde98dceaba1cc"
"""Hash of the model "mail" that the program of then had: 43 versions, 30 examples."""


@pytest.fixture
def old(tmp_path):
    folder = tmp_path / "old"
    folder.mkdir(mode=0o700)
    (folder / FILE).write_bytes(gzip.decompress(OLD.read_bytes()))
    return folder


def test_an_old_store_is_rewritten_and_goes_on_with_all_it_had(old, monkeypatch):
    monkeypatch.setattr(files, "__version__", "0.1.0")  # which the hashed file names

    async def test(service, model):
        mail, rows = service.model("mail"), service.model("rows")
        assert (mail.live.version, mail.live.examples, rows.live.version) == (43, 30, 10)
        assert hashlib.sha256(files.to_bytes(mail.live.model)).hexdigest() == WEIGHTS
        log = mail.log(service.reader)
        changed = [(r.version, r.kind) for r in log.changes()]
        assert changed == [(5, Kind.ERASED), (41, Kind.ERASURE), (42, Kind.ROLLBACK)]
        log.check_chain()
        assert service.features_of(mail, "p1") == "a kept text"
        row = ("word3 text 10", "ham", 1.0)
        (learned,) = await learn_rows(service, mail, [row], Key("k10", b"d" * 8))
        assert learned.version == 11
        (learned,) = await learn_rows(service, mail, [row])
        assert (learned.version, learned.head) == (44, log.head(44))

    run_service(old, test)
    run_service(old, lambda service, model: asyncio.sleep(0))
    assert sorted(path.name for path in old.iterdir()) == ["head", "lock", FILE]
    assert {path.stat().st_mode & 0o777 for path in old.iterdir()} == {0o600}
    database = Database(old, readonly=True)
    assert database.layout() == FORMAT
    shadows = next(database.writer.execute("SELECT model, name FROM shadows"))
    assert shadows == (1, "arow")
    database.close()
    assert has_checksums(old / FILE)
    assert damaged_pages(old / FILE) == []


def test_an_old_store_that_is_damaged_is_refused_and_stays(old):
    data = (old / FILE).read_bytes()
    at = data.index(b"word3 text 10")
    (old / FILE).write_bytes(data[:at] + b"W" + data[at + 1 :])
    before = (old / FILE).read_bytes()
    with pytest.raises(StoreError, match=r"'mail' is damaged at version 11\. Nothing was changed"):
        Database(old)
    assert (old / FILE).read_bytes() == before
    assert sorted(path.name for path in old.iterdir()) == ["lock", FILE]


def test_an_old_store_can_be_copied_and_is_no_store_of_a_replica(old, tmp_path):
    database = Database(old, readonly=True)
    database.backup(tmp_path / "copy.db")
    with pytest.raises(StoreError, match="start the service itself first"):
        Replica(database).restore()
    database.close()
    (old / FILE).write_bytes((tmp_path / "copy.db").read_bytes())
    Database(old).close()


def test_an_old_store_that_somebody_reads_waits(old):
    reader = apsw.Connection(str(old / FILE))
    reader.execute("CREATE TABLE more (x)")
    with reader:
        next(reader.execute("SELECT count(*) FROM more"))
        writer = apsw.Connection(str(old / FILE))
        writer.execute("INSERT INTO more VALUES (1)")
        writer.close()
        with pytest.raises(StoreError, match="locked by another program"):
            Database(old)
    reader.close()
    Database(old).close()


def test_a_large_old_store_has_checksums_in_every_page(old):
    database = apsw.Connection(str(old / FILE))
    database.execute(
        "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) "
        "INSERT INTO predictions SELECT i, 1, 0.0, randomblob(3000) FROM n"
    )  # more than the cache holds
    database.close()
    Database(old).close()
    assert (old / FILE).stat().st_size > 9e6
    assert damaged_pages(old / FILE) == []
