"""Folders of texts and of mail: labels, order, mailboxes, archives."""

import hashlib
import io
import os
import sys
import tarfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from profiles import share

from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.features.ngrams import NgramHasher
from rosenblatt.streams.formats.folders import MAX_BYTES

FILES = {
    "ham/1.txt": b"see you at noon",
    "ham/2002/2": b"lunch at noon",
    "spam/1.txt": b"win a prize",
    "spam/2.txt": b"",
    "spam/cur/3": b"a prize for you",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return put(Path("mail"), FILES)


def put(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def rows_in(stream):
    """Return every row with its label; check first rows."""
    rows = []
    for batch in stream:
        assert batch.first_row == len(rows)
        labels = [None] * batch.X.shape[0] if batch.y is None else batch.y.tolist()
        rows += zip(batch.X.toarray().tolist(), labels, strict=True)
    return rows


def row(text, bits=6, specs=("word:1-2",)):
    return NgramHasher(specs, bits).rows([text]).tocsr().toarray()[0].tolist()


def refused(source, message, line=None, name=None, **options):
    with pytest.raises(DataError, match=message) as caught:
        list(open_stream(source, **options))
    assert (caught.value.source, caught.value.line) == (str(name or source), line)


# --- folders -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 20, 1 << 22])
def test_a_folder_of_labels(folder, size):
    stream = open_stream(folder, bits=6, batch_bytes=size)
    assert (stream.format, stream.bits, stream.text) == ("folder", 6, ("word:1-2",))
    assert (stream.sparse, stream.feature_names, stream.target) == (True, None, None)
    order = sorted(FILES, key=lambda name: hashlib.sha256(name.encode()).digest())
    wanted = [(row(FILES[name].decode()), name.split("/")[0]) for name in order]
    assert rows_in(stream) == wanted == rows_in(stream)
    assert any(row == [0.0] * 64 for row, _ in wanted)  # the empty file


def test_rows_are_shuffled_across_labels(tmp_path):
    files = {f"{label}/{k}": b"x" for label in ("ham", "spam") for k in range(200)}
    y = open_stream(put(tmp_path, files)).read()[1]
    assert 150 < np.count_nonzero(y[1:] != y[:-1]) < 250


def test_skipped_files(folder):
    wanted = rows_in(open_stream(folder, bits=6))
    put(folder, {"README": b"read me", ".git/x": b"no", "ham/.hidden": b"no"})
    os.symlink("nowhere", folder / "ham" / "broken")
    os.symlink("..", folder / "ham" / "loop")
    os.mkfifo(folder / "ham" / "pipe")
    assert rows_in(open_stream(folder, bits=6)) == wanted


def test_links_to_folders_are_labels(folder):
    os.symlink(folder.absolute() / "spam", folder / "junk")
    assert sorted(set(open_stream(folder).read()[1])) == ["ham", "junk", "spam"]


def test_all_passes_have_the_same_rows(folder):
    stream = open_stream(folder)
    first = rows_in(stream)
    put(folder, {"ham/new": b"too late"})
    assert rows_in(stream) == first


def test_without_labels(folder):
    put(folder, {"0": b"beside"})
    wanted = [
        (row(content.decode()), None) for _, content in sorted({"0": b"beside", **FILES}.items())
    ]
    assert rows_in(open_stream(folder, bits=6, labelled=False)) == wanted


def test_ids_are_the_files(folder):
    put(folder, {"junk.mbox": b"From a\n\nwin\n\nFrom b\n\na prize\n"})
    os.symlink(folder.absolute() / "ham/1.txt", os.fsencode(folder.absolute()) + b"/ham/\xff")
    names = [*sorted(FILES), "junk.mbox/1", "junk.mbox/2", "ham/\N{REPLACEMENT CHARACTER}"]
    batches = list(open_stream(folder, batch_bytes=20))
    for batch in batches:
        assert [one.split("/")[0].split(".")[0] for one in batch.ids] == batch.y.tolist()
    assert sorted(one for batch in batches for one in batch.ids) == sorted(names)
    alone = open_stream(folder / "junk.mbox", labelled=False).whole()
    assert alone.ids.tolist() == ["junk.mbox/1", "junk.mbox/2"]


def test_folders_without_labels_or_files_are_refused(tmp_path):
    refused(tmp_path, "has no folders in it: give a folder with one folder, or one mailbox")
    (tmp_path / "ham").mkdir()
    refused(tmp_path, "no rows: it holds no files")
    refused(tmp_path / "ham", "no rows: it holds no files", labelled=False)
    (tmp_path / "ham" / "file").write_text("x")
    refused(tmp_path / "ham", "has no folders in it")
    for option in ({"target": "y"}, {"index_base": 0}, {"schema": {"a": "text"}}):
        with pytest.raises(ValueError, match="does not go with a folder of texts"):
            open_stream(tmp_path, **option)
    refused(tmp_path / "none.mbox", "cannot be read: No such file")
    refused("-", "a single text has no folder that names its label", name="stdin", format="folder")


def test_a_file_that_vanishes(folder):
    stream = open_stream(folder, batch_bytes=1)
    first = next(iter(stream))
    last = max(FILES, key=lambda name: hashlib.sha256(name.encode()).digest())
    (folder / last).unlink()
    rows = []
    with pytest.raises(DataError, match=f"{last}: cannot be read: No such file"):
        rows.extend(label for batch in stream for label in batch.y)
    assert len(rows) == len(FILES) - 1
    assert rows[0] == first.y[0]


def test_a_file_without_permission(folder):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    (folder / "ham" / "1.txt").chmod(0)
    refused(folder, "cannot be read: Permission denied", name=folder / "ham/1.txt")


def test_long_files_are_cut_after_a_line(tmp_path):
    line = "𝐰𝐨𝐫𝐝 𝐭𝐰𝐨\n"  # letters of four bytes: a cut within one would spoil them all
    long = line.encode() * (2 * MAX_BYTES // len(line.encode()))
    put(tmp_path, {"a": long, "b.mbox": b"From x\n\n" + long})
    archive(tmp_path / "c.tar", "w", {"d/c": long})
    streams = [
        open_stream(tmp_path / name, format="folder", bits=6) for name in ("a", "b.mbox", "c.tar")
    ]
    for stream, start in zip(streams, ("", "From x ", ""), strict=True):
        assert rows_in(stream)[0][0] == row(start + line * 9)


# --- mailboxes and archives ----------------------------------------------------------------------


BOX = b"From ann Mon\nSubject: noon\nFrom: ann\n\nat noon\nFrom here on\n\nFrom bob Tue\n\nwhen?\n"


def test_mailboxes_are_labels(tmp_path):
    put(tmp_path, {"ham.mbox": BOX, "spam/1": b"win", "spam/2.mbox": b"From x\n\nwin\n"})
    labels = [label for _, label in rows_in(open_stream(tmp_path, bits=6))]
    assert sorted(labels) == ["ham"] * 2 + ["spam"] * 2
    mails = [row("noon ann at noon From here on"), row("From bob Tue when?")]
    assert [r for r, _ in rows_in(open_stream(tmp_path / "ham.mbox", bits=6))] == mails
    assert len(rows_in(open_stream(tmp_path / "spam" / "2.mbox", labelled=False))) == 1


def test_malformed_mailboxes_are_refused(tmp_path):
    put(tmp_path, {"a.mbox": b"hello\nFrom x\n", "b.mbox": b"", "c.mbox.gz": b""})
    refused(tmp_path / "a.mbox", "found no line 'From …', expected a mailbox", 1)
    refused(tmp_path / "b.mbox", "no rows: it is empty")
    refused(tmp_path / "c.mbox.gz", "is read as it is: decompress it first")


def archive(path, mode, files=FILES):
    with tarfile.open(path, mode) as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


@pytest.mark.parametrize("suffix", ["tar", "tar.gz", "tgz", "tar.xz", "tar.bz2"])
def test_an_archive_is_read_in_its_own_order(tmp_path, suffix):
    kind = {"tar": "w", "tgz": "w:gz"}.get(suffix, f"w:{suffix[4:]}")
    path = archive(tmp_path / f"mail.{suffix}", kind)
    wanted = [(row(content.decode()), Path(name).parent.name) for name, content in FILES.items()]
    stream = open_stream(path, bits=6)
    assert rows_in(stream) == wanted == rows_in(stream)


def test_a_file_at_the_top_of_an_archive_has_no_label(tmp_path):
    files = {"README": b"read me", "ham/1": b"noon", "spam/1": b"win"}
    path = archive(tmp_path / "mail.tar", "w", files)
    assert [label for _, label in rows_in(open_stream(path, bits=6))] == ["ham", "spam"]
    assert len(rows_in(open_stream(path, bits=6, labelled=False))) == 3


def test_archives_that_are_damaged(tmp_path):
    files = {f"a/{k}": os.urandom(5000) for k in range(50)}
    for suffix in ("gz", "xz", "bz2"):
        path = archive(tmp_path / f"mail.tar.{suffix}", f"w:{suffix}", files)
        path.write_bytes(path.read_bytes()[:-3000])
        rows = []
        with pytest.raises(DataError, match="cannot be read as an archive: it is truncated"):
            rows.extend(len(batch.y) for batch in open_stream(path, batch_bytes=1))
        assert sum(rows) > 0 or suffix == "bz2"  # which is one block
    put(tmp_path, {"text.tar": b"no archive", "empty.tgz": b""})
    refused(tmp_path / "text.tar", "cannot be read as an archive")
    refused(tmp_path / "empty.tgz", "cannot be read as an archive")
    refused(tmp_path / "none.tar", "cannot be read: No such file")


PACKED = ["tar", "tar.gz", "tar.xz", "tar.bz2", "tar.zst"]


def packed(tmp_path, suffix):
    """An archive of four files, its name and its bytes."""
    files = {f"{label}/{k}": os.urandom(700) for label in ("ham", "spam") for k in range(2)}
    mode = "w" if suffix in ("tar", "tar.zst") else f"w:{suffix[4:]}"
    path = archive(tmp_path / f"mail.{suffix}", mode, files)
    if suffix == "tar.zst":
        path.write_bytes(pa.compress(path.read_bytes(), "zstd", asbytes=True))
    return path, path.read_bytes()


@pytest.mark.parametrize("suffix", PACKED)
def test_an_archive_that_is_cut_anywhere_is_refused(tmp_path, suffix):
    path, content = packed(tmp_path, suffix)
    assert len(rows_in(open_stream(path, bits=6))) == 4
    stops = {*range(1, len(content), 61), *range(512, len(content), 512)}
    end = 4 * 1536 + 512 if suffix == "tar" else len(content)  # of the first end mark
    for stop in sorted(stops):
        path.write_bytes(content[:stop])
        if stop >= end:
            assert len(rows_in(open_stream(path, bits=6))) == 4
        else:
            refused(path, r"is truncated or damaged (before|after) .*(download|end mark)", bits=6)


@pytest.mark.parametrize("suffix", PACKED)
def test_a_changed_byte_of_an_archive_loses_no_file_silently(tmp_path, suffix):
    path, content = packed(tmp_path, suffix)
    changed = bytearray(content)
    for at in share(range(0, min(len(content), 4 * 1536), 37), 3, 0):
        changed[at] ^= 1 << at % 8
        path.write_bytes(changed)
        changed[at] = content[at]
        with suppress(DataError):
            assert len(rows_in(open_stream(path, bits=6))) == 4


def test_the_message_names_the_last_whole_file(tmp_path):
    path, content = packed(tmp_path, "tar")
    path.write_bytes(content[: 2 * 1536 + 100])
    refused(
        path, "after the file 'ham/1' .truncated header.: download it again, or pack the folder"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux only")
def test_a_label_that_is_no_text_is_printable(tmp_path):
    for name in (b"a\xff", b"b"):
        os.mkdir(os.path.join(os.fsencode(tmp_path), name))
        Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name, b"1"))).write_text("x")
    ((_, y, *_),) = open_stream(tmp_path, bits=6)
    assert sorted(y.tolist()) == ["a\ufffd", "b"]


def test_an_archive_keeps_no_list_of_its_files(tmp_path, monkeypatch):
    path = archive(tmp_path / "a.tar", "w", {f"spam/{k}": b"win" for k in range(50)})
    opened, open_archive = [], tarfile.open
    monkeypatch.setattr(tarfile, "open", lambda **o: opened.append(open_archive(**o)) or opened[0])
    for batch in open_stream(path, batch_bytes=1):
        assert len(batch.y) == 1
        assert len(opened[0].members) <= 1
