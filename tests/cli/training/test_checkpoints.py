"""Checkpoints: a run that was killed and resumed ends in the same bytes as one that was not."""

import json
import os
import random
import resource
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from command import spawn, without_clock
from noisy_rows import as_csv, as_json, rows, write_file
from profiles import share

import rosenblatt
from rosenblatt import Perceptron, models, streams
from rosenblatt.cli.inputs.models import open_model
from rosenblatt.models import describe
from rosenblatt.progressive import Standing, learn

pytestmark = pytest.mark.usefixtures("small_batches")


SOURCES = {
    "svmlight": lambda: write_file("a.svm", rows(300)),
    "csv": lambda: write_file("a.csv", as_csv(rows(300))),
    "jsonl": lambda: write_file("a.jsonl", as_json(rows(300))),
    "table": lambda: write_file("a.csv", as_table(300)),
    "files": lambda: [write_file(f"part-{i}.svm", rows(100, i)) for i in range(3)] and "part-*.svm",
}
RUNS = [
    ("svmlight", []),
    ("svmlight", ["--average", "--epochs", 3]),
    ("svmlight", ["--shuffle", "--epochs", 3, "--seed", 7, "--multi-class", "joint"]),
    ("svmlight", ["--expansion", "--average"]),
    ("svmlight", ["--penalty", "elasticnet", "--average", "--epochs", 2]),
    ("svmlight", ["--kernel", "rbf", "--shuffle", "--epochs", 2]),
    ("svmlight", ["--kernel", "poly", "--budget", 20, "--epochs", 2]),
    ("svmlight", ["--vote", "--epochs", 2]),
    ("svmlight", ["--holdout", 0.2, "--epochs", 9, "--early-stop", 2, "--average"]),
    ("svmlight", ["--holdout", 0.2, "--epochs", 9, "--early-stop", 2, "--shuffle"]),
    ("csv", ["--epochs", 2, "--rule", "pa1"]),
    ("jsonl", ["--target", "y", "--epochs", 2]),
    ("jsonl", ["--target", "y"]),
    ("csv", ["--epochs", 2, "--scale", "--average"]),
    ("svmlight", ["--shuffle", "--epochs", 3, "--scale"]),
    ("table", ["--epochs", 2, "--scale", "--average"]),
    ("table", ["--shuffle", "--epochs", 2, "--scale", "--bits", 6]),
    ("files", ["--average"]),
    ("files", ["--shuffle", "--epochs", 2]),
]


def as_table(n):
    """Return a table of numbers, some of them zero, and of words, some of which appear late."""
    lines = (
        f"{37 + k % 7 / 10},{k % 5},w{k % 3 + k // 100},{'ab'[k * k % 7 > 2]}" for k in range(n)
    )
    return "\n".join(["t,n,word,y", *lines]) + "\n"


class Killed(BaseException):
    """Error that no code catches."""


@pytest.fixture
def killed(monkeypatch, call):
    """Run a command line that is killed after a number of writes; False if it ends before."""

    def killed(after, *args):
        left, save = after, models.save

        def save_and_die(model, path, **options):
            nonlocal left
            save(model, path, **options)
            left -= not str(path).endswith(".best")
            if left == 0:
                raise Killed

        with monkeypatch.context() as patch:
            patch.setattr(models, "save", save_and_die)
            try:
                call(*args)
            except Killed:
                return True
        return False

    return killed


@pytest.mark.parametrize(
    ("turn", "source", "options"),
    [(turn, *one) for turn, one in enumerate(share(RUNS, 2, 0))],
    ids=str,
)
def test_a_killed_and_resumed_run_ends_in_the_same_bytes(call, killed, turn, source, options):
    train = ["train", SOURCES[source](), "-m", "m", "--json", *options]
    status, out, err = call(*train)
    assert status == 0, err
    expected, wanted = Path("m").read_bytes(), without_clock(out)
    in_turn = [*train, "--checkpoint-every", 60, "--resume"]
    for stops in share([[1, 5], [16]], 2, turn):
        Path("m").unlink()
        for after in stops:
            if not killed(after, *in_turn):
                break
            rosenblatt.load("m")
        status, out, err = call(*in_turn)
        assert status == 0, err
        assert without_clock(out) == wanted
        assert Path("m").read_bytes() == expected
        assert sorted(path.name for path in Path().glob("m*")) == ["m", "m.lock"]


def test_a_growing_log_is_learned_day_by_day(call):
    text = rows(300)
    cuts = [text.index("\n", offset) + 1 for offset in (3000, 6000)]
    for day in ([text[: cuts[0]]], [text[: cuts[1]]], [text], [text]):
        write_file("log.svm", *day)
        status, out, err = call("train", "log.svm", "-m", "m", "--resume", "--json")
        assert status == 0, err
    assert "note: m: the run was finished; learned 0 new rows." in err
    record, learned = without_clock(out), Path("m").read_bytes()
    status, out, _ = call("train", "log.svm", "-m", "m", "--json")
    assert without_clock(out) == record
    assert Path("m").read_bytes() == learned


@pytest.mark.parametrize("value", ["0", "0s", "soon", "5 days", "-1", "1e3", "30S"])
def test_malformed_intervals(call, value):
    status, _, err = call("train", "a.svm", "-m", "m", "--checkpoint-every", value)
    assert status == 2
    assert f"{value!r} is no time, such as 30s, 5min or 1h, and no number of examples" in err


def test_a_second_run_is_locked_out(call):
    import fcntl

    with open("m.lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        train = ["train", write_file("a.svm", rows(50)), "-m", "m"]
        status, _, err = call(*train, "--resume")
        assert status == 1
        assert "m: is being written by another run" in err
        assert call(*train)[0] == 0  # does not go on from it, so overwrites it as ever
    assert call(*train, "--resume")[0] == 0


def test_resume_in_python():
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = (X[:, 0] + 0.3 * X[:, 1] ** 2 > 0).astype(int)
    stream = [streams.Batch(X[i : i + 30], y[i : i + 30], i) for i in range(0, 200, 30)]
    model, positions, lines = Perceptron(shuffle=False), [], []

    def after(standing):
        models.save(model, "m", notes=standing.record())
        positions.append((rosenblatt.load("m"), Standing.of(describe("m")["notes"])))

    expected = learn(model, stream, epochs=3, report=lines.append, after=after)
    assert len(positions) == 7 * expected.epochs
    for half, standing in positions:
        late = [line._replace(rate=0.0) for line in lines if line.examples > standing.examples]
        seen = []
        summary = learn(half, stream, 3, seen.append, standing)
        assert [line._replace(rate=0.0) for line in seen] == late
        assert summary[1:6] == expected[1:6]
        assert summary.last._replace(rate=0.0) == expected.last._replace(rate=0.0)
        np.testing.assert_array_equal(half.coef_, model.coef_)
        assert (half.t_, half.mistakes_, half.errors_) == (model.t_, model.mistakes_, model.errors_)
    with pytest.raises(ValueError, match="epochs must be at least 3"):
        learn(half, stream, 1, start=standing)


# --- processes ------------------------------------------------------------------------------------


def start(*args):
    """Start training on a pipe of bytes."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return spawn("train", "-", "-m", "m", "--resume", *args, text=False, **pipes)


def feed(process, text):
    """Write text to a process until it dies; return the part written."""
    try:
        process.stdin.write(text)
        process.stdin.flush()
    except BrokenPipeError:
        pass


def wait_for(process, condition):
    """Wait for a condition while a process lives."""
    while not condition():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)


def test_a_piped_run_that_is_killed_at_any_moment(call):
    text = (rows(2000) * 12).encode()
    pieces = [text[i : i + 50_000] for i in range(0, len(text), 50_000)]
    options = ["--average", "--checkpoint-every", "700", "--json"]
    dice = random.Random(0)
    for _ in range(2):
        process = start(*options)
        for piece in pieces[: dice.randrange(6, len(pieces) - 2)]:
            feed(process, piece)
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL
    assert describe("m")["notes"]["interrupted"]
    out, err = start(*options).communicate(text)
    assert b"    1,024   " in err
    killed = Path("m").read_bytes()
    status, expected, _ = call("train", "-", "-m", "m", *options, stdin=text.decode())
    assert status == 0
    assert Path("m").read_bytes() == killed
    assert without_clock(out) == without_clock(expected)


def test_slow_rows_are_saved_in_time_and_sigterm_saves(call):
    text = (rows(2000) * 6).encode()
    process = start("--checkpoint-every", "0.2s")
    feed(process, text)  # and then nothing comes for long
    wait_for(process, lambda: os.path.exists("m"))
    assert describe("m")["notes"]["interrupted"]
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate()
    assert process.returncode == 143
    assert b"the model is in m. Continue with --resume." in err.splitlines()[-1]
    stopped = rosenblatt.load("m").t_
    assert call("train", "-", "-m", "m", "--resume", stdin=text.decode())[0] == 0
    assert 1 < stopped < rosenblatt.load("m").t_ == 12_001


def test_a_full_disk_gets_a_note_and_a_retry():
    text = (rows(2000) * 6).encode()
    process = start("--checkpoint-every", "0.2s")
    feed(process, text)
    wait_for(process, lambda: os.path.exists("m"))
    older = Path("m").read_bytes()
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
    feed(process, text)
    while b"the run continues and tries again." not in (line := process.stderr.readline()):
        assert line
    assert b"note: m: The model was not saved (File too large); an earlier file is untouch" in line
    assert Path("m").read_bytes() == older
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    wait_for(process, lambda: Path("m").read_bytes() != older)
    older = Path("m").read_bytes()
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
    _, err = process.communicate()
    assert process.returncode == 1
    assert b"error: m: The model was not saved" in err.splitlines()[-1]
    assert Path("m").read_bytes() == older
    assert sorted(path.name for path in Path().iterdir()) == ["m", "m.lock"]


def test_the_lock_file_keeps_its_content(call):
    train = ["train", write_file("a.svm", rows(50)), "-m", "m", "--resume"]
    write_file("notes.txt", "mine")
    Path("m.lock").symlink_to("notes.txt")
    assert call(*train)[0] == 0
    assert Path("notes.txt").read_text() == "mine"


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@pytest.mark.parametrize("knew_ids", [False, True])
def test_a_run_of_a_version_that_knew_no_ids_goes_on_as_it_began(call, monkeypatch, kind, knew_ids):
    objects = [
        {"id": 7 * k + 3, "day": f"2024-05-{k % 9 + 1:02}", "x": k % 5, "y": "ab"[k % 2]}
        for k in range(60)
    ]
    if kind == "csv":
        lines = [",".join(map(str, row.values())) for row in objects]
        Path("a.csv").write_text("\n".join(["id,day,x,y", *lines]) + "\n")
    else:
        Path("a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in objects))
    train = ("train", f"a.{kind}", "-m", "m", "-q")
    with monkeypatch.context() as before:
        if not knew_ids:
            before.setattr("rosenblatt.streams.features.inference.id_fault", lambda *_: None)
            before.setattr("rosenblatt.streams.features.schema.infer_date", lambda _: None)
        assert call(*train)[0] == 0
    names = list(open_model("m").names)
    assert ("id" in names) == (not knew_ids)
    assert ("day=2024-05-01" in names) == (not knew_ids)
    with open(f"a.{kind}", "a") as file:
        file.write("8,2024-05-01,1,a\n" if kind == "csv" else json.dumps(objects[0]) + "\n")
    status, _, error = call(*train, "--resume")
    assert status == 0, error
    assert list(open_model("m").names) == names
    assert describe("m")["notes"]["run"]["standing"]["examples"] == 61
