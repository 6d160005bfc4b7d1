"""Texts at URLs by ranges of bytes, from a server that counts requests and bytes, and fails."""

import re
from contextlib import suppress
from itertools import pairwise

import pytest
from range_server import range_server

from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.core.errors import NoRowsError
from rosenblatt.streams.io import remote
from rosenblatt.streams.io.ranges import open_seekable
from rosenblatt.streams.io.remote import find_version

ROWS = "".join(f"{k % 2} 1:{k} 2:{k / 7:.9f}\n" for k in range(5000))


@pytest.fixture
def web(tmp_path, monkeypatch):
    monkeypatch.setattr(remote, "RETRY_WAITS", (0.0, 0.0, 0.0))
    (tmp_path / "a.svm").write_text(ROWS)
    with range_server(tmp_path) as server:
        server.url += "/a.svm"
        yield server


def rows_of(source):
    return [row for batch in open_stream(source) for row in batch.X.toarray()[:, 0].tolist()]


def test_each_pass_reads_each_byte_once(web):
    stream = open_stream(web.url)
    for _ in range(3):
        assert sum(len(batch.y) for batch in stream) == 5000
    assert (len(web.asked), web.sent) == (3, 3 * len(ROWS))


@pytest.mark.parametrize("cuts", [(0, 5, 70_000), (0, 1, 2, 14, 15, 16, 99_999), (0, 120_000)])
def test_ranges_share_out_the_rows(web, cuts):
    ends = [*cuts, len(ROWS)]
    rows = []
    for start, stop in pairwise(ends):
        with suppress(NoRowsError):
            rows += rows_of(f"{web.url}#bytes={start}-{stop}")
    assert rows == [*range(5000)]


def test_a_range_that_ends_with_a_line_takes_one_request(web):
    start, stop = ROWS.index("\n", 50_000) + 1, ROWS.index("\n", 90_000) + 1
    rows_of(f"{web.url}#bytes=0-99")  # the first lines are kept
    web.clear()
    stream = open_stream(f"{web.url}#bytes={start}-{stop}")
    web.clear()
    assert len(list(stream)) == 1
    assert [part for _, part in web.asked] == [f"bytes={start - 1}-{stop - 1}"]


def test_an_error_in_a_range_has_its_line(web, tmp_path):
    (tmp_path / "a.svm").write_text(ROWS.replace("1 1:4501", "1 1:x"))
    with pytest.raises(DataError, match=r"a\.svm#bytes=100000-150000:\d+:\d+: found"):
        rows_of(f"{web.url}#bytes=100000-150000")


@pytest.mark.parametrize("part", ["", f"#bytes=0-{len(ROWS)}"])
def test_a_connection_that_breaks_is_taken_up_at_its_byte(web, part):
    source = web.url + part
    stream = open_stream(source) if part else None
    web.clear()
    web.cuts = [10_000, 20_000, 0]
    assert sum(len(batch.y) for batch in stream or open_stream(source)) == 5000
    assert len(ROWS) <= web.sent <= len(ROWS) + 30_000  # what arrived unread is sent again
    begins = [int(part[6:].partition("-")[0]) if part else 0 for _, part in web.asked[1:]]
    assert begins == sorted(begins)
    assert begins[0] <= 10_000
    assert begins[2] <= 30_000


def test_a_connection_that_breaks_for_good_is_an_error_with_its_byte(web):
    web.cuts = [70_000, *[0] * 9]
    with pytest.raises(DataError) as caught:
        rows_of(web.url)
    assert str(caught.value).startswith(f"{web.url}:")
    assert "the connection was lost" in str(caught.value)
    assert re.search(r"at byte \d[\d,]*, after 4 tries\.$", str(caught.value))


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        ([403], "the server answers 403 Forbidden."),
        ([404], "there is no file at this address."),
        ([416], "the server answers 416 "),
        ([500] * 4, "the server answers 500 Internal Server Error, at byte 0, after 4 tries."),
    ],
)
def test_answers_that_are_no_file(web, answers, problem):
    number, web.answers = len(answers), [*answers]
    with pytest.raises(DataError) as caught:
        rows_of(web.url)
    assert str(caught.value).startswith(f"{web.url}: cannot be read: {problem}")
    assert (len(web.asked), web.answers) == (number, [])


def test_a_server_that_is_well_again_is_read(web):
    web.answers = [503, 429, 500]
    assert rows_of(web.url) == [*range(5000)]


def test_a_file_that_changes_between_passes_is_an_error_that_names_it(web):
    stream = open_stream(web.url)
    list(stream)
    web.tags["a.svm"] = '"another"'
    with pytest.raises(DataError, match=r"a\.svm: cannot be read: it has changed"):
        list(stream)


def test_a_server_without_ranges(web):
    web.has_ranges = False
    assert rows_of(web.url) == [*range(5000)]
    with pytest.raises(DataError, match="the server sends no ranges of bytes, so name the file"):
        rows_of(f"{web.url}#bytes=0-100")


def test_a_file_read_at_any_position(web):
    version, problem = find_version(web.url, remote.NO_ACCESS)
    file = open_seekable(web.url, remote.NO_ACCESS, version)
    assert (version.size, problem, file.seekable(), file.readable()) == (len(ROWS), "", True, True)
    file.seek(-9, 2)
    text = bytearray(4)
    assert (file.readinto(text), file.tell()) == (4, len(ROWS) - 5)
    assert text + file.read() == ROWS[-9:].encode()
    assert file.read(9) == b""


def test_an_empty_file_has_a_size(web, tmp_path):
    (tmp_path / "a.svm").write_text("")
    assert find_version(web.url, remote.NO_ACCESS)[0].size == 0
