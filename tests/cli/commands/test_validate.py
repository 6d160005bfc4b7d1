"""``rosenblatt validate``: screen, lines of JSON, and one JSON object."""

import contextlib
import json
import re
import signal
import subprocess
import threading
from pathlib import Path

import click
import numpy as np
import pytest
from command import spawn
from real_data import real_data

from rosenblatt import Perceptron
from rosenblatt.cli.commands.validate import ValidateOptions
from rosenblatt.cli.display.fmt import percent
from rosenblatt.cli.options.learning import LinearOptions
from rosenblatt.cli.options.lists import ListOption
from rosenblatt.learning.evaluation.ranking import METRICS
from rosenblatt.streams import open_stream
from rosenblatt.validation import read_lines, validate


def rows(rng, n, turned=10**9):
    """Lines of svmlight text; from one row on the labels are swapped."""
    X = rng.standard_normal((n, 4))
    y = np.sign(X[:, 0] + 0.1) * np.where(np.arange(n) < turned, 1, -1)
    return [
        f"{int(label):+d} " + " ".join(f"{j}:{v:.4f}" for j, v in enumerate(row, 1)) + "\n"
        for label, row in zip(y, X, strict=True)
    ]


@pytest.fixture
def turned(tmp_path, rng):
    """3,000 rows; the labels of the last thousand are swapped."""
    path = tmp_path / "turned.svm"
    path.write_text("".join(rows(rng, 3000, 2000)))
    return path


def test_json_equals_the_counts_of_the_library(call, turned):
    options = ["--rule", "pa1", "--eta0", "0.1", "--average", "--window", "200", "--delay", "30"]
    status, out, err = call("validate", turned, *options, "--every", 500, "--json", "-q")
    assert (status, err) == (0, "")
    record = json.loads(out)
    model = Perceptron(rule="pa1", eta0=0.1, output="average", shuffle=False)
    result = validate(model, open_stream(turned), window=200, delay=30, every=500)
    assert record["errors"] == result.errors
    assert record["interval"] == list(result.interval)
    assert record["points"] == [point.record() for point in result.points]
    alarms = [alarm["alarm"] for alarm in record["alarms"]]
    assert alarms == [alarm.example for alarm in result.alarms] != []
    assert record["classes"] == ["-1", "1"]
    assert record["confusion"] == [[result.confusion[a, b] for b in (-1, 1)] for a in (-1, 1)]
    assert sum(record["none_yet"]) == 30  # before the first label
    assert sum(map(sum, record["confusion"])) + sum(record["none_yet"]) == 3000
    assert (record["window"], record["delay"], record["examples"]) == (200, 30, 3000)


def test_the_screen_shows_lines_alarm_and_confusion(call, turned):
    status, out, err = call("validate", turned, "--window", 500)
    assert status == 0
    assert "last 500" in err
    assert "2,048" in err
    assert "drift: " in err
    assert re.search("error [0-9.]+ % since example (2,0|1,9)", out)
    assert "each example is predicted, then learned" in out
    counts = [line.split() for line in out.split("Confusion matrix")[1].splitlines()[1:4]]
    assert counts[0] == ["-1", "1", "none", "yet"]
    numbers = [int(cell) for line in counts[1:] for cell in line[1:] if cell != "·"]
    assert sum(numbers) == 3000
    result = validate(Perceptron(rule="auto", shuffle=False), open_stream(turned), window=500)
    assert f"{result.errors:,} of 3,000" in out
    assert percent(result.last.windowed) in out


def test_labels_in_runs_have_the_no_change_baseline(call, tmp_path, rng):
    labels = np.repeat(np.arange(400) % 2, rng.integers(2, 12, 400))
    noise = rng.standard_normal(len(labels))
    rows = [f"{label} 1:{x:.3f}\n" for label, x in zip(labels, noise, strict=True)]
    path = tmp_path / "runs.svm"
    path.write_text("".join(rows))
    share = (1 + np.count_nonzero(np.diff(labels))) / len(labels)
    record = json.loads(call("validate", path, "--json", "-q")[1])
    assert record["no_change_error"] == share
    assert record["kappa_temporal"] == 1 - record["error"] / share
    assert record["kappa"] > 0 > record["kappa_temporal"]  # it has learned the runs alone
    assert record["baseline"]["kappa"] == 0.0
    line = f"{percent(share)} (no change of label; kappa over it -"
    _, out, err = call("validate", path)
    assert line in out
    words = f"repeating the label seen last is wrong in {percent(share)} of the rows, the model in"
    assert words in " ".join(err.split())
    assert "note" not in call("validate", path, "-q")[2]
    assert line in call("validate", path, "--rule", "pa1", "--rule", "arow", "-q")[1]
    assert line in call("train", path, "-m", tmp_path / "m")[2]
    record = json.loads(call("train", path, "-m", tmp_path / "m", "--json", "-q")[1])
    assert record["no_change_error"] == share
    _, out, err = call("train", path, "-m", tmp_path / "m", "--shuffle", "--json")
    assert json.loads(out)["no_change_error"] is None
    assert "no change" not in err


def test_labels_without_runs_have_both_baselines_and_no_note(call, turned):
    _, out, err = call("validate", turned)
    assert "(majority class " in out
    assert "(no change of label; kappa over it 0." in out
    assert "note" not in err


def test_no_drift_option(call, turned):
    status, out, err = call("validate", turned, "--no-drift")
    assert status == 0
    assert "drift: " not in err
    assert re.search("drift +none", out)


def test_lines_go_to_a_file_or_to_standard_output(call, turned, tmp_path):
    path = tmp_path / "run.jsonl"
    assert call("validate", turned, "--lines", path, "--every", 1000)[0] == 0
    points, alarms = read_lines(path)
    assert [p.examples for p in points if p.examples % 1000 == 0] == [1000, 2000, 3000]
    assert alarms
    status, out, err = call("validate", turned, "--lines", "-", "--every", 1000)
    assert status == 0
    assert out == path.read_text()
    assert "Confusion" in err
    assert call("validate", turned, "--lines", path)[0] == 0  # replaces that of an earlier run
    assert len(read_lines(path)[0]) < len(points)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--lines", "-", "--json"], "both write to standard output"),
        (["--every", "10"], "--every goes with --lines or --json"),
        (["--window", "0"], "--window"),
        (["--delay", "-1"], "--delay"),
    ],
)
def test_conflicting_options_are_refused(call, turned, options, message):
    status, out, err = call("validate", turned, *options)
    assert (status, out) == (2, "")
    assert message in err


def test_the_data_is_not_overwritten(call, turned, tmp_path):
    before = turned.read_bytes()
    status, _, err = call("validate", turned, "--lines", turned)
    assert status == 1
    assert "is the input data" in err
    assert turned.read_bytes() == before
    notes = tmp_path / "notes.txt"
    notes.write_text("of mine")
    status, _, err = call("validate", turned, "--lines", notes)
    assert (status, notes.read_text()) == (1, "of mine")
    assert "exists and is no file of points, so it is not overwritten: give --lines another" in err
    status, _, err = call("validate", turned, "--lines", tmp_path / "no" / "run.jsonl")
    assert status == 1
    assert "cannot be written: No such file or directory" in err


def test_bad_data_has_its_line(call, tmp_path):
    path = tmp_path / "bad.svm"
    path.write_text("+1 1:1\n-1 1:x\n")
    status, _, err = call("validate", path)
    assert status == 3
    assert "bad.svm:2" in err
    path.write_text("")
    assert call("validate", path)[0] == 3
    path.write_text("y,x\n0.5,1\n1.5,2\n")
    status, _, err = call("validate", path, "--format", "csv", "--target", "y")
    assert status == 3
    assert "a measurement" in err


def test_lines_of_an_endless_pipe_until_ctrl_c(rng):
    lines = "".join(rows(rng, 1000))
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = spawn("validate", "-", "--format", "svmlight", "--lines", "-", "-q", **pipes)

    def feed():
        with contextlib.suppress(OSError):
            while process.poll() is None:
                process.stdin.write(lines)

    feeder = threading.Thread(target=feed)
    feeder.start()
    events = [json.loads(process.stdout.readline()) for _ in range(12)]
    process.send_signal(signal.SIGINT)
    events += [json.loads(line) for line in process.stdout]
    assert process.wait(timeout=60) == 130
    feeder.join()
    counts = [event["examples"] for event in events if "examples" in event]
    assert counts[:12] == [2**k for k in range(12)]
    assert process.stderr.read() == f"interrupted: stopped after {counts[-1]:,} examples.\n"
    with contextlib.suppress(OSError):
        process.stdin.close()
    process.stdout.close()
    process.stderr.close()


def test_text_messages_in_order(call, tmp_path):
    """SMS as Vowpal Wabbit text have few errors, and no false alarm."""
    import lzma
    import re

    packed = real_data("sms_spam", "SMSSpamCollection.xz").read_bytes()
    text = lzma.decompress(packed).decode("utf-8")
    path = tmp_path / "sms.vw"
    with path.open("w") as file:
        for line in text.splitlines():
            kind, message = line.split("\t", 1)
            words = re.findall(r"\w+", message.lower())
            file.write(f"{1 if kind == 'spam' else -1} | {' '.join(words)}\n")
    status, out, _ = call("validate", path, "--rule", "pa1", "--json")
    record = json.loads(out)
    assert status == 0
    assert record["examples"] == 5574
    assert record["error"] < 0.03
    assert record["windowed"] < record["error"] < record["constant_error"]
    assert record["alarms"] == []


@pytest.mark.parametrize(
    "command", [["validate"], ["train", "-m", "model"]], ids=["validate", "train"]
)
@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        (
            "big.csv",
            "a,b,y\n1,2,no\n2,1,yes\n1,-1e200,no\n",
            r"example 3 has -1e\+200 in the column 'b'",
        ),
        ("big.svm", "1 7:1\n-1 2:3 9:1e308\n", r"example 2 has 1e\+308 in the column 9"),
        ("big.jsonl", '{"y": 1, "a": 1}\n{"y": 2, "b": 1e155}\n', "example 2 has 1e.155 .* 'b'"),
    ],
)
def test_numbers_whose_squares_overflow_are_named(folder, call, command, name, text, place):
    """Their rows have no norm: weights and scores would be infinite, or not a number."""
    Path(name).write_text(text)
    status, _, err = call(*command, name)
    assert status == 3
    assert re.search(place, err)
    assert "above 1e+150 overflow" in err
    assert ("--schema b:skip" in err) == (name == "big.csv")


def test_numbers_of_which_only_the_sum_of_squares_overflows_are_learned(folder, call):
    Path("large.csv").write_text("a,y\n" + 9 * "1e149,no\n-1e149,yes\n")
    status, out, _ = call("validate", "large.csv", "--json")
    assert status == 0
    assert json.loads(out)["examples"] == 18


def test_rows_sorted_by_label_get_a_warning_and_the_remedy(call, tmp_path):
    rows = [f"{k % 2 + 1} 1:{k % 7} 2:{k % 5}\n" for k in range(200)]
    mixed, blocks = tmp_path / "mixed.svm", tmp_path / "blocks.svm"
    mixed.write_text("".join(rows))
    blocks.write_text("".join(sorted(rows)))
    status, out, err = call("validate", blocks)
    assert status == 0
    assert "progressive error  meaningless: the rows are sorted by label" in out
    assert "sorted by label" in err
    assert "rosenblatt train --shuffle --holdout 0.3" in err
    assert json.loads(call("validate", blocks, "--json")[1])["sorted_by_label"] is True
    assert "sorted" not in "".join(call("validate", mixed)[1:])
    assert json.loads(call("validate", mixed, "--json")[1])["sorted_by_label"] is False


def test_shuffle_is_refused_with_what_to_do_instead(call, turned):
    status, _, err = call("validate", turned, "--shuffle")
    assert status == 2
    assert "rosenblatt train --shuffle --holdout 0.3" in err
    assert "--rule" not in err
    assert "--shuffle" not in call("validate", "--help")[1]


def test_several_rules_are_compared_in_one_table(call, turned):
    names = ["perceptron", "pa1", "arow"]
    options = [word for name in names for word in ("--rule", name)]
    status, out, err = call("validate", turned, "--average", "-q", *options)
    assert (status, err) == (0, "")
    lines = [re.split(r"  +", line.strip()) for line in out.splitlines()]
    assert [line[0] for line in lines[:1]] == ["rule"]
    record = json.loads(call("validate", turned, "--average", "-q", "--json", *options)[1])["rules"]
    assert list(record) == names
    assert {line[0]: line[1] for line in lines[1:4]} == {
        name: percent(record[name]["error"]) for name in names
    }
    errors = [record[line[0]]["error"] for line in lines[1:4]]
    assert errors == sorted(errors)
    for name in names:
        alone = json.loads(call("validate", turned, "--average", "--json", "--rule", name)[1])
        assert alone["error"] == record[name]["error"]
        assert alone["alarms"] == record[name]["alarms"]
    assert "baseline error" in out


def test_several_rules_have_the_fields_of_one(call, tmp_path):
    path, bad = tmp_path / "rows.csv", tmp_path / "bad"
    path.write_text("a,b,kind\n" + "1,,yes\n" * 20 + "1,2,3,4\n" + "-1,0,no\n" * 20)
    options = ("--impute", "zero", "--on-bad-row", "skip", "--bad-rows", bad, "--json")
    (code, text, _), (codes, texts, _) = (
        call("validate", path, *options, *rules)
        for rules in (("--rule", "pa1"), ("--rule", "arow", "--rule", "pa1"))
    )
    assert (code, codes) == (0, 0)
    one, two = json.loads(text), json.loads(texts)
    assert (one["bad_rows"], one["missing_cells"], one["sorted_by_label"]) == (1, {"b": 20}, True)
    for record in two["rules"].values():
        assert record.keys() == one.keys()
    assert two["rules"]["pa1"] == one


@pytest.mark.parametrize(
    ("data", "options", "says"),
    [
        ("turned.svm", ("--lines", "a.jsonl"), "--lines goes with one --rule"),
        ("turned.svm", ("--eta0", "2"), "--eta0 has no effect on --rule pa"),
    ],
)
def test_several_rules_have_no_lines_and_each_has_the_options(
    call, turned, monkeypatch, data, options, says
):
    monkeypatch.chdir(turned.parent)
    rules = ("--rule", "perceptron", "--rule", "pa")
    status, _, err = call("validate", data, *rules, *options, stdin="1 1:1\n")
    assert status == 2
    assert says in " ".join(err.split())


def test_sets_adapt_to_the_labels(folder, call):
    options = ["--rule", "logistic", "--eta0", "0.01", "--scale", "--sets", "0.9", "-q"]
    record = json.loads(call("validate", "sklearn:digits", *options, "--json")[1])
    sets = record["sets"]
    assert sets["coverage"] == 0.9
    assert 1700 < sets["rows"] <= 1797
    assert abs(sets["covered"] - 0.9) <= (0.9 + 0.005) / (sets["rows"] * 0.005)
    out = call("validate", "sklearn:digits", *options)[1]
    assert f"{100 * sets['covered']:.1f} % have the label (in the long run: 90.0 %)" in out
    assert f"{sets['labels']:.2f} labels in a set" in out
    assert json.loads(call("validate", "sklearn:digits", "-q", "--json")[1])["sets"] is None


def test_lists_of_numbers_are_ranked_by_any_metric(call, turned):
    turned.write_text("".join(turned.read_text().splitlines(keepends=True)[:300]))
    options = ["--rule", "logistic", "--rule", "kt", "--eta0", "0.01,1", "--eta0", "0.1", "-q"]
    assert call("validate", turned, *options)[0] == 2  # kt has no rate
    options = ["--rule", "logistic", "--rule", "pa1", "--eta0", "0.01,1", "--eta0", "0.1", "-q"]
    for name, metric in METRICS.items():
        out = call("validate", turned, *options, "--metric", name, "--json")[1]
        record = json.loads(out)
        values = [one["metrics"][name] for one in record["candidates"]]
        given = [value for value in values if value is not None]
        assert record["metric"] == name
        assert len(values) == 6
        assert given == sorted(given, reverse=not metric.is_loss)
        assert len(given) == (3 if metric.needs_probabilities else 6)
        assert None not in values[: len(given)]
    for one in record["candidates"]:
        model = Perceptron(rule=one["rule"], eta0=one["eta0"], shuffle=False)
        assert one["errors"] == validate(model, open_stream(turned)).errors
    out = call("validate", turned, *options, "--metric", "auc")[1].splitlines()
    assert re.split("  +", out[0].strip())[:4] == ["rule", "eta0", "AUC", "progressive error"]
    assert len([line for line in out if " %" in line and " to " not in line]) >= 6


def test_calibrated_learners_are_ranked_by_their_probabilities(call, turned):
    options = ["--rule", "arow", "--rule", "pa1", "--probabilities", "--metric", "log_loss"]
    record = json.loads(call("validate", turned, *options, "--json", "-q")[1])
    assert all(0 < one["metrics"]["log_loss"] < 1 for one in record["rules"].values())


def test_a_delay_and_a_strength_can_be_lists(call, turned):
    options = ["--penalty", "l2", "--alpha", "0.001,0.1", "--delay", "0,500", "--json", "-q"]
    record = json.loads(call("validate", turned, *options)[1])
    settings = {(one["alpha"], one["delay"]): one["errors"] for one in record["candidates"]}
    assert len(settings) == 4
    for (alpha, delay), errors in settings.items():
        model = Perceptron(penalty="l2", alpha=alpha, shuffle=False)
        assert validate(model, open_stream(turned), delay=delay).errors == errors


def test_every_numeric_option_of_the_learner_takes_a_list():
    for name, one in LinearOptions.declared.items():
        if isinstance(one.type, click.FloatRange | click.IntRange):
            assert isinstance(ValidateOptions.declared[name], ListOption)


def test_several_learners_read_a_pipe_once(call, turned):
    options = ["--rule", "pa1", "--rule", "arow", "--json", "-q"]
    text = turned.read_text()
    record = json.loads(call("validate", "-", "--format", "svmlight", *options, stdin=text)[1])
    by_file = json.loads(call("validate", turned, *options)[1])
    errors = [{name: one["errors"] for name, one in r["rules"].items()} for r in (record, by_file)]
    assert errors[0] == errors[1]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--eta0", "0.1,"), "'0.1,' has no number before or after a comma"),
        (("--eta0", "0.1,x"), "'x' is not a valid float"),
        (("--eta0", "0.1,-1"), "-1.0 is not in the range x>0"),
        (("--eta0", "0.1", "--metric", "auc"), "--metric ranks several learners"),
        (("--eta0", "0.1,1", "--metric", "brier"), "brier is of probabilities, and only"),
        (("--eta0", "0.1,1", "--lines", "a"), "--lines goes with one --rule and no list"),
        (("--alpha", "0.1,1"), "--alpha goes with --penalty"),
    ],
)
def test_lists_that_cannot_be_compared_are_refused(call, turned, options, says):
    status, _, err = call("validate", turned, *options)
    assert status == 2
    assert says in " ".join(err.split())


def test_one_learner_that_leaves_the_floats_is_named_and_the_others_go_on(call, tmp_path):
    path = tmp_path / "large.csv"
    path.write_text("size,kind\n" + "900,a\n-700,b\n" * 200)
    listed = ["--rule", "lms", "--rule", "perceptron", "--rule", "arow"]
    status, out, err = call("validate", path, *listed)
    assert status == 0
    assert "note: --rule lms: the weights left the floating-point range." in err
    assert re.findall("^ *(perceptron|arow|lms) ", out, re.M) == ["perceptron", "arow"]
    status, out, err = call("validate", path, "--rule", "lms", "--eta0", "1,2", "-q")
    assert (status, out) == (1, "")
    assert "left the floating-point range" in err


def test_labels_that_come_late_end_one_learner_alone_and_keep_the_form(call, tmp_path):
    path = tmp_path / "late.csv"
    path.write_text("size,kind\n" + "1,a\n-1,b\n" * 100 + "1e149,b\n-1e149,a\n" * 5)
    options = ["--rule", "lms", "--rule", "auto", "--delay", 50, "--json"]
    status, out, err = call("validate", path, *options)
    assert status == 0
    assert "note: --rule lms: the weights left the floating-point range." in err
    assert list(json.loads(out)["rules"]) == ["auto"]


def test_a_class_may_be_named_as_what_stands_for_no_prediction(call, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,y\n" + "".join(f"{i % 7},{['none yet', 'p'][i % 2]}\n" for i in range(10)))
    record = json.loads(call("validate", path, "--json", "-q")[1])
    assert record["none_yet"] == [1, 0]
    assert sum(map(sum, record["confusion"])) == 9
    right = record["confusion"][0][0] + record["confusion"][1][1]
    assert (10 - right, record["accuracy"]) == (record["errors"], right / 10)
