"""What SECURITY.md promises: each promise has a test; those of the whole service are here."""

import json
import pickle
import re
import socket
import ssl
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from serving import Served

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text("utf-8")
TESTS = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)
SECRET = "kryptonite4711"
TOKEN = "correct-horse-battery"


def test_every_promise_in_a_table_has_a_test():
    promises = PAGE.partition("## The service")[2]  # before it stands which versions are supported
    rows = re.findall(r"^\| (?!-)(.*) \|$", promises, re.M)
    assert all("`tests/" in row for row in rows if not row.endswith("| test") and "---" not in row)
    assert len(TESTS) > 20


def test_every_promise_of_an_erasure_has_a_test():
    promises = PAGE.split("answers when it is done:")[1].strip().split("\n\n")[0].split("\n")
    assert len(promises) == 4
    assert all("`tests/" in promise for promise in promises)


@pytest.mark.parametrize(("file", "test"), TESTS, ids=[test for _, test in TESTS])
def test_the_test_of_a_promise_is_there(file, test):
    assert re.search(rf"^(async )?def {test}\(", (ROOT / file).read_text("utf-8"), re.M)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "learn.example.org"])
def test_another_address_needs_a_token(tmp_path, host):
    with pytest.raises(RuntimeError, match="can be reached by other machines"):
        Served(tmp_path / "store", "--host", host, env={"ROSENBLATT_TOKEN": ""})
    assert not (tmp_path / "store").exists()


def test_https_is_spoken_with_a_certificate(tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )  # fmt: skip
    options = ("--certificate", str(certificate), "--certificate-key", str(key))
    with Served(tmp_path / "store", *options) as server:
        address = f"https://127.0.0.1:{server.port}/v1/models"
        trusted = ssl.create_default_context(cafile=certificate)
        with urllib.request.urlopen(address, context=trusted, timeout=10) as answer:
            assert json.load(answer) == {"models": []}
        with pytest.raises(OSError, match="CERTIFICATE_VERIFY_FAILED"):
            urllib.request.urlopen(address, timeout=10)
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as plain:
            plain.sendall(b"GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n")
            assert b"models" not in received(plain)


def received(connection):
    try:
        return connection.recv(1000)
    except ConnectionResetError:
        return b""


def test_a_body_over_the_limit_is_not_read(tmp_path):
    with Served(tmp_path) as server:
        head = b"POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n"
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
            connection.sendall(head)
            sent, answer = 0, b""
            connection.setblocking(False)
            while not answer and sent < 2**28:
                try:
                    sent += connection.send(b" " * 2**16)
                except BlockingIOError:
                    pass
                except (ConnectionResetError, BrokenPipeError):
                    break
                try:
                    answer = connection.recv(100)
                except (BlockingIOError, ConnectionResetError):
                    continue
        assert answer.startswith(b"HTTP/1.1 413")
        assert sent < 2**25


def test_a_pickle_is_no_model_of_the_service(tmp_path):
    with Served(tmp_path / "store") as server:
        made = tmp_path / "made"
        for content in (pickle.dumps(Maker(str(made))), b"PK\x03\x04" + b"\0" * 100):
            status, _, body = server.raw("PUT", "/v1/models/m/file", content)
            assert status == 422
            assert b"cannot be served" in body
        assert not made.exists()
        assert pickle.loads(pickle.dumps(Maker(str(made)))) is None
        assert made.exists()  # this is what the pickle would have done


class Maker:
    """An object whose pickle makes a folder when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return __import__("os").mkdir, (self.path,)


def learn_a_secret(server, **headers):
    """Learn, predict and correct rows with a secret; return the versions that have it."""
    server.post("/v1/models", {"name": "m"}, status=201, **headers)
    rows = [({"a": 1}, "x"), ({SECRET: 1}, "y"), (f"a text with {SECRET}", "z"), ({"b": 1}, "x")]
    for features, label in rows:
        server.post("/v1/models/m/learn", {"features": features, "label": label}, **headers)
    ids = [server.post("/v1/models/m/predict", {"features": x}, **headers)["id"] for x, _ in rows]
    late = {"id": ids[1], "label": SECRET}
    key = {"Idempotency_Key": "1", **headers}
    return [2, 3, server.post("/v1/models/m/learn", late, **key)["version"]]


def test_logs_hold_no_features_and_no_token(tmp_path):
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    with Served(tmp_path, env={"ROSENBLATT_TOKEN": TOKEN}) as server:
        learn_a_secret(server, **bearer)
        for value in ({"features": {SECRET: "x" * 2000}}, {"features": {SECRET: 1e200}}):
            server.post("/v1/models/m/predict", value, status=422, **bearer)
        server.raw("POST", "/v1/models/m/learn", SECRET.encode(), bearer)
        log = server.stop()
    assert "restored" in log
    assert SECRET not in log
    assert TOKEN not in log


def test_an_erased_example_is_in_no_file_of_the_store(tmp_path):
    store = tmp_path / "store"
    with Served(store, "--snapshot-every", "1") as server:
        versions = learn_a_secret(server)
        server.post("/v1/models/m/shadows", {"name": "s"}, status=201)
        server.get("/v1/models/m/versions")
        assert files_with_the_secret(store)
        for version in versions:
            server.ask("DELETE", f"/v1/models/m/versions/{version}")
        assert server.get("/v1/models/m")["labels"] == [["x", 2]]
        assert files_with_the_secret(store) == []
    assert files_with_the_secret(store) == []


def files_with_the_secret(folder):
    return [path.name for path in folder.iterdir() if SECRET.encode() in path.read_bytes()]


def test_a_key_with_a_passphrase_is_refused_at_once(tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-passout", "pass:secret", "-days", "2", "-subj", "/CN=localhost",
         "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "rosenblatt", "serve", "--store", str(tmp_path / "store"),
         "--port", "0", "--certificate", str(certificate), "--certificate-key", str(key)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert "the key has a passphrase" in done.stderr
    assert not (tmp_path / "store").exists()


SPEAKS = """
import asyncio, logging, threading, warnings
import rosenblatt.serve.service as service
start = service.Service.start

async def speak(self):
    await start(self)
    warnings.warn("SAID warning")
    thread = threading.Thread(target=lambda: [][1], name="SAID thread")
    thread.start()
    thread.join()
    class Bad:
        def __del__(self):
            raise ValueError("SAID unraisable")
    Bad()
    asyncio.get_running_loop().call_soon(lambda: {}["SAID asyncio"])
    logging.getLogger("uvicorn.error").error("SAID uvicorn\\nin two lines")
    logging.getLogger("rosenblatt").warning("SAID rosenblatt")
    logging.getLogger("rosenblatt.serve").info("SAID service")

service.Service.start = speak
"""


def test_every_line_of_the_log_is_json(tmp_path):
    with Served(tmp_path / "store", code=SPEAKS) as server:
        assert server.raw("GET", "/v1/models/m/nothing")[0] == 404
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(b"no HTTP\r\n\r\n")
            received(connection)
        upgrade = {"Connection": "Upgrade", "Upgrade": "websocket"}
        assert server.raw("GET", "/v1/health/live", headers=upgrade)[0] == 200
        with pytest.raises(RuntimeError) as second:
            Served(tmp_path / "store")
        with pytest.raises(RuntimeError) as port:
            Served(tmp_path / "other", "--port", str(server.port))
        log = server.stop()
    said = " ".join(log.split("SAID ")[1:])
    assert [json.loads(line)["level"] for line in log.splitlines()]
    for what in ["warning", "thread", "unraisable", "asyncio", "uvicorn", "rosenblatt", "service"]:
        assert what in said, what
    (tmp_path / "third").write_text("no folder")
    with pytest.raises(RuntimeError) as no_store:
        Served(tmp_path / "third")
    broken = SPEAKS.replace("await start(self)", "raise OSError(5, 'broken')")
    with pytest.raises(RuntimeError) as fault:
        Served(tmp_path / "fourth", code=broken)
    for failure, why in [
        (second, "another server"),
        (port, "in use"),
        (no_store, "third"),
        (fault, "broken"),
    ]:
        lines = [json.loads(line) for line in str(failure.value).splitlines()]
        assert why in str(lines), lines
