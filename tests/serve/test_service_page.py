"""docs/service.md: its blocks run against real servers, and its limits are those of the code."""

import doctest
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from rosenblatt.serve import schema
from rosenblatt.serve.encoded.form import MAX_PRODUCTS
from rosenblatt.serve.http.endpoints.learn import MAX_KEY
from rosenblatt.serve.wire import protocol

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "service.md").read_text("utf-8")
BLOCK = re.compile(r"^```bash\n(.*?)^```$(?:\s+^```(?:text|json)\n(.*?)^```$)?", re.M | re.S)
FILE = re.compile(r"`(\S+\.\w+)`:\n\n```py\n(.*?)^```$", re.M | re.S)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
END = "--- end of block ---"
SECONDS = 300


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="needs curl and jq")
def test_the_blocks_of_the_page_run_and_print_what_follows(tmp_path):
    page = PAGE
    for port in ("8000", "8001", "8002"):
        page = page.replace(port, str(free_port()))
    blocks = BLOCK.findall(page)
    for name, content in FILE.findall(page):
        (tmp_path / name).write_text(content)
    (tmp_path / "deploy").symlink_to(ROOT / "deploy")
    script = "set -euo pipefail\n" + "".join(f"{code}\necho\necho '{END}'\n" for code, _ in blocks)
    status, output = run_in_bash(script, tmp_path)
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
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def test_the_page_names_the_addresses_whose_connections_are_not_counted():
    assert f"Connections from {' and '.join(protocol.OWN)}, " in PAGE


def test_the_limits_of_the_page_are_those_of_the_code():
    section = PAGE.partition("## Limits")[2].partition("\n##")[0]
    table = dict(re.findall(r"^\| (.*?) \| (\d[\d,.e]*)", section, re.M))
    limits = {
        "features of one row": schema.MAX_FEATURES,
        "characters of a name, a label or a value that is text": schema.MAX_WORD,
        "characters of a row that is a text, or of a column of texts": schema.MAX_TEXT,
        "features that the interactions of a row of JSON lines make": MAX_PRODUCTS,
        "rows of a list": schema.MAX_LIST,
        "bytes of a body, and of a line": schema.MAX_BODY,
        "bytes of a model file": schema.MAX_FILE,
        "labels of a model": schema.MAX_LABELS,
        "names of a model": schema.MAX_NAMES,
        "size of a value and of a weight": schema.LARGEST,
        "printable ASCII characters of an Idempotency-Key, without a space": MAX_KEY,
        "bytes of the head of a request, or of what is no body between two parts of one": (
            protocol.MAX_HEAD
        ),
        "header lines of a request": protocol.MAX_HEADERS,
        "requests of a connection that wait for one before": protocol.MAX_WAITING,
        "connections of one address (of IPv6: of its first 64 bits)": protocol.MAX_CONNECTIONS,
        "silence within a body": protocol.BODY_SECONDS,
        "silence of a connection, and time for the head of a request": protocol.IDLE_SECONDS,
        "time in which a client takes nothing of its answer": protocol.WRITE_SECONDS,
    }
    assert {of: float(most.strip(",").replace(",", "")) for of, most in table.items()} == limits
