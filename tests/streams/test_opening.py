"""Opening of sources: formats, and names that cannot be opened."""

import subprocess
import sys
from time import process_time

import pytest
from stream_rows import SVM, refused

from rosenblatt.streams import DataError, open_stream, reopen
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.frames.reader import RowReader
from rosenblatt.streams.opening import sniff


def test_sources_that_cannot_be_opened(tmp_path, write, monkeypatch):
    refused(tmp_path / "none.svm", "cannot be read: No such file or directory")
    refused(tmp_path, "has no folders in it")
    refused(tmp_path, "is a directory", format="csv")
    refused(write("a.svm", b""), "no rows: it is empty")
    refused(
        write("a.txt", b"hello\n"),
        "its format is not clear: set format to one of svmlight, vw, csv",
    )

    def denied(*args):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("rosenblatt.streams.io.files.open", denied, raising=False)
    refused(write("b.svm", SVM), "cannot be read: Permission denied")


@pytest.mark.parametrize(
    ("head", "format"),
    [
        (b"1 |f x\n", "vw"),
        (b"| a b:2\n-1 | c\n", "vw"),
        (b"1 2.5 'mail7|words spam offer:2 |from:0.5 friend\n-1 |words hello\n", "vw"),
        (b"-1 'mail7 |a:2 b\n1 mail8|a b |c\n'mail9|a b\n", "vw"),
        (b"% a comment\n" * 60 + b"\n@relation iris\n", "arff"),
        (b"# a comment\n" * 60 + b"1 2:3\n", "svmlight"),
        (b"1 |f x\nhello\n", None),
        (b"mail7|f x\n", None),
        (b"39|Private|12\n40|State|13\n", None),
        (b"39|12\n", None),
        (b"age|work|y\n39|x|1\n", None),
        (b"1 1:2 3:4\n", "svmlight"),
        (b"age,work\n", "csv"),
    ],
)
def test_the_first_lines_decide_the_format(head, format):
    assert sniff(head) == format


@pytest.mark.parametrize("name", ["mail", "mail.txt"])
def test_vowpal_wabbit_text_without_its_suffix(write, name):
    stream = open_stream(write(name, b"1 |words win a prize\n-1 |words see you\n"))
    assert (stream.format, stream.read()[1].tolist()) == ("vw", [1, -1])


@pytest.mark.parametrize(
    ("text", "format"),
    [
        (b"ham\tyes, I do\nspam\tcash, prizes, pills\n", "tsv"),
        (b"1\t2\n", "tsv"),
        (b"1,a\tb\n2,c\n", "csv"),
        (b"1,2\n", "csv"),
    ],
)
def test_the_format_of_a_table_without_a_header(write, text, format):
    assert open_stream(write("table", text), column_names=["a", "b"]).format == format


def test_importing_loads_neither_numba_nor_scikit_learn():
    code = "import sys, rosenblatt.streams; print({'numba', 'sklearn', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.strip() == b"set()"


def test_a_column_to_skip_must_exist(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("Patient-ID,x,y\nP1,1,0\nP2,2,1\n")
    message = r"no column 'Patent-ID' of the kind skip; .* Did you mean 'Patient-ID'\?"
    with pytest.raises(DataError, match=message):
        open_stream(path, schema={"Patent-ID": "skip"})
    for kind in ("number", "category", "text", "id", "weight", "label"):
        with pytest.raises(DataError, match="Did you mean 'Patient-ID'"):
            open_stream(path, schema={"Patent-ID": kind})
    assert open_stream(path, schema={"Patient-ID": "skip"}).feature_names == ["x"]
    everything_else = {"*": "skip", "Patent-ID": "skip", "x": "number"}
    assert open_stream(path, schema=everything_else).feature_names == ["x"]
    other = tmp_path / "b.csv"
    other.write_text("x,y\n3,0\n")
    schema = {"Patient-ID": "skip"}
    assert len(open_stream([path, other], schema=schema).read()[1]) == 3


def test_a_wide_table_takes_time_in_proportion_to_its_columns(write):
    """With a search of all names for each name, each of these took five seconds or more."""
    names = [f"gene{j}" for j in range(30_000)]
    path = write("a.csv", ",".join([*names, "y"]) + "\n" + ",".join(["1.5"] * 30_000) + ",a\n")
    row = dict.fromkeys(names, 1.5)
    begin = process_time()
    stream = open_stream(path)
    notes = stream.noted()
    assert len(stream.feature_names) == 30_000
    assert len(reopen(notes, names, path, labelled=False).feature_names) == 30_000
    reader = RowReader(ReadOptions())
    assert reader.learn([row]).shape == reader.read([row]).shape == (1, 30_000)
    assert process_time() - begin < 5  # seconds
