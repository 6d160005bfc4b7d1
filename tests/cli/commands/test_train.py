"""``rosenblatt train``: output, options, bad data, pipes, interrupts, real data."""

import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from command import FOUR, TABLE, interrupt_at, spawn
from real_data import real_data
from sklearn.datasets import dump_svmlight_file, load_breast_cancer

import rosenblatt
from rosenblatt import Perceptron
from rosenblatt.learning.models.files import describe
from rosenblatt.streams.core import options as stream_options


def test_json_goes_to_standard_output_and_the_table_to_standard_error(folder, call):
    status, out, err = call("train", "four.svm", "-m", "m", "--json")
    record = json.loads(out)
    assert status == 0
    assert out.count("\n") == 1
    wanted = "examples features classes epochs mistakes updates progressive_error converged model"
    assert set(wanted.split()) <= set(record)
    assert record["examples"] == 4
    assert record["features"] == 3
    assert record["classes"] == [-1, 1]
    assert record["model"] == "m"
    assert set(record["seconds"]) == {"read", "learn", "total"}
    low, high = record["progressive_interval"]
    assert 0.0 <= low <= record["progressive_error"] <= high <= 1.0
    assert [line["examples"] for line in record["progress"]] == [1, 2, 4]
    assert record["constant_error"] == 0.5
    assert "examples" in err.splitlines()[1]
    assert re.search("baseline error +50.0 %", err)


def test_train_equals_the_estimator_without_shuffling(folder, call):
    X, y = load_breast_cancer(return_X_y=True)
    dump_svmlight_file(X, y, "cancer.svm", zero_based=False)
    assert call("train", "cancer.svm", "-m", "m", "--average", "-q", "--epochs", 3)[1:] == ("", "")
    model = rosenblatt.load("m")
    same = Perceptron(output="average", shuffle=False)
    for _ in range(3):
        same.partial_fit(X, y)
    assert np.array_equal(model.coef_, same.coef_)
    assert np.array_equal(model.intercept_, same.intercept_)
    assert (model.mistakes_, model.updates_) == (same.mistakes_, same.updates_)


def test_plain_compressed_and_piped_data_give_the_same_model(folder, call):
    Path("four.svm.gz").write_bytes(gzip.compress(FOUR.encode()))
    for args, stdin in ((["four.svm"], None), (["four.svm.gz"], None), (["-"], FOUR)):
        assert call("train", *args, "-m", f"m{args[0]}", "-q", stdin=stdin) == (0, "", "")
    digests = {describe(name)["sha256"] for name in ("mfour.svm", "mfour.svm.gz", "m-")}
    assert len(digests) == 1


def test_several_epochs_over_data_that_widens(folder, call, monkeypatch):
    monkeypatch.setattr(stream_options, "BATCH_BYTES", 30)
    Path("wide.svm").write_text(FOUR + "+1 9:1\n-1 3:1\n")
    status, out, err = call(
        "train", "wide.svm", "-m", "m", "--rule", "perceptron", "--epochs", 9, "--json"
    )
    record = json.loads(out)
    assert status == 0
    assert record["features"] == 9
    assert record["converged"]
    assert record["epochs"] < 9
    assert "epoch 2" in err
    assert "converged: no mistake and no update in the last epoch" in err


def test_shuffling_depends_on_the_seed(folder, call):
    def digest(*options):
        args = ("train", "sklearn:iris", "-m", "m", "-q", "--shuffle", "--epochs", 3, *options)
        assert call(*args) == (0, "", "")
        return describe("m")["sha256"]

    assert digest() == digest("--seed", 0) != digest("--seed", 1)


def test_rows_sorted_by_label_get_a_note(folder, call):
    assert "--shuffle puts them in random order" in call("train", "sklearn:iris", "-m", "m")[2]
    assert call("train", "sklearn:iris", "-m", "m", "-q")[2] == ""
    assert "note" not in call("train", "sklearn:iris", "-m", "shuffled", "--shuffle")[2]


@pytest.mark.parametrize("data", ["-", "pipe"])
def test_several_epochs_of_a_pipe_are_refused_before_reading(folder, call, monkeypatch, data):
    class Untouchable(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):
            raise AssertionError("must not be read")

    os.mkfifo("pipe")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Untouchable())))
    status, _, err = call("train", data, "-m", "m", "--epochs", 2)
    assert status == 2
    assert "can be read only once" in err
    assert "--shuffle" in err


def test_several_epochs_of_a_pipe_with_shuffle(folder, call):
    args = ("train", "-", "-m", "m", "-q", "--shuffle", "--epochs", 5)
    assert call(*args, stdin=FOUR) == (0, "", "")
    assert rosenblatt.load("m").t_ > 5


def test_standard_input_must_not_be_a_terminal(folder):
    master, slave = os.openpty()
    process = spawn("train", "-", "-m", "m", stdin=slave, stderr=subprocess.PIPE)
    err = process.communicate(timeout=60)[1]
    os.close(master)
    os.close(slave)
    assert process.returncode == 2
    assert "terminal" in err


def test_overflowing_weights_give_no_model(folder, call):
    args = ("--rule", "lms", "--eta0", "1e300", "--epochs", 9)
    status, _, err = call("train", "four.svm", "-m", "m", *args)
    assert status == 1
    assert "smaller --eta0" in err
    assert not Path("m").exists()


def test_options_reach_the_estimator(folder, call):
    options = "--rule pa1 --eta0 0.5 --penalty l2 --alpha 0.01 --multi-class joint"
    assert call("train", "sklearn:wine", "-m", "m", "-q", *options.split())[0] == 0
    params = rosenblatt.load("m").classifier.get_params()
    assert (params["rule"], params["eta0"], params["alpha"]) == ("pa1", 0.5, 0.01)
    assert (params["penalty"], params["multi_class"], params["shuffle"]) == ("l2", "joint", False)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1 1:1\n-1 2:x\n", "bad.svm:2:4: found"),
        ("1 1:1\n1 2:1\n", "bad.svm: every label is 1; a classifier needs"),
        ("", "bad.svm: no rows"),
    ],
)
def test_bad_data_is_reported_with_its_line(folder, call, text, problem):
    Path("bad.svm").write_text(text)
    status, out, err = call("train", "bad.svm", "-m", "m")
    assert (status, out) == (3, "")
    assert f"error: {problem}" in err
    assert not Path("m").exists()


def test_bad_tables_and_paths(folder, call):
    Path("bad.csv").write_text("a,b\n1,yes\nx,no\n")
    Path("zero.svm").write_text("1 0:1\n-1 1:1\n")
    for args, status, problem in (
        (["bad.csv"], 3, "bad.csv:3:1: column 'a': found 'x'"),
        (["none.svm"], 3, "none.svm: cannot be read"),
        (["table.csv", "--target", "kin"], 3, "Did you mean 'kind'?"),
        (["sklearn:digit"], 3, "no such data set"),
        (["zero.svm", "--index-base", "1"], 3, "zero.svm:1: "),
        (["zero.svm", "--index-base", "1"], 3, "give --index-base 0"),
        (["four.svm", "--target", "a"], 2, "--target does not go with svmlight text"),
        (["table.csv", "--index-base", "1"], 2, "--index-base does not go with a table"),
    ):
        result, _, err = call("train", *args, "-m", "m")
        assert result == status
        assert problem in err


def test_labels_with_fractions_are_refused_with_their_column(folder, call):
    (folder / "measured.csv").write_text("a,b,y\n1,2,0.5\n3,4,1.5\n")
    code, _, err = call("train", "measured.csv", "-m", "m")
    assert code == 3
    assert "column 'y', the labels, hold 0.5" in err
    assert "--target" in err


def test_the_model_path_is_checked_before_training(folder, call):
    Path("folder").mkdir()
    for path, problem in (
        ("none/m", "there is no folder"),
        ("folder", "is a folder"),
        ("four.svm", "is the input data"),
        ("table.csv", "is no model, so it is not overwritten"),
        ("/proc/m", "cannot be written"),
    ):
        status, _, err = call("train", "four.svm", "-m", path)
        assert status == 1
        assert err.startswith(f"error: {path}: ")
        assert problem in err
    assert Path("four.svm").read_text() == FOUR
    assert Path("table.csv").read_text() == TABLE


def test_a_model_may_be_replaced(models, call):
    before = Path("four.rosenblatt").read_bytes()
    assert call("train", "four.svm", "-m", "four.rosenblatt", "--average")[0] == 0
    assert Path("four.rosenblatt").read_bytes() != before


def test_ctrl_c_saves_the_model(folder):
    process = spawn("train", "-", "-m", "m", stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    err = interrupt_at(process, FOUR * 1000, "1,024")
    assert process.wait(timeout=60) == 130
    assert err.splitlines()[-1].startswith("interrupted: stopped after ")
    model = rosenblatt.load("m")
    assert model.t_ - 1 >= 1024
    assert describe("m")["notes"]["interrupted"] is True
    assert model.score(np.diag([1.0, 0.0, 0.0])[:1], [1]) == 1.0


def test_ctrl_c_before_the_second_class(folder):
    process = spawn("train", "-", "-m", "m", stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write("+1 1:1\n")
    process.stdin.flush()
    for _ in range(600):  # until it waits for more
        wait = Path(f"/proc/{process.pid}/wchan")
        if wait.exists() and "pipe" in wait.read_text():
            break
        threading.Event().wait(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    assert "interrupted: " in process.stderr.read()
    assert not Path("m").exists()
    process.stdin.close()
    process.stderr.close()


def test_adult_from_an_archive(folder, call):
    train_data, test_data = real_data("a1a", "a1a.xz"), real_data("a1a", "a1a.t.xz")
    args = ("--average", "--epochs", 5, "-q", "--json")
    record = json.loads(call("train", train_data, "-m", "m", *args)[1])
    assert (record["examples"], record["features"]) == (1605, 119)
    status, out, _ = call("evaluate", "m", test_data, "--json")
    result = json.loads(out)
    assert (status, result["examples"]) == (0, 30956)
    assert result["error"] < 0.17 < result["constant_error"]


def test_mushrooms_are_separated(folder, call):
    data = real_data("mushroom", "agaricus_train.txt.xz")
    options = ("--rule", "perceptron", "--epochs", 50)
    record = json.loads(call("train", data, "-m", "m", "-q", "--json", *options)[1])
    assert record["converged"]
    evaluated = json.loads(call("evaluate", "m", data, "--json")[1])
    assert evaluated["errors"] == 0


def test_a_replaced_model_is_named(folder, call):
    assert "replaced" not in call("train", "four.svm", "-m", "m")[2]
    os.utime("m", (0, 1e9))
    date = f"{datetime.fromtimestamp(1e9):%Y-%m-%d %H:%M}"
    assert f"note: m: replaced the model of {date}.\n" in call("train", "four.svm", "-m", "m")[2]
    assert "replaced" not in call("train", "four.svm", "-m", "m", "--resume")[2]
    assert call("train", "four.svm", "-m", "m", "-q")[2] == ""


# --- folders of tables ----------------------------------------------------------------------------


@pytest.fixture
def lake(folder):
    """A folder of tables with the day in their paths, and the same rows in one file."""
    Path("flat.csv").write_text("day,x,z,kind\n")
    for day in range(1, 4):
        rows = [f"{k % 5},{k * day % 7},{'ab'[k % 5 > 2]}\n" for k in range(10)]
        Path(f"lake/day={day}").mkdir(parents=True)
        Path(f"lake/day={day}/part-0.csv").write_text("x,z,kind\n" + "".join(rows))
        with open("flat.csv", "a") as file:
            file.writelines(f"{day},{row}" for row in rows)
    Path("lake/_SUCCESS").touch()


def test_commands_read_a_folder_as_the_same_rows_in_one_file(lake, call):
    for name in ("flat.csv", "lake"):
        assert call("train", name, "--target", "kind", "-m", f"{name}.model", "-q")[0] == 0
    predicted = [
        call("predict", f"{one}.model", two, "--scores")
        for one in ("lake", "flat.csv")
        for two in ("lake", "flat.csv")
    ]
    assert predicted[0][0] == 0, predicted[0]
    assert len({out for _, out, _ in predicted}) == 1
    part = call("predict", "lake.model", "lake/day=2/part-0.csv", "--scores")[1]
    assert part.splitlines() == predicted[0][1].splitlines()[10:20]
    status, _, err = call("predict", "flat.csv.model", "lake/day=2/part-0.csv")
    assert (status, "no column 'day'" in err) == (3, True), err
    target = ["--target", "kind", "--json"]
    for command, options in (
        (["evaluate", "lake.model"], ["--json"]),
        (["validate"], ["--rule", "perceptron", *target]),
        (["certify"], target),
    ):
        records = [json.loads(call(*command, name, *options)[1]) for name in ("flat.csv", "lake")]
        exact, others = (  # sums of floats go from batch to batch
            {k: v for k, v in one.items() if type(v) is not float and k != "seconds"}
            for one in records
        )
        assert exact == others != {}, command
    for name in ("flat.csv", "lake"):
        assert call("convert", name, "out.csv", "--target", "kind")[0] == 0
        Path("out.csv").rename(f"{name}.out")
    assert Path("flat.csv.out").read_text() == Path("lake.out").read_text()
    assert rosenblatt.load("lake.model").predict([{"day": 2, "x": 4, "z": 1}]).tolist() == ["b"]


def test_a_folder_without_named_columns_says_what_to_do(folder, call):
    Path("lake/day=1").mkdir(parents=True)
    Path("lake/day=1/a.svm").write_text(FOUR)
    status, _, err = call("train", "lake", "-m", "m")
    assert status != 0
    assert "column day in the paths does not go with svmlight text: name the files by a" in err
