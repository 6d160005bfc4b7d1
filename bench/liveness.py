"""How long /v1/health/live takes while the service does what takes long.

Run: python bench/liveness.py [--write]; --write writes the part in docs/service-speed.md, and
bench/service.py writes it with the page. Three minutes.
"""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

import numpy as np
from markdown import table
from measure import machine
from served import ECHO, ask, server, service

from rosenblatt import OnlinePerceptron
from rosenblatt.learning.models import files
from rosenblatt.serve.writer import TURN_SECONDS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "service-speed.md"
TITLE = "## Whether it lives"
SECONDS, PAUSE, LOCK_SECONDS = 10.0, 0.005, 10.0
WORDS, LABELS = 100_000, 10
LOCK = """
import sqlite3, sys, time
store = sqlite3.connect(sys.argv[1], isolation_level=None)
store.execute("BEGIN IMMEDIATE")
time.sleep(float(sys.argv[2]))
store.execute("ROLLBACK")
"""

Load = Callable[[int], object]


Times = tuple[list[float], list[float]]


def measured(port: int, echo: int, load: Load) -> Times:
    """Return the times of /v1/health/live, and of a bare handler, while a load runs.

    It runs again and again for some seconds.
    """
    times: Times = [], []
    faults: list[BaseException] = []

    def run() -> None:
        start = time.perf_counter()
        try:
            while time.perf_counter() - start < SECONDS:
                load(port)
        except BaseException as fault:
            faults.append(fault)

    running = threading.Thread(target=run)
    asked = [
        (HTTPConnection("127.0.0.1", port), "GET", "/v1/health/live", b""),
        (HTTPConnection("127.0.0.1", echo), "POST", "/v1/models/m/echo", b'{"features":{"a":1}}'),
    ]
    with traffic(port):
        running.start()
        while running.is_alive():
            for (connection, *request), taken in zip(asked, times, strict=True):
                start = time.perf_counter()
                connection.request(*request)
                connection.getresponse().read()
                taken.append(time.perf_counter() - start)
            time.sleep(PAUSE)
    for connection, *_ in asked:
        connection.close()
    if faults:
        raise faults[0]
    return times


@contextmanager
def traffic(port: int) -> Iterator[None]:
    """Let a client predict and learn with the same model in the meantime."""
    stopped = threading.Event()
    example = json.dumps({"features": text(0, 20), "label": "l1"}).encode()
    query = json.dumps({"features": text(1, 20)}).encode()

    def run() -> None:
        while not stopped.wait(PAUSE):
            ask(port, "POST", "/v1/models/m/predict", query)
            with suppress(RuntimeError):  # another process has the lock for too long
                ask(port, "POST", "/v1/models/m/learn", example)

    client = threading.Thread(target=run)
    client.start()
    try:
        yield
    finally:
        stopped.set()
        client.join()


def text(seed: int, count: int) -> str:
    """Return a text of words that the model knows."""
    return " ".join(f"w{j}" for j in np.random.default_rng(seed).integers(0, WORDS, count))


def large_file() -> bytes:
    """Return the file of a model of many words and labels."""
    model = OnlinePerceptron(max_features=2**20)
    names = [f"w{j}" for j in range(WORDS)]
    for label in range(LABELS):
        row = dict.fromkeys(names[label::LABELS], 1.0)
        model.learn_one(row, f"l{label}")
    return files.to_bytes(model)


def explain(port: int) -> None:
    """Ask for the explanation of 20 texts, 2 MB in all."""
    rows = [{"features": text(j, 13_000)[:100_000], "explain": True} for j in range(20)]
    ask(port, "POST", "/v1/models/m/predict", json.dumps(rows).encode())


def put(data: bytes) -> Load:
    """Return the load that puts a model file."""
    return lambda port: ask(port, "PUT", "/v1/models/m/file", data)


def lock(store: str) -> Load:
    """Return the load of another process that locks the store."""
    command = [sys.executable, "-c", LOCK, f"{store}/store.db", str(LOCK_SECONDS)]
    return lambda port: subprocess.run(command, check=True)


def erase(port: int) -> None:
    """Learn a text, and erase it."""
    example = json.dumps({"features": text(2, 1_000), "label": "l2"}).encode()
    version = json.loads(ask(port, "POST", "/v1/models/m/learn", example))["version"]
    ask(port, "DELETE", f"/v1/models/m/versions/{version}")


def learn(body: bytes) -> Load:
    """Return the load that learns a list."""
    return lambda port: ask(port, "POST", "/v1/models/m/learn", body)


def long_list() -> bytes:
    """Return a list of 1,000 texts, 8 MB in all: made before, as that keeps the clock waiting."""
    rows = [{"features": text(j, 1_000), "label": f"l{j % LABELS}"} for j in range(1_000)]
    return json.dumps(rows).encode()


def grow(port: int) -> None:
    """Learn short texts, after some hundred of which a snapshot is due, and the log too long."""
    rows = [{"features": text(j, 10), "label": f"l{j % LABELS}"} for j in range(500)]
    ask(port, "POST", "/v1/models/m/learn", json.dumps(rows).encode())
    time.sleep(0.5)


def liveness(folder: str) -> str:
    """Return the section of the page."""
    data, rows_of_texts = large_file(), long_list()
    found: dict[str, Times] = {}
    store = f"{folder}/live"
    with server(ECHO) as echo:
        with server(service(store)) as port:
            put(data)(port)
            learn(rows_of_texts)(port)  # from here on, what it runs is loaded
            explain(port)
            for what, load in {
                "nothing else": lambda port: time.sleep(SECONDS),
                "explanations of 2 MB": explain,
                f"a lock of the store by another process, {LOCK_SECONDS:g} s": lock(store),
                "erasures": erase,
                "lists of 8 MB learned": learn(rows_of_texts),
                f"a model file of {len(data) / 1e6:.0f} MB put": put(data),
            }.items():
                found[what] = measured(port, echo, load)
        options = ["--snapshot-every", "500", "--keep-examples", "1000"]
        with server(service(f"{folder}/short", *options)) as port:
            put(data)(port)
            grow(port)
            found["snapshots and compactions"] = measured(port, echo, grow)
    rows = [[what, *shown(own), *shown(bare)] for what, (own, bare) in found.items()]
    head = ["meanwhile", "p50, ms", "p99, ms", "worst, ms", "bare p50", "bare p99", "bare worst"]
    today = datetime.date.today().isoformat()
    return f"""{TITLE}

`python bench/liveness.py --write`, {today}: {machine()}.

`/v1/health/live` is asked every {1e3 * PAUSE:g} ms while a client predicts and learns with a \
model of {WORDS:,} words and {LABELS} labels, and while for {SECONDS:g} seconds and more something \
goes on that takes long. The bare handler, another process, is asked in turn with it: its times \
are what the machine takes, busy with all of this and whatever else runs on it.

{table(head, rows)}

- Explanations, replays, snapshots and model files are computed in other threads, and so is the \
wait for the disk or for a lock. Long lists are written and learned in turns of \
{1e3 * TURN_SECONDS:g} ms. A step that Python does not interrupt, such as the names of a model as \
JSON, keeps all others waiting: it takes about a millisecond for each megabyte of the model. Where \
the log has a model file, SQLite reads it whole to find the place of a version: examples are then \
written in the other thread, too, and `GET /v1/models/{{m}}`, which reads the head, waits some \
milliseconds.
"""


def shown(times: list[float]) -> list[str]:
    """Return median, 99th percentile and largest of some times, in ms."""
    ms = 1e3 * np.array(times)
    return [f"{part:.1f}" for part in (np.median(ms), np.quantile(ms, 0.99), ms.max())]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help=f"write the part in docs/{PAGE.name}")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=".") as folder:
        text = liveness(folder)
    print(text)
    if options.write:
        rest = PAGE.read_text(encoding="utf-8").partition(f"\n{TITLE}\n")[0]
        PAGE.write_text(f"{rest}\n{text}", encoding="utf-8")


if __name__ == "__main__":
    main()
