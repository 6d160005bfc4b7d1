"""Lines of ``predict`` and rows of DATA stay aligned, whatever cannot be parsed."""

import json
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

GOOD = {
    "csv": (b"a,b\n", [b"1,2", b"-1,0", b'3,"1"'], [b"x,1", b"1", b"1,2,3", b"\xff,1"]),
    "tsv": (b"a\tb\n", [b"1\t2", b"-1\t0"], [b"x\t1", b"1", b"1e999\t1"]),
    "svm": (b"", [b"1 1:1 2:2", b"1 1:-1"], [b"1 1:x", b"1 2:", b"1 \0"]),
    "vw": (b"", [b"1 | a b:2", b"| b"], [b"1 a", b"| a:x"]),
    "jsonl": (b"", [b'{"a": 1, "b": 2}', b'{"a": -1}'], [b'{"a": 1', b"[]", b'{"a": 1e999}']),
}


@pytest.fixture
def model(tmp_path, monkeypatch, call, request):
    """A working folder with a model for a format, m."""
    monkeypatch.chdir(tmp_path)
    form = request.param
    rows = {
        "csv": "a,b,y\n" + 5 * "1,2,yes\n-1,0,no\n",
        "svm": "1 1:1 2:2\n-1 1:-1\n",
        "vw": "1 | a b:2\n-1 | b\n",
        "jsonl": '{"a": 1, "b": 2, "y": "yes"}\n{"a": -1, "b": 1, "y": "no"}\n',
    }
    rows["tsv"] = rows["csv"].replace(",", "\t")
    Path(f"train.{form}").write_text(rows[form])
    assert call("train", f"train.{form}", "-m", "m", "-q")[0] == 0
    return form


@pytest.mark.parametrize("model", GOOD, indirect=True)
@pytest.mark.parametrize("pipe", [False, True], ids=["file", "pipe"])
def test_a_bad_row_costs_its_line_only(model, call, pipe):
    header, good, bad = GOOD[model]
    draw = random.Random(0)
    rows = [(draw.choice(good), True) if draw.random() < 0.7 else (draw.choice(bad), False)
            for _ in range(60)] + [(good[0], True)]  # fmt: skip
    text = header + b"".join(row + b"\n" for row, _ in rows)
    clean = header + b"".join(row + b"\n" for row, is_good in rows if is_good)
    Path(f"new.{model}").write_bytes(text)
    Path(f"clean.{model}").write_bytes(clean)
    expected = iter(call("predict", "m", f"clean.{model}", "--scores")[1].splitlines())
    source = ("-", {"stdin": Text(text)}) if pipe else (f"new.{model}", {})
    status, out, err = call("predict", "m", source[0], "--scores", **source[1])
    assert out.splitlines() == [next(expected) if is_good else "" for _, is_good in rows]
    number = sum(not is_good for _, is_good in rows)
    assert status == 3
    assert f"{number} rows could not be parsed: the line of each is empty. The first: " in err


class Text(str):
    """Bytes as the standard input of a command."""

    def __new__(cls, content):
        return super().__new__(cls, content.decode("utf-8", "surrogateescape"))

    def encode(self):
        return super().encode("utf-8", "surrogateescape")


@pytest.mark.parametrize("model", ["csv"], indirect=True)
def test_marks_of_json_and_of_skipped_rows(model, call):
    Path("new.csv").write_text('a,b\nx,1\n1,2\n1,"2\n3"\n\n-1\n-1,0\n')
    status, out, err = call("predict", "m", "new.csv", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert (status, [line["prediction"] for line in lines]) == (3, [None, "yes", None, None, "no"])
    assert lines[0]["problem"].startswith("new.csv:2:1: column 'a': found 'x'")
    assert lines[3]["problem"].startswith("new.csv:7:1: found 1 fields")
    assert "3 rows could not be parsed: the line of each has no prediction" in err
    status, out, err = call("predict", "m", "new.csv", "--on-bad-row", "skip", "-q")
    assert (status, out) == (0, "\nyes\n\n\nno\n")
    assert "skipped 3 rows" in err
    assert len(Path("bad-rows.jsonl").read_text().splitlines()) == 3
    status, out, err = call("predict", "m", "new.csv", "--on-bad-row", "stop")
    assert (status, out) == (3, "")
    assert "new.csv:2:1" in err


@pytest.mark.parametrize("model", ["csv"], indirect=True)
def test_without_a_row_that_can_be_read(model, call):
    Path("new.csv").write_text("a,b\nx,1\n1\n")
    status, out, err = call("predict", "m", "new.csv")
    assert (status, out) == (3, "\n\n")
    assert "none of its 2 rows can be read" in err


@pytest.mark.parametrize("model", ["csv"], indirect=True)
@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_nulls_of_parquet_and_arrow(model, call, form):
    table = pa.table({"a": [1.0, None, -1.0, None, None, 3.0], "b": [2.0, 1, 0, 1, 1, None]})
    write = pa.parquet.write_table if form == "parquet" else pa.feather.write_feather
    write(table, f"new.{form}")
    status, out, err = call("predict", "m", f"new.{form}")
    assert (status, out) == (3, "yes\n\nno\n\n\n\n")
    assert "4 rows could not be parsed" in err


@pytest.mark.parametrize("model", ["csv"], indirect=True)
def test_the_rows_of_a_kernel_model_stay_aligned(model, call, rng):
    X = rng.normal(size=(3000, 2)).round(3)
    rows = [f"{a},{b}" for a, b in X.tolist()]
    Path("train.csv").write_text(
        "a,b,y\n" + "".join(f"{row},{int(row[0] == '-')}\n" for row in rows)
    )
    assert call("train", "train.csv", "-m", "k", "--kernel", "rbf", "--budget", "20", "-q")[0] == 0
    Path("clean.csv").write_text("a,b\n" + "\n".join(rows[:5] + rows[6:2500] + rows[2501:]) + "\n")
    rows[5] = rows[2500] = "?,1"
    Path("new.csv").write_text("a,b\n" + "\n".join(rows) + "\n")
    lines = call("predict", "k", "new.csv", "-q")[1].splitlines()
    assert [k for k, line in enumerate(lines) if not line] == [5, 2500]
    assert [line for line in lines if line] == call("predict", "k", "clean.csv")[1].splitlines()
