"""What --resume refuses: other rows, columns, options or models than those of the run."""

from itertools import product
from pathlib import Path

import pytest
from command import without_clock
from noisy_rows import as_csv, as_json, rows, write_file
from profiles import share

import rosenblatt
from rosenblatt import Perceptron
from rosenblatt.streams.core import options as stream_options

pytestmark = pytest.mark.usefixtures("small_batches")


@pytest.mark.parametrize("offset", [150, 290])
@pytest.mark.parametrize("kind", ["svmlight", "csv", "jsonl", "labels"])
def test_an_inserted_row_is_refused(call, kind, offset):
    lines = rows(301).splitlines(keepends=True)
    late = lines.pop(offset)
    more = [*lines[:offset], late, *lines[offset:]]
    if kind == "labels":  # nothing but one of them tells the difference
        label, rest = lines[offset].split(maxsplit=1)
        more = [*lines[:offset], f"{(int(label) + 1) % 3} {rest}", *lines[offset + 1 :]]
    form = {"csv": as_csv, "jsonl": as_json}.get(kind, str)
    name = "a.svm" if kind == "labels" else f"a.{kind}"
    train = ["train", write_file(name, form("".join(lines))), "-m", "m", "--resume"]
    assert call(*train)[0] == 0
    expected = Path("m").read_bytes()
    write_file(name, form("".join(more)))
    status, _, err = call(*train)
    assert status == 3
    assert f"{name}: does not begin with the rows that the model has learned from" in err
    assert Path("m").read_bytes() == expected


CHANGED = [
    (
        "a.csv",
        "w,y\n" + "red,1\nblue,0\n" * 5,
        "".join(f"a sentence with number {k},1\n" for k in range(30)),
        "column 'w' is read as text, in the run so far as category",
        ["--schema", "w:text"],
    ),
    (
        "a.csv",
        "w,y\n" + "1,1\n2,0\n" * 5,
        "red,1\n" * 30,
        "column 'w' is read as category, in the run so far as number",
        ["--schema", "w:category"],
    ),
    (
        "a.svm",
        "1 1:1 2:3\n-1 2:1 3:1\n" * 5,
        "1 0:1 2:2\n-1 2:4\n",
        "indices are counted from 0, in the run so far from 1",
        ["--index-base", 0],
    ),
    (
        "a.csv",
        "x,y\n" + "1,1\n2,0\n" * 5,
        "3,maybe\n" * 3,
        "labels are read as text ('maybe' is no number), in the run so far as numbers",
        None,
    ),
]


@pytest.mark.parametrize(
    ("options", "name", "text", "more", "problem", "advice"),
    [
        (options, *changed)
        for options, changed in share(
            product([[], ["--epochs", 2], ["--holdout", 0.2]], CHANGED), 3, 0
        )
    ],
)
def test_rows_that_change_how_earlier_ones_are_read_are_named(
    call, monkeypatch, options, name, text, more, problem, advice
):
    monkeypatch.setattr(stream_options, "BATCH_BYTES", 100_000)  # the first batch has all rows
    anew = ["train", write_file(name, text), "-m", "m", *options]
    train = [*anew, "--resume"]
    assert call(*train)[0] == 0
    expected = Path("m").read_bytes()
    write_file(name, text + more)
    status, _, err = call(*train)
    assert status == 3
    assert f"{name}: {problem}: the first rows decide this" in err
    assert "does not begin with" not in err  # it does
    assert Path("m").read_bytes() == expected
    if advice is None:
        write_file(name, text + more.replace("maybe", "1"))
        assert "or leave out --resume to train from scratch." in err
        status, _, err = call(*(anew if "--epochs" in options else train))
    else:
        words = " ".join(map(str, advice))
        assert f"leave out --resume to train from scratch, with {words} to keep it so." in err
        status, _, err = call(*anew, *advice)
    assert status == 0, err


def test_a_new_file_in_a_folder_is_refused(call):
    def put(number):
        for label, word in (("ham", "noon"), ("spam", "prize")):
            Path("mail", label).mkdir(parents=True, exist_ok=True)
            for k in range(number):
                Path("mail", label, f"{k}.txt").write_text(f"{word} {k}")

    put(80)
    train = ["train", "mail", "-m", "m", "--resume", "--bits", 10]
    assert call(*train)[0] == 0
    put(81)
    status, _, err = call(*train)
    assert status == 3
    assert "mail: does not begin with the rows that the model has learned from" in err


def test_several_epochs_must_have_the_same_rows(call):
    train = [
        "train",
        write_file("a.svm", rows(100)),
        "-m",
        "m",
        "--epochs",
        3,
        "--resume",
        "--json",
    ]
    first = without_clock(call(*train)[1])
    status, out, err = call(*train)
    assert (status, without_clock(out)) == (0, first)
    assert "the run was finished; learned 0 new rows" in err
    expected = Path("m").read_bytes()
    for change, problem in [
        (rows(120), "a.svm: has more than the 100 rows that the model has learned from"),
        (rows(90), "a.svm: has 90 rows, fewer than the 100 rows that the model"),
        (rows(100, seed=5), "a.svm: does not begin with the rows that the model"),
    ]:
        write_file("a.svm", change)
        status, out, err = call(*train)
        assert (status, out) == (3, "")
        assert problem in err
        assert Path("m").read_bytes() == expected


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--eta0", 2], "--eta0 2.0 does not go with --resume: m was trained with --eta0 1.0."),
        (["--average"], "--average does not go with --resume: m was trained with no --average."),
        (["--kernel", "rbf"], "--kernel rbf does not go with --resume: m was trained with no"),
        (["--shuffle"], "--shuffle does not go with --resume: m was trained with no --shuffle."),
        (["--index-base", 1], "--index-base 1 does not go with --resume: m was trained with no"),
    ],
)
def test_other_options_are_named(call, options, problem):
    train = ["train", write_file("a.svm", rows(50)), "-m", "m", "--rule", "perceptron", "--resume"]
    assert call(*train)[0] == 0
    status, _, err = call(*train, *options)
    assert status == 2
    assert problem in err
    assert "leave out --resume to train from scratch" in err


def test_models_that_cannot_be_resumed(call):
    train = ["train", write_file("a.svm", rows(50)), "-m", "m", "--resume"]
    rosenblatt.save(Perceptron().fit([[0.0], [1.0]], [0, 1]), "m")
    status, _, err = call(*train)
    assert status == 3
    assert "m: has no record of an unfinished run" in err
    call(*train[:-1])
    damaged = bytearray(Path("m").read_bytes())
    damaged[-9] ^= 1
    Path("m").write_bytes(damaged)
    status, _, err = call(*train)
    assert status == 3
    assert "some bytes have changed" in err
    assert "Or delete it: then --resume starts a new run." in err


@pytest.mark.parametrize("more", ["", "2,2,p\n"], ids=["the same rows", "another row"])
def test_columns_of_other_names_are_refused(call, more):
    table = "a,b,y\n1,2,p\n3,1,q\n"
    train = ["train", write_file("t.csv", table), "-m", "m", "--resume"]
    assert call(*train)[0] == 0
    model = Path("m").read_bytes()
    write_file("t.csv", table.replace("b", "c") + more)
    status, _, err = call(*train)
    assert status == 3
    assert "its column 1 is 'c', but the model has 'b' there" in err
    assert "give the same data, or leave out --resume to train from scratch" in err
    assert Path("m").read_bytes() == model


def test_an_option_of_other_rules_does_not_go_with_a_run_of_auto(call):
    train = ["train", write_file("a.svm", rows(50)), "-m", "m", "--resume"]
    assert call(*train)[0] == 0
    for options in (["--average"], ["--eta0", 2.0], ["--kernel", "rbf"]):
        status, _, err = call(*train, *options)
        assert status == 2
        words = " ".join(map(str, options))
        assert f"{words} does not go with --resume: m was trained with --rule auto." in err
    assert call(*train)[0] == 0
