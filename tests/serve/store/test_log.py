"""The log: versions without gaps, checksums, the chain, what is erased and compacted."""

import hashlib
import struct

import pytest

from rosenblatt.serve.errors import StoreError
from rosenblatt.serve.store.database import Database
from rosenblatt.serve.store.log import Kind, Log, Record, checksum, decode_row, encode_body


@pytest.fixture
def log(tmp_path):
    database = Database(tmp_path)
    yield Log(database.writer, 1, "mail")
    database.close()


def read_all(log):
    first, last = log.bounds()
    return list(log.read(first - 1, last))


def example(version):
    return Record(version, Kind.EXAMPLE, 1e9 + version, encode_body(({"a": version}, "x", 1.0)))


def damage(log, version):
    log.connection.execute(
        "UPDATE log SET body = CAST(x'00' || substr(body, 2) AS BLOB) WHERE version = ?", (version,)
    )


def test_records_come_back_in_order_and_within_bounds(log):
    assert log.bounds() == (1, 0)
    records = [example(version) for version in range(1, 6)]
    log.append(records)
    assert list(log.read()) == records
    assert list(log.read(1, 3)) == records[1:3]
    assert log.bounds() == (1, 5)


@pytest.mark.parametrize("row", [({"a": 1.5, "b": None, "c": "red", "d": True}, 3, 0.5),
                                 ([1.0, -2.0], True, 1.0), ("a text", "é", 0.0)])  # fmt: skip
def test_rows_keep_their_values_and_types(row):
    got = decode_row(encode_body(row))
    assert got == row
    assert type(got[1]) is type(row[1])


@pytest.mark.parametrize("version", [1, 3])
def test_a_damaged_record_is_found_wherever_it_is(log, version):
    log.append([example(v) for v in range(1, 4)])
    damage(log, version)
    with pytest.raises(StoreError, match=f"'mail' is damaged at version {version}"):
        read_all(log)


def test_a_missing_record_is_damage(log):
    log.append([example(v) for v in range(1, 4)])
    log.connection.execute("DELETE FROM log WHERE version = 2")
    with pytest.raises(StoreError, match="at version 2"):
        read_all(log)
    with pytest.raises(StoreError, match="at version 4"):
        list(log.read(2, 4))


@pytest.mark.parametrize(
    "change", ["time = time + 1", "kind = 7", "checksum = 1", "body = 'text'", "time = 'late'"]
)
def test_the_checksum_is_of_the_whole_record(log, change):
    log.append([example(1)])
    log.connection.execute(f"UPDATE log SET {change}")
    with pytest.raises(StoreError):
        read_all(log)


def test_the_chain_is_that_of_its_definition(log):
    heads = log.append([example(v) for v in (1, 2)]) + log.append([example(3)])
    chain = bytes(32)
    salts = [salt for (salt,) in log.connection.execute("SELECT salt FROM log ORDER BY version")]
    for record, salt, head in zip(log.read(), salts, heads, strict=True):
        packed = struct.pack("<qqqd", 1, record.version, record.kind, record.time)
        committed = hashlib.sha256(salt + packed + record.body).digest()
        chain = hashlib.sha256(chain + committed).digest()
        assert chain.hex() == head == log.head(record.version)
    assert (len(set(salts)), {len(salt) for salt in salts}) == (3, {16})
    assert log.head(0) == "00" * 32
    log.check_chain()


def test_the_same_records_have_other_commitments_and_so_betray_nothing(log):
    other = Log(log.connection, 2, "other")
    again = Log(log.connection, 1, "mail")
    first = log.append([example(1)])
    log.connection.execute("DELETE FROM log")
    assert again.append([example(1)]) != first
    assert other.append([example(1)]) != first


def test_an_erasure_keeps_the_chain_and_takes_the_salt(log):
    heads = log.append([example(v) for v in range(1, 4)])
    (salt,) = next(log.connection.execute("SELECT salt FROM log WHERE version = 2"))
    log.erase(2)
    (left,) = next(log.connection.execute("SELECT salt FROM log WHERE version = 2"))
    assert len(left) == 32
    assert salt not in left
    assert [log.head(v) for v in (1, 2, 3)] == heads
    log.check_chain()
    log.drop_before(2)
    assert log.head(3) == heads[2]
    log.check_chain()


@pytest.mark.parametrize(
    ("change", "version"),
    [
        ("UPDATE log SET salt = zeroblob(16) WHERE version = 2", 2),
        ("UPDATE log SET salt = zeroblob(32) WHERE version = 2", 2),
        ("UPDATE log SET chain = zeroblob(32) WHERE version = 2", 2),
        ("UPDATE log SET chain = (SELECT chain FROM log WHERE version = 1) WHERE version = 3", 3),
    ],
)
def test_a_record_that_was_not_committed_breaks_the_chain(log, change, version):
    log.append([example(v) for v in range(1, 4)])
    log.connection.execute(change)
    read_all(log)
    with pytest.raises(StoreError, match=f"at version {version}"):
        log.check_chain()


def test_a_record_that_was_replaced_with_its_checksum_breaks_the_chain(log):
    log.append([example(v) for v in range(1, 4)])
    other = Record(2, Kind.EXAMPLE, 1e9 + 2, encode_body(({"a": 2}, "y", 1.0)))
    cells = (other.body, checksum(1, other))
    log.connection.execute("UPDATE log SET body = ?, checksum = ? WHERE version = 2", cells)
    read_all(log)
    with pytest.raises(StoreError, match="at version 2"):
        log.check_chain()


def test_a_log_is_not_continued_where_its_end_is_missing(log):
    log.append([example(1)])
    with pytest.raises(StoreError, match="at version 2"):
        log.append([example(3)])


def test_a_record_of_a_newer_version_is_refused_and_not_passed_over(log):
    log.append([example(1), Record(2, 99, 1e9, b""), example(3)])
    with pytest.raises(StoreError, match="at version 2 what a newer rosenblatt has written"):
        read_all(log)


def test_an_erased_example_leaves_no_content(log):
    log.append([example(v) for v in range(1, 4)])
    log.erase(2)
    read_all(log)
    record = list(log.read())[1]
    assert (record.kind, record.body, record.time) == (Kind.ERASED, b"", 1e9 + 2)
    assert [(r.version, r.kind) for r in log.changes()] == [(2, Kind.ERASED)]


def test_the_last_reset_is_a_rollback_or_a_file(log):
    log.append([example(1), Record(2, Kind.ROLLBACK, 0.0, encode_body(1)), example(3)])
    log.append([Record(4, Kind.ERASURE, 0.0, encode_body(1)), example(5)])
    assert log.last_reset(0, 5).version == 2
    assert log.last_reset(2, 5) is None
    assert log.last_reset(0, 1) is None


def test_a_compacted_log_begins_with_a_mark(log):
    log.append([example(v) for v in range(1, 8)])
    log.drop_before(4)
    assert log.bounds() == (4, 7)
    read_all(log)
    assert next(log.read(3)).kind == Kind.START
