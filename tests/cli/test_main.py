"""The command as a whole: help, usage errors, failures, closed pipes, colours."""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import forked
import pytest
from command import FOUR, TABLE, spawn

import rosenblatt
from rosenblatt import _core
from rosenblatt.cli.main import COMMANDS, commands_in_order
from rosenblatt.cli.options.declared import COMMAND_PANELS
from rosenblatt.learning.linear.learners import Perceptron


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from rosenblatt.cli.main import run\n"
        "assert [run([]), run(['--help']), run(['train', '--help'])] == [2, 0, 0]\n"
        "heavy = {'numba', 'numpy', 'scipy', 'sklearn', 'joblib', 'rich'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.index("Examples") < done.stdout.index("Learn and predict\n")


def test_a_command_of_version_0_1_says_why_it_is_gone(call):
    status, out, err = call("compile", "csv", "--rule", "perceptron")
    assert (status, out, err) == (
        2,
        "",
        "error: compile is gone: the loops come compiled with the package.\n",
    )


def test_the_help_and_the_page_list_every_subcommand_in_one_order(call):
    shown = commands_in_order()
    assert {command.name for command in shown} == set(COMMANDS)
    for command in shown:
        assert command.example.startswith(f"rosenblatt {command.name}")
        assert command.panel in COMMAND_PANELS
        assert re.search("  # [a-z]", command.example)
    names = [command.name for command in shown]
    listed = re.findall("^  ([a-z]+)  ", call("--help")[1], re.M)
    assert listed == names
    page = Path(__file__).parents[2] / "docs" / "command.md"
    assert re.findall(r"^\| `rosenblatt ([a-z]+)", page.read_text("utf-8"), re.M) == names


@pytest.mark.parametrize("instructions", _core.instruction_sets)
def test_version_as_a_module_says_which_instructions_are_used(instructions):
    environment = os.environ | {"ROSENBLATT_CPU": instructions}
    command = [sys.executable, "-m", "rosenblatt", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.stdout == f"rosenblatt {rosenblatt.__version__} ({instructions})\n"
    assert done.returncode == 0


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
def test_usage_errors_are_one_line_with_a_hint(call, args, hint):
    status, out, err = call(*args)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert hint in err


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


def test_unexpected_errors_are_one_line(models, call, monkeypatch):
    def broken(*args):
        raise KeyError("a\nb")

    monkeypatch.setattr(Perceptron, "decision_function", broken)
    status, _, err = call("predict", "four.rosenblatt", "four.svm")
    assert status == 1
    assert err.count("\n") == 1
    monkeypatch.setenv("ROSENBLATT_DEBUG", "1")
    with pytest.raises(KeyError):
        call("predict", "four.rosenblatt", "four.svm")


def test_a_closed_pipe_ends_predict_quietly(models):
    Path("many.svm").write_text(FOUR * 50_000)
    process = spawn(
        *("predict", "four.rosenblatt", "many.svm"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout.readline() == "1\n"
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr.read() == ""
    process.stderr.close()


def test_a_closed_standard_error_does_not_stop_training(folder):
    Path("four.svm").write_text(FOUR)
    process = spawn("train", "four.svm", "-m", "m", stderr=subprocess.PIPE)
    process.stderr.close()
    assert process.wait(timeout=60) == 0
    assert rosenblatt.load("m").t_ == 5


def test_a_closed_standard_output_ends_inspect_quietly(models):
    process = spawn("inspect", "four.rosenblatt", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 0
    process.stderr.close()


def test_no_color_is_respected(models, call, monkeypatch):
    colour = re.compile(r"\x1b\[[0-9;]*3[0-7]m")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert colour.search(call("inspect", "four.rosenblatt")[1])
    assert colour.search(call("inspect", "none")[2])
    monkeypatch.setenv("NO_COLOR", "1")
    assert not colour.search(call("inspect", "four.rosenblatt")[1])
    assert not colour.search(call("inspect", "none")[2])


def test_ascii_output(models):
    narrow = "import sys; sys.stdout.reconfigure(encoding='ascii')\n"
    evaluate = forked.command("evaluate", "table.rosenblatt", "table.csv")
    process = forked.Piped(narrow + evaluate, stdout=subprocess.PIPE)
    assert "error" in process.communicate()[0]
    assert process.returncode == 0


WAITING = {
    "train": ["train", "rows.svm", "-m", "new"],
    "validate": ["validate", "rows.svm", "--lines", "lines"],
    "certify": ["certify", "rows.svm", "--proof", "new"],
    "verify": ["verify", "proof", "rows.svm"],
    "convert": ["convert", "rows.svm", "new.arrow"],
    "evaluate": ["evaluate", "four.rosenblatt", "rows.svm"],
    "predict": ["predict", "four.rosenblatt", "rows.svm"],
}
# SIGTERM takes the path of SIGINT: in a command that trains, one that writes, one that reads.
SIGNALS = [(name, signal.SIGINT, 130) for name in WAITING]
SIGNALS += [(name, signal.SIGTERM, 143) for name in ("train", "convert", "evaluate")]


@pytest.mark.parametrize(("name", "number", "status"), SIGNALS)
def test_signals_end_a_command_with_one_line(models, call, name, number, status):
    """While it waits for rows: the files are those of before, and those that a run had finished."""
    assert call("certify", "four.svm", "--proof", "proof")[0] == 0
    os.mkfifo("rows.svm")
    before = set(os.listdir())
    process = spawn(*WAITING[name], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    with Path("rows.svm").open("w") as rows:
        rows.write(FOUR)
        rows.flush()
        process.send_signal(number)
        err = process.stderr.read()
    assert process.wait(timeout=60) == status
    process.stderr.close()
    assert "Traceback" not in err
    assert err.splitlines()[-1].startswith("interrupted: ")
    assert set(os.listdir()) - before <= {"lines", "new"}
    if Path("new").exists():
        assert rosenblatt.load("new").classes_.tolist() == [-1, 1]


def test_a_closed_standard_error_changes_no_exit_status(tmp_path):
    data = tmp_path / "t.csv"
    data.write_text(TABLE)
    lines = [
        ["train", str(data), "-m", f"{tmp_path}/m"],
        ["train", f"{tmp_path}/none.svm", "-m", f"{tmp_path}/m"],
        ["train", str(data), "-m", f"{tmp_path}/m", "--epochs", "0"],
    ]
    code = (  # the lines one after the other, each as if it were the process
        f"import sys\nfrom rosenblatt.cli.main import main\nfor sys.argv[1:] in {lines}:\n"
        "    try: main()\n    except SystemExit as end: print(end.code)"
    )
    started = [sys.executable, "-c", code]
    done = subprocess.run(f"{shlex.join(started)} 2>&-", shell=True, capture_output=True, text=True)
    assert done.stdout.split() == ["0", "3", "2"]  # and no message
    assert (tmp_path / "m").exists()


def test_commands_start_without_docstrings(tmp_path):
    data = tmp_path / "t.csv"
    data.write_text(TABLE)
    train = ["train", str(data), "-m", str(tmp_path / "m"), "-q"]
    lines = [train, ["train", "-h"], ["-h"]]
    code = f"from rosenblatt.cli.main import run; print(*[run(line) for line in {lines}])"
    done = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "0 0 0", done.stderr


def test_a_wrong_argument_is_named_without_brackets(call):
    status, _, err = call("sample", "nothing")
    assert status == 2
    assert "Invalid value for 'NAME'" in err


def test_a_closed_output_is_no_bug(tmp_path, call):
    data, model = tmp_path / "t.csv", tmp_path / "m"
    data.write_text(TABLE)
    assert call("train", str(data), "-m", str(model), "-q")[0] == 0
    line = shlex.join([sys.executable, "-m", "rosenblatt", "predict", str(model), str(data), "-q"])
    done = subprocess.run(f"{line} >&-", shell=True, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (0, "")


INTERRUPTED = """
import os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a runner may have it ignored
from rosenblatt.cli import main
def run():
    try:
        exec("os.kill(os.getpid(), signal.SIGINT)\\nwhile True: pass")
    except KeyboardInterrupt:
        return 130
main.run = run
main.main()
"""


def test_an_interrupt_in_code_from_text_ends_with_its_status(tmp_path):
    """An import that makes a named tuple is such code; Python would kill the process at its end."""
    (tmp_path / "interrupted.py").write_text(INTERRUPTED)
    command = [sys.executable, "-m", "interrupted"]
    home = str(Path(rosenblatt.__file__).parents[1])
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": home})
    assert done.returncode == 130
