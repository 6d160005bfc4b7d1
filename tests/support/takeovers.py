"""Kill a primary under load, let its standby take over, again and again, and measure what is lost.

Run: python tests/support/takeovers.py [TAKEOVERS] [SEED] [s3]

Clients learn with keys, and note each answer with its time. After kill -9 the standby is promoted.
Its log is that of the primary up to its last version: heads of answers are the same, and so are the
bits of the model. Keys of before are answered as before, and learned once. The primary, started
again, is refused, and rosenblatt unshipped names what it has alone. Then another standby begins.
"""

import json
import random
import shutil
import statistics
import sys
import tempfile
import threading
import time
from contextlib import closing
from http.client import HTTPException
from itertools import count
from pathlib import Path

import pytest
from forked import Forked, command
from s3_server import s3_bucket
from serving import Served
from shipped import wait_for

from rosenblatt.serve.history import state_at
from rosenblatt.serve.store.database import Database
from rosenblatt.serve.store.log import Log
from rosenblatt.serve.store.tables import read_models

SECONDS = 0.5
"""Between two segments."""
CLIENTS = 4
MODEL = "/v1/models/m"


class Load(threading.Thread):
    """A client that learns until the server is gone, or ``ends`` is set.

    ``answers`` has key, body, answer and time of each request; ``refusal`` is that of the last one,
    if it was refused.
    """

    def __init__(self, served, name, seed):
        super().__init__(name=name)
        self.served, self.rng = served, random.Random(f"{seed} {name}")
        self.answers, self.refusal, self.ends = [], None, False

    def run(self):
        for i in count():
            if self.ends:
                return
            body = {
                "features": {f"f{self.rng.randrange(50)}": self.rng.random() for _ in range(8)},
                "label": self.rng.randrange(2),
            }
            key = f"{self.name}-{i}"
            try:
                answer = self.served.post(f"{MODEL}/learn", body, Idempotency_Key=key)
            except (OSError, HTTPException):
                return
            except AssertionError as refused:
                self.refusal = refused
                return
            self.answers.append((key, body, answer, time.time()))


def run(*arguments):
    """Run a subcommand; return its status, standard output and standard error."""
    process = Forked(command(*arguments))
    output, error = process.communicate(120)
    return process.returncode, output.decode(), error


def start_primary(store, url, seconds=SECONDS, **options):
    """Return a primary with a model."""
    served = Served(store, "--ship", url, "--ship-seconds", str(seconds), **options)
    served.post("/v1/models", {"name": "m", "config": {"rule": "arow"}}, status=201)
    wait_for(
        lambda: served.get("/v1/shipping")["lag"] < 3 and served.get("/v1/shipping")["commits"]
    )
    return served


def start_standby(store, url, seconds=SECONDS, **options):
    """Return a standby."""
    return Served(store, "--standby", url, "--ship-seconds", str(seconds), **options)


def model_bits(store, version):
    """Return the model file of a version in a store that is at rest."""
    with closing(Database(store, readonly=True)) as database:
        stored = next(m for m in read_models(database.writer) if m.name == "m")
        live = state_at(Log(database.writer, stored.number, "m"), version, stored.config)
        return live.content({"name": "m", "version": version})()


def take_over(primary, store, standby, url, seed, seconds=SECONDS):
    """Kill a primary under load, and promote its standby; return lost examples, their age, time.

    ``seconds`` are those between two segments.
    """
    loads = [Load(primary, f"{seed}-{i}", seed) for i in range(CLIENTS)]
    for load in loads:
        load.start()
    wait_for(lambda: sum(len(load.answers) for load in loads) > 40)
    time.sleep(random.Random(f"kill {seed}").uniform(1.0, 4.0) * seconds)
    killed = time.time()
    primary.kill()
    for load in loads:
        load.join()
    assert all(load.refusal is None for load in loads)
    answers = [answer for load in loads for answer in load.answers]
    start = time.monotonic()
    promoted = run("promote", f"http://127.0.0.1:{standby.port}")
    assert promoted[0] == 0, promoted
    data = standby.raw("GET", f"{MODEL}/file")[2]
    about = standby.get(MODEL)
    version = about["version"]
    assert data == model_bits(store, version)
    standby.post(f"{MODEL}/learn", {"features": {"f0": 1.0}, "label": 1})
    seconds = time.monotonic() - start
    lost = []
    for _, _, answer, at in answers:
        if answer["version"] > version:
            lost.append(at)
        elif answer["version"] == version:
            assert answer["head"] == about["head"]
    kept = [answer for answer in answers if answer[2]["version"] <= version]
    for key, body, answer, _ in kept[-20:] + kept[:20]:
        assert standby.post(f"{MODEL}/learn", body, Idempotency_Key=key) == answer
    with pytest.raises(RuntimeError, match="taken over by another store"):
        Served(store, "--ship", url)
    status, named, error = run("unshipped", store, "--ship", url, "--lines")
    assert status == 0, error
    rows = [json.loads(line)["features"] for line in named.splitlines()]
    for _, body, answer, _ in answers:
        if answer["version"] > version:
            assert body["features"] in rows
    return len(lost), killed - min(lost, default=killed), seconds, len(answers)


def main(takeovers=50, seed=0, url=None):
    """Take over so many times; print recovery points and times."""
    folder = Path(tempfile.mkdtemp())
    url = url or str(folder / "target")
    results = []
    store = folder / "store0"
    primary = start_primary(store, url)
    try:
        for i in range(takeovers):
            next_store = folder / f"store{i + 1}"
            standby = start_standby(next_store, url)
            results.append(take_over(primary, store, standby, url, f"{seed}-{i}"))
            print(i + 1, *(round(value, 3) for value in results[-1]), flush=True)
            shutil.rmtree(store)
            primary, store = standby, next_store
    finally:
        primary.kill()
        shutil.rmtree(folder)
    lost, points, times, learned = zip(*results, strict=True)
    for name, values in (("lost", lost), ("point", points), ("time", times), ("learned", learned)):
        print(f"{name}: median {statistics.median(values):.3g}, largest {max(values):.3g}")


if __name__ == "__main__":
    numbers = map(int, sys.argv[1:3])
    if sys.argv[3:] == ["s3"]:
        with s3_bucket() as bucket:
            main(*numbers, bucket)
    else:
        main(*numbers)
