"""Kill a service at random moments under mixed load, with a replica, and see that it kept its word.

Run: python tests/support/kill_service.py [ROUNDS] [SEED]

Clients learn single examples with keys, lines, and labels of predictions by their ids, and correct
these; one erases, rolls back, adds and promotes shadows, and puts model files. After each kill the
log has everything that was acknowledged, once, under the head that the answer had. The next start,
and the replica, have the bits of a model that a short definition computes from the log.
"""

import http.client
import json
import random
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from serving import Served

from rosenblatt import OnlinePerceptron
from rosenblatt.learning.models import files
from rosenblatt.serve.live import LiveModel
from rosenblatt.serve.store.check import check_store
from rosenblatt.serve.store.database import Database
from rosenblatt.serve.store.log import Kind, Log, decode_config, decode_row, decode_version

CONFIG = {"rule": "arow"}
MODEL = "/v1/models/m"
LINES = 20
SECONDS = 30.0
"""Longest wait for the replica."""


class Client(threading.Thread):
    """A client that sends until the server is gone.

    Attributes
    ----------
    receipts : list of (int, str)
        Versions and heads of answers.
    learned : dict
        The version of each example that was acknowledged, by its number ``id``.
    sent : set
        Numbers of all examples that were sent.
    """

    name = "client"

    def __init__(self, number, seed):
        super().__init__()
        self.number, self.rng = number, random.Random(f"{seed} {number}")
        self.receipts, self.learned, self.sent = [], {}, set()
        self.waiting = None  # a request without an answer, which is sent again
        self.fault = None

    def start_on(self, port):
        """Begin to send."""
        self.port = port
        super().__init__()
        self.start()

    def run(self):
        """Send until the connection breaks."""
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            while True:
                self.turn()
        except (OSError, http.client.HTTPException):
            pass
        except BaseException as fault:
            self.fault = fault
        finally:
            self.connection.close()

    def ask(self, method, path, value=None, headers=None, refused=()):
        """Return the JSON of an answer; None if its status is one of ``refused``."""
        body = value if isinstance(value, bytes | None) else json.dumps(value).encode()
        self.connection.request(method, path, body, headers or {})
        answer = self.connection.getresponse()
        data = answer.read()
        if answer.status in refused:
            return None
        assert answer.status in (200, 201), (method, path, answer.status, data)
        return data if path.endswith("/file") and method == "GET" else json.loads(data)

    def row(self):
        """Return features that no other example has."""
        number = self.number * 1e6 + len(self.sent)
        self.sent.add(number)
        rng = self.rng
        return {"id": number} | {f"f{rng.randrange(40)}": rng.uniform(-1, 1) for _ in range(5)}

    def note(self, features, answer):
        """Note that an example was acknowledged."""
        self.learned[features["id"]] = answer["version"]
        self.receipts.append((answer["version"], answer["head"]))


class Learner(Client):
    """One example after another, with a key each; what was not answered is sent again."""

    def turn(self):
        if self.waiting is None:
            self.waiting = self.row(), self.rng.choice("xyz")
        features, label = self.waiting
        key = {"Idempotency-Key": str(features["id"])}
        example = {"features": features, "label": label}
        answer = self.ask("POST", f"{MODEL}/learn", example, key)
        if features["id"] in self.learned:  # it is a repetition
            assert self.learned[features["id"]] == answer["version"]
        self.note(features, answer)
        self.waiting = None
        if self.rng.random() < 0.2:
            again = self.ask("POST", f"{MODEL}/learn", example, key)
            assert (again["version"], again["head"]) == self.receipts[-1]


class Lines(Client):
    """NDJSON, which has no keys: what was not answered is not sent again."""

    def turn(self):
        rows = [self.row() for _ in range(self.rng.randrange(1, LINES))]
        lines = [json.dumps({"features": row, "label": self.rng.choice("xyz")}) for row in rows]
        kind = {"Content-Type": "application/x-ndjson"}
        self.connection.request("POST", f"{MODEL}/learn", "\n".join(lines).encode(), kind)
        answer = self.connection.getresponse()
        for row, line in zip(rows, answer.read().splitlines(), strict=True):
            self.note(row, json.loads(line))


class Labeller(Client):
    """Labels of predictions, by their ids, and corrections of them."""

    corrections = 0

    def turn(self):
        if self.waiting is None:
            features = self.row()
            answer = self.ask("POST", f"{MODEL}/predict", {"features": features})
            self.waiting = features, answer["id"], self.rng.choice("xyz")
        features, number, label = self.waiting
        key = {"Idempotency-Key": f"of-{number}"}
        labelled = {"id": number, "label": label}
        answer = self.ask("POST", f"{MODEL}/learn", labelled, key, refused=(404,))
        self.waiting = None
        if answer is None:  # the prediction was not yet on the disk
            self.sent.discard(features["id"])
            return
        self.note(features, answer)


class Admin(Client):
    """Changes of other kinds; an answer that was lost may be of a change that was made."""

    def __init__(self, number, seed, others):
        super().__init__(number, seed)
        self.others = others
        self.tried, self.made = Counter(), Counter()
        self.erasing, self.erased = set(), set()

    def turn(self):
        change = self.rng.choice([self.erase, self.erase, self.roll_back, self.promote, self.put])
        answer = change()
        if answer is not None:
            self.receipts.append((answer["version"], answer["head"]))
        time.sleep(self.rng.uniform(0.0, 0.05))

    def erase(self):
        learned = [v for other in self.others for v in list(other.learned.values())]
        if not learned:
            return None
        version = self.rng.choice(learned)
        self.erasing.add(version)
        answer = self.ask("DELETE", f"{MODEL}/versions/{version}")
        self.erased.add(version)
        return answer

    def roll_back(self):
        last = self.ask("GET", MODEL)["version"]
        version = self.rng.randrange(max(0, last - 200), last + 1)
        return self.counted(("rollback", version), "POST", "/rollback", {"version": version})

    def promote(self):
        shadow = {"name": "s", "config": {"rule": self.rng.choice(["pa1", "arow"])}}
        self.ask("POST", f"{MODEL}/shadows", shadow, refused=(409,))
        return self.counted(("promotion", 0), "POST", "/shadows/s/promote", None)

    def put(self):
        data = self.ask("GET", f"{MODEL}/file", refused=(409,))
        return data and self.counted(("file", 0), "PUT", "/file", data)

    def counted(self, what, method, path, value):
        """Count a change that is tried, and that is made."""
        self.tried[what] += 1
        answer = self.ask(method, MODEL + path, value, refused=(404, 409))
        if answer is None:
            self.tried[what] -= 1
        else:
            self.made[what] += 1
        return answer


class Killed:
    """Rounds of a service that is killed, with a replica that is killed now and then."""

    def __init__(self, folder, seed):
        self.folder, self.rng = folder, random.Random(seed)
        learning = [Learner(1, seed), Learner(2, seed), Lines(3, seed), Labeller(4, seed)]
        self.learning = learning
        self.admin = Admin(5, seed, learning)
        self.replica = None

    def run(self, rounds, say=lambda text: None):
        """Run rounds; return the number of examples that were acknowledged."""
        try:
            for turn in range(rounds):
                with Served(self.folder, "--snapshot-every", "50") as server:
                    if turn == 0:
                        server.post("/v1/models", {"name": "m", "config": CONFIG}, status=201)
                    self.compare(server, is_exact=turn % 10 == 9)
                    self.load(server)
                self.check()
                if turn % 10 == 9:
                    say(f"{turn + 1} rounds: {self.acknowledged():,} examples acknowledged")
            with Served(self.folder) as server:
                self.compare(server, is_exact=True)
        finally:
            if self.replica is not None:
                self.replica.stop()
        return self.acknowledged()

    def acknowledged(self):
        """Return the number of examples that were acknowledged."""
        return sum(len(client.learned) for client in self.learning)

    def load(self, server):
        """Let all clients send, and kill the service."""
        clients = [*self.learning, self.admin]
        for client in clients:
            client.start_on(server.port)
        time.sleep(self.rng.uniform(0.0, 0.6))
        server.kill()
        for client in clients:
            client.join()
            if client.fault is not None:
                raise client.fault

    def compare(self, server, *, is_exact):
        """Compare a service that has started with its replica, and exactly with the definition."""
        if self.replica is None or self.rng.random() < 0.2:
            if self.replica is not None:
                self.replica.kill()
            self.replica = Served(self.folder, "--replica")
        about = server.get(MODEL)
        end = time.monotonic() + SECONDS
        while self.replica.get(MODEL)["head"] != about["head"]:
            assert time.monotonic() < end, "the replica does not follow"
            time.sleep(0.02)
        if is_exact:
            expected = bits(defined(records_of(self.folder)))
            assert bits_of(server, self.folder) == expected, "other bits than the log's"
            assert bits_of(self.replica, self.folder) == expected, "the replica has other bits"

    def check(self):
        """The log has all that was acknowledged, once, under the heads of the answers."""
        copy = self.folder.parent / "copy"  # which the replica has not open
        shutil.copytree(self.folder, copy, dirs_exist_ok=True)
        faults = check_store(copy).faults
        assert faults == [], faults
        shutil.rmtree(copy)
        records = records_of(self.folder)
        numbers = {}
        for version, record in records.items():
            if record.kind == Kind.EXAMPLE:
                number = decode_row(record.body)[0]["id"]
                assert number not in numbers, "an example is in the log twice"
                numbers[number] = version
        admin = self.admin
        for client in self.learning:
            for number, version in client.learned.items():
                if version in admin.erased:
                    assert records[version].kind == Kind.ERASED, "an erasure is lost"
                elif version not in admin.erasing or number in numbers:
                    assert numbers.get(number) == version, "an example is lost"
            assert {n for n in numbers if n // 1e6 == client.number} <= client.sent
        changes = Counter(
            (
                Kind(record.kind).name.lower(),
                decode_version(record.body) if record.kind == Kind.ROLLBACK else 0,
            )
            for record in records.values()
            if record.kind in (Kind.ROLLBACK, Kind.PROMOTION, Kind.FILE)
        )
        assert admin.made <= changes <= admin.tried, "a change is lost, or was made twice"
        self.check_heads()

    def check_heads(self):
        """The heads of all answers are those of the log."""
        database = Database(self.folder, readonly=True)
        log = Log(database.writer, 1, "m")
        for client in (*self.learning, self.admin):
            for version, head in client.receipts:
                assert log.head(version) == head
        database.close()


def records_of(folder):
    """The records of the log by their versions."""
    database = Database(folder, readonly=True)
    records = {record.version: record for record in Log(database.writer, 1, "m").read()}
    database.close()
    return records


def defined(records, version=None, config=CONFIG, *, is_shadow=False):
    """The model of a log, by the definition of each record."""
    version = len(records) if version is None else version
    rows, model = [], None
    while version and model is None:
        record = records[version]
        if record.kind == Kind.EXAMPLE:
            rows.append(decode_row(record.body))
        elif record.kind == Kind.ROLLBACK:
            version = decode_version(record.body) + 1
        elif record.kind == Kind.FILE:
            model = fresh(config) if is_shadow else LiveModel.from_file(record.body).model
        elif record.kind == Kind.PROMOTION:
            shadow = decode_config(record.body)
            model = (
                fresh(config)
                if is_shadow
                else defined(records, version - 1, shadow, is_shadow=True)
            )
        version -= 1
    model = model or fresh(config)
    for row in reversed(rows):
        model.learn_one(*row)
    return model


def fresh(config):
    """A model that has learned nothing."""
    return OnlinePerceptron(**{"max_features": 2**20} | config)


def bits(model):
    """The bits of a model; None if it has learned nothing."""
    return files.to_bytes(model) if model.classes_ else None


def bits_of(server, folder):
    """The bits of the model that a process serves."""
    status, _, data = server.raw("GET", f"{MODEL}/file")
    if status == 409:  # it has learned nothing
        return None
    path = folder.parent / "served.rosenblatt"
    path.write_bytes(data)
    return bits(files.load(path))


def kill_rounds(folder, rounds, seed=0, say=lambda text: None):
    """Kill and restart a service; return the number of examples that were acknowledged."""
    return Killed(folder, seed).run(rounds, say)


if __name__ == "__main__":
    rounds, seed = [*map(int, sys.argv[1:]), *(50, 0)[len(sys.argv) - 1 :]]
    with tempfile.TemporaryDirectory() as folder:
        count = kill_rounds(Path(folder) / "store", rounds, seed, print)
        print(f"{rounds} rounds: {count:,} examples acknowledged, none lost")
