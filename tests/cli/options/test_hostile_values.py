"""Every option of every subcommand with hostile values: a message that names it, no traceback."""

from pathlib import Path

import click
import pytest
from command import FOUR
from profiles import share

from rosenblatt.cli.main import COMMANDS, command, run
from rosenblatt.cli.options.declared import Command
from rosenblatt.serve.store.database import Database

VALUES = ("", "-1", "nan", "inf", "1e400", "1" + "0" * 400, "x" * 10_000, "folder", "secret")
VALUES += ("binary.bin", "\x1b[31mred")
CHOICES = ("", "x" * 10_000, "\x1b[31mred")

ARGUMENTS = {
    "train": ["four.svm", "-m", "new"],
    "predict": ["four.rosenblatt", "four.svm"],
    "evaluate": ["four.rosenblatt", "four.svm"],
    "validate": ["four.svm"],
    "tune": ["four.svm", "--rule", "perceptron", "--no-average"],
    "inspect": ["four.rosenblatt"],
    "diff": ["four.rosenblatt", "four.rosenblatt"],
    "certify": ["four.svm"],
    "verify": ["proof.json", "four.svm"],
    "convert": ["four.svm", "four.arrow"],
    "export": ["four.rosenblatt", "--to", "json", "-o", "four.json"],
    "sample": [],
    "backup": ["copy.db", "--store", "store"],
    "check": ["store"],
    "promote": ["http://127.0.0.1:1"],
    "unshipped": ["store", "--ship", "shipped"],
    "teach": ["points.csv", "--export", "lesson.html", "--force"],
}
COMPANIONS = {
    "--alpha": ["--penalty", "l2"],
    "--epochs": ["--rule", "perceptron"],  # which ends by itself
    "--degree": ["--kernel", "poly"],
    "--gamma": ["--kernel", "rbf"],
    "--coef0": ["--kernel", "poly"],
    "--budget": ["--kernel", "rbf"],
    "--budget-scheme": ["--kernel", "rbf", "--budget", "3"],
    "--early-stop": ["--holdout", "0.1", "--epochs", "2"],
    "--every": ["--json"],
    "--bad-rows": ["--on-bad-row", "skip"],
}
"""Options without which an option has no effect, and is refused for that."""


def test_every_subcommand_is_tried():
    assert set(COMMANDS) - set(ARGUMENTS) == {"demo", "serve"}  # these run for long


def test_every_subcommand_refuses_two_values_of_an_option():
    with click.Context(command) as ctx:
        assert all(isinstance(command.get_command(ctx, name), Command) for name in COMMANDS)


def parameters():
    """Yield each option with a value, and each argument, of each subcommand, with a number."""
    turn = 0
    with click.Context(command) as ctx:
        for name in COMMANDS:
            for param in command.get_command(ctx, name).params:
                if name in ARGUMENTS and not getattr(param, "is_flag", False):
                    yield pytest.param(turn, name, param, id=f"{name} {max(param.opts, key=len)}")
                    turn += 1


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A folder with models, a proof, and things that are no files to read."""
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("folder").mkdir()
        Path("four.svm").write_text(FOUR)
        Path("points.csv").write_text("a,b,label\n1,2,yes\n2,1,no\n")
        Path("binary.bin").write_bytes(bytes(range(256)) * 40)
        Path("secret").write_bytes(b"1 1:2\n")
        Path("secret").chmod(0)
        assert run(["train", "four.svm", "-m", "four.rosenblatt", "-q"]) == 0
        Database("store").close()
        assert run(["certify", "four.svm", "--proof", "proof.json"]) == 0
    return folder


def arguments_with(name, param, value):
    """Return a command line in which a parameter has this value."""
    arguments = list(ARGUMENTS[name])
    if isinstance(param, click.Argument):
        params = [p.name for p in command.commands[name].params if isinstance(p, click.Argument)]
        position = params.index(param.name)
        arguments[position : position + 1] = [value]
        return [name, *arguments]
    option = max(param.opts, key=len)
    return [name, *arguments, *COMPANIONS.get(option, ()), f"{option}={value}"]


@pytest.mark.parametrize(("turn", "name", "param"), list(parameters()))
def test_a_hostile_value(hostile, call, monkeypatch, turn, name, param):
    monkeypatch.chdir(hostile)
    names = [str(param.name), max(param.opts, key=len).lstrip("-"), str(param.metavar)]
    values = CHOICES if isinstance(param.type, click.Choice) else VALUES
    for value in share(values, 4 if values is VALUES else 2, turn):
        arguments = arguments_with(name, param, value)
        status, out, err = call(*arguments)
        shown = f"{' '.join(arguments)[:200]!r}: {status}, {err[-400:]!r}"
        assert "Traceback" not in out + err, shown
        assert "This is a bug" not in err, shown
        assert "\x1b" not in out + err, shown
        assert status in (0, 1, 2, 3), shown
        if status in (1, 2) and value != "-1":
            last = err.splitlines()[-1].lower()
            assert any(word.lower() in last for word in [*names, value[:40] or "_"]), shown
        if status:
            assert err.splitlines()[-1].startswith("error: "), shown
