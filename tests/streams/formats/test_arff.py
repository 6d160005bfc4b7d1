"""ARFF: declared columns, sparse rows, quotes, missing cells, ids and dates, as CSV has them."""

import gzip
import io
import random

import numpy as np
import pytest
from scipy.io import arff

from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.formats.arff import ArffStream
from rosenblatt.streams.io.files import Pipe, Text

HEADER = """% the weather, by day
@RELATION 'the weather'

@attribute "the sky" {sunny, 'over cast', rain}   % three
@attribute temp REAL
@attribute wind integer
@ATTRIBUTE play {yes,no}
@DATA
"""
ROWS = """sunny, 21.5, 3, yes
'over cast',18,?,no
% not a row
?,-2e1,7,"yes"

{1 20, 3 no}
{}
{0 rain,2 4 }
"""
TABLE = """sunny,21.5,3,yes
over cast,18,,no
,-2e1,7,yes
sunny,20,0,no
sunny,0,0,yes
rain,0,4,yes
"""


def same_as_table(write, header, rows, names, table, **options):
    """Return the stream of ARFF, whose rows are those of CSV."""
    stream = open_stream(write("a.arff", header + rows), **options)
    schema = {n: k for n, k in (stream.schema or {}).items() if n not in stream.left_out}
    twin = open_stream(
        write("a.csv", f"{names}\n{table}"), schema={**schema, "*": "skip"}, **options
    )
    X, y = stream.read()
    Z, z = twin.read()
    assert (stream.feature_names, stream.target) == (twin.feature_names, twin.target)
    dense = [np.asarray(x.todense() if hasattr(x, "todense") else x) for x in (X, Z)]
    np.testing.assert_array_equal(*dense)
    np.testing.assert_array_equal(y, z)
    return stream


def test_rows_are_those_of_a_table(write):
    names = "the sky,temp,wind,play"
    stream = same_as_table(write, HEADER, ROWS, names, TABLE, impute="mean")
    assert (stream.format, stream.target) == ("arff", "play")
    assert stream.schema == {"the sky": "category", "temp": "number", "wind": "number"}
    assert stream.noted()["format"] == "arff"
    with pytest.raises(
        DataError, match=r"a.arff:10.*column 'wind': found nothing, .*--impute mean"
    ):
        open_stream(write("a.arff", HEADER + ROWS)).read()


@pytest.mark.parametrize("batch_bytes", [1, 40, 1 << 20])
@pytest.mark.parametrize("pieces", [1, 30, 10**6])
def test_pipes_and_chunks(batch_bytes, pieces):
    text = (HEADER + ROWS).encode()
    cut = [text[k : k + pieces] for k in range(0, len(text), pieces)]
    source = Pipe("demo", iter(cut), batch_bytes)
    options = ReadOptions(impute="zero")
    stream = ArffStream(Text("arff", source, source.head(), options))
    rows = [row for batch in stream for row in batch.X.toarray()[:, :3].tolist()]
    assert len(rows) == 6
    assert rows[0] == [21.5, 3.0, 1.0]
    with pytest.raises(DataError, match="can be read only once"):
        list(stream)


def test_a_header_longer_than_the_first_lines(write):
    columns = [f"a_long_name_of_a_column_{k}" for k in range(4000)]
    header = "@relation r\n" + "".join(f"@attribute {name} real\n" for name in columns)
    path = write("wide.arff", header + "@attribute y {a,b}\n@data\n{3999 2.5}\n{7 1, 4000 b}\n")
    stream = open_stream(path)
    X, y = stream.read()
    assert (X.shape, X.sum(axis=1).tolist(), y.tolist()) == ((2, 4000), [2.5, 1.0], ["a", "b"])
    source = Pipe("demo", iter([path.read_bytes()[k : k + 999] for k in range(0, 2**18, 999)]), 1)
    piped = ArffStream(Text("arff", source, source.head(), ReadOptions()))
    np.testing.assert_array_equal(piped.read()[0], X)


def test_ids_strings_and_dates(write):
    header = (
        "@relation r\n@attribute code string\n@attribute 'no' integer\n@attribute note string\n"
        "@attribute when date 'dd/MM/yyyy HH:mm'\n@attribute x numeric\n@attribute class {a,b}\n"
        "@data\n"
    )
    rows = "".join(
        f"K{k:03},{3 * k},'the note, of {k}','{k % 28 + 1:02}/05/2024 1{k % 10}:30',{k % 7},"
        f"{'ab'[k % 2]}\n"
        for k in range(30)
    )
    stream = open_stream(write("a.arff", header + rows))
    kinds = {"code": "skip", "no": "skip", "note": "text", "when": "date-dmy", "x": "number"}
    assert (stream.schema, stream.left_out) == (kinds, ("code", "no"))
    assert [remark.split("'")[1] for remark in stream.remarks] == ["code", "no"]
    assert "--schema code:category" in stream.remarks[0]
    X, _ = stream.read()
    assert X.shape == (30, 1 << 18)
    kept = open_stream(stream.name, schema={"code": "text", "note": "skip", "no": "id"})
    assert [kept.schema[name] for name in ("code", "note", "no")] == ["text", "skip", "id"]
    assert kept.whole().ids[:2].tolist() == ["0", "3"]


def test_texts_of_which_each_differs_are_no_ids(write):
    rows = "\n".join(f"{k % 7},'see you at {k}',{k % 2}" for k in range(60))
    columns = "@attribute x real\n@attribute note string\n@attribute y {0,1}\n"
    text = f"@relation r\n{columns}@data\n{rows}\n"
    stream = open_stream(write("a.arff", text))
    assert (stream.schema["note"], stream.left_out, stream.bits) == ("text", (), 18)


def test_scipy_reads_the_same_numbers(write, rng):
    """SciPy's reader knows dense rows of numbers and nominal values."""
    columns = rng.normal(size=(40, 3)).round(3)
    rows = "".join(f"{a},{b},{c},{'xy'[k % 2]}\n" for k, (a, b, c) in enumerate(columns.tolist()))
    header = "@relation r\n@attribute a real\n@attribute b real\n@attribute 'c d' real\n"
    text = f"{header}@attribute k {{x,y}}\n@data\n{rows}"
    data, meta = arff.loadarff(io.StringIO(text))
    stream = open_stream(write("a.arff", text))
    X, y = stream.read()
    assert stream.feature_names == meta.names()[:3]
    np.testing.assert_array_equal(X, np.column_stack([data[name] for name in meta.names()[:3]]))
    assert y.tolist() == [label.decode() for label in data["k"]]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("'open,1,2,yes", "12:1: found a row that cannot be read: expected values"),
        ("sunny,1,yes", "12:1: found 3 fields, expected the 4 of the lines @attribute"),
        ("{1 2, 1 3}", "12:1: found a row that cannot be read: expected values"),
        ("{4 yes}", "12:1: found a row that cannot be read: expected values"),
        ("{1}", "12:1: found a row that cannot be read: expected values"),
        (f"{{{'0' * 5000} 1}}", "12:1: found a row that cannot be read: expected values"),
        ("sunny,1,2,?", "12: column 'play': found nothing, expected a label"),
        ("sunny,x,2,no", "12:.*column 'temp': found 'x', expected a number"),
    ],
)
def test_bad_rows_are_named_by_their_line_and_skipped(write, row, message):
    good = "sunny,1,2,yes\n% a comment\n{0 rain, 3 no}\n"
    path = write("a.arff", f"{HEADER}{good}{row}\nrain,3,4,no\n")
    with pytest.raises(DataError, match=f"a.arff:{message}"):
        open_stream(path).read()
    bad = []
    stream = open_stream(path, on_bad_row=bad.append)
    X, _ = stream.read()
    assert (X.shape[0], stream.bad_rows, bad[0].row, bad[0].number) == (3, 1, row, 12)


def test_a_model_of_arff_predicts_a_table(call, tmp_path, write):
    header = "@relation r\n@attribute colour {red,green}\n@attribute y {stop,go}\n@data\n"
    write("a.arff", header + "red,stop\ngreen,go\n" * 3)
    write("b.csv", "y,colour\nstop,green\ngo,red\n")
    model = tmp_path / "m.rosenblatt"
    assert call("train", tmp_path / "a.arff", "-m", model, "-q")[0] == 0
    assert call("predict", model, tmp_path / "b.csv", "-q")[1].split() == ["go", "stop"]
    assert call("train", tmp_path / "a.arff", "-m", model, "-q", "--separator", ";")[0] == 2


def test_values_that_are_true_and_false_are_numbers(write):
    header = "@relation r\n@attribute hot {TRUE, FALSE}\n@attribute wet {'false','true'}\n"
    header += "@attribute near {true, far}\n@attribute play {True, False}\n@data\n"
    rows = "TRUE,'true',far,False\n{0 FALSE, 3 True}\n{1 'true', 2 far}\n"
    stream = open_stream(write("a.arff", header + rows))
    X, y = stream.read()
    assert stream.schema == {"hot": "number", "wet": "number", "near": "category"}
    assert stream.feature_names == ["hot", "wet", "near=far", "near=true"]
    assert X.toarray().tolist() == [[1, 1, 1, 0], [0, 0, 0, 1], [1, 1, 1, 0]]
    assert y.tolist() == ["False", "True", "True"]
    path = write("b.arff", header + rows)
    categories = open_stream(path, schema={"hot": "category"})
    categories.read()
    assert "hot=TRUE" in categories.feature_names


def test_only_a_line_feed_ends_a_first_row(write):
    """Cut at another separator of lines, these texts would be numbered codes, which name rows."""
    header = "@relation r\n% a \u2028 comment\n@attribute what string\n@attribute y {a,b}\n@data\n"
    rows = "".join(f"'see\u2028CUST-{k:04}',a\n" for k in range(30))
    assert open_stream(write("a.arff", header + rows)).kinds == {"what": "text", "y": "label"}


def test_an_archive_that_ends_in_the_header(write):
    lines = "".join(f"% {random.Random(k).random()}\n" for k in range(20_000))
    packed = gzip.compress(f"@relation r\n{lines}@attribute y {{a,b}}\n@data\n".encode())
    with pytest.raises(
        DataError, match=r"a.arff.gz:\d+: the archive is truncated or damaged after"
    ):
        open_stream(write("a.arff.gz", packed[: 3 * len(packed) // 4]))


@pytest.mark.parametrize("size", [1, 10_000])
@pytest.mark.parametrize("comment", [b"% caf\xe9", b"% \0"])
def test_a_comment_is_text_as_well(tmp_path, comment, size):
    header = b"@relation r\n@attribute a real\n@attribute y {p,q}\n@data\n1,p\n"
    (tmp_path / "a.arff").write_bytes(header + comment + b"\n2,q\n")
    with pytest.raises(DataError, match=r"a\.arff:6:\d: found (the byte 0xe9|a NUL byte)"):
        list(open_stream(tmp_path / "a.arff", batch_bytes=size))
