"""The manual page is that of the help, and the shell completes the command."""

import doctest
import os
import shutil
import subprocess
import sys
from pathlib import Path

import manual
import pytest
from click.shell_completion import ShellComplete

import rosenblatt
from rosenblatt.cli.main import command


def test_the_manual_page_is_that_of_the_help():
    assert doctest.testmod(manual).failed == 0
    assert manual.PAGE.read_text("utf-8") == manual.page(), "python docs/manual.py"


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_manual_page_is_sound():
    drawn = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", manual.PAGE], capture_output=True, text=True, check=True
    )
    assert drawn.stderr == ""
    assert "https://…" in drawn.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_commands_and_options(tmp_path):
    script = tmp_path / "rosenblatt"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rosenblatt "$@"\n')
    script.chmod(0o755)
    home = str(Path(rosenblatt.__file__).parents[1])
    env = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": home}
    source = 'eval "$(_ROSENBLATT_COMPLETE=bash_source rosenblatt)"; '

    def completed(*words):
        line = f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; "
        call = "_rosenblatt_completion rosenblatt; printf '%s\\n' \"${COMPREPLY[@]}\""
        run = subprocess.run(
            ["bash", "--norc", "-c", source + line + call], env=env, capture_output=True, text=True
        )
        assert run.stderr == ""
        return run.stdout.split()

    assert completed("rosenblatt", "tr") == ["train"]
    assert completed("rosenblatt", "train", "--hold") == ["--holdout"]


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        (["train"], ["file"]),
        (["train", "mail.csv", "-m"], ["file"]),
        (["inspect"], ["file"]),
        (["serve", "--store"], ["dir"]),
        (["train", "mail.csv", "--target"], []),
    ],
)
def test_the_shell_lists_files_where_a_file_is_due(words, kinds):
    complete = ShellComplete(command, {}, "rosenblatt", "_ROSENBLATT_COMPLETE")
    assert [item.type for item in complete.get_completions(words, "ma")] == kinds
