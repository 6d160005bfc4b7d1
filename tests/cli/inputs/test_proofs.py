"""Rows that are certified: missing cells, ids and lines, and numbers as the text has them."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from command import joined

from rosenblatt import certify
from rosenblatt.proofs import Certificate
from rosenblatt.streams import open_stream

pytestmark = pytest.mark.usefixtures("wide")


def test_the_next_command_repeats_how_the_table_is_read(folder, call):
    rows = [
        f"{i},{i % 7},{'west' if i % 2 else 'south'},{'' if i == 3 else i},{'yn'[i > 9]}"
        for i in range(20)
    ]
    Path("loans.csv").write_text("\n".join(["id,a,region,b,paid", *rows]) + "\n")
    options = "--schema", "id:skip", "--impute", "mean"
    status, out, err = call("certify", "loans.csv", *options, "--proof", "p.json")
    assert status == 0
    assert "rosenblatt verify p.json loans.csv --schema id:skip --impute mean" in " ".join(
        out.split()
    )
    assert "columns: 2 numbers, 1 category (region), 1 left out (id)" in err
    assert "1 missing cell: b 1" in err
    assert call("verify", "p.json", "loans.csv", *options)[0] == 0


MISSING = "x,kind\n1,a\n,a\n2,a\n6,b\n9,b\n"


def test_missing_cells_become_the_means_of_whole_columns(folder, call):
    Path("gaps.csv").write_text(MISSING)
    filled = MISSING.replace("\n,a", "\n4.5,a")  # the mean of 1, 2, 6 and 9; so far it is 1
    Path("filled.csv").write_text(filled)
    options = ("--impute", "mean", "--proof", "p.json", "--json")
    status, out, err = call("certify", "gaps.csv", *options)
    assert (status, json.loads(out)["margin"]) == (0, pytest.approx([0.75, 0.75]))
    assert "1 missing cell: x 1 (numbers read as the column's mean, categories a feature" in err
    assert call("verify", "p.json", "gaps.csv", "--impute", "mean")[0] == 0
    assert call("verify", "p.json", "filled.csv")[0] == 0


def test_means_need_a_file_that_can_be_read_twice(folder, call):
    args = ("certify", "-", "--format", "csv", "--impute")
    status, _, err = call(*args, "mean", stdin=MISSING)
    assert status == 3
    assert "mean of a column is known only after its last row, and a pipe is read once" in err
    assert call(*args, "zero", stdin=MISSING)[0] == 0
    assert call(*args, "mean", stdin=MISSING.replace("\n,a", "\n3,a"))[0] == 0


def test_columns_that_separate_any_labels_are_doubted(folder, call):
    rows = [f"{i % 5},d{i},{'yn'[i % 3 > 1]}" for i in range(40)]
    Path("days.csv").write_text("\n".join(["a,day,paid", *rows]) + "\n")
    status, out, err = call("certify", "days.csv")
    assert status == 0
    assert "with so many features, rows in general position are always separable" in " ".join(
        out.split()
    )
    assert "leave it out: --schema day:skip" in err


def test_the_rows_have_their_ids_and_lines(folder, call):
    Path("ids.csv").write_text("who,a,y\nK1,0,no\nK2,1,yes\nK3,1,no\nK4,1,yes\n")
    out = call("certify", "ids.csv", "--schema", "who:id")[1]
    assert "2 pairs with opposite labels: 1 (K2) and 2 (K3); 2 (K3) and 3 (K4)" in joined(out)
    assert out.splitlines()[-3].split()[:4] == ["row", "who", "line", "class"]
    assert out.splitlines()[-1].split()[:4] == ["2", "K3", "4", "no"]
    record = json.loads(call("certify", "ids.csv", "--schema", "who:id", "--json")[1])
    assert record["ids"] == [f"K{row + 1}" for row in record["rows"]]
    assert record["equal_rows"] == {"count": 2, "pairs": [[1, 2], [2, 3]]}
    Path("ids.csv").write_text("who,a,y\nK1,0,no\n\nK2,1,yes\nK3,1,no\n")  # an empty line
    out = call("certify", "ids.csv", "--schema", "who:id")[1]
    assert out.splitlines()[-3].split()[:3] == ["row", "who", "class"]


@pytest.mark.parametrize("options", [[], ["--impute", "mean"], ["--impute", "zero"]])
def test_a_missing_category_is_a_category(folder, call, options):
    rows = [f"{place},{k % 5},{k % 2}" for k, place in enumerate(["a", "b", "c"] * 20)]
    rows[3:9:2] = [",1,0", ",2,0", ",4,0"]  # all of one class
    Path("gaps.csv").write_text("place,x,y\n" + "\n".join(rows) + "\n")
    out = call("certify", "gaps.csv", "--proof", "p.json", *options)[1]
    assert "3 rows strictly on the right side, 57 rows on it" in joined(out)
    assert "off it are exactly the rows in which 'place is missing' is not 0" in joined(out)
    assert call("verify", "p.json", "gaps.csv", *options)[0] == 0
    screen = "".join(call("certify", "gaps.csv", *options)[1:])
    assert ("categories a feature 'COLUMN is missing'" in joined(screen)) == bool(options)


TENTHS = [("0.1", "0.2", 0), ("0.3", "0.4", 0), ("0.2", "0.3", 1)]
"""The third point is the middle of the others in decimals, not in binary floats."""


def text_of(suffix, rows=TENTHS):
    if suffix == "csv":
        return "a,b,label\n" + "".join(f"{a},{b},{y}\n" for a, b, y in rows)
    if suffix == "tsv":
        return "a\tb\tlabel\n" + "".join(f"{a}\t{b}\t{y}\n" for a, b, y in rows)
    if suffix == "svm":
        return "".join(f"{y} 1:{a} 2:{b}\n" for a, b, y in rows)
    if suffix == "vw":
        return "".join(f"{2 * y - 1} | a:{a} b:{b}\n" for a, b, y in rows)
    return "".join(f'{{"a": {a}, "b": {b}, "label": {y}}}\n' for a, b, y in rows)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "svm", "vw", "jsonl"])
def test_numbers_in_text_are_what_is_written(suffix, folder, call):
    packed = folder / f"tenths.{suffix}.gz"
    packed.write_bytes(gzip.compress(text_of(suffix).encode()))
    few = ["--bits", 6] if suffix == "vw" else []
    status, out, _ = call("certify", packed.name, "--json", "--proof", "proof.json", *few)
    record = json.loads(out)
    assert (status, record["status"], record["numbers"]) == (0, "inseparable", "decimal")
    assert (record["rows"], record["weights"]) == ([0, 1, 2], ["1", "1", "2"])
    assert call("verify", "proof.json", packed.name, *few)[0] == 0
    X, y = open_stream(packed, bits=6 if few else None).read()
    assert "it is about decimal numbers" in Certificate.load("proof.json").verify(X, y).failed


@pytest.mark.parametrize("suffix", ["csv", "svm", "jsonl"])
@pytest.mark.parametrize(
    "last", ["0.29999999999999999", "0.3000000000000000000000001", "0.3", "0.299999999999999999999"]
)
def test_digits_beyond_those_of_floats_count(suffix, last, folder, call):
    rows = [*TENTHS[:2], ("0.2", last, 1)]
    Path(f"long.{suffix}").write_text(text_of(suffix, rows))
    status, out, _ = call("certify", f"long.{suffix}", "--json", "--proof", "proof.json")
    expected = "inseparable" if last == "0.3" else "separable"
    assert (status, json.loads(out)["status"]) == (0, expected)
    assert call("verify", "proof.json", f"long.{suffix}")[0] == 0


def test_tiny_numbers_are_not_zero(folder, call):
    Path("tiny.csv").write_text("a,label\n3e-330,0\n1e-330,0\n2e-330,1\n0,0\n")
    status, out, _ = call("certify", "tiny.csv", "--json")
    record = json.loads(out)
    assert (status, record["numbers"]) == (0, "binary64")
    assert "differ too much in size" in record["computed"]
    assert "the floats nearest" in call("certify", "tiny.csv")[1]
    Path("small.csv").write_text("a,label\n3e-30,0\n1e-30,0\n2e-30,1\n100,0\n")
    assert json.loads(call("certify", "small.csv", "--json")[1])["numbers"] == "decimal"


@pytest.mark.parametrize("suffix", ["csv", "svm", "jsonl"])
def test_numbers_of_thousands_of_digits_are_read(suffix, folder, call):
    """Python refuses to read whole numbers of more than 4,300 digits; zeros are none."""
    rows = [*TENTHS[:2], ("0.2", f"0.{'3' * 5000}", 1)]
    Path(f"long.{suffix}").write_text(text_of(suffix, rows))
    status, out, err = call("certify", f"long.{suffix}", "--json")
    assert (status, err, json.loads(out)["numbers"]) == (0, "", "binary64")
    assert "differ too much in size" in json.loads(out)["computed"]
    rows = [*TENTHS[:2], ("0.2", f"0.3{'0' * 5000}", 1)]
    Path(f"zeros.{suffix}").write_text(text_of(suffix, rows))
    status, out, err = call("certify", f"zeros.{suffix}", "--json")
    assert (status, json.loads(out)["status"], json.loads(out)["computed"]) == (
        0,
        "inseparable",
        None,
    )


@pytest.mark.parametrize("suffix", ["csv", "svm", "jsonl"])
@pytest.mark.parametrize("power", [1001, 10_000, 99_999_999, 10**30])
def test_numbers_beyond_any_denominator_are_their_floats(suffix, power, folder, call):
    Path(f"tiny.{suffix}").write_text(text_of(suffix, [("0", "1", 0), (f"1e-{power}", "1", 1)]))
    record = json.loads(call("certify", f"tiny.{suffix}", "--json")[1])
    assert (record["status"], record["numbers"]) == ("inseparable", "binary64")
    assert "differ too much in size" in record["computed"]


def test_computed_numbers_are_named(folder, call):
    Path("hole.csv").write_text("a,b,label\n0.1,0.2,n\n0.3,,n\n0.2,0.3,y\n")
    Path("three.csv").write_text("a,b,label\n0.1,0.2,n\n0.3,,m\n0.2,0.3,y\n")
    status, out, _ = call("certify", "hole.csv", "--impute", "mean")
    assert status == 0
    assert "binary64, the floats nearest to those of the text: --impute mean" in " ".join(
        out.split()
    )
    status, out, _ = call("certify", "hole.csv", "--impute", "zero", "--json")
    assert (json.loads(out)["numbers"], json.loads(out)["computed"]) == ("decimal", None)
    classes = json.loads(call("certify", "three.csv", "--impute", "mean", "--json")[1])["classes"]
    assert [record["computed"] for record in classes.values()] == [
        "--impute mean computes some of them"
    ] * 3
    Path("scaled.vw").write_text("1 |n:0.5 a:0.1\n-1 |n a:0.2\n")
    assert "scaled" in call("certify", "scaled.vw", "--bits", 6)[1]


def test_a_proof_of_before_is_about_floats(folder, call):
    Path("tenths.csv").write_text(text_of("csv"))
    X, y = open_stream("tenths.csv").read()
    certify(X, y).save("proof.json")
    fields = json.loads(Path("proof.json").read_text())
    fields.update(version=1)
    assert fields.pop("numbers") == "binary64"
    del fields["determined"]
    Path("proof.json").write_text(json.dumps(fields))
    assert call("verify", "proof.json", "tenths.csv")[0] == 0


def test_arrays_are_the_floats_that_they_hold(folder, call):
    X, y = np.array([row[:2] for row in TENTHS], float), np.array([row[2] for row in TENTHS])
    np.savez("tenths.npz", X=X, y=y)
    status, out, _ = call("certify", "tenths.npz")
    first = " ".join(out.split("\n\n")[0].split())
    assert status == 0
    assert first == (
        "Separable as the binary numbers they are; as the decimals they were written as "
        "(0.1, 0.2, …) inseparable: pass Decimals, or a file of text."
    )
