"""Bad input of every format: the message and the exit status of the command.

A case is a format, a source's bytes, what is said of it, and how many rows are left where bad ones
are skipped; None where the source as a whole is wrong, so that skipping does not help.
"""

import bz2
import gzip
import io
import json
import lzma
import re
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from rosenblatt.streams.registry import FORMATS

ROWS = {
    "svm": b"1 1:2\n-1 2:1 3:4\n",
    "vw": b"1 | a b:2\n-1 | c\n",
    "csv": b"a,b,y\n1,2,1\n3,4,-1\n",
    "tsv": b"a\tb\ty\n1\t2\t1\n3\t4\t-1\n",
    "arff": b"@relation r\n@attribute a real\n@attribute b real\n@attribute y {1, -1}\n@data\n"
    b"1,2,1\n3,4,-1\n",
    "jsonl": b'{"a": 1, "y": 1}\n{"b": 2, "y": -1}\n',
}
BINARY = [
    one.suffixes[0].removeprefix(".")
    for one in FORMATS.values()
    if one.open_file is not None and one.suffixes and not one.has_folders
]
SKIPPING = tuple(ROWS)
LONG = b"1" * 400  # a whole number beyond float64
COMPRESS = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zst": lambda data: pa.compress(data, "zstd", asbytes=True),
}


def after(format, line, message, left=2):
    """Two good rows, and a line behind them."""
    return format, ROWS[format] + line, message, left


CASES = {
    "empty": [(format, b"", "no rows: it is empty", None) for format in ROWS],
    "header only": [
        ("svm", b"# nothing\n", "no rows", None),
        ("vw", b"\n \n", "no rows", None),
        ("csv", b"a,b,y\n", "no rows", None),
        ("tsv", b"a\tb\ty\n", "no rows", None),
        ("jsonl", b"\n", "no rows", None),
        ("arff", b"@relation r\n@attribute a real\n", "no rows: found no line @data", None),
        ("arff", b"@relation r\n@attribute a real\n@attribute y {1}\n@data\n", "no rows", None),
    ],
    "torn last line": [
        after("svm", b"1 1:2 3:", r"3:7: found '3:', expected a number .* may be torn"),
        after("vw", b"1 | a b:", r"3:7: found 'b:', expected a number .* may be torn"),
        after("vw", b"1", r"3:1: found no '\|', .* may be torn"),
        after("arff", b"5,6", r"8:1: found 2 fields, expected the 3 of the lines @attribute"),
        after("csv", b"5,6", r"4:1: found 2 fields, expected the 3 of the header"),
        after("tsv", b"5\t6", r"4:1: found 2 fields, expected the 3 of the header"),
        after("csv", b'5,6,"7', r"4:6: found a field that cannot be read"),
        after("jsonl", b'{"a": 1, "y"', r"3:13: is not JSON: .* one complete object per line"),
    ],
    "Latin-1": [
        after(
            "svm",
            b"1 1:2 # caf\xe9\n",
            r"3:12: found the byte 0xe9, expected UTF-8: .* iconv -f cp1252",
        ),
        after("vw", b"1 | caf\xe9\n", r"3:8: found the byte 0xe9, expected UTF-8"),
        after("csv", b"5,\xe9,1\n", r"4:3: found the byte 0xe9, expected UTF-8"),
        after("arff", b"5,\xe9,1\n", r"8:3: found the byte 0xe9, expected UTF-8"),
        after("tsv", b"5\t\xe9\t1\n", r"4:3: found the byte 0xe9, expected UTF-8"),
        after("jsonl", b'{"y": "\xe9"}\n', r"3:8: found the byte 0xe9, expected UTF-8"),
    ],
    "UTF-16": [
        (
            format,
            rows.decode().encode("utf-16"),
            "1:1: found the byte 0xff, .*iconv -f utf-16 -t",
            None,
        )
        for format, rows in ROWS.items()
        if format not in SKIPPING
    ]
    + [
        (format, ROWS[format].decode().encode("utf-16"), "1:1: .*found the byte 0xff", None)
        for format in SKIPPING
    ],
    "NUL": [
        after("svm", b"1 1:2 \0\n", r"3:7: found a NUL byte, expected text"),
        after("vw", b"1 | a\0b\n", r"3:6: found a NUL byte, expected text"),
        after("csv", b"5,\0,1\n", r"4:3: found a NUL byte, expected text"),
        after("arff", b"5,\0,1\n", r"8:3: found a NUL byte, expected text"),
        after("tsv", b"5\t\0\t1\n", r"4:3: found a NUL byte, expected text"),
        after("jsonl", b'{"a": "\0", "y": 1}\n', r"3:8: found a NUL byte, expected text"),
    ],
    "duplicate keys": [
        after("svm", b"1 7:2 7:3\n", r"3:7: found '7:3', but this row has that index already"),
        ("csv", b"a,a,y\n1,2,3\n", r"1: .*'a' .*twice", None),
        ("tsv", b"a\ta\ty\n1\t2\t3\n", r"1: .*'a' .*twice", None),
        after("jsonl", b'{"a": 1, "a": 2, "y": 1}\n', r"3: found the key 'a' twice"),
        after(
            "jsonl", b'{"a": {"b": 1}, "a.b": 2, "y": 1}\n', r"3: found the feature 'a\.b' twice"
        ),
    ],
    "mixed types": [
        after("svm", b"1 1:x\n", r"3:3: found '1:x', expected a decimal number"),
        after("vw", b"1 | a:x\n", r"3:5: found 'a:x', expected a decimal number"),
        after("csv", b"5,oak,1\n", r"4:3: column 'b': found 'oak', expected a number"),
        after("arff", b"5,oak,1\n", r"8:3: column 'b': found 'oak', expected a number"),
        ("arff", b"@relation r\n@attribute a bag\n@data\n1\n", r"2: column 'a': .* 'bag'", None),
        ("arff", b"@relation r\n@atribute a real\n@data\n1\n", r"2: found '@atr.*@data", None),
        after("tsv", b"5\toak\t1\n", r"4:3: column 'b': found 'oak', expected a number"),
        after("jsonl", b'{"a": 1, "y": [1]}\n', r"3: key 'y': found \[1\], expected a number"),
    ],
    "no header": [
        ("csv", b"5.1,3.5,oak\n4.9,3,elm\n", r"1: found the number '5.1', .*--no-header", None),
        ("tsv", b"p\tx\tx\nq\ty\tz\n", r"1: .*'x' twice.* --no-header, or --names", None),
    ],
    "another separator": [
        ("csv", b"a;b;y\n1;2;3\n", r"1: found a single column.* --separator ';'", None),
        ("csv", b'"a";"b"\n1;2\n', r"1: .*cannot be read.* --separator ';'", None),
        ("tsv", b"a,b,y\n1,2,3\n", r"1: found a single column.* --separator ','", None),
    ],
    "missing cells": [
        after("csv", b"5,?,1\n", r"4:3: column 'b': found '\?', .*--impute mean"),
        after("csv", b",6,1\n", r"4:1: column 'a': found nothing, .*--impute mean"),
        after("tsv", b"NA\t6\t1\n", r"4:1: column 'a': found 'NA', .*--impute mean"),
        after("csv", b"5,-,1\n", r"4:3: column 'b': found '-', .*--missing '-'"),
        after(
            "csv", b"5,it's $(x),1\n", """4:3: column 'b': .* --missing 'it'"'"'s [$][(]x[)]'[.]"""
        ),
        after("csv", b"5,n/a,1\n", r"4:3: column 'b': found 'n/a', .*--missing='n/a' reads it"),
    ],
    "numbers with commas": [
        ("csv", b'a,y\n"1,234",1\n"2,345",2\n', r"2:1: .*found '1,234'.* remove the separ", None),
        ("csv", b'a,y\n"1,5",1\n"2,5",2\n', r"2:1: .*'1,5'.*--schema a:category", None),
        after("csv", b'5,"1,234",1\n', r"4:3: column 'b': found '1,234'.* remove the separators"),
        after("tsv", b"5\t1,5\t1\n", r"4:3: .*'1,5', expected a number; --decimal ',' reads a c"),
        ("csv", b"a;b;y\n1,5;2;1\n2,5;3;-1\n", r"1: found a .* --separator ';' --decimal ,", None),
        ("tsv", b"a\ty\n1,5\t1\n2,5\t-1\n", r"2:1: .*'1,5', .*--decimal ',' reads a comma", None),
    ],
    "numbers beyond float64": [
        after("svm", b"1 1:%s\n" % LONG, r"3:3: found '1:11.*expected .* fits a float64"),
        after("svm", b"%s 1:1\n" % LONG, r"3:1: found '11.*expected .* fits a float64"),
        after("svm", b"1 %s:1\n" % LONG, r"3:3: found '11.*expected an index of at most"),
        after("vw", b"1 | a:%s\n" % LONG, r"3:5: found 'a:11.*expected .* fits a float64"),
        after("vw", b"1 %s | a\n" % LONG, r"3:3: found '11.*expected .* fits a float64"),
        after("csv", b"%s,1,1\n" % LONG, r"4:1: column 'a': found '11.*that fits a float64"),
        after("tsv", b"%s\t1\t1\n" % LONG, r"4:1: column 'a': found '11.*that fits a float64"),
        after("jsonl", b'{"a": %s, "y": 1}\n' % LONG, r"3: found 'a' with 11.*fits a float64"),
        after("jsonl", b'{"a": [-%s], "y": 1}\n' % LONG, r"3: found 'a\.0' with -11.*a float64"),
        after("jsonl", b'{"a": %s, "y": 1}\n' % (LONG * 13), r"3: found a whole number of 5,200"),
        after("jsonl", b'{"a": 1, "y": 1%s}\n' % (LONG * 13), r"3: found a whole number of 5,201"),
        after("jsonl", b'{"a": 1, "y": 1e400}\n', r"3: column 'y': found 'inf', expected a label"),
        after("csv", b"5,6,1e400\n", r"4: column 'y': found '1e400', expected a label"),
    ],
    "no number": [
        after("svm", b"1 1:nan\n", r"3:3: found '1:nan', expected a finite value"),
        after("vw", b"1 | a:inf\n", r"3:5: found 'a:inf', expected a finite number"),
        after("csv", b"5,nan,1\n", r"4:3: column 'b': found 'nan', expected a finite number"),
        after("tsv", b"5\t1e999\t1\n", r"4:3: column 'b': found '1e999', .* fits a float64"),
        after("jsonl", b'{"a": NaN, "y": 1}\n', r"3: found NaN, expected a finite number"),
    ],
    "labels that are measurements": [
        ("svm", b"1 1:1\n0.5 1:2\n", r"2: the labels hold 0.5, a measurement.*LMSRegressor", None),
        ("vw", b"1 | a\n-1 | b\n2.5 | a\n", r"the labels hold 2.5, .* in example 3: ", None),
        ("csv", b"a,y\n1,1\n2,1.5\n", r"3: column 'y', .* hold 1.5, .*: --target", None),
        ("csv", b"a,y\n1,1\n2,1e300\n", r"3: column 'y', .* hold 1e.300, a measurement", None),
        ("tsv", b"a\ty\n1\t.5\n2\t1.5\n", r"2: column 'y', .* hold 0.5, a measurement", None),
        (
            "jsonl",
            b'{"a": 1, "y": 0.5}\n{"a": 2, "y": 1}\n',
            r"1: .* hold 0.5, a measurement",
            None,
        ),
        after("csv", b"5,6,nan\n", r"4: column 'y': found 'nan', expected a label"),
        after("jsonl", b'{"y": NaN}\n', r"3: found NaN, expected a finite number"),
    ],
    "other kinds of files": [
        *((k, b"PK\x03\x04\xff\xfe", r"1:1: found zip data.* workbook", None) for k in ROWS),
        *(
            (k, rows.replace(b"\n", b"\r"), r"1:1: .*carriage return .CR. alone.*tr '", None)
            for k, rows in ROWS.items()
        ),
        ("jsonl", b'[{"a": 1, "y": 1}]\n', r"1: found \[.*, expected one object.* jq -c '", None),
        ("csv", b"<!DOCTYPE html>\n<p>404</p>\n", r"1: found a single column", None),
    ],
    "no features": [
        ("svm", b"1\n-1\n", r"the rows have no features", None),
        ("jsonl", b'{"y": 1}\n{"y": 2}\n', r"the rows have no features", None),
    ],
    "a label missing": [
        after("svm", b"1:2 3:4\n", r"3:1: found '1:2', expected a label"),
        after("vw", b"| a\n", r"3:1: found no label, expected a number before the bar"),
        after("csv", b"5,6,\n", r"4: column 'y': found nothing, expected a label"),
        after("arff", b"5,6,\n", r"8: column 'y': found nothing, expected a label"),
        after("tsv", b"5\t6\t\n", r"4: column 'y': found nothing, expected a label"),
        after("jsonl", b'{"a": 1}\n', r"3: key 'y': found nothing, expected a label"),
        after("jsonl", b'{"y": null}\n', r"3: key 'y': found nothing, expected a label"),
    ],
    "all labels missing": [
        ("svm", b"1:2\n3:4\n", r"1:1: .*found '1:2', expected a label", None),
        ("vw", b"| a\n| b\n", r"1:1: .*found no label", None),
        ("csv", b"a,y\n1,\n2,\n", r"2: .*column 'y': found nothing, expected a label", None),
        ("tsv", b"a\ty\n1\t\n2\t\n", r"2: .*column 'y': found nothing, expected a label", None),
        ("jsonl", b'{"y": ""}\n{"y": ""}\n', r"1: .*column 'y': found nothing", None),
        (
            "jsonl",
            b'{"a": 1}\n{"a": 2}\n',
            r"1: found none of the keys target, .* y: set --target to",
            None,
        ),
    ],
}
EVERY = [
    pytest.param(*case, id=f"{fault}-{case[0]}-{k}")
    for fault, cases in CASES.items()
    for k, case in enumerate(cases)
]


def test_every_format_of_text_has_cases():
    texts = {one.suffixes[0] for one in FORMATS.values() if one.open_lines is not None}
    assert {f".{format}" for format in ROWS} == texts
    for fault in ("empty", "header only", "Latin-1", "NUL", "mixed types", "a label missing"):
        assert {f".{format}" for format, *_ in CASES[fault]} == texts, fault


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("format", "content", "message", "left"), EVERY)
def test_bad_text_is_reported_with_file_and_line(format, content, message, left, here, call):
    path = here / f"a.{format}"
    path.write_bytes(content)
    status, out, err = call("train", path.name, "-m", "m", "-q", "--json")
    assert (status, out) == (3, "")
    assert re.search(rf"error: a\.{format}:? ?{message}", err), err
    assert err.count("\n") == 1
    assert [entry.name for entry in here.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("format", "content", "message", "left"), [p for p in EVERY if p.values[0] in SKIPPING]
)
def test_bad_rows_are_skipped_and_bad_sources_are_not(format, content, message, left, here, call):
    path = here / f"a.{format}"
    path.write_bytes(content)
    train = ("train", path.name, "-m", "m", "-q", "--json", "--on-bad-row", "skip")
    status, out, err = call(*train)
    if left is None:
        assert (status, out) == (3, "")
        assert re.search(message, err), err
        assert not (here / "m").exists()
        return
    record = json.loads(out)
    assert (status, record["examples"], record["bad_rows"]) == (0, left, 1)
    (line,) = (here / "bad-rows.jsonl").read_text().splitlines()
    row = json.loads(line)["row"].encode(errors="surrogateescape")
    assert content == ROWS[format] + row + content[len(ROWS[format]) + len(row) :]
    assert row in content.split(b"\n")


@pytest.mark.parametrize("skip", [[], ["--on-bad-row", "skip"]], ids=["stop", "skip"])
@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.parametrize("format", ROWS)
def test_truncated_archives(format, suffix, skip, here, call):
    end = b"@data\n" if format == "arff" else b"\n"
    header, _, rows = ROWS[format].partition(end)
    packed = COMPRESS[suffix](header + end + rows * 9_999)
    path = here / f"a.{format}.{suffix}"
    path.write_bytes(packed[: len(packed) * 2 // 3])
    status, _, err = call("train", path.name, "-m", "m", "-q", *skip)
    assert status == 3
    assert re.search(rf"a\.{format}\.{suffix}.*the archive is truncated or damaged", err), err
    assert not (here / "m").exists()


# --- binary files --------------------------------------------------------------------------------

TABLE = pa.table({"a": [1.0, 2.0], "y": [1, 2]})


def written(kind, table):
    file = io.BytesIO()
    if kind == "parquet":
        pa.parquet.write_table(table, file)
    elif kind == "arrow":
        with pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    else:
        columns = [table[name].to_numpy() for name in table.column_names]
        if kind == "npy":
            np.save(file, np.stack(columns, axis=1))
        else:
            *rest, y = columns
            np.savez(file, X=np.column_stack([np.empty((len(y), 0)), *rest]), y=y)
    return file.getvalue()


def table(**columns):
    return pa.table({name: pa.array(values) for name, values in columns.items()})


@pytest.mark.parametrize("kind", BINARY)
@pytest.mark.parametrize(
    ("fault", "make", "message"),
    [
        ("empty", lambda kind: b"", "no rows: it is empty"),
        ("truncated", lambda kind: written(kind, TABLE)[:-9], "truncated, damaged or of another"),
        ("text", lambda kind: b"1 1:2\n" * 9, "truncated, damaged or of another kind"),
        ("no rows", lambda kind: written(kind, TABLE.slice(0, 0)), "no rows"),
        ("NaN", lambda kind: written(kind, table(a=[1.0, np.nan], y=[1, 2])), r"row 1.*found nan"),
        (
            "one column",
            lambda kind: written(kind, TABLE.select(["y"])),
            "single column|no column|X",
        ),
    ],
)
def test_bad_binary_files_are_reported(kind, fault, make, message, here, call):
    (here / f"a.{kind}").write_bytes(make(kind))
    status, out, err = call("train", f"a.{kind}", "-m", "m", "-q", "--json")
    assert (status, out, err.count("\n")) == (3, "", 1)
    assert re.search(rf"error: a\.{kind}: .*({message})", err), err
    assert not (here / "m").exists()


# --- one very long line --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("format", "start", "size"),
    [
        ("svm", b"1 1:", 100 << 20),
        ("vw", b"1 | a:", 10 << 20),
        ("jsonl", b'{"a": "', 10 << 20),
        ("csv", b"5,", 10 << 20),
    ],
    ids=["svm", "vw", "jsonl", "csv"],
)
def test_a_line_of_many_megabytes(format, start, size, here, call):
    line = start + b"x" * size
    (here / f"a.{format}").write_bytes(ROWS[format] + line + b"\n")
    skip = ["--on-bad-row", "skip"] if format in SKIPPING else []
    status, _, err = call("train", f"a.{format}", "-m", "m", "-q", *skip)
    assert (status, len(err) < 300) == (0 if skip else 3, True)
    number = ROWS[format].count(b"\n") + 1
    assert re.search(rf" a\.{format}:{number}:", err)
    if skip:
        (kept,) = (here / "bad-rows.jsonl").read_text().splitlines()
        assert json.loads(kept)["row"].encode() == line


# --- disks that fill, pipes that close -----------------------------------------------------------

COMMAND = [sys.executable, "-m", "rosenblatt"]
unix = pytest.mark.skipif(sys.platform == "win32", reason="needs Unix")


@unix
def test_a_disk_that_fills_while_rows_are_converted(here):
    (here / "a.svm").write_bytes(ROWS["svm"] * 20_000)
    (here / "a.arrow").write_bytes(written("arrow", TABLE))
    before = (here / "a.arrow").read_bytes()
    code = (
        "import resource, sys\nfrom rosenblatt.cli.main import run\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, 1 << 18))\n"
        "sys.exit(run(['convert', 'a.svm', 'a.arrow']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    wanted = r"error: a\.arrow: The Arrow file was not saved \(File too large\); .* untouched"
    assert re.match(wanted, done.stderr), done.stderr
    assert done.stderr.count("\n") == 1
    assert (here / "a.arrow").read_bytes() == before
    assert sorted(entry.name for entry in here.iterdir()) == ["a.arrow", "a.svm"]


@unix
@pytest.mark.parametrize("skip", [[], ["--on-bad-row", "skip"]], ids=["stop", "skip"])
@pytest.mark.parametrize("format", ["svm", "jsonl"])
def test_a_writer_that_is_killed_leaves_a_torn_line(format, skip, here):
    text = ROWS[format] + ROWS[format].split(b"\n")[1][:4]
    code = (
        f"import sys, time; sys.stdout.buffer.write({text!r}); sys.stdout.flush()\n"
        "print('written', file=sys.stderr, flush=True); time.sleep(60)"
    )
    name = {"svm": "svmlight"}.get(format, format)
    command = [*COMMAND, "train", "-", "--format", name, "-m", "m", "-q", *skip]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with (
        subprocess.Popen([sys.executable, "-c", code], **pipes) as writer,
        subprocess.Popen(command, stdin=writer.stdout, stderr=subprocess.PIPE) as reader,
    ):
        writer.stdout.close()
        assert writer.stderr.readline() == b"written\n"
        writer.kill()
        _, err = reader.communicate()
    assert (reader.returncode, (here / "m").exists()) == ((0, True) if skip else (3, False))
    assert re.search(r"stdin:3:", err.decode()), err


@unix
def test_a_closed_output_pipe_ends_the_command_quietly(here, call):
    (here / "a.svm").write_bytes(ROWS["svm"] * 50_000)
    assert call("train", "a.svm", "-m", "m", "-q")[0] == 0
    command = [*COMMAND, "predict", "m", "a.svm"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() in (b"1\n", b"-1\n")
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
