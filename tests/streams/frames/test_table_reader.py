"""Tables in memory, against the reader of the same rows as text."""

import csv
import io
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.frames.reader import RowReader

CSV = """\
size,colour,grade,price
2.5,red,1,10
,blue,2,0
0,,3,2.5
-1000,red,1,
2.5,green,2,0.001
"""
OPTIONS = [
    {"impute": "mean"},
    {"impute": "zero"},
    {"impute": "indicator"},
    {"missing": ("2.5",)},
    {"impute": "mean", "bits": 6},
    {"impute": "indicator", "bits": 3, "interactions": ("colour*size",)},
    {"impute": "mean", "interactions": ("colour*size", "price*price")},
    {"impute": "indicator", "interactions": ("colour*colour",)},
    {"impute": "mean", "schema": {"grade": "category"}},
    {"impute": "mean", "schema": {"colour": "skip"}},
    {"impute": "mean", "schema": {"colour": "skip"}, "interactions": ("grade*price",)},
    {"impute": "zero", "schema": {"price": "id", "*": "category"}},
]


def frame(lines=slice(None)):
    return pd.read_csv(io.StringIO(CSV)).iloc[lines]


def as_arrays(X):
    if not hasattr(X, "indptr"):
        return [np.asarray(X)]
    X = X.tocsr()
    return [X.data, X.indices, X.indptr, np.array(X.shape)]


def assert_same_bits(X, Y):
    for one, other in zip(as_arrays(X), as_arrays(Y), strict=True):
        assert_array_equal(one, other)


@pytest.fixture
def stream(tmp_path):
    def read(**options):
        path = tmp_path / "a.csv"
        path.write_text(CSV)
        return open_stream(path, labelled=False, **options)

    return read


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("cut", [0, 1, 3])
def test_rows_that_are_learned_in_parts_are_those_of_the_reader(stream, options, cut):
    expected = stream(**options)
    rows = expected.whole().X
    reader = RowReader(ReadOptions(**options))
    parts = [frame(slice(cut)), frame(slice(cut, None))] if cut else [frame()]
    X = [reader.learn(part) for part in parts]
    assert_same_bits(X[-1], rows[cut:])
    for part in X:
        narrow = rows[: part.shape[0], : part.shape[1]] if part is not X[-1] else rows[cut:]
        assert_same_bits(part, narrow)
    assert reader.names == expected.feature_names
    assert reader.noted() | {"format": "csv"} == expected.noted()


@pytest.mark.parametrize("options", OPTIONS)
def test_noting_rows_is_learning_them(options):
    learned, noted = RowReader(ReadOptions(**options)), RowReader(ReadOptions(**options))
    for part in (frame(slice(2)), frame(slice(2, None))):
        learned.learn(part)
        noted.note(part)
    assert noted.noted() == learned.noted()
    assert noted.names == learned.names
    assert_same_bits(noted.read(frame()), learned.read(frame()))


@pytest.mark.parametrize("options", OPTIONS)
def test_rows_that_are_read_are_those_of_the_reader_with_the_noted_means(stream, options):
    training = stream(**options)
    whole = training.whole().X
    reader = RowReader.from_notes(training.noted(), training.feature_names)
    means = {"means": training.noted()["means"]} if "means" in training.noted() else {}
    assert_same_bits(reader.read(frame()), stream(**options, **means).whole().X)
    shuffled = frame()[["price", "grade", "colour", "size"]].assign(new=1)
    assert_same_bits(reader.read(shuffled), reader.read(frame()))
    assert whole.shape[1] == reader.read(frame()).shape[1]


@pytest.mark.parametrize("options", OPTIONS)
def test_reading_changes_nothing(options):
    reader = RowReader(ReadOptions(**options))
    reader.learn(frame(slice(3)))
    before, notes = Counter(reader.names or ()), reader.noted()
    first = reader.read(frame())
    assert_same_bits(reader.read(frame()), first)
    assert (Counter(reader.names or ()), reader.noted()) == (before, notes)


@pytest.mark.parametrize("options", OPTIONS)
def test_a_reader_of_notes_learns_on_as_the_first_would(options):
    first = RowReader(ReadOptions(**options))
    first.learn(frame(slice(3)))
    second = RowReader.from_notes(first.noted(), first.names)
    assert_same_bits(second.learn(frame(slice(3, None))), first.learn(frame(slice(3, None))))
    assert second.names == first.names
    assert second.noted() == first.noted()


def test_means_without_totals_stay():
    reader = RowReader(ReadOptions(impute="mean"))
    reader.learn(frame())
    notes = reader.noted()
    del notes["totals"]
    older = RowReader.from_notes(notes, reader.names)
    older.learn(frame())
    assert older.noted()["means"] == notes["means"]


def test_one_row_is_read_as_among_others():
    reader = RowReader(ReadOptions(impute="mean", schema={"grade": "category"}))
    reader.learn(frame())
    rows = frame().to_dict("records")
    together = reader.read(rows).toarray()
    assert_array_equal(np.vstack([reader.read(row).toarray() for row in rows]), together)
    mixed = [{**rows[0], "grade": "1"}, *rows[1:]]
    assert_array_equal(reader.read(mixed).toarray(), together)


@pytest.mark.parametrize("spelled", ["1", "1.0", "01", "1e0"])
def test_a_number_is_the_category_of_its_value(spelled):
    reader = RowReader(ReadOptions(schema={"zone": "category"}))
    reader.learn([{"zone": spelled}, {"zone": "9"}])
    for value in (1, 1.0, np.int8(1), np.float32(1)):
        assert reader.read([{"zone": value}]).toarray().tolist() == [[1.0, 0.0]]
    assert reader.read([{"zone": "1.00"}]).toarray().tolist() == [[0.0, 0.0]]  # as in CSV


def test_of_several_spellings_the_shortest_is_taken():
    reader = RowReader(ReadOptions(schema={"zone": "category"}))
    reader.learn([{"zone": "1.0"}, {"zone": "1"}, {"zone": "01"}])
    assert reader.read([{"zone": 1}]).toarray().tolist() == [[0.0, 1.0, 0.0]]


def test_whole_numbers_beyond_floats_are_different_categories():
    reader = RowReader(ReadOptions(schema={"id": "category"}))
    reader.learn([{"id": str(2**60)}, {"id": str(2**60 + 1)}])
    assert reader.read([{"id": 2**60 + 1}]).toarray().tolist() == [[0.0, 1.0]]
    assert reader.read([{"id": 2**60 + 2}]).nnz == 0


@pytest.mark.parametrize("spelled", ["true", "True", "TRUE"])
def test_a_truth_value_is_the_category_of_its_word(spelled):
    reader = RowReader(ReadOptions())
    reader.learn([{"new": spelled}, {"new": "no"}])
    assert reader.read([{"new": True}]).toarray().tolist() == [[1.0, 0.0]]
    assert reader.read([{"new": np.bool_(True)}, {"new": "no"}]).toarray().tolist() == [
        [1.0, 0.0],
        [0.0, 1.0],
    ]


@pytest.mark.parametrize("others", [[], [True], [2], [2.5], ["no"], [None], [2**64, "no", False]])
def test_a_category_does_not_depend_on_the_other_rows(others):
    reader = RowReader(ReadOptions(schema={"c": "category"}))
    values = [True, 2**60 + 1, 2**63 + 1, -(2**70), 2.5]
    reader.learn([{"c": str(value)} for value in values])
    for j, value in enumerate(values):
        rows = reader.read([{"c": cell} for cell in (value, *others)]).toarray()
        assert rows[0].tolist() == np.eye(len(values))[j].tolist()


def test_a_number_is_read_beside_a_category_of_many_digits():
    reader = RowReader(ReadOptions(schema={"c": "category"}))
    reader.learn([{"c": "9" * 5000}, {"c": "0" * 5000 + "2"}, {"c": "-7.0"}])
    assert reader.read([{"c": 2}, {"c": -7}]).toarray().tolist() == [[0, 1, 0], [0, 0, 1]]


def test_a_missing_column_is_an_error_that_names_it():
    reader = RowReader(ReadOptions(impute="mean"))
    reader.learn(frame())
    with pytest.raises(DataError, match=r"no column 'colour' of the kind category.*'color'\?"):
        reader.read(frame().rename(columns={"colour": "color"}))


NOTES = {"format": "csv", "target": "y", "schema": {"size": "number", "colour": "category"}}


@pytest.mark.parametrize("impute", [None, "mean"])
@pytest.mark.parametrize("verb", ["read", "learn", "note"])
@pytest.mark.parametrize("kind", ["number", "category", "text", "date"])
def test_a_key_that_no_dict_has_is_an_error_that_names_the_nearest(impute, verb, kind):
    schema = NOTES["schema"] | {"colour": kind}
    bits = 5 if kind == "text" else None
    notes = NOTES | {"schema": schema, "impute": impute, "missing": [], "bits": bits}
    reader = RowReader.from_notes(notes, ["size"])
    problem = (
        rf"no column 'colour' of the kind {kind}; .* Did you mean 'color'\? A missing cell is "
    )
    with pytest.raises(DataError, match=problem + "None, and its column is there"):
        getattr(reader, verb)([{"size": 1.0, "color": "2024-05-31"}] * 2)
    with pytest.raises(DataError, match="no column 'size' of the kind number; there are no col"):
        getattr(reader, verb)({})


def test_a_key_that_some_dicts_lack_is_a_missing_cell():
    reader = RowReader.from_notes(NOTES | {"impute": "zero"}, ["size", "colour=red"])
    rows = [{"size": 1.0, "colour": "red"}, {"colour": "red"}, {"size": 2.0}]
    expected = [[1.0, 1.0], [0.0, 1.0], [2.0, 0.0]]
    assert reader.read(rows).toarray().tolist() == expected
    assert reader.read({"size": None, "colour": None}).toarray().tolist() == [[0.0, 0.0]]


def test_a_cell_that_is_no_date_is_an_error_with_the_options_of_python():
    days = ["2024-05-31", "2024-06-01", "soon"]
    order = (
        r"schema=\{'when': 'date-dmy'\}, or 'date-mdy'; or leave it out: schema=\{'when': 'skip'\}"
    )
    for rows in (days, ["1/2/2024"]):
        problem = order
        if rows is days:
            problem = r"row 2 \(from 0\): .*'soon'.* as categories: 'category'; .* missing='soon'\."
        for table in (pd.DataFrame({"when": rows}), [{"when": day} for day in rows]):
            with pytest.raises(DataError, match=problem) as error:
                RowReader(ReadOptions(schema={"when": "date"})).learn(table)
            assert "--" not in str(error.value)
    gone = pd.DataFrame({"when": ["2024-05-31", None]})
    with pytest.raises(DataError, match=r"row 1 .* found nothing, .*; impute='mean' \(or 'zero'"):
        RowReader(ReadOptions()).learn(gone)
    reader = RowReader(ReadOptions(impute="zero", missing=("soon",)))
    assert reader.learn(pd.DataFrame({"when": [*days, None]})).shape[0] == 4


def test_a_missing_number_is_an_error_that_names_its_cell_and_the_remedy():
    reader = RowReader(ReadOptions())
    with pytest.raises(DataError, match=r"column 'size', row 1 .*nothing \(NaN\).* impute='mean'"):
        reader.learn(frame())
    with pytest.raises(DataError, match=r"column 'x', row 0 .* found inf, expected a finite"):
        RowReader(ReadOptions(impute="mean")).learn([{"x": float("inf")}])


def test_the_rows_of_a_caller_are_not_changed():
    X = np.array([[1.0, np.nan], [3.0, 4.0]])
    before = X.copy()
    reader = RowReader(ReadOptions(impute="mean"))
    Z = reader.learn(X)
    Z += 1.0
    reader.read(X)
    assert_array_equal(X, before)


def test_rows_that_fail_leave_names_and_means_as_they_were():
    reader = RowReader(ReadOptions(impute="mean", interactions=("x*c",)))
    reader.learn([{"x": 1e200, "c": "a"}])
    notes, names = reader.noted(), list(reader.names)
    with pytest.raises(DataError, match="its mean overflows"):
        reader.learn([{"x": v, "c": "new"} for v in (1.7e308, 1.7e308, None)])
    assert (reader.noted(), reader.names) == (notes, names)


def test_a_change_is_of_the_numbers_without_gaps():
    seen = []

    def halved(numbers):
        seen.append(numbers.copy())
        return numbers / 2

    reader = RowReader(ReadOptions(impute="zero", interactions=("x*c",)))
    X = reader.learn([{"x": 4.0, "c": "a"}, {"x": None, "c": "b"}], halved)
    assert_array_equal(seen, [[[4.0], [0.0]]])
    assert dict(zip(reader.names, X.toarray()[0].tolist(), strict=True)) == {
        "x": 2.0,
        "c=a": 1.0,
        "x*c=a": 2.0,
        "c=b": 0.0,
    }


# --- cells of all kinds, as csv.DictReader has them -----------------------------------------------

CELLS = [
    *("", "a", " b", "1", "1.5", "-0", "1e3", "?", "NA", "nan", "x,y", 'q"q', "é", "\u00a0", "\t1"),
    *(
        "True",
        "inf",
        "1,5",
        "one two three",
        "words that are many",
        "NULL",
        "1e-320",
        "1e999",
        "5.",
    ),
    "line\nbreak",
]


@st.composite
def tables(draw):
    """Rows of two to four columns, each with few different cells."""
    columns = [
        draw(st.lists(st.sampled_from(CELLS), min_size=1, max_size=4))
        for _ in range(draw(st.integers(2, 4)))
    ]
    rows = st.lists(st.tuples(*map(st.sampled_from, columns)), min_size=1, max_size=8)
    return draw(rows)


@st.composite
def options_of_tables(draw):
    options = {"impute": draw(st.sampled_from([None, "mean", "zero", "indicator"]))}
    options["bits"] = draw(st.sampled_from([None, None, 4]))
    options["interactions"] = draw(st.sampled_from([(), (), ("c0*c1",), ("c1*c1",)]))
    kind = st.sampled_from(["number", "category", "text", "skip"])
    options["schema"] = draw(st.sampled_from([None, None, {"c0": draw(kind)}]))
    options["missing"] = draw(st.sampled_from([(), (), ("a", "1")]))
    return options


def outcome(read):
    """What rows, names and notes are, or that they are refused."""
    try:
        stream, X = read()
    except ValueError:
        return "refused"
    names = None if stream.feature_names is None else list(stream.feature_names)
    return [array.tolist() for array in as_arrays(X)], names, stream.noted()


@given(rows=tables(), options=options_of_tables())
def test_cells_of_text_are_read_as_in_a_file(rows, options):
    names = [f"c{j}" for j in range(len(rows[0]))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.csv")
        with path.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([names, *rows])
        with path.open(newline="") as file:
            dicts = list(csv.DictReader(file))

        def from_file():
            stream = open_stream(path, labelled=False, **options)
            return stream, stream.whole().X

        def from_memory():
            reader = RowReader(ReadOptions(**options))
            X = reader.learn(dicts)
            return reader.reader.stream, X

        assert outcome(from_memory) == outcome(from_file)
