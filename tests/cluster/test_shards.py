"""Files on a cluster: columns that agree, options of the fit, labels, and what is missing."""

import pytest

from rosenblatt.dask import DaskPerceptron
from rosenblatt.streams import DataError

REVERSED = ["c", "b", "a", "kind"]


def write(table, path):
    """Write a table as the format of the path's suffix."""
    if path.suffix == ".parquet":
        table.to_parquet(path, index=False)
    else:
        table.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("params", [{"epochs": 2}, {"epochs": 1, "shuffle": False}], ids=str)
def test_files_with_other_columns_are_not_learned_together(client, table, tmp_path, suffix, params):
    first = write(table, tmp_path / f"t-0.{suffix}")
    other = write(table[REVERSED], tmp_path / f"t-1.{suffix}")
    expected = rf"t-1.{suffix}: has the columns c, b, a, but .*t-0.{suffix} has a, b, c: read them"
    for names in ([first, other], str(tmp_path / "t-*")):
        with pytest.raises(DataError, match=expected):
            DaskPerceptron(**params).fit(names, target="kind")


def test_files_of_two_formats_are_not_learned_together(client, table, tmp_path):
    names = [write(table, tmp_path / f"t.{suffix}") for suffix in ("csv", "parquet")]
    with pytest.raises(DataError, match=r"t\.parquet: is parquet, but .*t\.csv is csv"):
        DaskPerceptron(epochs=1).fit(names)
