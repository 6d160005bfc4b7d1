"""The end of a write-ahead log: every byte of a real one is cut and turned."""

import pytest

from rosenblatt.serve.store.database import FILE, Database
from rosenblatt.serve.store.torn import torn_bytes


@pytest.fixture
def journal(tmp_path):
    database = Database(tmp_path / "store")
    for version in range(1, 4):
        with database.writer as connection:
            connection.execute("INSERT INTO log VALUES (1, ?, 0, 0.0, x'00', 0)", (version,))
    data = (tmp_path / "store" / f"{FILE}-wal").read_bytes()
    database.close()
    return data


def torn(tmp_path, data):
    path = tmp_path / "wal"
    path.write_bytes(data)
    return torn_bytes(path)


def test_a_whole_journal_has_no_torn_end(tmp_path, journal):
    assert len(journal) > 3 * 4096
    assert torn(tmp_path, journal) == 0
    assert torn(tmp_path, b"") == 0


@pytest.mark.parametrize("cut", [1, 23, 25, 4000])
def test_a_cut_journal_ends_with_its_last_whole_commit(tmp_path, journal, cut):
    end = len(journal) - cut
    found = torn(tmp_path, journal[:end])
    assert 0 < found <= 2 * (24 + 4096)
    assert torn(tmp_path, journal[: end - found]) == 0


def test_a_turned_byte_ends_the_journal_there(tmp_path, journal):
    data = bytearray(journal)
    data[-1] ^= 1
    assert torn(tmp_path, bytes(data)) > 0
    data = bytearray(journal)
    data[40] ^= 1  # the salt of the first frame: of an older journal
    assert torn(tmp_path, bytes(data)) == 0
    data[0] ^= 1
    assert torn(tmp_path, bytes(data)) == len(data)
