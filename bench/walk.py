"""How far a call walks: the distinct functions and files of the package that it enters.

Run: python bench/walk.py [--names] [WAY ...]. WAYs are fit, train, learn, certify; --names prints
the functions, file by file. Each call is the second of its kind, so imports and caches are warm.
A comprehension is part of the function that it stands in.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import signal
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from served import free_port, wait_for

PACKAGE = str(Path(__file__).resolve().parents[1] / "src" / "rosenblatt") + os.sep
INSIDE = ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>", "<module>")


class Walk:
    """The functions entered by the calls that are counted, in every thread started since."""

    def __init__(self) -> None:
        self.found: dict[CodeType, None] = {}
        self.counts = False
        threading.setprofile(self.note)
        sys.setprofile(self.note)

    def note(self, frame: FrameType, event: str, argument: Any) -> None:
        """Note a call of a function of the package; the hook of each thread."""
        code = frame.f_code
        if not self.counts or event != "call" or code.co_name in INSIDE:
            return
        if code.co_filename.startswith(PACKAGE):
            self.found[code] = None

    def count(self, call: Callable[[], object]) -> None:
        """Call twice, and count the second call."""
        call()
        self.counts = True
        call()
        self.counts = False

    def files(self) -> dict[str, list[str]]:
        """Return the functions of each file."""
        named = defaultdict(list)
        for code in self.found:
            name = f"{code.co_qualname}:{code.co_firstlineno}"
            named[code.co_filename.removeprefix(PACKAGE)].append(name)
        return dict(sorted(named.items()))


def fit(walk: Walk) -> None:
    """``Perceptron().fit`` on iris."""
    from sklearn.datasets import load_iris

    from rosenblatt import Perceptron

    X, y = load_iris(return_X_y=True)
    walk.count(lambda: Perceptron().fit(X, y))


def train(walk: Walk) -> None:
    """``rosenblatt train mail.csv``: 400 rows of a text, a number, a category and a label."""
    from rosenblatt.cli.main import run

    texts = {"spam": "win a prize now", "ham": "see you at lunch"}
    labels = ["spam" if i % 3 == 0 else "ham" for i in range(400)]
    rows = [f"{texts[k]} {i % 7},{i % 11},{'abc'[i % 3]},{k}\n" for i, k in enumerate(labels)]
    with tempfile.TemporaryDirectory() as folder:
        data, model = Path(folder) / "mail.csv", Path(folder) / "mail.rosenblatt"
        data.write_text("text,links,list,label\n" + "".join(rows), encoding="utf-8")

        def call() -> None:
            model.unlink(missing_ok=True)
            quiet = io.StringIO()
            with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
                status = run(["train", str(data), "--model", str(model)])
            if status != 0:
                raise RuntimeError(f"train ended with status {status}.")

        walk.count(call)


def learn(walk: Walk) -> None:
    """One row of two features and a known label, learned over HTTP on a connection that stands."""
    from rosenblatt.serve.maintenance import Policy
    from rosenblatt.serve.roles import serve
    from rosenblatt.serve.server import Address, Front

    port = free_port()

    def ask() -> None:
        wait_for(port)
        connection = HTTPConnection("127.0.0.1", port)

        def post(path: str, body: bytes) -> None:
            connection.request("POST", path, body, {"Content-Type": "application/json"})
            connection.getresponse().read()

        post("/v1/models", b'{"name": "m"}')
        rows = [b'{"features": {"links": 2, "prize": 1}, "label": "%s"}' % y for y in (b"x", b"y")]
        for row in rows:  # of one label there is nothing to learn yet
            post("/v1/models/m/learn", row)
        walk.count(lambda: post("/v1/models/m/learn", rows[0]))
        connection.close()
        os.kill(os.getpid(), signal.SIGTERM)

    with tempfile.TemporaryDirectory() as folder:
        asking = threading.Thread(target=ask)
        asking.start()
        serve(folder, Policy(), Front(Address(port=port), listening=lambda address: None))
        asking.join()


def certify(walk: Walk) -> None:
    """``certify`` of two classes of iris, which a plane separates."""
    from sklearn.datasets import load_iris

    import rosenblatt

    X, y = load_iris(return_X_y=True)
    walk.count(lambda: rosenblatt.certify(X[:100], y[:100]))


WAYS = {"fit": fit, "train": train, "learn": learn, "certify": certify}


def main() -> None:
    parser = argparse.ArgumentParser(description="How far a call walks.")
    parser.add_argument("ways", nargs="*", metavar="WAY", help=", ".join(WAYS))
    parser.add_argument("--names", action="store_true", help="print the functions")
    given = parser.parse_args()
    if unknown := set(given.ways) - set(WAYS):
        parser.error(f"no way {', '.join(sorted(unknown))}: there are {', '.join(WAYS)}.")
    for name in given.ways or WAYS:
        walk = Walk()
        WAYS[name](walk)
        files = walk.files()
        print(f"{name}: {len(files)} files, {len(walk.found)} functions", flush=True)
        if given.names:
            for file, functions in files.items():
                print(f"  {file}: {', '.join(functions)}")


if __name__ == "__main__":
    main()
