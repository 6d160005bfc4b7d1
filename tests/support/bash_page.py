"""A page of the documentation whose blocks of bash run in their order, in one shell."""

import doctest
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```bash\n(.*?)^```$(?:\s+^```(?:text|json)\n(.*?)^```$)?", re.M | re.S)
FILE = re.compile(r"`(\S+\.\w+)`:\n\n```py\n(.*?)^```$", re.M | re.S)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
END = "--- end of block ---"
SECONDS = 300


def check_blocks(page, folder):
    """Run the blocks in a folder, and compare what they print; ports become free ones."""
    for port in ("8000", "8001", "8002"):
        page = page.replace(port, str(free_port()))
    blocks = BLOCK.findall(page)
    for name, content in FILE.findall(page):
        (folder / name).write_text(content)
    (folder / "deploy").symlink_to(ROOT / "deploy")
    script = "set -euo pipefail\n" + "".join(f"{code}\necho\necho '{END}'\n" for code, _ in blocks)
    status, output = run_in_bash(script, folder)
    outputs = output.split(END)
    for (code, expected), printed in zip(blocks, outputs, strict=False):
        if expected:
            same = doctest.OutputChecker().check_output(expected, printed.strip() + "\n", FLAGS)
            assert same, f"{code}prints\n{printed}"
    assert (status, len(outputs)) == (0, len(blocks) + 1), output[-2000:]


def run_in_bash(script, folder):
    """Run a script with the commands of this environment; end what it started, too."""
    programs = folder / "programs"
    programs.mkdir()
    for name, words in (("python", ""), ("rosenblatt", "-m rosenblatt")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (programs / name).chmod(0o755)
    settings = {"PATH": f"{programs}:{os.environ['PATH']}", "ROSENBLATT_TOKEN_FILE": "none"}
    with open(folder / "output", "w+") as output:
        process = subprocess.Popen(
            ["bash", "-c", script],
            cwd=folder,
            env=os.environ | settings,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status = process.wait(SECONDS)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        output.seek(0)
        return status, output.read()


def free_port():
    """A port of this machine that nobody has."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
