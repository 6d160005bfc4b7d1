"""The write-ahead log and the head: a torn end is dropped, damage is refused, bit by bit."""

import os
import random
import shutil

import apsw
import pytest

from rosenblatt.serve.errors import StoreError
from rosenblatt.serve.store.check import check_store
from rosenblatt.serve.store.database import FILE, Database
from rosenblatt.serve.store.journal import (
    count_commit,
    head_of,
    judge,
    read_frames,
    read_head,
    wal_of,
)
from rosenblatt.serve.store.log import Kind, Log, Record

FRAME = 24 + 4096


def learn(database, version, size=1, counts=True):
    with database.writer as connection:
        Log(connection, 1, "m").append([Record(version, Kind.EXAMPLE, 0.0, os.urandom(size))])
        if counts:  # older programs did not
            count_commit(connection)


def versions(folder):
    database = Database(folder)
    found = [v for (v,) in database.writer.execute("SELECT version FROM log")]
    database.close()
    return found


@pytest.fixture
def store(tmp_path):
    """A store as a kill leaves it: ten commits in the journal, one of them of several pages."""
    database = Database(tmp_path / "store")
    with database.writer as connection:
        connection.execute("INSERT INTO models VALUES (1, 'm', x'00', 0.0, NULL)")
    for version in range(1, 11):
        learn(database, version, 20_000 if version == 10 else 1)
    shutil.copytree(tmp_path / "store", tmp_path / "killed")
    database.close()
    return tmp_path / "killed"


def flip(path, at, bit=0):
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << bit
    path.write_bytes(data)


def refusal(folder):
    """The message of a start, which changes nothing."""
    before = {path: path.read_bytes() for path in folder.iterdir() if path.name != "lock"}
    with pytest.raises(StoreError) as error:
        Database(folder)
    assert {p: p.read_bytes() for p in folder.iterdir() if p.name != "lock"} == before
    return str(error.value)


def test_the_head_counts_the_frames_that_were_acknowledged(store):
    frames = read_frames(wal_of(store / FILE))
    head, is_damaged = read_head(head_of(store / FILE))
    assert (head.frames, head.salts, is_damaged) == (frames.committed, frames.salts, False)
    assert (frames.torn, frames.is_followed, head.moved) == (0, False, 0)
    assert head_of(store / FILE).stat().st_mode & 0o777 == 0o600
    assert versions(store) == list(range(1, 11))


@pytest.mark.parametrize("has_head", [True, False])
def test_a_flipped_bit_in_the_middle_is_damage_with_and_without_a_head(store, has_head):
    if not has_head:
        head_of(store / FILE).unlink()
    flip(wal_of(store / FILE), 32 + 30 * FRAME + 700)  # the tables and the model are before it
    message = refusal(store)
    assert "store.db-wal: damaged behind frame 30 of" in message
    assert "The last good versions: m " in message
    assert "Restore the folder from a backup" in message


def test_every_part_of_an_acknowledged_journal_is_guarded(store):
    wal, rng = wal_of(store / FILE), random.Random(0)
    whole = wal.read_bytes()
    last = len(whole) - FRAME
    places = [*range(32), *range(32, 56), *range(last, last + 24)]  # headers
    places += [rng.randrange(len(whole)) for _ in range(100)]
    for at in places:
        flip(wal, at, rng.randrange(8))
        verdict = judge(store / FILE)
        assert verdict.fault is not None, at
        assert not verdict.is_moved
        wal.write_bytes(whole)
    for size in [0, 1, 31, 32, 33, 32 + FRAME, last, len(whole) - 1]:
        os.truncate(wal, size)
        assert judge(store / FILE).fault is not None, size
        wal.write_bytes(whole)
    assert judge(store / FILE).fault is None


def test_the_message_says_how_to_go_on_from_the_last_good_version(store):
    flip(wal_of(store / FILE), 32 + 30 * FRAME + 700)
    *_, command = refusal(store).partition(": truncate")
    assert os.system(f"truncate{command}") == 0
    kept = versions(store)
    assert kept == list(range(1, len(kept) + 1))
    assert 1 <= len(kept) < 10


@pytest.mark.parametrize("cut", [1, 23, 25, FRAME, 2 * FRAME])
def test_the_torn_end_of_a_commit_that_nobody_was_told_of_is_dropped(store, tmp_path, cut):
    database = Database(store)
    learn(database, 11)
    head = head_of(store / FILE).read_bytes()
    learn(database, 12, 20_000)
    shutil.copytree(store, tmp_path / "torn")
    database.close()
    head_of(tmp_path / "torn" / FILE).write_bytes(head)  # the last commit was not acknowledged
    wal = wal_of(tmp_path / "torn" / FILE)
    os.truncate(wal, wal.stat().st_size - cut)
    verdict = judge(tmp_path / "torn" / FILE)
    assert (verdict.fault, verdict.torn > 0) == (None, True)
    assert versions(tmp_path / "torn") == list(range(1, 12))


def test_frames_of_a_torn_commit_may_reach_the_disk_in_any_order(store, tmp_path):
    wal = wal_of(store / FILE)
    head_of(store / FILE).unlink()
    flip(wal, wal.stat().st_size - 4 * FRAME + 30)  # within the last commit, of several frames
    assert judge(store / FILE).fault is None
    assert versions(store) == list(range(1, 10))


def test_a_journal_that_is_gone_is_missed(store):
    wal_of(store / FILE).unlink()
    assert "store.db-wal: empty or missing, though it had commits" in refusal(store)


def test_a_database_that_is_gone_is_missed(store):
    os.truncate(store / FILE, 0)
    assert "store.db: empty or missing" in refusal(store)
    (store / FILE).unlink()
    assert "store.db: empty or missing" in refusal(store)


def test_after_a_clean_stop_no_journal_is_missed(store):
    assert versions(store) == list(range(1, 11))
    assert not wal_of(store / FILE).exists()
    assert versions(store) == list(range(1, 11))


def test_a_damaged_head_blocks_no_whole_store(store):
    flip(head_of(store / FILE), 9)
    database = Database(store)
    assert database.notes == [f"{head_of(store / FILE)} was damaged, and is written anew"]
    database.close()
    assert read_head(head_of(store / FILE))[1] is False
    assert versions(store) == list(range(1, 11))


def test_a_damaged_journal_is_not_needed_once_the_database_has_all(store, tmp_path):
    database = Database(store)
    reader = database.connect()
    with reader:  # it keeps the journal from being emptied
        assert next(reader.execute("SELECT count(*) FROM log")) == (10,)
        database.journal._move()
        shutil.copytree(store, tmp_path / "copy")
    reader.close()
    database.close()
    flip(wal_of(tmp_path / "copy" / FILE), 32 + 2 * FRAME + 99)
    assert judge(tmp_path / "copy" / FILE).is_moved
    assert versions(tmp_path / "copy") == list(range(1, 11))


@pytest.mark.parametrize("damaged", ["header", "moved frame", "later frame"])
def test_a_head_that_is_older_than_the_journal_gives_nothing_up(store, tmp_path, damaged):
    """A head is not synced: a power cut may leave that of a checkpoint before the last commits."""
    database = Database(store)
    reader = database.connect()
    reader.execute("BEGIN; SELECT count(*) FROM log")  # it keeps the journal from beginning anew
    database.journal._move()
    old = head_of(store / FILE).read_bytes()
    for version in range(11, 31):
        learn(database, version)
    shutil.copytree(store, tmp_path / "cut")
    reader.close()
    database.close()
    head_of(tmp_path / "cut" / FILE).write_bytes(old)
    wal, (head, _) = wal_of(tmp_path / "cut" / FILE), read_head(head_of(tmp_path / "cut" / FILE))
    frames = read_frames(wal)
    assert head.is_moved
    assert head.frames + 20 <= frames.committed
    assert judge(tmp_path / "cut" / FILE).fault is None
    at = {"header": 1, "moved frame": 32 + 99, "later frame": 32 + (frames.committed - 5) * FRAME}
    flip(wal, at[damaged])
    message = refusal(tmp_path / "cut")
    assert "store.db-wal: " in message
    if damaged == "later frame":
        *_, command = message.partition(": truncate")
        assert os.system(f"truncate{command}") == 0
        assert versions(tmp_path / "cut")[:20] == list(range(1, 21))


def test_a_journal_that_began_anew_is_told_from_the_older_one_behind_it(tmp_path):
    database = Database(tmp_path / "store")
    for version in range(1, 400):
        learn(database, version, 9_000)
    assert read_head(head_of(database.file))[0].frames < 1100  # it began anew at 1,000
    shutil.copytree(tmp_path / "store", tmp_path / "killed")
    database.close()
    verdict = judge(tmp_path / "killed" / FILE)
    assert (verdict.fault, verdict.torn) == (None, 0)
    assert versions(tmp_path / "killed") == list(range(1, 400))


@pytest.fixture
def reader(tmp_path):
    """A store, and one who reads its state before the last commit, as a replica or a backup."""
    database = Database(tmp_path / "store")
    learn(database, 1)
    follower = Database(tmp_path / "store", readonly=True)
    follower.writer.execute("BEGIN; SELECT count(*) FROM log")
    learn(database, 2)
    yield database, follower
    follower.close()
    database.close()


def test_a_reader_that_ends_while_the_journal_is_emptied_does_no_harm(reader, monkeypatch):
    """The head must not say of a journal that is gone that it is needed: a kill may come then."""
    database, follower = reader
    move = database.journal._move

    def move_and_end():
        moved = move()
        if follower.writer.in_transaction:
            follower.writer.execute("COMMIT")
        return moved

    monkeypatch.setattr(database.journal, "_move", move_and_end)
    with pytest.raises(apsw.BusyError):
        database.journal.empty_journal()
    assert judge(database.file).fault is None
    database.journal.empty_journal()
    assert wal_of(database.file).stat().st_size == 0
    assert judge(database.file).fault is None


def test_a_reader_that_ends_while_the_service_stops_does_no_harm(reader, monkeypatch):
    database, follower = reader
    close = database.journal.close

    def close_and_end():
        close()
        follower.close()

    monkeypatch.setattr(database.journal, "close", close_and_end)
    database.close()
    assert judge(database.file).fault is None
    assert versions(database.folder) == [1, 2]


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("stops", [True, False])
def test_an_older_journal_is_not_replayed_over_a_later_database(tmp_path, stops, counts):
    """What the database has of later commits would be overwritten, and nobody told."""
    folder = tmp_path / "store"
    database = Database(folder)
    with database.writer as connection:
        connection.execute("INSERT INTO models VALUES (1, 'm', x'00', 0.0, NULL)")
    older = {}
    for version in range(1, 31):
        learn(database, version, counts=counts)
        journal, head = wal_of(folder / FILE).read_bytes(), head_of(folder / FILE).read_bytes()
        older[journal[16:24]] = journal, head
        if version % 5 == 0:
            if stops:
                database.close()
                database = Database(folder)
            else:
                database.journal._move()
    learn(database, 31, counts=counts)
    shutil.copytree(folder, tmp_path / "killed")
    database.close()
    wal = wal_of(tmp_path / "killed" / FILE)
    latest = wal.read_bytes(), head_of(tmp_path / "killed" / FILE).read_bytes()
    older.pop(latest[0][16:24], None)
    assert len(older) >= 5
    mixed = [(journal, latest[1]) for journal, _ in older.values()]
    if counts:  # without the last: the database has that moment, and no file of the one after it
        mixed += list(older.values())[:-1]
    for journal, head in mixed:
        wal.write_bytes(journal)
        head_of(wal.with_name(FILE)).write_bytes(head)
        message = refusal(tmp_path / "killed")
        assert "store.db-wal: not the last journal of" in message
        assert "The last good versions: m 30. Restore the folder from a backup" in message
    if counts:
        wal.write_bytes(mixed[0][0])
        head_of(wal.with_name(FILE)).unlink()
        *_, command = refusal(tmp_path / "killed").partition(": truncate")
        assert os.system(f"truncate{command}") == 0
        assert versions(tmp_path / "killed") == list(range(1, 31))
    wal.write_bytes(latest[0])
    head_of(wal.with_name(FILE)).write_bytes(latest[1])
    assert versions(tmp_path / "killed") == list(range(1, 32))


def test_a_journal_that_follows_that_of_the_head_is_taken(tmp_path):
    """A head is not synced: after a power cut it may be of a journal before."""
    database = Database(tmp_path / "store")
    heads = []
    for version in range(1, 31):
        learn(database, version)
        heads.append(head_of(database.file).read_bytes())
        if version % 5 == 0:
            database.journal._move()
    shutil.copytree(tmp_path / "store", tmp_path / "killed")
    database.close()
    for head in heads:
        head_of(tmp_path / "killed" / FILE).write_bytes(head)
        assert judge(tmp_path / "killed" / FILE).fault is None
    assert versions(tmp_path / "killed") == list(range(1, 31))


def test_the_journal_of_another_store_is_not_taken(store, tmp_path):
    database = Database(tmp_path / "other")
    learn(database, 1)
    shutil.copy(wal_of(database.file), wal_of(store / FILE))
    database.close()
    assert "store.db-wal: not the last journal of" in refusal(store)


def test_without_a_head_nothing_is_asserted_of_what_is_dropped(store):
    head_of(store / FILE).unlink()
    wal = wal_of(store / FILE)
    os.truncate(wal, wal.stat().st_size - 100)
    assert any("head: missing" in fault for fault in check_store(store).faults)
    database = Database(store)
    assert database.torn > 0
    assert "nothing tells whether" in " ".join(database.notes)
    database.close()


def test_a_store_without_head_and_journal_is_told_from_a_backup(store, tmp_path):
    database = Database(store)
    database.backup(tmp_path / "backup.db")
    database.close()  # the journal is emptied
    head_of(store / FILE).unlink()
    assert any("head: missing" in fault for fault in check_store(store).faults)
    database = Database(store)
    assert "head is missing, and is written anew" in database.notes[0]
    learn(database, 11)
    database.close()
    restored = tmp_path / "restored"
    restored.mkdir()
    (tmp_path / "backup.db").rename(restored / FILE)
    assert not [fault for fault in check_store(restored).faults if "head" in fault]
    database = Database(restored)
    assert database.notes == []
    database.close()


def test_without_the_journal_the_message_names_the_versions_before_it(store, tmp_path):
    database = Database(store)
    database.journal.empty_journal()
    learn(database, 11)
    shutil.copytree(store, tmp_path / "copy")
    database.close()
    wal_of(tmp_path / "copy" / FILE).unlink()
    message = refusal(tmp_path / "copy")
    assert "The last good versions: m 10. Restore the folder from a backup" in message
    *_, command = message.partition(": truncate")
    assert os.system(f"truncate{command}") == 0
    assert versions(tmp_path / "copy") == list(range(1, 11))
