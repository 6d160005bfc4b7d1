"""Every declared format: what it says of itself is so, and the pages have it."""

import subprocess
import sys
from pathlib import Path

import pytest

from rosenblatt.streams.core.options import FEATURE_OPTIONS
from rosenblatt.streams.registry import FORMATS, SUFFIXES

PAGES = Path(__file__).resolve().parents[3] / "docs" / "streams"
TEXTS = {  # the first lines of each text
    "svmlight": b"# a comment\n1 2:3.5\n",
    "vw": b"1 2.5 'mail7|words spam offer:2\n-1 |words hello\n",
    "csv": b"x1,x2,y\n1,2,3\n",
    "tsv": b"x1\tx2\ty\n1\t2\t3\n",
    "arff": b"% comment\n@relation r\n@attribute y real\n@data\n1\n",
    "jsonl": b'{"a": 1}\n\n{"b": 2}\n',
}
formats = pytest.mark.parametrize("format", FORMATS.values(), ids=list(FORMATS))


@formats
def test_a_declaration_is_complete(format):
    assert format == FORMATS[format.name]
    assert (format.open_lines is None) != (format.open_file is None)
    assert set(format.options) <= set(FEATURE_OPTIONS)
    assert format.suffixes or format.prefix
    assert all(SUFFIXES[suffix] == format.name for suffix in format.suffixes), "of two formats"
    assert (format.write is not None) == bool(format.written) == bool(format.written_as)
    assert format.written_as in ("", "lines", "table", "columns")


def test_every_feature_option_is_of_some_format():
    accepted = {name for format in FORMATS.values() for name in format.options}
    assert accepted == set(FEATURE_OPTIONS)


@formats
def test_the_pages_have_it(format):
    (row,) = [
        line
        for line in (PAGES / "index.md").read_text("utf-8").splitlines()
        if line.startswith(f"| {format.contents} |")
    ]
    assert f"({format.page}.md)" in row
    assert (PAGES / f"{format.page}.md").exists()
    assert [suffix for suffix in (*format.suffixes, format.prefix) if suffix not in row] == []
    if format.write is not None:
        outputs = (PAGES / "convert.md").read_text("utf-8")
        assert [suffix for suffix in format.suffixes if suffix not in outputs] == []


def test_there_is_a_text_of_each_format():
    assert set(TEXTS) == {name for name, one in FORMATS.items() if one.open_lines is not None}


@pytest.mark.parametrize("name", TEXTS)
def test_at_most_one_format_recognises_a_text(name):
    lines = TEXTS[name].splitlines()
    rows = [line for line in lines if line and not line.startswith((b"#", b"%"))]
    begin = [one.name for one in FORMATS.values() if one.begins and one.begins(lines[0], rows)]
    assert begin == [name]


def test_the_declarations_import_nothing():
    """The help of the command shows all formats, and waits neither for NumPy nor for a reader."""
    code = (
        "import sys; import rosenblatt.streams.registry as r; print(len(r.FORMATS), *sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    number, *modules = run.stdout.split()
    assert int(number) == len(FORMATS)
    assert "numpy" not in modules
    ours = {name for name in modules if name.startswith("rosenblatt.streams.")}
    readers = {name for name in ours if ".registry" not in name}
    assert readers == {"rosenblatt.streams.core", "rosenblatt.streams.core.format"}
