"""Types of labels: integers, floats and text."""

import pytest
from hypothesis import strategies as st
from stream_rows import refused

from rosenblatt.streams import open_stream


@pytest.mark.parametrize(
    ("words", "dtype", "labels"),
    [
        (["1", "-2", "+3", " 007"], "i", [1, -2, 3, 7]),
        (["1", "2.0"], "f", [1.0, 2.0]),
        (["1", "spam"], "U", ["1", "spam"]),
        (["1", "1234567890123456789"], "U", ["1", "1234567890123456789"]),
        (["é", "Ω"], "U", ["é", "Ω"]),
    ],
)
def test_labels_of_tables(write, words, dtype, labels):
    (batch,) = open_stream(write("a.csv", "x,y\n" + "".join(f"1,{word}\n" for word in words)))
    assert (batch.y.dtype.kind, batch.y.tolist()) == (dtype, labels)


@pytest.mark.parametrize(
    ("words", "kinds"), [(["1", "2.5", "3"], "iff"), (["a", "2"], "UU"), (["1.5", "2"], "ff")]
)
def test_labels_keep_one_type(write, words, kinds):
    path = write("a.csv", "x,y\n" + "".join(f"1,{word}\n" for word in words))
    stream = open_stream(path, batch_bytes=1)
    for _ in range(2):
        assert "".join(batch.y.dtype.kind for batch in stream) == kinds


def test_labels_of_mixed_types_are_refused(write):
    path = write("a.csv", "x,y\n1,1\n1,2.5\n1,spam\n")
    refused(path, "column 'y': found 'spam', .* labels of mixed types", line=4, batch_bytes=1)


words = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
