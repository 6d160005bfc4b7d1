"""``rosenblatt tune``: the ranking, and a command that trains the winner as it stands."""

import json
import re
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest
from command import spawn
from real_data import real_data

from rosenblatt import load, tune
from rosenblatt.cli.commands.tune import TuneOptions, _free_name
from rosenblatt.learning.evaluation.ranking import METRICS
from rosenblatt.learning.tuning.grid import RATES
from rosenblatt.streams import open_stream


def table(rng, n=200, mark=","):
    """Lines of a table: two numbers, a category, and a label that depends on all."""
    size, weight = rng.normal(50, 9, n), rng.normal(0, 1, n)
    kind = rng.choice(["plain", "it's"], n)
    label = np.where((size - 50) / 9 + weight + 0.5 * (kind == "plain") > 0, "yes", "no")
    label = np.where(rng.random(n) < 0.1, "no", label)
    lines = zip(size, weight, kind, label, strict=True)
    rows = [mark.join([f"{a:.3f}", f"{b:.3f}", c, d]) for a, b, c, d in lines]
    return "\n".join([mark.join(["size", "weight", "kind", "bought"]), *rows, ""])


@pytest.fixture
def data(tmp_path, monkeypatch, rng):
    """A table in the working folder, whose name needs quotes."""
    monkeypatch.chdir(tmp_path)
    path = Path("my table's.csv")
    path.write_text(table(rng))
    return path


@pytest.fixture
def run_last_line(call):
    """Run the last line of an output, as a shell reads it, and return the path of the new model."""

    def run(out, folder):
        before = {*folder.glob("*.rosenblatt")}
        line = out.splitlines()[-1]
        assert line.startswith("rosenblatt train ")
        words = "rosenblatt() { printf '%s\\0' \"$@\"; }; " + line
        read = subprocess.run(["bash", "-c", words], capture_output=True, text=True, check=True)
        status, _, err = call(*read.stdout.split("\0")[:-1])
        assert status == 0, err
        (model,) = {*folder.glob("*.rosenblatt")} - before
        return model

    return run


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--metric", "error", "--target", "bought", "--schema", "kind:category"),
        ("--rule", "pa1", "--eta0", "0.3,0.03", "--no-average", "--class-weight", '{"yes": 2.5}'),
        ("--rule", "logistic", "--penalty", "l2", "--alpha", "0.001", "--scale"),
        ("--metric", "auc", "--epochs", "3", "--shuffle", "--seed", "7"),
        ("--rule", "auto", "--rule", "arow", "--probabilities"),
        ("--metric", "error", "--interactions", "size*weight", "--interactions", "kind*size"),
    ],
)
def test_the_last_line_trains_the_winner(call, run_last_line, data, options):
    status, out, err = call("tune", data, "-q", "--json", *options)
    assert (status, err) == (0, "")
    record = json.loads(out)
    if "--rule" in options:  # which makes the grid small
        assert call("tune", data, "-q", *options)[1].splitlines()[-1] == record["command"]
    model = load(run_last_line(record["command"], data.parent.absolute())).classifier
    best = record["candidates"][0]
    assert model.rule == best["rule"]
    assert model.output == best["output"]
    assert model.scale == best["scale"]
    assert best["eta0"] in (None, model.eta0)
    assert ("--interactions" in record["arguments"]) == best["interactions"]
    if "--class-weight" in options:
        assert model.class_weight == {"yes": 2.5}
    if "--probabilities" in options:
        assert record["metric"] == "log_loss"
        assert model.probabilities or model.rule == "auto"  # which has its own
        assert None not in [one["log_loss"] for one in record["candidates"]]
    if "--penalty" in options:
        assert (model.penalty, model.alpha) == ("l2", 0.001)
    if "--epochs" in options:
        assert record["arguments"][-5:] == ["--epochs", "3", "--shuffle", "--seed", "7"]
    assert record["arguments"][3] == "my-table-s.rosenblatt"
    assert _free_name(str(data)) == "my-table-s-2.rosenblatt"


def test_a_name_with_control_characters_is_quoted_for_the_shell(
    call, run_last_line, tmp_path, monkeypatch, rng
):
    monkeypatch.chdir(tmp_path)
    path = Path("r\x1b[31mé's\\d.csv")
    path.write_text(table(rng))
    out = call("tune", path, "--rule", "pa1", "-q")[1]
    assert "\x1b" not in out
    assert r" $'r\x1b[31m\xc3\xa9\'s\\d.csv' " in out
    assert load(run_last_line(out, tmp_path)).classifier.rule == "pa1"


def test_the_numbers_are_those_of_python_and_of_the_trained_model(call, run_last_line, data):
    for asked in ({"metric": "error", "rules": ["pa1"]}, {}):
        options = ["--metric", "error", "--rule", "pa1"] if asked else []
        record = json.loads(call("tune", data, "-q", "--json", *options)[1])
        tuning = tune(data, **asked)
        for candidate, one in zip(record["candidates"], tuning.rows, strict=True):
            assert {**candidate, "seconds": 0} == {**json.loads(json.dumps(one)), "seconds": 0}
    assert record["metric"] == "log_loss"
    model = load(run_last_line(record["command"], data.parent.absolute())).classifier
    assert np.array_equal(model.coef_, tuning.best.coef_)


def test_a_wide_screen_has_all_metrics(call, data, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    out = call("tune", data, "--rule", "kt", "--metric", "auc", "-q")[1]
    titles = re.split("  +", out.splitlines()[0].strip())
    assert titles[-len(METRICS) :][:2] == ["AUC", "error"]
    assert set(titles) > {one.title for one in METRICS.values()}


def test_the_screen_has_the_table_the_baselines_and_the_time(call, data):
    status, out, err = call("tune", data)
    assert status == 0
    lines = out.splitlines()
    assert re.split("  +", lines[0].strip())[:6] == [
        *("rule", "eta0", "scale", "average"),
        *("log loss", "error"),
    ]
    assert "29 candidates on 200 rows, each predicted before it was learned" in " ".join(
        out.split()
    )
    assert "and 9 candidates more: see --json" in out
    assert "(majority class " in out
    assert "(no change of label)" in out
    assert "candidates × rows a second" in out
    assert max(map(len, lines[:-1])) <= 80
    assert "columns: " in err


def test_products_are_tried_without_and_with(call, tmp_path, rng):
    X = rng.choice([-1.0, 1.0], (500, 2)) + rng.normal(0, 0.1, (500, 2))
    path = tmp_path / "xor.csv"
    labels = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    rows = [f"{a:.3f},{b:.3f},{c}\n" for (a, b), c in zip(X, labels, strict=True)]
    path.write_text("a,b,label\n" + "".join(rows))
    out = call("tune", path, "--interactions", "a*b", "--metric", "error", "--json", "-q")[1]
    record = json.loads(out)
    halves = {
        has: [one["error"] for one in record["candidates"] if one["interactions"] is has]
        for has in (False, True)
    }
    assert min(halves[False]) > 0.3 > 0.05 > min(halves[True])
    assert record["arguments"][-2:] == ["--interactions", "a*b"]


def test_a_list_of_each_kind_is_tried_and_no_other(call, data):
    options = ["--rule", "pa1", "--rule", "kt", "--eta0", "2", "--eta0", "1,3", "--no-scale"]
    record = json.loads(call("tune", data, *options, "--average", "-q", "--json")[1])
    tried = {(c["rule"], c["eta0"], c["scale"], c["output"]) for c in record["candidates"]}
    assert record["metric"] == "error"  # pa1 gives no probabilities
    rates = {("pa1", 1.0), ("pa1", 2.0), ("pa1", 3.0), ("kt", None)}
    assert tried == {(*pair, False, "average") for pair in rates}


def test_the_positive_class_is_that_of_f1(call, data):
    f1 = {}
    for label in ("yes", "no", "maybe"):
        options = ["--metric", "f1", "--positive", label, "--rule", "pa1"]
        _, out, err = call("tune", data, *options, "--json")
        f1[label] = [one["f1"] for one in json.loads(out)["candidates"]]
        assert ("no row of" in err) == (label == "maybe")
    assert f1["yes"] != f1["no"]
    assert f1["maybe"] == f1["yes"]  # the default: the second


def test_a_picture_is_drawn(call, data):
    for suffix, start in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        path = Path(f"candidates{suffix}")
        assert call("tune", data, "--rule", "kt", "--plot", path, "-q")[0] == 0
        assert path.read_bytes().startswith(start)
    assert call("tune", data, "--rule", "kt", "--plot", "candidates.svg", "-q")[0] == 0  # again
    status, _, err = call("tune", data, "--plot", "table.jpg")
    assert (status, "--plot table.jpg: give a file .png, .svg, .pdf" in err) == (2, True)
    Path("other.png").write_text("a text")
    assert "exists and is no picture" in call("tune", data, "--plot", "other.png")[2]
    assert Path("other.png").read_text() == "a text"


def test_rows_sorted_by_label_are_told_and_what_to_do(call, tmp_path):
    path = tmp_path / "sorted.svm"
    path.write_text("0 1:1 2:0.5\n" * 60 + "1 1:0.5 2:1\n" * 60)
    assert "sorted by label, so the numbers mean nothing: shuffle them" in " ".join(
        call("tune", path, "--rule", "kt")[1].split()
    )
    assert "sorted by label" not in call("tune", path, "--rule", "kt", "--shuffle")[1]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--rule", "pa1", "--metric", "log_loss"), "--metric log_loss is of probabilities"),
        (("--rule", "kt", "--eta0", "1"), "--eta0 has no effect on kt"),
        (("--rule", "kt", "--no-scale", "--average"), "one candidate, and nothing to choose"),
        (("--eta0", ",".join(map(str, range(1, 300)))), "candidates are too many"),
        (("--eta0", "0"), "0.0 is not in the range x>0"),
        (("--rule", "minover"), "'minover' is not one of"),
        (("--rule", "arow", "--penalty", "l2"), "--rule arow and --penalty exclude each other"),
        (("--alpha", "1"), "--alpha goes with --penalty"),
        (("--class-weight", "balanced"), "balanced counts the labels first"),
        (("--epochs", "0"), "0 is not in the range x>=1"),
    ],
)
def test_silly_grids_are_refused_before_any_row_is_read(call, data, options, says):
    status, out, err = call("tune", data, *options)
    assert (status, out) == (2, "")
    assert says in " ".join(err.split())


def test_a_pipe_is_read_once(call, rng):
    text = table(rng)
    options = ["--format", "csv", "--rule", "pa1", "-q"]
    out = call("tune", "-", *options, stdin=text)[1]
    assert out.splitlines()[-1].startswith("rosenblatt train - -m model.rosenblatt --rule pa1 ")
    assert call("tune", "-", *options, "--epochs", "2", "--shuffle", stdin=text)[0] == 0
    for more in (["--epochs", "2"], ["--interactions", "size*weight"]):
        status, _, err = call("tune", "-", *options, *more, stdin=text)
        assert (status, "a pipe is read once" in err) == (2, True)


@pytest.mark.parametrize(
    ("text", "says"), [("a,b,y\n", "no rows"), ("a,b,y\n1,2,0.5\n2,1,0.25\n", "a measurement")]
)
def test_bad_data_is_told(call, tmp_path, text, says):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    status, _, err = call("tune", path)
    assert status == 3
    assert says in err


def test_batches_may_be_held_out_whole_or_not_at_all(call, tmp_path):
    for i in range(12):
        (tmp_path / f"day{i:02}.csv").write_text(f"a,b,y\n{i % 5},{i % 3},{'pq'[i % 2]}\n")
    options = ["--epochs", "2", "--rule", "pa1", "--rule", "arow", "-q"]
    for more in [], ["--shuffle"]:
        status, out, _ = call("tune", tmp_path / "day*.csv", *options, *more, "--json")
        assert (status, json.loads(out)["candidates"][0]["examples"]) == (0, 2)
        for seed in range(14):  # the last one holds out the only row
            status, _, err = call("tune", tmp_path / "day00.csv", *options, *more, "--seed", seed)
            assert status == 3
        assert "day00.csv: too few rows for several epochs: none is left to learn." in err


def test_skipped_rows_are_written_once(call, tmp_path, rng):
    path, bad = tmp_path / "rows.csv", tmp_path / "bad.jsonl"
    path.write_text(table(rng) + "1,2\n")
    options = ["--on-bad-row", "skip", "--bad-rows", bad, "--interactions", "size*weight"]
    record = json.loads(call("tune", path, *options, "--rule", "pa1", "--json", "-q")[1])
    assert record["bad_rows"] == 1
    assert len(bad.read_text().splitlines()) == 1


def test_ctrl_c_ranks_the_rows_so_far(rng):
    process = spawn(
        *("tune", "-", "--format", "csv", "--rule", "pa1", "--json"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdin.write(table(rng, 20_000))
    process.stdin.flush()
    assert "columns: " in process.stderr.readline()
    process.stdin.write("1.0,2.0,plain,yes\n" * 20_000)  # when this is in, the first are learned
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    record = json.loads(out)
    examples = record["candidates"][0]["examples"]
    assert f"stopped: the ranking is by {examples:,} rows" in err
    assert {one["examples"] for one in record["candidates"]} == {examples}


def test_the_help_lists_what_is_tried():
    text = TuneOptions.declared["rules"].help
    assert all(name in text for name in RATES)


def test_a_real_table_with_categories(call, run_last_line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = real_data("tables", "hypothyroid.csv.xz")
    options = ["--metric", "error", "--rule", "pa1", "--rule", "kt", "--impute", "indicator", "-q"]
    status, out, _ = call("tune", data, *options, "--json")
    assert status == 0
    record = json.loads(out)
    errors = [one["error"] for one in record["candidates"] if one["error"] is not None]
    assert errors[0] < 0.8 * record["baselines"]["constant_error"] < errors[-1]
    model = load(run_last_line(record["command"], tmp_path))
    assert model.classifier.rule == record["candidates"][0]["rule"]
    rows = sum(len(batch.y) for batch in open_stream(data, impute="indicator"))
    assert record["candidates"][0]["examples"] == rows
