"""A run that was killed and goes on ends in the same bits as one that never stopped."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import rosenblatt
from rosenblatt import Perceptron, models, streams
from rosenblatt.cli import learning
from rosenblatt.models import describe
from rosenblatt.progressive import Standing, learn


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder of its own, and batches of some dozens of rows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(streams.settings, "BATCH_BYTES", 1000)
    monkeypatch.setattr(learning, "ROWS", 70)
    return tmp_path


def rows(number, seed=0, labels=3):
    """Rows of svmlight text that no line separates; features appear late."""
    rng = np.random.default_rng(seed)
    lines = []
    for i in range(number):
        columns = np.sort(rng.choice(5 + i // 20, 4, replace=False)) + 1
        pairs = " ".join(f"{j}:{rng.normal():.3f}" for j in columns)
        lines.append(f"{rng.integers(labels)} {pairs}\n")
    return "".join(lines)


def written(name, text):
    Path(name).write_text(text)
    return name


def as_csv(text):
    cells = [line.split(maxsplit=1) for line in text.splitlines()]
    numbers = [(label, [pair.split(":")[1] for pair in rest.split()]) for label, rest in cells]
    return "a,b,c,d,y\n" + "".join(f"{','.join(x)},c{label}\n" for label, x in numbers)


def as_json(text):
    cells = [line.split() for line in text.splitlines()]
    return "".join(
        json.dumps({"y": label} | {k: float(v) for k, v in (p.split(":") for p in pairs)}) + "\n"
        for label, *pairs in cells
    )


SOURCES = {
    "svmlight": lambda: written("a.svm", rows(300)),
    "csv": lambda: written("a.csv", as_csv(rows(300))),
    "jsonl": lambda: written("a.jsonl", as_json(rows(300))),
    "files": lambda: [written(f"part-{i}.svm", rows(100, i)) for i in range(3)] and "part-*.svm",
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
    ("files", ["--average"]),
    ("files", ["--shuffle", "--epochs", 2]),
]


class Killed(BaseException):
    """What nobody catches."""


@pytest.fixture
def killed(monkeypatch, call):
    """Run a command line that is killed after so many writes; False where it ends before."""

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


def told(out):
    """The object of --json without what depends on the clock."""
    record = json.loads(out)
    del record["seconds"]
    for line in record["progress"]:
        del line["rate"]
    return record


@pytest.mark.parametrize(("source", "options"), RUNS, ids=lambda value: str(value))
def test_promise_1_stopped_anywhere_is_never_stopped(call, killed, source, options):
    train = ["train", SOURCES[source](), "-m", "m", "--json", *options]
    status, out, err = call(*train)
    assert status == 0, err
    whole, wanted = Path("m").read_bytes(), told(out)
    in_turn = [*train, "--checkpoint-every", 60, "--resume"]
    for stops in ([1], [2, 1], [1, 1, 1, 1], [3, 2]):
        Path("m").unlink()
        for after in stops:
            if not killed(after, *in_turn):
                break
            rosenblatt.load("m")
        status, out, err = call(*in_turn)
        assert status == 0, err
        assert told(out) == wanted
        assert Path("m").read_bytes() == whole
        assert sorted(path.name for path in Path().glob("m*")) == ["m", "m.lock"]
