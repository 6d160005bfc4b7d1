"""Lines of svmlight and of Vowpal Wabbit text."""

from urllib.parse import unquote

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.engine.text.vowpal_wabbit import parse
from rosenblatt.streams import DataError, open_stream, write_stream
from rosenblatt.streams.core.batch import Batch
from rosenblatt.streams.writers.sparse_text import SvmlightLines, VowpalWabbitLines, escape

ROWS = np.array([[0.0, 0.1, 1.0], [0.0, 0.0, 0.0], [-2.0, 0.0, 1e22]])
LABELS = np.array([1, -1, 7])


@pytest.fixture
def stream(tmp_path):
    (tmp_path / "a.csv").write_text("a,b c,d,y\n1,2,3,4\n")
    return open_stream(tmp_path / "a.csv")


@pytest.mark.parametrize("X", [ROWS, sp.csr_array(ROWS)], ids=["dense", "sparse"])
def test_lines(stream, X):
    batch = Batch(X, LABELS, 0)
    assert bytes(SvmlightLines(stream)(batch)) == b"1 2:0.1 3:1\n-1\n7 1:-2 3:1e+22\n"
    assert bytes(VowpalWabbitLines(stream)(batch)) == b"1 | b%20c:0.1 d\n-1 |\n7 | a:-2 d:1e+22\n"


def test_weights_and_tags_stand_before_the_bar(stream):
    ids = np.array(["m 1", "", 7], object)
    batch = Batch(ROWS[:, :1], LABELS, 0, np.array([0.5, 1.0, 2.0]), ids)
    text = bytes(VowpalWabbitLines(stream)(batch))
    assert text == b"1 0.5 'm%201|\n-1 1 |\n7 2 '7| a:-2\n"
    parsed = parse(text, 18, tagged=True)
    assert (parsed.weights.tolist(), parsed.tags.tolist()) == ([0.5, 1, 2], ["m%201", "", "7"])


def test_names_may_be_added_from_batch_to_batch(stream):
    lines = VowpalWabbitLines(stream)
    assert bytes(lines(Batch(ROWS[:1, :2], LABELS[:1], 0))) == b"1 | b%20c:0.1\n"
    stream.feature_names.append("new")
    X = np.array([[0.0, 0.0, 0.0, 1.0]])
    assert bytes(lines(Batch(X, LABELS[:1], 1))) == b"1 | new\n"


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_escaped_names_are_one_word_and_reversible(name):
    assert not set(escape(name)) & set(" \t\r\n:|")
    assert unquote(escape(name), errors="strict") == name


def test_names_that_are_empty_are_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"": 1, "b": 2, "y": 0}\n{"b": 1, "y": 1}\n')
    stream = open_stream(path, target="y")
    with pytest.raises(DataError, match="column 1 has an empty name"):
        write_stream(stream, tmp_path / "a.vw")


@pytest.mark.parametrize("name", ["a.svm", "a.vw"])
def test_labels_that_would_read_back_as_others_are_refused(tmp_path, name):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n1,9007199254740992\n2,9007199254740993\n")
    with pytest.raises(DataError, match=r"has the label 9007199254740993, .* CSV or Parquet"):
        write_stream(open_stream(path), tmp_path / name)
    write_stream(open_stream(path), tmp_path / "b.parquet")
    assert open_stream(tmp_path / "b.parquet").read()[1].tolist() == [2**53, 2**53 + 1]
