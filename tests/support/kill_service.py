"""Kill a service at random moments under load, and compare it with an uninterrupted twin.

Run: python tests/support/kill_service.py [ROUNDS] [SEED]
"""

import http.client
import json
import random
import sys
import tempfile
import threading
import time

from serving import Served

from rosenblatt import OnlinePerceptron
from rosenblatt.learning.models import files
from rosenblatt.serve.store.database import Database
from rosenblatt.serve.store.log import Kind, Log, decode_row

CLIENTS = 4
CONFIG = {"rule": "arow"}


class Sender(threading.Thread):
    """A client that learns one example after another, with a key each, until the server is gone.

    What was not answered is sent again in the next round, with the same key.
    """

    def __init__(self, port, number, sent, acknowledged):
        super().__init__()
        self.port, self.number = port, number
        self.sent, self.acknowledged = sent, acknowledged

    def run(self):
        """Send until the connection breaks."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            while True:
                n = len(self.acknowledged)
                if len(self.sent) == n:
                    self.sent.append(example(self.number, n))
                body = json.dumps(self.sent[n]).encode()
                key = {"Idempotency-Key": f"{self.number}-{n}"}
                connection.request("POST", "/v1/models/m/learn", body, key)
                answer = connection.getresponse()
                learned = json.loads(answer.read())
                assert answer.status == 200, learned
                self.acknowledged.append(learned)
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()


def example(client, n):
    """An example that no other is like."""
    rng = random.Random(1000003 * client + n)
    features = {f"f{rng.randrange(40)}": rng.uniform(-1, 1) for _ in range(5)}
    return {"features": {"id": client * 1e6 + n, **features}, "label": rng.choice("xyz")}


def kill_rounds(folder, rounds, seed=0):
    """Kill and restart a service; return the number of examples that were acknowledged."""
    rng = random.Random(seed)
    sent = [[] for _ in range(CLIENTS)]
    acknowledged = [[] for _ in range(CLIENTS)]
    for turn in range(rounds):
        with Served(folder, "--snapshot-every", "50") as server:
            if turn == 0:
                server.post("/v1/models", {"name": "m", "config": CONFIG}, status=201)
            senders = [Sender(server.port, j, sent[j], acknowledged[j]) for j in range(CLIENTS)]
            for sender in senders:
                sender.start()
            time.sleep(rng.uniform(0.0, 0.4))
            server.kill()
            for sender in senders:
                sender.join()
        check(folder, sent, acknowledged)
    with Served(folder) as server:
        _, _, served = server.raw("GET", "/v1/models/m/file")
    (folder / "model.rosenblatt").write_bytes(served)
    model = files.load(folder / "model.rosenblatt")
    assert files.to_bytes(model) == files.to_bytes(twin(folder)), "bits differ from the twin's"
    return sum(map(len, acknowledged))


def check(folder, sent, acknowledged):
    """Every acknowledged example is in the log, at its version; none is there twice."""
    rows = list(examples(folder))
    versions = {json.dumps(features): version for version, (features, _, _) in rows}
    assert len(versions) == len(rows), "an example is in the log twice"
    for client, answers in enumerate(acknowledged):
        for n, answer in enumerate(answers):
            features = sent[client][n]["features"]
            assert versions[json.dumps(features)] == answer["version"]


def examples(folder):
    """Yield the version and the row of each example in the log."""
    database = Database(folder, readonly=True)
    for record in Log(database.writer, 1, "m").read():
        assert record.kind == Kind.EXAMPLE
        yield record.version, decode_row(record.body)
    database.close()


def twin(folder):
    """A model that learned the examples of the log without a stop."""
    model = OnlinePerceptron(max_features=2**20, **CONFIG)
    for _, row in examples(folder):
        model.learn_one(*row)
    return model


if __name__ == "__main__":
    from pathlib import Path

    rounds, seed = (
        [*map(int, sys.argv[1:]), 50, 0][:2] if len(sys.argv) < 3 else map(int, sys.argv[1:3])
    )
    with tempfile.TemporaryDirectory() as folder:
        print(kill_rounds(Path(folder), rounds, seed), "examples acknowledged, none lost")
