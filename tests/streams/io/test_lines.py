"""Chunks and blocks of lines: faults far into a source, and their positions."""

import pytest

from rosenblatt.streams import DataError, open_stream


@pytest.mark.parametrize("size", [10, 60, 10_000])
@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        (b"1 x:2", 3, "found 'x:2'"),
        (b"1 1:1 # caf\xe9", 12, "byte 0xe9, expected UTF-8"),
        (b"1 1:1 # \0", 9, "NUL byte"),
        (b"1 1:1 \0\0", 7, "NUL byte"),
    ],
)
def test_a_late_fault_has_its_position_and_rows_before_it_are_yielded(
    write, line, column, message, size
):
    path = write("a.svm", b"1 1:1 # one\n-1 2:1\n\n" * 40 + line + b"\n1 1:1\n")
    labels = []
    with pytest.raises(DataError, match=message) as caught:
        labels.extend(len(batch.y) for batch in open_stream(path, batch_bytes=size))
    assert sum(labels) == 80
    assert (caught.value.line, caught.value.column) == (121, column)


def test_the_first_of_two_faults_is_named(write):
    for first, second, message in (
        (b"1 x:1", b"1 1:1 # \0", "found 'x:1'"),
        (b"1 1:1 # \0", b"1 x:1", "NUL byte"),
    ):
        with pytest.raises(DataError, match=message) as caught:
            open_stream(write("a.svm", b"1 1:1\n" + first + b"\n" + second + b"\n")).read()
        assert caught.value.line == 2


def test_comments_in_any_script(write):
    X, _ = open_stream(write("a.svm", "1 1:1 # größer als 寺\n-1 2:1\n".encode())).read()
    assert X.toarray().tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize("size", [1, 10_000])
def test_the_mark_of_utf_16_counts_at_the_start_alone(write, size):
    path = write("a.svm", b"1 1:1\n\xfe\xff 1:1\n")
    with pytest.raises(DataError, match=r"found the byte 0xfe, .* iconv -f cp1252"):
        list(open_stream(path, batch_bytes=size))
