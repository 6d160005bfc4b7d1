"""The client against a real service: every method, retries, faults, threads, TLS."""

import http.client
import json
import re
import resource
import subprocess
import sys
import threading
import time
import typing
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy as np
import pytest
from serving import Served

import rosenblatt
from rosenblatt.serve import Client, ServiceError
from rosenblatt.serve.clients import methods, transports

TOKEN = "correct-horse-battery"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    env = {"ROSENBLATT_TOKEN": TOKEN}
    with Served(tmp_path_factory.mktemp("store"), env=env) as server:
        yield server


@pytest.fixture
def client(server):
    with Client(f"http://127.0.0.1:{server.port}", TOKEN) as client:
        yield client


def test_a_model_from_its_creation_to_its_deletion(client):
    about = client.create("life", {"rule": "arow"})
    assert (about["name"], about["config"], about["version"]) == ("life", {"rule": "arow"}, 0)
    learned = client.learn("life", {"a": 1}, "x")
    assert learned == {"version": 1, "was_right": False, "head": client.model("life")["head"]}
    assert client.learn("life", {"b": 1}, "y", weight=2.0)["version"] == 2
    assert client.model("life")["examples"] == 2
    assert "life" in [model["name"] for model in client.models()]
    assert client.delete("life")["deleted"] is not None
    assert "life" not in [model["name"] for model in client.models()]
    assert "life" in [model["name"] for model in client.deleted()]
    assert client.restore("life")["version"] == 2
    client.delete("life")
    assert client.purge("life")["version"] == 2
    assert client.create("life")["version"] == 0


def test_predictions_of_one_row_and_of_lists(client):
    client.create("rows", {"rule": "perceptron"})
    client.learn_list("rows", [({"a": 1}, "x"), ({"b": 1}, "y"), ({"a": 2}, "x", 0.5)])
    one = client.predict("rows", {"b": 1}, explain=True)
    assert (one["label"], one["version"]) == ("y", 3)
    assert [c["feature"] for c in one["contributions"]] == ["b"]
    both = client.predict("rows", [{"a": 1}, {"b": 1}])
    assert [p["label"] for p in both] == ["x", "y"]
    assert "contributions" not in both[0]
    assert client.predict("rows", []) == []
    assert client.predict("rows", {"b": 1}, version=1)["label"] == "x"
    assert client.correct("rows", one["id"], "x")["version"] == 4
    client.create("dense")
    client.learn_list("dense", [([1.0, -1.0], 0), ([-1.0, 1.0], 1)] * 3)
    assert client.predict("dense", [0, 3])["label"] == 1
    assert [p["label"] for p in client.predict("dense", [[0, 3], [3, 0]])] == [1, 0]


def test_many_examples_go_as_lines(client, monkeypatch):
    monkeypatch.setattr(methods, "LINES", 7)
    client.create("lines")
    rows = [({"a": j, "b": 1.0}, "xy"[j % 2]) for j in range(20)]
    rows[9] = ({"a": 1e200}, "x")
    with pytest.raises(ServiceError, match=r"1 of 20 examples .* number 10: .*1e\+200") as refused:
        client.learn_many("lines", iter(rows))
    assert refused.value.status == 422
    answers = refused.value.answers
    assert [answer.get("version") for answer in answers[:9]] == list(range(1, 10))
    assert answers[9]["line"] == 10
    assert "1e+200" in answers[9]["error"]
    assert answers[-1]["version"] == client.model("lines")["version"] == 19
    assert client.learn_many("lines", rows[:3])[-1]["version"] == 22
    assert client.learn_many("lines", []) == []


def test_numbers_and_arrays_of_numpy_are_taken(client):
    client.create("numpy")
    client.learn("numpy", {"a": np.float32(1.5), "b": np.int64(2), "c": np.bool_(True)}, "x")
    client.learn_list("numpy", [({"a": np.float64(-1.0)}, np.str_("y"), np.float32(2.0))])
    kept = client.examples("numpy", "y")[0]
    assert (kept["features"], kept["label"], kept["weight"]) == ({"a": -1.0}, "y", 2.0)
    client.create("arrays")
    rows = np.array([[1.0, 0.0], [0.0, 1.0]])
    client.learn_many("arrays", zip(rows, np.array([3, 4]), strict=True))
    assert client.predict("arrays", rows[1])["label"] == 4
    assert len(client.predict("arrays", rows)) == 2
    with pytest.raises(TypeError, match="is no JSON value"):
        client.learn("numpy", {"a": object()}, "x")


@pytest.mark.parametrize(
    ("header", "waits"),
    [("5", [5.0, 5.0]), ("", [0.1, 0.2]), ("99999", [60.0] * 2), ("²", [0.1, 0.2])],
)
def test_a_retry_waits_as_long_as_the_service_says(monkeypatch, header, waits):
    class Refusing(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(503)
            if header:
                self.send_header("Retry-After", header)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args):
            pass

    waited = []
    monkeypatch.setattr(transports.time, "sleep", waited.append)
    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        with Client(url, retries=2) as client, pytest.raises(ServiceError, match="503"):
            client.learn("m", {"a": 1}, "x")
        server.shutdown()
    assert waited == waits


def test_the_retries_that_the_page_names_last_a_minute(monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "service.md").read_text("utf-8")
    retries = int(
        re.search(r"`Client\(url, retries=(\d+)\)` waits for a restart of a minute", page)[1]
    )
    waited = []
    monkeypatch.setattr(transports.time, "sleep", waited.append)
    with Client("http://127.0.0.1:1", retries=retries) as client, pytest.raises(ServiceError):
        client.learn("m", {"a": 1}, "x")
    assert sum(waited) >= 60 > sum(waited[:-1])


def limit_files(server, size):
    """Let a service write no longer files: its disk is full."""
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def test_a_full_disk_is_waited_for_as_long_as_the_service_says(tmp_path):
    """It says five seconds; a client that waits 1.5 s in all would have given up."""
    rows = [({"a": j, "text": "x" * 900}, "xy"[j % 2]) for j in range(400)]
    with Served(tmp_path) as server, Client(f"http://127.0.0.1:{server.port}") as client:
        client.create("m")
        limit_files(server, max(path.stat().st_size for path in tmp_path.iterdir()) + 10_000)
        hasty = Client(f"http://127.0.0.1:{server.port}", retries=0)
        with hasty, pytest.raises(ServiceError) as refused:
            hasty.learn_list("m", rows)
        assert refused.value.status in (503, 507)
        assert refused.value.retry_after == 5.0
        room = threading.Timer(2.5, limit_files, [server, resource.RLIM_INFINITY])
        room.start()
        start = time.monotonic()
        learned = client.learn_list("m", rows)
        assert time.monotonic() - start >= 5
        assert [answer["version"] for answer in learned] == list(range(1, 401))
        assert client.model("m")["version"] == 400


def test_lines_that_the_disk_refuses_are_sent_again_and_learned_once(tmp_path):
    rows = [({"a": j, "text": "x" * 900}, "xy"[j % 2]) for j in range(1500)]
    with Served(tmp_path) as server, Client(f"http://127.0.0.1:{server.port}") as client:
        client.create("m")
        limit_files(server, 900_000)  # 500 lines fit
        hasty = Client(f"http://127.0.0.1:{server.port}", retries=0)
        with hasty, pytest.raises(ServiceError) as refused:
            hasty.learn_many("m", rows)
        assert refused.value.status in (503, 507)
        assert refused.value.retry_after == 5.0
        learned = [answer for answer in refused.value.answers if "version" in answer]
        assert 0 < len(learned) == client.model("m")["version"] < len(refused.value.answers) == 1500
        room = threading.Timer(2.5, limit_files, [server, resource.RLIM_INFINITY])
        room.start()
        answers = client.learn_many("m", rows)
        versions = [answer["version"] - len(learned) for answer in answers]
        assert sorted(versions) == list(range(1, 1501))
        room.join()


def test_a_log_at_its_budget_ends_the_sending_of_many_examples(tmp_path, monkeypatch):
    monkeypatch.setattr(methods, "LINES", 1000)
    monkeypatch.setattr(methods, "FIRST_WAIT", 0.01)
    rows = [(f"w{j} " + "x" * 600, "xy"[j % 2]) for j in range(5000)]
    served = Served(tmp_path, "--log-bytes", "1MB")
    with served as server, Client(f"http://127.0.0.1:{server.port}") as client:
        client.create("m")
        with pytest.raises(ServiceError, match="budget of 1,000,000 bytes") as full:
            client.learn_many("m", rows)
        assert full.value.status == 507
        assert len(full.value.answers) == 2000
        learned = [a["version"] for a in full.value.answers if "version" in a]
        assert learned == list(range(1, client.model("m")["version"] + 1))
        first = full.value.answers[len(learned)]
        assert (first["line"], first["status"]) == (len(learned) + 1, 507)


def test_versions_shadows_and_files(client, tmp_path):
    client.create("past")
    client.learn_list("past", [({"a": 1}, "x"), ({"b": 1}, "y"), ({"secret": 1}, "z")])
    assert client.rollback("past", 2)["version"] == 4
    assert client.erase("past", 3)["version"] == 5
    changes = client.versions("past")["changes"]
    assert [change["what"] for change in changes] == ["erased", "rollback", "erasure"]
    comparison = client.add_shadow("past", "other", {"rule": "pa"})
    assert [m["name"] for m in comparison["models"]] == ["past", "other"]
    assert client.shadows("past") == comparison
    assert len(client.drop_shadow("past", "other")["models"]) == 1
    client.add_shadow("past", "better", {"rule": "arow"})
    assert client.promote_shadow("past", "better")["config"] == {"rule": "arow"}
    assert client.rollback("past", 5)["config"] == {"rule": "auto"}
    assert [example["version"] for example in client.examples("past", "a")] == [1]
    assert client.examples("past", "x", before=1) == []
    assert set(client.heaviest("past", top=1)) == {"y"}
    assert client.heaviest("past", top=0) == {"y": []}
    path = tmp_path / "model.rosenblatt"
    path.write_bytes(client.file("past"))
    assert rosenblatt.load(path).classes_ == ["x", "y"]
    assert client.put_file("copy", path.read_bytes())["version"] == 1
    assert client.predict("copy", {"b": 1})["label"] == "y"


def test_faults_have_a_status_and_a_message(client, server):
    with pytest.raises(ServiceError, match=r"^404: no model 'none'") as fault:
        client.model("none")
    assert fault.value.status == 404
    with pytest.raises(ServiceError, match=r"^422: "):
        client.create("a name with spaces")
    url = f"http://127.0.0.1:{server.port}"
    with Client(url, "wrong") as other, pytest.raises(ServiceError, match=r"^401: .*Bearer TOKEN"):
        other.models()
    with pytest.raises(ValueError, match="JSON compliant"):
        client.learn("any", {"a": float("nan")}, "x")
    with pytest.raises(ServiceError, match="Connection refused") as fault:
        Client("http://127.0.0.1:1", retries=0).models()
    assert fault.value.status is None
    for url in ("ftp://a", "localhost:8000", "http://"):
        with pytest.raises(ValueError, match="url must be"):
            Client(url)


def test_the_token_may_come_from_the_environment(server, monkeypatch):
    monkeypatch.setenv("ROSENBLATT_TOKEN", TOKEN)
    with Client(f"http://127.0.0.1:{server.port}") as client:
        client.models()
    with Client(f"http://127.0.0.1:{server.port}", f"{TOKEN}\n") as client:  # as read from a file
        client.models()


def test_a_silent_connection_is_opened_anew(client, monkeypatch):
    client.models()
    used = client._transport._connection.sock
    client.models()
    assert client._transport._connection.sock is used
    monkeypatch.setattr(transports, "IDLE_SECONDS", 0.0)
    client.models()
    assert client._transport._connection.sock is not used


def test_threads_share_a_client(client):
    client.create("shared")

    def learn(thread):
        for j in range(20):
            client.learn("shared", {f"f{thread}": j}, "xy"[j % 2])

    threads = [threading.Thread(target=learn, args=[n]) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert client.model("shared")["examples"] == 80


class Flaky(BaseHTTPRequestHandler):
    """A proxy that loses answers: of each learning request the first one, and then says 503."""

    protocol_version = "HTTP/1.1"
    target = 0
    keys: typing.ClassVar = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.keys.append(self.headers.get("Idempotency-Key", ""))
        connection = http.client.HTTPConnection("127.0.0.1", self.target)
        connection.request("POST", self.path, body, dict(self.headers))
        answer = connection.getresponse()
        status, data = answer.status, answer.read()
        connection.close()
        if self.keys.count(self.keys[-1]) == 1:
            self.close_connection = True
            return
        if self.keys.count(self.keys[-1]) == 2:
            status, data = 503, b"<html>try later</html>"
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


def test_what_was_learned_but_not_answered_is_learned_once(client, server, monkeypatch):
    client.create("flaky")
    monkeypatch.setattr(Flaky, "target", server.port)
    monkeypatch.setattr(Flaky, "keys", [])
    with HTTPServer(("127.0.0.1", 0), Flaky) as proxy:
        thread = threading.Thread(target=proxy.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{proxy.server_port}"
        with Client(url, TOKEN) as lossy:
            assert lossy.learn("flaky", {"a": 1}, "x")["version"] == 1
            assert lossy.learn("flaky", {"b": 1}, "y")["version"] == 2
            many = lossy.learn_many("flaky", [({"c": j}, "z") for j in range(700)])
            assert [answer["version"] for answer in many] == list(range(3, 703))
        with Client(url, TOKEN, retries=1) as lossy, pytest.raises(ServiceError) as fault:
            lossy.learn("flaky", {"b": 1}, "y")
        with Client(url, TOKEN) as lossy, pytest.raises(ServiceError) as lost:
            lossy.rollback("flaky", 1)
        proxy.shutdown()
        thread.join()
    assert (fault.value.status, fault.value.message) == (503, "<html>try later</html>")
    assert lost.value.status is None
    assert len(set(Flaky.keys)) == 5  # a key each, and none for the rollback
    assert Flaky.keys.count("") == 1
    assert client.model("flaky")["version"] == 704  # the examples, and the rollback


def test_a_service_that_stops_within_the_lines_is_asked_again(tmp_path):
    """It says how far it came; the next one goes on from there."""
    examples = [({"n": j, "text": "x" * 900}, "xy"[j % 2]) for j in range(4000)]
    code = "import rosenblatt.serve.server as s; s.STOP_SECONDS = 0"
    with Served(tmp_path / "store", code=code) as server:
        port = server.port
        with Client(f"http://127.0.0.1:{port}", retries=12) as client:
            client.create("m")
            learned = []
            sender = threading.Thread(
                target=lambda: learned.extend(client.learn_many("m", examples))
            )
            sender.start()
            while server.get("/v1/models/m")["version"] == 0:
                pass
            server.stop()
            with Served(tmp_path / "store", "--port", str(port)):
                sender.join()
            assert [answer["version"] for answer in learned] == list(range(1, 4001))


def test_tls_is_checked(tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        [
            *["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"],
            *["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"],
            *["-keyout", key, "-out", certificate],
        ],
        check=True,
        capture_output=True,
    )
    options = "--certificate", str(certificate), "--certificate-key", str(key)
    with Served(tmp_path / "store", *options) as server:
        url = f"https://127.0.0.1:{server.port}"
        with Client(url, cafile=str(certificate)) as client:
            assert client.models() == []
        with pytest.raises(ServiceError, match="CERTIFICATE_VERIFY_FAILED"):
            Client(url).models()


def test_the_client_needs_the_standard_library_alone():
    code = (
        "import sys, json; import rosenblatt; rosenblatt.serve.Client();"
        "heavy = 'numpy numba msgspec starlette uvicorn apsw sklearn'.split();"
        "print(json.dumps([m for m in heavy if m in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


def test_numpy_rows_become_lists(client):
    client.create("array")
    for row, label in zip(np.eye(2), "xy", strict=True):
        client.learn("array", row.tolist(), label)
    assert client.predict("array", np.eye(2).tolist()[1])["label"] == "y"
