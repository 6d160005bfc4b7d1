"""The database: one server, what it refuses to open, torn commits, backups."""

import os
import shutil
import struct
import subprocess
import sys

import apsw
import pytest

from rosenblatt.serve.errors import StoreError
from rosenblatt.serve.store import database as module
from rosenblatt.serve.store.database import Database
from rosenblatt.serve.store.pages import SIZE, damaged_pages, has_checksums


def values(connection):
    return [value for (value,) in connection.execute("SELECT version FROM log ORDER BY version")]


def write(connection, version, size=10):
    with connection:
        connection.execute(
            "INSERT INTO log VALUES (1, ?, 0, 0.0, 0, x'', x'', zeroblob(?))", (version, size)
        )


def test_a_new_store_is_durable_and_for_its_owner_alone(tmp_path):
    database = Database(tmp_path / "a" / "b")
    assert next(database.writer.execute("PRAGMA journal_mode")) == ("wal",)
    assert next(database.writer.execute("PRAGMA synchronous")) == (2,)
    assert next(database.writer.execute("PRAGMA secure_delete")) == (1,)
    assert database.file.stat().st_mode & 0o777 == 0o600
    assert database.folder.stat().st_mode & 0o777 == 0o700
    database.close()


def test_the_files_are_for_the_owner_alone_where_the_folder_is_not(tmp_path):
    folder = tmp_path / "open"
    folder.mkdir(mode=0o755)
    database = Database(folder)
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    assert {"store.db", "store.db-wal", "head"} <= set(modes)
    assert set(modes.values()) == {0o600}
    database.close()


def test_a_second_process_is_refused_and_the_lock_ends_with_its_owner(tmp_path):
    code = (
        "import sys, time; from rosenblatt.serve.store.database import Database;"
        f"d = Database({str(tmp_path)!r}); print('open', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "open\n"
        with pytest.raises(StoreError, match=rf"process {other.pid}\) has this store.*--replica"):
            Database(tmp_path)
        (tmp_path / module.LOCK).unlink()
        with pytest.raises(StoreError, match=r"process unknown\) has this store"):
            Database(tmp_path)
        other.kill()
    Database(tmp_path).close()


def test_what_is_no_store_is_refused_and_unchanged(tmp_path):
    path = tmp_path / module.FILE
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE t (x)")
    other.close()
    with pytest.raises(StoreError, match="of another program"):
        Database(tmp_path)
    path.write_bytes(b"no database " * 1000)
    with pytest.raises(StoreError, match=r"damaged.*backup"):
        Database(tmp_path)
    assert path.read_bytes().startswith(b"no database")


def test_a_first_start_that_was_cut_off_is_begun_anew(tmp_path):
    """SQLite undoes a first write that has not ended: the file is empty again."""
    file = tmp_path / module.FILE
    first = apsw.Connection(str(file), vfs=module.checking_vfs())
    first.reserve_bytes("main", module.RESERVED)
    first.execute(module.layout.FREE_PAGES_MOVE)  # it writes the first page
    first.close()
    assert file.stat().st_size == SIZE
    journal = struct.pack(">8s5I", bytes.fromhex("d9d505f920a163d7"), 0, 0, 0, 512, SIZE)
    (tmp_path / "store.db-journal").write_bytes(journal.ljust(512, b"\0"))
    database = Database(tmp_path)
    write(database.writer, 1)
    database.close()
    assert has_checksums(file)
    assert damaged_pages(file) == []
    assert values(Database(tmp_path, readonly=True).writer) == [1]


def test_a_newer_layout_is_refused(tmp_path):
    database = Database(tmp_path)
    database.writer.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StoreError, match="Upgrade rosenblatt"):
        Database(tmp_path)


def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        Database(tmp_path / "file" / "store")
    with pytest.raises(StoreError, match="no store"):
        Database(tmp_path, readonly=True)


@pytest.mark.parametrize("cut", [1, 100, 4096])
def test_a_torn_commit_is_dropped_whole_and_counted(tmp_path, cut):
    database = Database(tmp_path / "a")
    for version in (1, 2, 3):
        write(database.writer, version, 20_000)
    shutil.copytree(tmp_path / "a", tmp_path / "b")  # as a power cut would leave it
    journal = tmp_path / "b" / f"{module.FILE}-wal"
    os.truncate(journal, journal.stat().st_size - cut)
    (tmp_path / "b" / "head").unlink()  # which says that all were acknowledged
    torn = Database(tmp_path / "b")
    assert values(torn.writer) == [1, 2]
    assert torn.torn > 0
    torn.close()
    database.close()
    whole = Database(tmp_path / "a")
    assert (values(whole.writer), whole.torn) == ([1, 2, 3], 0)
    whole.close()


def test_a_backup_is_whole_while_the_store_is_written(tmp_path):
    database = Database(tmp_path / "a")
    write(database.writer, 1)
    follower = Database(tmp_path / "a", readonly=True)
    (tmp_path / "b").mkdir()
    follower.backup(tmp_path / "b" / module.FILE)
    write(database.writer, 2)
    with pytest.raises(FileExistsError):
        follower.backup(tmp_path / "b" / module.FILE)
    copy = Database(tmp_path / "b")
    assert values(copy.writer) == [1]
    for opened in (copy, follower, database):
        opened.close()


def test_pages_of_a_large_backup_have_checksums(tmp_path):
    database = Database(tmp_path / "a")
    for version in range(40):
        write(database.writer, version, size=100_000)
    database.backup(tmp_path / "copy.db")
    database.close()
    assert (tmp_path / "copy.db").stat().st_size > 4_000_000  # more than SQLite keeps in memory
    assert damaged_pages(tmp_path / "copy.db") == []


def test_a_reader_cannot_write(tmp_path):
    database = Database(tmp_path)
    with pytest.raises(apsw.ReadOnlyError):
        database.connect().execute("DELETE FROM log")
    database.close()


def test_a_store_whose_file_has_another_name_is_refused(tmp_path):
    """A lock of the folder does not see a hard link of the database."""
    first = Database(tmp_path / "a")
    (tmp_path / "b").mkdir()
    os.link(tmp_path / "a" / "store.db", tmp_path / "b" / "store.db")
    with pytest.raises(StoreError, match="is a hard link: another server may have"):
        Database(tmp_path / "b")
    first.close()
    (tmp_path / "b" / "store.db").unlink()
    Database(tmp_path / "a").close()
