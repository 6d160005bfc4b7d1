"""Reading options: of a fit, and of new files for its model."""

from types import MappingProxyType

import pytest

from rosenblatt.cluster.reading import FitReading, check_reading, options_of_fit, read_options
from rosenblatt.streams import open_stream


def test_unknown_options_are_refused():
    with pytest.raises(TypeError, match=r"'targets' is no option .*; did you mean 'target'\?"):
        read_options({"targets": "kind"})
    with pytest.raises(TypeError, match="'epochs' is no option of reading files"):
        read_options({"epochs": 2})


def test_no_text_has_the_secrets_of_any_mapping():
    options = read_options({"storage_options": MappingProxyType({"secret": "wJalr"})})
    assert options.storage_options == {"secret": "wJalr"}
    assert "wJalr" not in repr(options)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x;tree;id;kind\n1;oak;7;a\n2;elm;8;b\n")
    return path


@pytest.fixture
def fit(table):
    stream = open_stream(table, separator=";", bits=6, schema={"id": "id"}, interactions=["x*tree"])
    return FitReading(stream.noted(), None, True)


def test_new_files_are_read_with_the_options_of_the_fit(fit, table):
    options = options_of_fit(table, {}, fit)
    assert (options.separator, options.bits, options.target) == (";", 6, "kind")
    assert options.interactions == ("x*tree",)
    assert options.schema == {"x": "number", "tree": "category", "id": "id", "*": "skip"}
    assert not options_of_fit(table, {}, fit._replace(labelled=False)).labelled
    assert options_of_fit(table, {"target": "b", "separator": ","}, fit).separator == ","


def test_the_layout_is_that_of_one_format(fit, tmp_path):
    options = options_of_fit(tmp_path / "a.parquet", {}, fit)
    assert (options.format, options.separator, options.bits) == ("parquet", None, 6)
    options.check_format("parquet")


@pytest.mark.parametrize(
    "reading",
    [
        {"bits": 7},
        {"interactions": ["x*id"]},
        {"text": "char:3"},
        {"impute": "zero"},
        {"schema": {"x": "category"}},
    ],
    ids=str,
)
def test_options_that_give_other_features_contradict_the_fit(fit, reading):
    with pytest.raises(ValueError, match=f"{next(iter(reading))}=.* contradicts the fit"):
        check_reading(reading, fit)


def test_equal_options_and_rows_that_were_no_files_contradict_nothing(fit):
    check_reading({"bits": 6, "schema": {"tree": "category", "new": "skip"}, "header": False}, fit)
    check_reading({"bits": 7}, FitReading(None, None, True))
