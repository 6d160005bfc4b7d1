"""The command: what it prints where, how it ends, and that nothing is lost."""

import contextlib
import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from real_data import real_data
from rosenblatt.models import describe
from sklearn.datasets import dump_svmlight_file, load_breast_cancer, load_iris

import rosenblatt
from rosenblatt import LMSRegressor, Perceptron, rules, streams
from rosenblatt.cli.display import fmt, render
from rosenblatt.cli.display.progress import ProgressTable
from rosenblatt.cli.options.shared import RULES
from rosenblatt.cli.training.passes import InterruptiblePasses
from rosenblatt.streams import Batch
from rosenblatt.streams.rechunk import ShuffledBatches

FOUR = "+1 1:1 2:0.5\n-1 1:-1 3:1\n+1 1:2\n-1 1:-2\n"
TABLE = "a,b,kind\n1,2,yes\n-1,0,no\n3,1,yes\n-2,0,no\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with a few files, and models of them."""
    monkeypatch.chdir(tmp_path)
    Path("four.svm").write_text(FOUR)
    Path("table.csv").write_text(TABLE)
    return tmp_path


@pytest.fixture
def models(folder, call):
    assert call("train", "four.svm", "-m", "four.rosenblatt")[0] == 0
    assert call("train", "table.csv", "--target", "kind", "-m", "table.rosenblatt")[0] == 0


def spawn(*args, **options):
    """Start the command as a process of its own."""
    home = str(Path(rosenblatt.__file__).parents[1])
    env = os.environ | {"PYTHONPATH": home} | options.pop("env", {})
    command = [sys.executable, "-m", "rosenblatt", *map(str, args)]
    return subprocess.Popen(command, env=env, text=True, **options)


# --- help and usage ------------------------------------------------------------------------------


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from rosenblatt.cli.main import run\n"
        "assert [run([]), run(['--help']), run(['train', '--help'])] == [2, 0, 0]\n"
        "heavy = {'numba', 'numpy', 'scipy', 'sklearn', 'joblib'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.index("Examples") < done.stdout.index("Commands")


def test_version_as_a_module():
    process = spawn("--version", stdout=subprocess.PIPE)
    assert process.communicate()[0] == f"rosenblatt {rosenblatt.__version__}\n"
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (["predit"], "Did you mean 'predict'? Try: rosenblatt --help"),
        (["train", "--epoch", "2"], "'--epochs'"),
        (["train", "a.svm"], "'--model'. Try: rosenblatt train --help"),
        (["train", "a.svm", "-m", "m", "--rule", "pa3"], "'pa2'"),
        (["train", "a.svm", "-m", "m", "--eta0", "0"], "0.0 is not in the range"),
        (["predict", "m", "a", "b"], "extra argument (b). Try"),
    ],
)
def test_usage_is_one_line_with_what_to_do(call, args, hint):
    status, out, err = call(*args)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert hint in err


def test_every_rule_has_its_name():
    for name in RULES:
        rules.by_name(name, 0.5, 0.0)
    with pytest.raises(ValueError, match=re.escape(str(sorted(RULES)))):
        rules.by_name("", 0.5, 0.0)


# --- train ---------------------------------------------------------------------------------------


def test_train_tells_the_screen_and_standard_output_apart(folder, call):
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
    assert "best constant  50.0 %" in err


def test_train_is_the_estimator_in_the_order_of_the_data(folder, call):
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


def test_plain_packed_and_piped_data_give_the_same_model(folder, call):
    Path("four.svm.gz").write_bytes(gzip.compress(FOUR.encode()))
    for args, stdin in ((["four.svm"], None), (["four.svm.gz"], None), (["-"], FOUR)):
        assert call("train", *args, "-m", f"m{args[0]}", "-q", stdin=stdin) == (0, "", "")
    digests = {describe(name)["sha256"] for name in ("mfour.svm", "mfour.svm.gz", "m-")}
    assert len(digests) == 1


def test_several_passes_over_data_that_widens(folder, call, monkeypatch):
    monkeypatch.setattr(streams.settings, "BATCH_BYTES", 30)
    Path("wide.svm").write_text(FOUR + "+1 9:1\n-1 3:1\n")
    status, out, err = call("train", "wide.svm", "-m", "m", "--epochs", 9, "--json")
    record = json.loads(out)
    assert status == 0
    assert record["features"] == 9
    assert record["converged"]
    assert record["epochs"] < 9
    assert "pass 2" in err
    assert "converged: no mistake in the last one" in err


def test_shuffling_mixes_all_rows_by_the_seed(folder, call):
    def digest(*options):
        args = ("train", "sklearn:iris", "-m", "m", "-q", "--shuffle", "--epochs", 3, *options)
        assert call(*args) == (0, "", "")
        return describe("m")["sha256"]

    assert digest() == digest("--seed", 0) != digest("--seed", 1)


def test_shuffled_rows_are_all_rows_whatever_their_width():
    X, y = load_iris(return_X_y=True)
    batches = [Batch(X[:99], y[:99], 0), Batch(X[99:], y[99:], 99)]
    for mixed in (ShuffledBatches(batches, 0), ShuffledBatches(batches, 0)):
        first, second = (np.vstack([b.X for b in mixed]) for _ in range(2))
        assert not np.array_equal(first, second)
        assert np.array_equal(np.sort(first, axis=0), np.sort(X, axis=0))


def test_shuffled_sparse_rows_get_the_widest_width(folder):
    Path("wide.svm").write_text(FOUR + "+1 9:1\n")
    (batch,) = ShuffledBatches(streams.open_stream("wide.svm", batch_bytes=20), 0)
    assert batch.X.shape == (5, 9)
    assert sorted(batch.y) == [-1, -1, 1, 1, 1]


def test_labels_in_blocks_get_a_note(folder, call):
    assert "--shuffle mixes the rows" in call("train", "sklearn:iris", "-m", "m")[2]
    assert call("train", "sklearn:iris", "-m", "m", "-q")[2] == ""
    assert "note" not in call("train", "sklearn:iris", "-m", "m", "--shuffle")[2]


@pytest.mark.parametrize("data", ["-", "pipe"])
def test_a_pipe_passes_once_which_is_said_before_it_is_read(folder, call, monkeypatch, data):
    class Untouchable(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):
            raise AssertionError("nobody should read")

    os.mkfifo("pipe")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Untouchable())))
    status, _, err = call("train", data, "-m", "m", "--epochs", 2)
    assert status == 2
    assert "passes only once" in err
    assert "--shuffle" in err


def test_several_passes_over_a_pipe_held_in_memory(folder, call):
    args = ("train", "-", "-m", "m", "-q", "--shuffle", "--epochs", 5)
    assert call(*args, stdin=FOUR) == (0, "", "")
    assert rosenblatt.load("m").t_ > 5


def test_a_person_at_the_keyboard_is_told_to_pipe(folder):
    master, slave = os.openpty()
    process = spawn("train", "-", "-m", "m", stdin=slave, stderr=subprocess.PIPE)
    err = process.communicate(timeout=60)[1]
    os.close(master)
    os.close(slave)
    assert process.returncode == 2
    assert "terminal" in err


def test_weights_without_end_are_no_model(folder, call):
    args = ("--rule", "lms", "--eta0", "1e300", "--epochs", 9)
    status, _, err = call("train", "four.svm", "-m", "m", *args)
    assert status == 1
    assert "smaller --eta0" in err
    assert not Path("m").exists()


def test_options_reach_the_estimator(folder, call):
    options = "--rule pa1 --eta0 0.5 --penalty l2 --alpha 0.01 --multi-class joint"
    assert call("train", "sklearn:wine", "-m", "m", "-q", *options.split())[0] == 0
    params = rosenblatt.load("m").get_params()
    assert (params["rule"], params["eta0"], params["alpha"]) == ("pa1", 0.5, 0.01)
    assert (params["penalty"], params["multi_class"], params["shuffle"]) == ("l2", "joint", False)


# --- what cannot be used -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1 1:1\n-1 2:x\n", "bad.svm:2:4: found"),
        ("1 1:1\n1 2:1\n", "bad.svm: every label is 1; a classifier needs"),
        ("", "bad.svm: no rows"),
    ],
)
def test_bad_data_is_named_with_its_line(folder, call, text, problem):
    Path("bad.svm").write_text(text)
    status, out, err = call("train", "bad.svm", "-m", "m")
    assert (status, out) == (3, "")
    assert f"error: {problem}" in err
    assert not Path("m").exists()


def test_bad_tables_and_places(folder, call):
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
        found = call("train", *args, "-m", "m")
        assert found[0] == status
        assert problem in found[2]


def test_a_model_that_cannot_be_written_is_known_before_training(folder, call):
    Path("folder").mkdir()
    for path, problem in (
        ("none/m", "there is no folder"),
        ("folder", "is a folder"),
        ("four.svm", "holds the data"),
        ("table.csv", "is no model that could be replaced"),
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


@pytest.mark.parametrize("command", ["predict", "evaluate", "inspect"])
def test_damaged_and_missing_models(models, call, command):
    data = [] if command == "inspect" else ["four.svm"]
    damaged = bytearray(Path("four.rosenblatt").read_bytes())
    damaged[-9] ^= 1
    Path("damaged").write_bytes(damaged)
    for path in ("damaged", "four.svm", "none"):
        status, out, err = call(command, path, *data)
        assert (status, out) == (3, "")
        assert err.startswith(f"error: {path}: ")


def test_what_should_not_happen_is_one_line_too(models, call, monkeypatch):
    def broken(*args):
        raise KeyError("a\nb")

    monkeypatch.setattr(Perceptron, "predict", broken)
    status, _, err = call("predict", "four.rosenblatt", "four.svm")
    assert status == 1
    assert err.count("\n") == 1
    monkeypatch.setenv("ROSENBLATT_DEBUG", "1")
    with pytest.raises(KeyError):
        call("predict", "four.rosenblatt", "four.svm")


# --- predict -------------------------------------------------------------------------------------


def test_predictions_are_the_models(models, call):
    model = rosenblatt.load("four.rosenblatt")
    (batch,) = streams.open_stream("four.svm")
    labels, scores = model.predict(batch.X).tolist(), model.decision_function(batch.X).tolist()
    status, out, err = call("predict", "four.rosenblatt", "four.svm")
    assert (status, err) == (0, "")
    assert out == "".join(f"{label}\n" for label in labels)
    out = call("predict", "four.rosenblatt", "-", "--scores", stdin=FOUR)[1]
    assert out == "".join(f"{a}\t{b:g}\n" for a, b in zip(labels, scores, strict=True))
    out = call("predict", "four.rosenblatt", "four.svm", "--scores", "--json")[1]
    answers = [json.loads(line) for line in out.splitlines()]
    assert answers == [{"prediction": a, "score": b} for a, b in zip(labels, scores, strict=True)]


def test_scores_of_many_classes_are_in_their_order(folder, call):
    call("train", "sklearn:wine", "-m", "m", "-q")
    out = call("predict", "m", "sklearn:wine", "--scores")[1]
    assert {len(line.split("\t")) for line in out.splitlines()} == {4}
    answer = json.loads(
        call("predict", "m", "sklearn:wine", "--scores", "--json")[1].split("\n")[0]
    )
    assert list(answer["scores"]) == ["class_0", "class_1", "class_2"]
    assert answer["prediction"] == max(answer["scores"], key=answer["scores"].get)


def test_columns_are_found_by_name(models, call):
    expected = call("predict", "table.rosenblatt", "table.csv", "--scores")[1]
    Path("turned.csv").write_text("b,extra,a\n2,9,1\n0,9,-1\n1,9,3\n0,9,-2\n")
    status, out, err = call("predict", "table.rosenblatt", "turned.csv", "--scores")
    assert (status, out) == (0, expected)
    assert err == "note: turned.csv: left out 1 column that the model does not know: extra.\n"
    assert call("predict", "table.rosenblatt", "turned.csv", "-q")[2] == ""
    piped = call("predict", "table.rosenblatt", "-", "--scores", stdin=TABLE)
    assert piped == (0, expected, "")
    Path("short.csv").write_text("a\n1\n")
    status, _, err = call("predict", "table.rosenblatt", "short.csv")
    assert status == 3
    assert err == "error: short.csv:1: no column 'b' of the kind number; the columns are 'a'.\n"


def test_features_never_seen_weigh_nothing(models, call):
    wide = "".join(f"{line} 70:5\n" for line in FOUR.splitlines())
    status, out, err = call("predict", "four.rosenblatt", "-", stdin=wide)
    assert (status, out) == call("predict", "four.rosenblatt", "four.svm")[:2]
    assert err.startswith("note: stdin: has features beyond the model's 3;")
    assert call("predict", "four.rosenblatt", "-", stdin="1 1:1\n") == (0, "-1\n", "")


def test_a_wrong_width_without_names(models, call):
    Path("two.csv").write_text("a,b\n1,2\n")
    status, _, err = call("predict", "four.rosenblatt", "two.csv")
    assert status == 3
    assert "two.csv: has 2 features, but the model has 3, and no names" in err


def test_a_model_remembers_where_indices_start(folder, call):
    Path("zero.svm").write_text("1 0:1 1:1\n-1 0:-1 1:2\n1 0:2\n")
    call("train", "zero.svm", "-m", "m", "-q")
    assert rosenblatt.load("m").n_features_in_ == 2
    with_zero = call("predict", "m", "-", "--scores", stdin="1 0:0 1:1\n")[1]
    assert call("predict", "m", "-", "--scores", stdin="1 1:1\n")[1] == with_zero


def test_predictions_of_a_regressor(folder, call):
    X, y = np.arange(8.0).reshape(4, 2), np.arange(4.0)
    model = LMSRegressor(max_iter=1, tol=None).fit(X, y)
    rosenblatt.save(model, "m")
    dump_svmlight_file(X, y, "x.svm", zero_based=False)
    out = call("predict", "m", "x.svm")[1]
    assert np.allclose([float(line) for line in out.splitlines()], model.predict(X))
    assert isinstance(json.loads(call("inspect", "m", "--json")[1])["weights"][""], dict)
    assert call("inspect", "m")[0] == 0
    assert call("predict", "m", "x.svm", "--scores")[0] == 2
    assert call("evaluate", "m", "x.svm")[0] == 1


def test_a_reader_that_has_seen_enough_ends_it_quietly(models):
    Path("many.svm").write_text(FOUR * 50_000)
    process = spawn(
        *("predict", "four.rosenblatt", "many.svm"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout.readline() == "-1\n"
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr.read() == ""
    process.stderr.close()


def test_messages_that_nobody_reads_stop_no_training(folder):
    process = spawn("train", "sklearn:wine", "-m", "m", stderr=subprocess.PIPE)
    process.stderr.close()
    assert process.wait(timeout=60) == 0
    assert rosenblatt.load("m").t_ == 179


def test_a_result_that_nobody_reads_ends_quietly(models):
    process = spawn("inspect", "four.rosenblatt", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 0
    process.stderr.close()


# --- evaluate and inspect ------------------------------------------------------------------------


def test_evaluate_counts_what_predict_answers(folder, call):
    call("train", "sklearn:wine", "-m", "m", "-q", "--shuffle", "--epochs", 5)
    record = json.loads(call("evaluate", "m", "sklearn:wine", "--json")[1])
    (batch,) = streams.open_stream("sklearn:wine")
    answers = call("predict", "m", "sklearn:wine")[1].split()
    assert record["examples"] == 178
    assert record["errors"] == sum(a != b for a, b in zip(batch.y, answers, strict=True))
    assert record["error"] == record["errors"] / 178
    assert record["interval"][0] < record["error"] < record["interval"][1]
    assert np.sum(record["confusion"]) == 178
    assert np.trace(record["confusion"]) == 178 - record["errors"]
    assert record["unseen"] == {}
    status, out, err = call("evaluate", "m", "sklearn:wine")
    assert (status, err) == (0, "")
    assert f"{record['errors']} of 178\n" in out.replace(" \n", "\n")
    assert "Confusion" in out


def test_labels_never_seen_are_errors(models, call):
    text = TABLE.replace("-2,0,no", "-2,0,maybe")
    record = json.loads(call("evaluate", "table.rosenblatt", "-", "--json", stdin=text)[1])
    assert record["unseen"] == {"maybe": 1}
    assert record["errors"] >= 1
    out = call("evaluate", "table.rosenblatt", "-", stdin=text)[1]
    assert "unseen labels  maybe (1)" in out


def test_numbers_that_were_text_in_training(folder, call):
    Path("train.csv").write_text("a,y\n1,x\n-1,2\n2,x\n-2,2\n")
    Path("test.csv").write_text("a,y\n-3,2\n-4,2\n")
    call("train", "train.csv", "-m", "m", "-q")
    record = json.loads(call("evaluate", "m", "test.csv", "--json")[1])
    assert (record["errors"], record["unseen"]) == (0, {})


def test_the_labels_column_must_be_there(models, call):
    Path("other.csv").write_text("a,b,c\n1,2,yes\n")
    status, _, err = call("evaluate", "table.rosenblatt", "other.csv")
    assert status == 3
    assert "no column 'kind'" in err
    assert call("evaluate", "table.rosenblatt", "other.csv", "--target", "c")[0] == 0


def test_inspect_tells_all_without_data(models, call):
    Path("table.csv").unlink()
    record = json.loads(call("inspect", "table.rosenblatt", "--json", "--top", 1)[1])
    model = rosenblatt.load("table.rosenblatt")
    assert record["class"] == "Perceptron"
    assert record["params"] == {"shuffle": False}
    assert record["classes"] == ["no", "yes"]
    assert (record["examples"], record["features"]) == (4, 2)
    assert (record["mistakes"], record["updates"]) == (model.mistakes_, model.updates_)
    assert (record["format"], record["rosenblatt"]) == (2, rosenblatt.__version__)
    assert record["notes"]["target"] == "kind"
    assert set(record["weights"]) == {"yes"}
    for name, weight in record["weights"]["yes"]["positive"]:
        assert weight == model.coef_[0, ["a", "b"].index(name)] > 0.0
    out = call("inspect", "table.rosenblatt")[1]
    for word in (
        "Perceptron(shuffle=False)",
        "no, yes",
        "4 examples",
        "file format 2",
        "left, −: no",
    ):
        assert word in out
    four = json.loads(call("inspect", "four.rosenblatt", "--json")[1])
    assert {name for name, _ in four["weights"]["1"]["positive"]} <= {"1", "2", "3"}


def test_inspect_shows_each_class_but_not_a_hundred(folder, call):
    lines = [f"{k} {k + 1}:1\n" for k in range(25)]
    Path("many.svm").write_text("".join(2 * lines) + "1 1:1\n")
    call("train", "many.svm", "-m", "m", "-q")
    out = call("inspect", "m", "--top", 1)[1]
    assert "speaks for it" in out
    assert "… and 5 classes more" in out
    assert len(json.loads(call("inspect", "m", "--json")[1])["weights"]) == 25
    assert "Most often confused" in call("evaluate", "m", "many.svm")[1]


# --- demo ----------------------------------------------------------------------------------------


def test_demo_fits_a_narrow_screen_and_leaves_a_model(folder, call):
    status, out, err = call("demo")
    assert (status, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    for word in ("held out", "best constant", "Heaviest features", "Novikoff", "taken for a"):
        assert word in out
    assert call("evaluate", "digits.rosenblatt", "sklearn:digits")[0] == 0


def test_demo_as_one_object(folder, call):
    status, out, err = call("demo", "--json", "--seed", 1)
    record = json.loads(out)
    assert (status, err) == (0, "")
    assert record["digits"]["held_out"]["error"] < 0.1
    assert record["breast_cancer"]["held_out"]["error"] < 0.1
    assert any(theorem["separated"] for theorem in record["theorem"])
    for made in record["theorem"]:
        assert made["bound"] is None or (made["separated"] and made["mistakes"] <= made["bound"])
        assert made["least"] is None or 0.0 < made["least"] <= made["most"] <= made["radius"]


def test_demo_does_not_replace_what_is_no_model(folder, call):
    Path("digits.rosenblatt").write_text("mine")
    assert call("demo")[0] == 1
    assert call("demo", "--folder", "none")[0] == 1
    assert Path("digits.rosenblatt").read_text() == "mine"


# --- terminals and interrupts --------------------------------------------------------------------


def test_colours_can_be_refused(models, call, monkeypatch):
    colour = re.compile(r"\x1b\[[0-9;]*3[0-7]m")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert colour.search(call("inspect", "four.rosenblatt")[1])
    assert colour.search(call("inspect", "none")[2])
    monkeypatch.setenv("NO_COLOR", "1")
    assert not colour.search(call("inspect", "four.rosenblatt")[1])
    assert not colour.search(call("inspect", "none")[2])


def test_a_terminal_that_knows_ascii_only(models):
    process = spawn(
        *("evaluate", "table.rosenblatt", "table.csv"),
        env={"PYTHONIOENCODING": "ascii"},
        stdout=subprocess.PIPE,
    )
    assert "wrong" in process.communicate(timeout=60)[0]
    assert process.returncode == 0


def test_where_it_is_shows_on_a_terminal(monkeypatch):
    from rich.console import Console

    clock = iter(np.arange(100.0))
    monkeypatch.setattr("rosenblatt.cli.display.progress.time.perf_counter", lambda: next(clock))
    screen = io.StringIO()
    screen.isatty = lambda: True
    console = Console(file=screen, force_terminal=True, width=80, _environ={"TERM": "xterm"})
    with ProgressTable(console, epochs=3) as table:
        table.show_position(123_456, 2)
    assert "getting ready" in screen.getvalue()
    assert "123,456, pass 2 of 3 … Ctrl-C" in screen.getvalue()


def test_an_interrupt_waits_for_the_batch_and_a_wait_ends_at_once():
    def waiting():
        yield batch
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("not reached")

    batch = Batch(np.ones((2, 1)), np.array([0, 1]), 0)
    ended = []
    before = signal.getsignal(signal.SIGINT)
    with InterruptiblePasses([batch, batch], lambda *_: None, ended.append) as passes:
        for _ in passes:
            signal.raise_signal(signal.SIGINT)  # while learning
        assert (passes.examples, passes.interrupted, list(passes)) == (2, True, [])
    with InterruptiblePasses(waiting(), lambda *_: None, ended.append) as passes:
        assert len(list(passes)) == 1  # while reading
        assert passes.interrupted
    assert ended == []
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_saves_what_was_learned(folder):
    process = spawn("train", "-", "-m", "m", stdin=subprocess.PIPE, stderr=subprocess.PIPE)

    def feed():
        try:
            while process.poll() is None:
                process.stdin.write(FOUR * 1000)
        except OSError:
            pass

    feeder = threading.Thread(target=feed)
    feeder.start()
    for line in process.stderr:
        if line.split()[:1] == ["1,024"]:
            break
    process.send_signal(signal.SIGINT)
    err = process.stderr.read()
    assert process.wait(timeout=60) == 130
    feeder.join()
    with contextlib.suppress(OSError):
        process.stdin.close()
    process.stderr.close()
    assert err.splitlines()[-1].startswith("interrupted: what was learned from ")
    model = rosenblatt.load("m")
    assert model.t_ - 1 >= 1024
    assert describe("m")["notes"]["interrupted"] is True
    assert model.score(np.diag([1.0, 0.0, 0.0])[:1], [1]) == 1.0


def test_ctrl_c_before_anything_was_learned(folder):
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


# --- small parts ---------------------------------------------------------------------------------


def test_durations_and_wide_numbers():
    assert fmt.seconds(3599.7) == "60 min 0 s"
    assert fmt.size(3e9) == "3.0 GB"
    assert fmt.percent(0.00001234) == "0.001 %"


@pytest.mark.parametrize("weight", [1e-9, 0.01, 5.0, 12345.0, 1e12])
def test_weights_of_all_sizes_have_room(weight):
    table = render.bars([("up", weight), ("down", -weight / 3)])
    assert table.row_count == 2


# --- real data -----------------------------------------------------------------------------------


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
    record = json.loads(call("train", data, "-m", "m", "-q", "--json", "--epochs", 50)[1])
    assert record["converged"]
    evaluated = json.loads(call("evaluate", "m", data, "--json")[1])
    assert evaluated["errors"] == 0


def test_labels_that_measure_something_are_refused_with_their_column(folder, call):
    (folder / "measured.csv").write_text("a,b,y\n1,2,0.5\n3,4,1.5\n")
    code, _, err = call("train", "measured.csv", "-m", "m")
    assert code == 3
    assert "column 'y', the labels, hold 0.5" in err
    assert "--target" in err


def test_a_model_that_finds_columns_by_name_refuses_columns_without(folder, call):
    assert call("train", "sklearn:iris", "-m", "iris")[0] == 0
    (folder / "plain.svm").write_text("1 1:2 2:3\n")
    code, _, err = call("predict", "iris", "plain.svm")
    assert code == 3
    assert "finds its 4 by name" in err
