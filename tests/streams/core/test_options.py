"""Options out of range, or not accepted by a format."""

import pytest

from rosenblatt.streams import DataError, open_stream


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
