"""Vowpal Wabbit text: hashed rows, weights, tags, bad lines, and the command."""

import gzip
import json
import lzma
import os
import subprocess
import threading

import numpy as np
import pytest
from forked import Piped
from hypothesis import given, settings
from hypothesis import strategies as st
from real_data import real_data
from vw_twin import LineError, rows_of

from rosenblatt import Perceptron, load, models
from rosenblatt.progressive import learn
from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.core.batch import CachedBatches
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.formats.vowpal_wabbit import VwStream, fit_chunks
from rosenblatt.streams.io.files import File, Pipe, Text
from rosenblatt.streams.io.lines import LineBlock
from rosenblatt.streams.rechunk import ShuffledBatches, SplitBatches

TEXT = b"1 |words spam offer\n-1 2 |words hello friend\n1 'a7|words offer:2 now\n-1 |words friend\n"


@pytest.fixture
def file(tmp_path):
    def file(content, name="mail.vw"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return file


def rows_in(batches):
    """[(label, weight, [(column, value), ...]), ...]"""
    rows = []
    for X, y, first_row, weight, *_ in batches:
        assert first_row == len(rows)
        assert X.shape[0] == len(y) > 0
        weights = [1.0] * len(y) if weight is None else weight.tolist()
        assert weight is None or set(weights) != {1.0}
        for i, (label, one) in enumerate(zip(y.tolist(), weights, strict=True)):
            part = slice(X.indptr[i], X.indptr[i + 1])
            pairs = zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True)
            rows.append((label, one, list(pairs)))
    return rows


def expected(text, bits=18):
    return [(row.label, row.weight, row.hashed(bits)) for row in rows_of(text)]


def refused(path, message, line, column, before=0, **options):
    """Check the position of an error, and that the rows before it are yielded."""
    batches = []
    with pytest.raises(DataError, match=message) as caught:
        batches.extend(open_stream(path, **options))
    assert sum(len(batch.y) for batch in batches) == before
    assert str(caught.value).startswith(f"{path}:{line}:{column}: ")


# --- rows ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [1, 4, 18, 30])
@pytest.mark.parametrize("size", [1, 40, 1 << 22])
def test_a_file_in_batches_of_any_size(file, bits, size):
    stream = open_stream(file(TEXT), bits=bits, batch_bytes=size)
    assert (stream.format, stream.bits, stream.sparse, stream.labelled) == ("vw", bits, True, True)
    for _ in range(2):
        assert rows_in(stream) == expected(TEXT, bits)
    assert {batch.X.shape[1] for batch in stream} == {2**bits}


def test_by_default_there_are_as_many_columns_as_in_vowpal_wabbit(file):
    assert open_stream(file(TEXT)).bits == 18
    assert open_stream(file(TEXT, "mail.dat"), format="vw").read()[0].shape == (4, 2**18)


def test_indices_are_int32(file):
    X, _ = open_stream(file(TEXT), bits=30).read()
    assert (X.indices.dtype, X.indptr.dtype) == (np.int32, np.int32)
    assert X.has_canonical_format


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([b"1 | a b\n", b"-1 3 |f x:2 x\n", b"2 |\n", b"\n", b"0 |", b"x\n"])),
    st.integers(1, 99),
    st.integers(1, 99),
)
def test_a_pipe_in_pieces_of_any_size(lines, piece, size):
    text = b"".join(lines)
    source = Pipe("made", (text[k : k + piece] for k in range(0, len(text), piece)), size)
    batches = []
    try:
        rows, wrong = rows_of(text), None
    except LineError as error:
        wrong, rows = error.args
    if rows and wrong is None:
        batches = list(VwStream(Text("vw", source, LineBlock(1, b""), ReadOptions(bits=6))))
    else:
        with pytest.raises(DataError, match="no rows" if wrong is None else f"^made:{wrong}:"):
            batches.extend(VwStream(Text("vw", source, LineBlock(1, b""), ReadOptions(bits=6))))
    assert rows_in(batches) == [(row.label, row.weight, row.hashed(6)) for row in rows]


@pytest.mark.parametrize(
    ("ads", "growth"), [(2, 8), (60, 11), (400, 64)], ids=["few", "some", "many"]
)
def test_the_more_pairs_the_smaller_the_chunks(file, ads, growth):
    row = b"1 |user u1 u2 u3 |ad " + b" ".join(b"a%d" % k for k in range(ads)) + b"\n"
    path = str(file(row * (20_000 // len(row))))
    options = ReadOptions(interactions=("user*ad" if ads < 400 else "ad*ad",), batch_bytes=6400)
    source = fit_chunks(File(path, 100), row * (20_000 // len(row)), options)
    sizes = [len(load()) for load in source.chunks()]
    assert max(sizes) < 6400 // growth + len(row)
    assert max(sizes) >= 6400 // growth


def test_chunks_are_left_alone_without_pairs_or_with_bad_rows(file):
    text = b"1 |user u1 |ad a1\n" * 1000
    source, options = File(str(file(text)), 100), ReadOptions(interactions=("user*ad",))
    assert fit_chunks(source, text, ReadOptions()) is source
    assert fit_chunks(source, text[:100], options) is source
    assert fit_chunks(source, b"x\n" + text, options) is source
    pipe = Pipe("made", iter([text]), 100)
    assert fit_chunks(pipe, text, options) is pipe


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_archives(file, suffix, pack):
    path = file(pack(TEXT), f"mail.vw{suffix}")
    assert rows_in(open_stream(path)) == expected(TEXT)
    torn = file(pack(TEXT * 5000)[:-40], f"torn.vw{suffix}")
    with pytest.raises(DataError, match="the archive is truncated or damaged after line"):
        list(open_stream(torn))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_with_a_name(tmp_path):
    path = tmp_path / "pipe.vw"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(TEXT,))
    writer.start()
    assert rows_in(open_stream(path)) == expected(TEXT)
    writer.join()


def test_standard_input():
    code = (
        "from rosenblatt.streams import open_stream\n"
        "stream = open_stream('-', format='vw', bits=3)\n"
        "print(stream.name, [(b.X.shape, b.y.tolist()) for b in stream])\n"
    )
    pipes = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
    out, _ = Piped(code, **pipes).communicate(TEXT.decode())
    assert out == "stdin [((4, 8), [1, -1, 1, -1])]\n"


def test_labels_are_integers_until_the_first_fraction(file):
    text = b"1 | x\n" * 9 + b"0.5 | x\n" + b"1 | x\n" * 9
    kinds = [batch.y.dtype.kind for batch in open_stream(file(text), batch_bytes=30)]
    assert kinds == sorted(kinds, reverse=True)
    assert set(kinds) == {"i", "f"}
    assert open_stream(file(text)).read()[1].tolist() == [1.0] * 9 + [0.5] + [1.0] * 9


def test_rows_without_labels(file):
    path = file(b"|words hello\n'a|words spam\n1 |words now\n")
    refused(path, "found no label", 1, 1)
    stream = open_stream(path, labelled=False)
    assert not stream.labelled
    X, y = stream.read()
    assert (X.shape, y) == ((3, 2**18), None)


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "column", "message"),
    [
        (b"-1 |words he:llo\n", 11, "found 'he:llo', expected a decimal number after ':'"),
        (b"abc | x\n", 1, "found 'abc', expected a number as the label"),
        (b"1 | x:1e400\n", 5, "fits a float64"),
        (b"1 | nul\0\n", 8, "found a NUL byte"),
        (b"1 | caf\xe9\n", 8, "found the byte 0xe9, expected UTF-8"),
        (b"1 |wor", 3, None),
        (b"1 ", 3, "the line may be torn"),
    ],
)
@pytest.mark.parametrize("size", [1, 1 << 22])
def test_the_rows_before_a_bad_line_come_out_first(file, bad, column, message, size):
    if message is None:  # torn, but a row all the same
        assert rows_in(open_stream(file(TEXT + bad))) == expected(TEXT + bad)
        return
    after = b"" if bad[-1:] != b"\n" else b"1 | x\nworse\n"
    refused(file(TEXT + bad + after), message, 5, column, before=4, batch_bytes=size)
    refused(file(bad + after), message, 1, column, batch_bytes=size)


def test_no_rows(file):
    for text in (b"\n", b" \n\t\r\n\n"):
        with pytest.raises(DataError, match=r"mail\.vw: no rows\.$"):
            list(open_stream(file(text)))
    with pytest.raises(DataError, match="no rows: it is empty"):
        open_stream(file(b""))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("a.vw", {"bits": 0}, "bits must be 1 to 30; got 0"),
        ("a.vw", {"bits": 31}, "bits must be 1 to 30; got 31"),
        ("a.vw", {"target": "y"}, "target does not go with Vowpal Wabbit text"),
        ("a.vw", {"index_base": 1}, "index_base does not go with Vowpal Wabbit text"),
        ("a.npz", {"bits": 18}, "bits does not go with X and y"),
        ("sklearn:iris", {"bits": 18}, "bits does not go with a data set"),
    ],
)
def test_wrong_options(file, name, options, message):
    path = name if ":" in name else file(b"x,y\n1,2\n", name)
    with pytest.raises(ValueError, match=message) as caught:
        open_stream(path, **options)
    assert not isinstance(caught.value, DataError)


# --- learning ------------------------------------------------------------------------------------


def weighted(file):
    """More text than a table's lines, with an importance in every other row."""
    words = np.random.default_rng(0).integers(0, 50, (200, 5))
    lines = [
        f"{1 if sum(row) > 122 else -1} {k % 2 * 1.5 + 0.5} |w {' '.join(map(str, row))}"
        for k, row in enumerate(words.tolist())
    ]
    return open_stream(file("\n".join(lines).encode()), bits=8, batch_bytes=500)


@pytest.mark.parametrize("epochs", [1, 3])
def test_importances_are_the_weights_of_the_rows(file, epochs):
    stream = weighted(file)
    X, y = stream.read()
    weight = np.concatenate([batch.weight for batch in stream])
    model, by_hand, even = (Perceptron(shuffle=False, rule="logistic") for _ in range(3))
    learn(model, stream, epochs=epochs)
    for _ in range(epochs):
        for row in (slice(i, i + 1) for i in range(len(y))):
            by_hand.partial_fit(X[row], y[row], sample_weight=weight[row])
            even.partial_fit(X[row], y[row])
    assert np.array_equal(model.coef_, by_hand.coef_)
    assert not np.array_equal(model.coef_, even.coef_)


def test_weights_stay_with_their_rows_in_all_batches(file):
    stream = weighted(file)
    rows = rows_in(stream)
    assert rows_in(SplitBatches(stream, 3)) == rows
    kept = CachedBatches(stream)
    assert rows_in(kept) == rows_in(kept) == rows
    mixed = rows_in(ShuffledBatches(stream, seed=0, max_rows=7))
    assert mixed != rows
    assert sorted(mixed) == sorted(rows)


def test_batches_with_and_without_weights_are_concatenated(file):
    text = b"1 | x\n" * 5 + b"1 3 | x\n" + b"1 | x\n" * 5
    stream = open_stream(file(text), batch_bytes=12)
    assert {batch.weight is None for batch in stream} == {True, False}
    assert sorted(one for _, one, _ in rows_in(ShuffledBatches(stream, seed=0))) == [1.0] * 10 + [
        3.0
    ]


def test_a_perceptron_learns_real_text_in_one_pass():
    stream = open_stream(real_data("rcv1_small", "rcv1_small.dat.xz"), format="vw")
    model = Perceptron(shuffle=False, output="average")
    summary = learn(model, stream)
    assert summary.last.examples == 1000
    assert summary.last.error < 0.3
    test = open_stream(real_data("rcv1_small", "rcv1_small_test.data.xz"), format="vw")
    assert model.score(*test.read()) > 0.85


# --- the command ---------------------------------------------------------------------------------


@pytest.fixture
def trained(call, file, tmp_path):
    """A model of few columns, from text with weights."""
    path = tmp_path / "mail.rosenblatt"
    status, _, error = call("train", file(TEXT), "-m", path, "--bits", 10, "--epochs", 9, "-q")
    assert (status, error) == (0, "")
    return path


def test_train_notes_the_bits(trained):
    notes = models.describe(trained)["notes"]
    assert (notes["format"], notes["bits"]) == ("vw", 10)
    assert load(trained).n_features_in_ == 2**10


def test_predict_needs_no_labels_and_no_bits(call, trained, file):
    rows = file(b"|words offer spam\n-1 |words friend\n", "new.vw")
    assert call("predict", trained, rows) == (0, "1\n-1\n", "")
    text = rows.read_text()
    assert call("predict", trained, "-", stdin=text)[:2] == (0, "1\n-1\n")


def test_evaluate_reads_with_the_options_of_train(call, trained, file):
    for data, stdin in ((file(TEXT), None), ("-", TEXT.decode())):
        status, out, _ = call("evaluate", trained, data, "--json", stdin=stdin)
        assert (status, json.loads(out)["errors"]) == (0, 0)


def test_other_bits_than_the_models_are_refused(call, trained, file):
    status, out, error = call("predict", trained, file(TEXT), "--bits", 12)
    assert (status, out) == (2, "")
    assert "--bits 12 does not go with this model: it was trained with --bits 10" in error
    assert call("predict", trained, file(TEXT), "--bits", 10)[0] == 0


def test_hashed_and_counted_columns_do_not_mix(call, trained, file, tmp_path):
    svm, counted = file(b"1 1:2\n-1 2:1\n", "a.svm"), tmp_path / "counted.rosenblatt"
    assert call("train", svm, "-m", counted, "-q")[0] == 0
    for model, data in ((trained, svm), (counted, file(TEXT))):
        status, out, error = call("predict", model, data)
        assert (status, out) == (3, "")
        assert "as Vowpal Wabbit does" in error
        assert "their features are not the same" in error


def test_bits_are_refused_without_names(call, tmp_path):
    status, _, error = call("train", "sklearn:iris", "-m", tmp_path / "m", "--bits", 10)
    assert status == 2
    assert "--bits does not go with a data set of scikit-learn" in error


def test_the_command_names_the_line_of_bad_text(call, file, tmp_path):
    path = file(b"1 | x\n1 x\n")
    status, _, error = call("train", path, "-m", tmp_path / "m", "-q")
    assert status == 3
    assert f"{path}:2:3: found no '|'" in error
