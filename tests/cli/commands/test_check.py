"""``rosenblatt check``: a whole store, a damaged one, one that is served, and none."""

from pathlib import Path

import pytest

from rosenblatt.serve.store.database import FILE, Database
from rosenblatt.serve.store.log import Kind, Log, Record, encode_body
from rosenblatt.serve.store.tables import add_model


@pytest.fixture
def head(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    database = Database("mail")
    with database.writer as connection:
        number = add_model(connection, "m", {}, 0.0)
        body = encode_body(("a text", "x", 1.0))
        records = [Record(version, Kind.EXAMPLE, 0.0, body) for version in (1, 2)]
        head = Log(connection, number, "m").append(records)[-1]
    database.close()
    return head


def test_a_whole_store_has_a_line_for_each_model(call, head):
    assert call("check", "mail") == (0, f"m  1 to 2  head {head}\n", "")


def test_a_damaged_store_is_named_with_status_1(call, head):
    data = bytearray(Path("mail", FILE).read_bytes())
    data[data.index(b"a text")] ^= 1
    Path("mail", FILE).write_bytes(data)
    status, out, err = call("check", "mail")
    assert status == 1
    assert "damaged  mail/store.db: page " in out
    assert "Restore the folder from a backup" in err


def test_a_store_that_is_served_is_not_checked(call, head):
    database = Database("mail")
    status, _, err = call("check", "mail")
    database.close()
    assert status == 1
    assert "a service has this store" in err


def test_what_is_no_store_is_said(call, tmp_path):
    status, _, err = call("check", tmp_path / "nothing")
    assert status == 1
    assert "no store of a service" in err
