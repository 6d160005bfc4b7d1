"""Help pages on the screen: their width, their styles, and where neither is wanted."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rosenblatt
from rosenblatt.cli.main import COMMANDS

STYLE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 300])
@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_a_page_fits_the_terminal(call, monkeypatch, columns, name):
    monkeypatch.setenv("COLUMNS", str(columns))
    status, out, err = call(*filter(None, [name]), "--help")
    assert (status, err) == (0, "")
    lines = [line for line in out.splitlines() if not line.startswith("    ") or "  " in line[4:]]
    longest = max(len(line) for line in lines if " rosenblatt " not in f" {line} ")
    assert longest <= min(max(columns, 56), 100)  # beside names, 20 columns of text at least
    assert out == out.strip("\n") + "\n"
    assert not re.search(r" \n|\n\n\n|--+\n", out)


def test_styles_are_those_of_the_environment(call, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    plain = call("predict", "--help")[1]
    assert not STYLE.search(plain)
    monkeypatch.setenv("FORCE_COLOR", "1")
    styled = call("predict", "--help")[1]
    assert STYLE.sub("", styled) == plain
    for text, style in (
        ("Usage:", 33), ("Examples", 1), ("Reading", 1), ("--scores", 36), ("COLUMN", 33),
        ("-q, --quiet", 36), ("  # label, tab, score", 2), ("[default: stop]", 2),
    ):  # fmt: skip
        assert f"\x1b[{style}m{text}\x1b[0m" in styled
    monkeypatch.setenv("NO_COLOR", "1")
    assert call("predict", "--help")[1] == plain
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert call("predict", "--help")[1] == plain


def test_a_terminal_shows_styles_and_its_width(monkeypatch):
    main, other = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")}
    environment |= {"TERM": "xterm", "PYTHONPATH": str(Path(rosenblatt.__file__).parents[1])}
    subprocess.run(
        ["/bin/sh", "-c", f"stty cols 50; '{sys.executable}' -m rosenblatt sample --help"],
        stdin=other,
        stdout=other,
        env=environment,
        check=True,
    )
    shown = os.read(main, 1 << 16).decode()
    os.close(main)
    os.close(other)
    assert "\x1b[36m-o, --output\x1b[0m" in shown
    _, _, panels = STYLE.sub("", shown).partition("Arguments")
    assert 40 < max(map(len, panels.split("\r\n"))) <= 50


def test_a_command_without_its_arguments_shows_its_page(call):
    for name in ("train", "diff", "check"):
        status, out, err = call(name)
        assert (status, err) == (2, "")
        assert out == call(name, "--help")[1]
