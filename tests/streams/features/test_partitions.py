"""Columns in the paths of files: their kinds and cells are those of the same table in one file."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.features.partitions import (
    MISSING,
    Partition,
    kinds_of_partitions,
)
from rosenblatt.streams.io.paths import ListedFile, list_files
from rosenblatt.streams.opening import open_with
from rosenblatt.streams.reopening import reopen

DAYS = ["2026-11-01", "2026-11-02", "2026-11-05"]
ROWS = pd.DataFrame(
    {
        "day": np.repeat(DAYS, 4),
        "hour": np.tile([0, 0, 1, 1], 3),
        "x": np.arange(12) / 8,
        "kind": ["oak", "elm", "ash"] * 4,
        "y": ["a", "b"] * 6,
    }
)
TEXTS = ("csv", "tsv", "jsonl", "arff")


def write(rows, path):
    """Write rows as a text of the format of the suffix."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    format = Path(path).suffix
    if format == ".jsonl":
        rows.to_json(path, orient="records", lines=True)
    elif format == ".arff":
        kinds = {"x": "real", "hour": "real", "kind": "{oak,elm,ash}", "y": "{a,b}"}
        head = "".join(f"@attribute {name} {kinds[name]}\n" for name in rows)
        body = rows.to_csv(index=False, header=False)
        Path(path).write_text(f"@relation trees\n{head}@data\n{body}")
    else:
        rows.to_csv(path, index=False, sep={".csv": ",", ".tsv": "\t"}[format])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Write ROWS as a folder of texts of a format, with two columns in the paths."""
    monkeypatch.chdir(tmp_path)

    def folder(format):
        for (day, hour), rows in ROWS.groupby(["day", "hour"]):
            rows = rows.drop(columns=["day", "hour"])
            write(rows, f"pq/day={day}/hour={hour}/part-0.{format}")
        Path("pq/_SUCCESS").touch()
        return "pq"

    return folder


def by_name(stream):
    X, y = stream.read()
    X = X.toarray() if hasattr(X, "toarray") else X
    return dict(zip(stream.feature_names, X.T.tolist(), strict=True)), y.tolist()


# --- one table in one file or in many -------------------------------------------------------------


@pytest.mark.parametrize("format", TEXTS)
def test_the_rows_are_those_of_one_table(folder, format):
    ROWS.to_csv("flat.csv", index=False)
    one, many = open_stream("flat.csv", target="y"), open_stream(folder(format), target="y")
    assert by_name(many) == by_name(one)
    assert many.partitions == {"day": "date", "hour": "number"}
    assert many.noted()["partitions"] == many.partitions
    assert "partitions" not in one.noted()


@pytest.mark.parametrize("format", TEXTS)
@pytest.mark.parametrize(("target", "kind"), [("hour", "i"), ("day", "U")])
def test_a_column_of_the_path_may_be_the_target(folder, format, target, kind):
    _, y = open_stream(folder(format), target=target).read()
    assert (y.dtype.kind, y.tolist()) == (kind, ROWS[target].tolist())


@pytest.mark.parametrize("format", ["csv", "jsonl"])
@pytest.mark.parametrize(
    "options",
    [
        {"schema": {"hour": "category", "day": "skip"}},
        {"schema": {"hour": "weight", "day": "category"}},
        {"schema": {"day": "id"}},
        {"interactions": ["x*hour"]},
    ],
    ids=str,
)
def test_options_of_columns_hold_for_those_of_the_path(folder, format, options):
    ROWS.to_csv("flat.csv", index=False)
    one, many = (open_stream(name, target="y", **options) for name in ("flat.csv", folder(format)))
    assert by_name(many) == by_name(one)
    rows, others = one.whole(), many.whole()
    for name in ("weight", "ids"):
        assert np.array_equal(getattr(rows, name), getattr(others, name)), name


def test_hashed_columns_of_the_path(folder):
    ROWS.to_csv("flat.csv", index=False)
    one = open_stream("flat.csv", target="y", bits=10).read()[0]
    many = open_stream(folder("csv"), target="y", bits=10).read()[0]
    assert many.toarray().tolist() == one.toarray().tolist()


def test_without_target_the_label_is_a_column_of_the_file(folder, tmp_path):
    write(pd.DataFrame({"x": [1, 2], "z": [0, 1]}), "pq/day=7/a.csv")
    stream = open_stream("pq")
    assert (stream.feature_names, stream.target) == (["day", "x"], "z")


def test_written_numbers_keep_their_columns(tmp_path):
    path = tmp_path / "day=7" / "a.csv"
    path.parent.mkdir()
    path.write_text("x,z,y\n1,12345678901234567,a\n")
    options = ReadOptions(written=True, partitions={"day": "number"})
    long = open_with(path, options).whole().long
    assert (long.columns.tolist(), long.digits.tolist()) == ([2], [12345678901234567])


# --- kinds and cells ------------------------------------------------------------------------------


def kinds(*names, folder="pq"):
    return kinds_of_partitions([ListedFile(f"{folder}/{name}", folder) for name in names])


def test_kinds():
    assert kinds("a=1/b=x/f", "a=2.5/b=2/f") == {"a": "number", "b": "category"}
    assert kinds("a=1/f", "a=x/f") == {"a": "category"}
    assert kinds(f"a={MISSING}/f") == {"a": "category"}
    assert kinds(f"a={MISSING}/f", "a=3/f", "a=/f") == {"a": "number"}
    assert kinds("t=2026-11-01/f", "t=2026-11-02/f") == {"t": "date"}
    assert kinds("a/b=1/c/f") == {"b": "number"}
    assert kinds("f", "a/f", "=x/f") == {}


def test_the_end_of_the_folders_own_path_counts():
    assert kinds("f", folder="x=1/pq/day=7/land=CH") == {"day": "number", "land": "category"}
    assert kinds("day=7/f", folder="x=1/pq") == {"day": "number"}
    assert kinds_of_partitions([ListedFile("pq/day=7/f")]) == {}


def test_files_of_a_folder_have_the_same_columns_in_their_paths():
    with pytest.raises(DataError, match=r"pq/b=1/f: .* columns b, but that of pq/a=1/f .* a: read"):
        kinds("a=1/f", "b=1/f")
    with pytest.raises(DataError, match="pq/f: its path has no columns, but"):
        kinds("a=1/f", "f")
    with pytest.raises(DataError, match="has a column twice in its path"):
        kinds("a=1/a=2/f")


def test_values_are_unescaped_as_spark_writes_them(tmp_path):
    for name in ("a%2Fb", "50%25", "x=y", "Zürich"):
        write(ROWS[["x", "y"]], tmp_path / "pq" / f"my%20land={name}" / "a.csv")
    names = open_stream(tmp_path / "pq", target="y").read()[0].columns
    assert {"my land=a/b", "my land=50%", "my land=x=y", "my land=Zürich"} <= set(names)


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_missing_cells(tmp_path, monkeypatch, format):
    monkeypatch.chdir(tmp_path)
    table = ROWS[["x", "y"]]
    for value in (4, 8, MISSING):
        write(table, f"pq/hour={value}/part.{format}")
    X, _ = open_stream("pq", target="y", impute="mean").read()
    column = np.asarray(X.toarray() if hasattr(X, "toarray") else X)[:, X.columns.index("hour")]
    assert column.tolist() == [4] * 12 + [8] * 12 + [6] * 12
    if format == "csv":
        message = (
            f"hour={MISSING}/part.csv: column 'hour': found nothing in its path.*--impute mean"
        )
        with pytest.raises(DataError, match=message):
            open_stream("pq", target="y").read()


def test_a_number_is_expected_where_the_schema_says_so(folder):
    with pytest.raises(DataError, match=r"column 'day': found '2026-11-01' in its path, expected"):
        open_stream(folder("csv"), schema={"day": "number"}).read()


@pytest.mark.parametrize("format", TEXTS)
def test_a_number_that_is_infinite_is_refused(tmp_path, format):
    for value in ("1e999", "2"):
        write(ROWS[["x", "kind", "y"]], tmp_path / "pq" / f"hour={value}" / f"part.{format}")
    with pytest.raises(DataError, match="column 'hour': found '1e999' in its path, expected a fi"):
        open_stream(tmp_path / "pq", target="y").read()


# --- a column in the file, too --------------------------------------------------------------------


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_column_of_the_file_must_be_that_of_its_path(tmp_path, monkeypatch, format):
    monkeypatch.chdir(tmp_path)
    for (day, hour), rows in ROWS.groupby(["day", "hour"]):
        write(rows, f"pq/day={day}/hour={hour:02}/part.{format}")
    ROWS.to_csv("flat.csv", index=False)
    assert by_name(open_stream("pq", target="y")) == by_name(open_stream("flat.csv", target="y"))
    for name, other, found in (("day", DAYS[1], DAYS[1]), ("hour", 7, r"7(\.0)?")):
        wrong = ROWS[:2].assign(**{name: other})
        write(wrong, f"pq/day={DAYS[0]}/hour=00/part.{format}")
        with pytest.raises(DataError, match=f"'{name}': found '{found}', but its folder says"):
            open_stream("pq", target="y").read()


# --- what a model notes ---------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_model_reads_one_file_by_its_path_and_old_models_do_not(folder, format):
    stream = open_stream(folder(format), target="y")
    X, _ = stream.read()
    notes, names = stream.noted(), list(X.columns)
    part = f"pq/day={DAYS[1]}/hour=1/part-0.{format}"
    again, _ = reopen(notes, names, part).read()
    assert again.toarray().tolist() == X.toarray()[6:8].tolist()
    assert open_stream(part, target="y").partitions is None
    ROWS.to_csv("flat.csv", index=False)
    flat, _ = reopen(notes, names, "flat.csv").read()
    assert flat.toarray().tolist() == X.toarray().tolist()


def test_a_model_of_one_file_reads_a_folder(folder):
    ROWS.to_csv("flat.csv", index=False)
    stream = open_stream("flat.csv", target="y")
    X, _ = stream.read()
    again, _ = reopen(stream.noted(), list(X.columns), folder("csv")).read()
    assert again.toarray().tolist() == X.toarray().tolist()


def test_new_kinds_of_values_do_not_change_a_model(folder):
    stream = open_stream(folder("csv"), target="y")
    X, _ = stream.read()
    write(ROWS[:1][["x", "kind", "y"]], "new/day=2026-11-09/hour=3/more=1/a.csv")
    write(ROWS[:1][["x", "kind", "y"]], "new/day=2026-11-09/hour=4/more=2/a.csv")
    again, _ = reopen(stream.noted(), list(X.columns), "new").read()
    assert again.toarray()[:, X.columns.index("hour")].tolist() == [3, 4]


def test_formats_without_named_columns_are_refused(tmp_path):
    path = tmp_path / "pq" / "day=7" / "a.svm"
    path.parent.mkdir(parents=True)
    path.write_text("1 1:1\n")
    with pytest.raises(ValueError, match="column day in the paths does not go with svmlight text"):
        open_stream(tmp_path / "pq")
    assert open_stream(tmp_path / "pq" / "*" / "*.svm").read()[1].tolist() == [1]


def test_bad_rows_keep_their_places(folder):
    path = Path(folder("csv"), f"day={DAYS[0]}", "hour=0", "part-0.csv")
    path.write_text("x,kind,y\n1,oak,a\nfive,oak,b\n")
    bad = []
    X, y = open_stream("pq", target="y", on_bad_row=bad.append).read()
    assert (len(y), [one.number for one in bad]) == (11, [3])
    with pytest.raises(DataError, match=r"part-0\.csv:3:1: .*'five'"):
        open_stream("pq", target="y").read()
    assert X.toarray()[0, X.columns.index("hour")] == 0


def test_lines_of_json_keep_their_columns_in_messages(folder):
    path = Path(folder("jsonl"), f"day={DAYS[0]}", "hour=0", "part-0.jsonl")
    path.write_text('{"x": 1, "y": "a"}\n{}\n{"x": 1, "y": oak}\n')
    with pytest.raises(DataError, match=r"part-0\.jsonl:2: .*'y'"):
        open_stream("pq", target="y").read()
    path.write_text('{"x": 1, "y": "a"}\n{"x": 1, "y": oak}\n')
    with pytest.raises(DataError, match=r"part-0\.jsonl:2:15: is not JSON"):
        open_stream("pq", target="y").read()


def test_objects_get_the_keys_of_the_path_at_their_end():
    options = ReadOptions(partitions={"day": "number", "land": "category"})
    partition = Partition.of(r"day=7/land=a\b/f.jsonl", options, [])
    lines = b'{"x": "}"} \r\n\n{}\n{"z": [1, {}]}\n{"cut": 1\n'
    keys = rb'"day": 7, "land": "a\\b"}'
    assert partition.with_keys(lines) == (
        b'{"x": "}",' + keys + b"\n\n{" + keys + b'\n{"z": [1, {}],' + keys + b'\n{"cut": 1\n'
    )


def test_list_files_tells_the_folder(folder):
    assert {file.folder for file in list_files(folder("csv"))} == {"pq"}
