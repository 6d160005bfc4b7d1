"""Options out of range, or not accepted by a format."""

import pytest

from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.core.options import parse_bytes


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("a.svm", {"target": "y"}, "target does not go with svmlight text"),
        ("a.csv", {"index_base": 1}, "index_base does not go with a table"),
        ("sklearn:iris", {"target": "y"}, "target does not go with a data set of scikit-learn"),
        ("sklearn:iris", {"format": "csv"}, "format does not go with"),
        (
            "a.svm",
            {"format": "xlsx"},
            "format must be one of svmlight, vw, csv, tsv, .*; got 'xlsx'",
        ),
        ("a.svm", {"index_base": 2}, "index_base must be 0, 1 or None; got 2"),
        ("a.svm", {"batch_bytes": 0}, "batch_bytes must be 1 or more; got 0"),
    ],
)
def test_wrong_options(write, name, options, message):
    path = name if ":" in name else write(name, "x,y\n1,2\n" if "csv" in name else "1 1:2\n")
    with pytest.raises(ValueError, match=message) as caught:
        open_stream(path, **options)
    assert not isinstance(caught.value, DataError)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        *[("0", 0), ("10", 10), ("10B", 10), ("2kB", 2000), ("2K", 2000), (" 2k ", 2000)],
        *[("20G", 20 * 10**9), ("20GB", 20 * 10**9), ("1.5TB", 15 * 10**11)],
        ("999999999999999TB", 999_999_999_999_999 * 10**12),
    ],
)
def test_sizes_with_and_without_their_b(text, size):
    assert parse_bytes(text) == size


@pytest.mark.parametrize(
    "text", ["", "much", "-1GB", "1PB", "1GiB", "GB", "1e3", "1,5GB", "9" * 16]
)
def test_texts_that_are_no_size(text):
    with pytest.raises(ValueError, match="is no size: write 0, 500kB, 250MB, 20GB or 2TB"):
        parse_bytes(text)
