"""A real process of the service under attack: it refuses, goes on, and loses nothing."""

import http.client
import json
import random
import re
import socket
import threading
import time
from urllib.parse import quote

import load_service
import pytest
from load_service import resident
from profiles import by_night
from serving import Served

from rosenblatt.serve.schema import MAX_BODY

TOKEN = "correct-horse-battery"
LEARN, PREDICT = "/v1/models/m/learn", "/v1/models/m/predict"
NDJSON = {"Content-Type": "application/x-ndjson"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Served(tmp_path_factory.mktemp("store")) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        learn(server, "a", "b")
        yield server
        log = server.stop()
    assert '"level": "error"' not in log, log


def learn(server, *names, path=LEARN):
    return [server.post(path, {"features": {name: 1}, "label": name[0]}) for name in names]


def refused(server, path, body, status, headers=None, method="POST"):
    """The message of a request that is refused; the service goes on."""
    got, _, data = server.raw(method, path, body, headers)
    assert got == status, (got, data[:200])
    assert server.get("/v1/health/ready") == {"ready": True}
    return json.loads(data)["error"]


def exchange(server, data):
    """Send bytes; return all that comes back."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


# --- bodies ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b'{"features": {"a": 1}, "label": "x"} 1', 400),
        (b'{"features": {"a": NaN}, "label": "x"}', 400),
        (b'{"features": {"a": Infinity}, "label": "x"}', 400),
        (b'{"features": {"a": -Infinity}, "label": "x"}', 400),
        (b'{"features": {"\\ud800": 1}, "label": "x"}', 400),
        (b'{"features": {"a": 1e999}, "label": "x"}', 422),
        (b'{"features": {"a": 1e101}, "label": "x"}', 422),
        (b'{"features": {"a": ' + b"9" * 5000 + b'}, "label": "x"}', 422),
        (b'{"features": {"a": 1}, "label": ' + b"9" * 30 + b"}", 422),
        (b'{"features": ' + b"[" * 100_000 + b"]" * 100_000 + b', "label": "x"}', 422),
        (b'{"features": {"a": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_002, 422),
        (b"[" * 100_000, 422),
        (b'{"features": {"a": 1}, "label": "x", "weight": -1}', 422),
        (b'{"features": {"a": 1}, "label": "x", "weight": 1e300}', 422),
        (b'{"features": {"a": 1}, "label": "' + b"x" * 1001 + b'"}', 422),
        (b'{"features": {"' + b"a" * 1001 + b'": 1}, "label": "x"}', 422),
        (b'{"features": "' + b"a " * 50_001 + b'", "label": "x"}', 422),
        (b'{"features": {"a": 1}, "label": "x", "id": "p1"}', 422),
    ],
    ids=lambda value: value[:40] if isinstance(value, bytes) else value,
)
def test_bodies_that_are_no_example_are_refused(server, body, status):
    before = server.get("/v1/models/m")["version"]
    assert refused(server, LEARN, body, status)
    assert server.get("/v1/models/m")["version"] == before


def test_deep_nesting_in_a_configuration_is_refused(server):
    config = b'{"name": "deep", "config": {"rule": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
    assert refused(server, "/v1/models", config, 400)


VALUES = [None, True, 7, -1.5, "text", [], [None], [[1]], {}, {"a": []}, {"a": {}}]


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        (LEARN, {"features": {"a": 1}, "label": "x", "id": None, "weight": 1}),
        (PREDICT, {"features": {"a": 1}, "explain": False}),
        ("/v1/models", {"name": "typed", "config": {}}),
        ("/v1/models/m/rollback", {"version": 1}),
        ("/v1/models/m/shadows", {"name": "typed", "config": {}}),
        ("/v2/models/m/infer", {"inputs": [], "outputs": [], "id": "1"}),
    ],
)
def test_wrong_types_are_refused_everywhere(server, path, fields):
    bodies = [*VALUES, *([value] for value in VALUES)]
    bodies += [{**fields, name: value} for name in fields for value in VALUES]
    bodies += [{**fields, "unknown": 1}]
    for body in bodies:
        status, _, data = server.raw("POST", path, json.dumps(body).encode())
        assert status in (200, 201, 404, 409, 422), (body, data)


# --- sizes -----------------------------------------------------------------------------------


def test_a_body_over_the_limit_is_refused_whether_its_length_is_declared_or_not(server):
    assert "8,388,608 bytes" in refused(server, LEARN, b" " * (MAX_BODY + 1), 413)
    chunks = (b" " * 2**20 for _ in range(12))
    assert "8,388,608 bytes" in refused(server, LEARN, chunks, 413)


def test_a_line_over_the_limit_is_refused_and_the_others_are_learned(server):
    before = server.get("/v1/models/m")["version"]
    line = b'{"features": {"a": 1}, "label": "a"}\n'
    body = line * 3 + b'{"features": "' + b"a" * (MAX_BODY + 1) + b'", "label": "a"}\n' + line
    status, _, data = server.raw("POST", LEARN, body, NDJSON)
    answers = [json.loads(answer) for answer in data.splitlines()]
    assert (status, len(answers), answers[3]["line"]) == (200, 5, 4)
    assert answers[3]["error"] == "a line may have 8,388,608 bytes."
    assert server.get("/v1/models/m")["version"] - before == 4


def test_a_line_in_tiny_parts_costs_no_more_than_its_length(server):
    parts = 40_000
    body = b'{"features": "' + b"word " * parts + b'", "label": "a"}'
    chunks = (body[j : j + 8] for j in range(0, len(body), 8))
    start = time.monotonic()
    status, _, data = server.raw("POST", LEARN, chunks, NDJSON)
    assert (status, b"100,000 characters" in data) == (200, True)
    assert time.monotonic() - start < 20


def test_a_million_names_meet_the_limits_of_a_row_and_of_a_model(server):
    row = {"features": {f"n{j}": 1 for j in range(400_000)}, "label": "x"}
    body = json.dumps(row, separators=(",", ":")).encode()
    assert "10,000 features; got 400,000" in refused(server, LEARN, body, 422)
    config = {"max_features": 50_000, "rule": "pa"}
    server.post("/v1/models", {"name": "wide", "config": config}, status=201)
    names = 0
    before = resident(server.process)
    for _ in range(10):
        lines = []
        for _ in range(20):
            features = ",".join([f'"name{j}":1.0' for j in range(names, names + 5_000)])
            lines.append(f'{{"features": {{{features}}}, "label": "{"xy"[len(lines) % 2]}"}}')
            names += 5_000
        body = "\n".join(lines).encode()
        assert server.raw("POST", "/v1/models/wide/learn", body, NDJSON)[0] == 200
    assert names == 1_000_000
    assert server.get("/v1/models/wide")["features"] == 50_000
    assert resident(server.process) - before < 250


def test_labels_are_limited(server):
    server.post("/v1/models", {"name": "many"}, status=201)
    rows = [{"features": {"a": 1}, "label": f"l{j}"} for j in range(1_000)]
    server.post("/v1/models/many/learn", rows, status=422)  # whole or not at all
    lines = "\n".join(map(json.dumps, rows)).encode()
    answers = server.raw("POST", "/v1/models/many/learn", lines, NDJSON)[2].splitlines()
    assert [b"500 labels" in answer for answer in answers] == [False] * 500 + [True] * 500
    assert json.loads(answers[500])["line"] == 501
    error = server.post("/v1/models/many/learn", rows[0] | {"label": "more"}, status=422)["error"]
    assert "500 labels" in error
    server.post("/v1/models/many/learn", rows[0])


# --- paths, methods, heads -------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *["..", "%2e%2e", "%2e%2e%2fstore.db", "%00", "m%00", "m%0a", "m%0d%0aX-Bad:1", "%ff"],
        *["é%c3", "x" * 65, "x" * 60_000, "m ", " m", "-m", ".m", "m/..", "M", "m%2f..%2fm"],
    ],
)
def test_tricks_in_names_find_no_model_and_make_none(server, name, tmp_path):
    path = f"/v1/models/{quote(name, safe='%')}"
    for method, rest, body in [
        ("GET", "", None),
        ("GET", "/file", None),
        ("PUT", "/file", b"no model"),
        ("POST", "/predict", b'{"features": {"a": 1}}'),
        ("DELETE", "", None),
    ]:
        try:
            status, headers, _ = server.raw(method, path + rest, body)
        except (http.client.HTTPException, OSError):  # a head over the limit
            assert len(name) > 1000
            continue
        assert status in (400, 404, 405, 422, 431)
        assert "X-Bad" not in headers
    body = json.dumps({"name": name}).encode()
    if not re.fullmatch("[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name):
        assert refused(server, "/v1/models", body, 422)
    if "%" in name:
        decoded = name.replace("%0a", "\n").replace("%00", "\0")
        assert refused(server, "/v1/models", json.dumps({"name": decoded}).encode(), 422)


def test_methods_that_are_not_for_a_path_are_refused(server):
    for method in ("GET", "HEAD", "PATCH", "TRACE", "CONNECT", "OPTIONS", "BREW"):
        status, headers, _ = server.raw(method, LEARN)
        assert status in (400, 405)
        assert status == 400 or headers["Allow"] == "POST"


@pytest.mark.parametrize(
    "head",
    [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 1e3\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "X: a\rSmuggled: b\r\n",
        "X : a\r\n",
        "X: \x00\r\n",
    ],
)
def test_heads_that_two_servers_may_read_in_two_ways_are_refused(server, head):
    smuggled = "DELETE /v1/models/m HTTP/1.1\r\nHost: a\r\n\r\n"
    request = f"POST {PREDICT} HTTP/1.1\r\nHost: a\r\n{head}\r\n0\r\n\r\n{smuggled}"
    answer = exchange(server, request.encode())
    assert b" 200 " not in answer.split(b"\r\n")[0]
    assert server.get("/v1/models/m")["deleted"] is None


def test_no_operation_goes_without_the_right_token(tmp_path):
    wrong = [{}, {"Authorization": "Bearer "}, {"Authorization": f"Bearer {TOKEN}x"}]
    wrong += [{"Authorization": f"Basic {TOKEN}"}, {"Authorization": f"bearer{TOKEN}"}]
    wrong += [{"Authorization": f"Bearer {TOKEN[:-1]}é".encode("latin-1")}]
    with Served(tmp_path, env={"ROSENBLATT_TOKEN": TOKEN}) as server:
        paths = server.get("/openapi.json")["paths"]
        operations = [(path, m, d) for path, ms in paths.items() for m, d in ms.items()]
        for path, method, described in operations:
            for headers in wrong:
                path = re.sub("{.*?}", "1", path)
                status, answered, _ = server.raw(method.upper(), path, b"{}", headers)
                if described.get("security") == []:
                    assert status == 200
                else:
                    assert (status, answered["WWW-Authenticate"]) == (401, "Bearer")
        assert len(operations) > 25


# --- clients ---------------------------------------------------------------------------------


def test_clients_that_go_away_while_they_learn_do_no_harm(server):
    server.post("/v1/models", {"name": "gone"}, status=201)
    body = json.dumps({"features": {"a": 1}, "label": "x"}).encode()
    head = f"POST /v1/models/gone/learn HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n"
    rng = random.Random(0)
    whole = 0
    for _ in range(100):
        data = head.encode() + body
        cut = rng.choice([len(data), len(data) - 1, len(head) + 5, 20])
        whole += cut == len(data)
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(data[:cut])
    time.sleep(0.5)
    (answer,) = learn(server, "a", path="/v1/models/gone/learn")
    assert answer["version"] <= whole + 1
    assert server.get("/v1/models/gone")["examples"] == answer["version"]


def test_one_key_at_once_from_many_threads_is_one_example(server):
    server.post("/v1/models", {"name": "keyed"}, status=201)
    answers = []
    start = threading.Barrier(20)

    def send():
        start.wait()
        example = {"features": {"a": 1}, "label": "x"}
        answers.append(server.post("/v1/models/keyed/learn", example, Idempotency_Key="same"))

    threads = [threading.Thread(target=send) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    about = server.get("/v1/models/keyed")
    assert about["version"] == 1
    assert answers == [{"version": 1, "was_right": False, "head": about["head"]}] * 20


def test_a_retry_is_answered_though_the_features_are_gone(server):
    server.post("/v1/models", {"name": "retry"}, status=201)
    asked = server.post("/v1/models/retry/predict", {"features": {"a": 1}})["id"]
    path, example = "/v1/models/retry/learn", {"id": asked, "label": "x"}
    first = server.post(path, example, Idempotency_Key="k")
    server.ask("DELETE", "/v1/models/retry/versions/1")
    assert server.post(path, example, Idempotency_Key="k") == first
    server.post(path, example, Idempotency_Key="other", status=404)
    # no digest of the body is left to compare: the key gets its answer, and nothing is learned
    assert server.post(path, example | {"label": "y"}, Idempotency_Key="k") == first
    assert server.get("/v1/models/retry")["examples"] == 0


def test_an_erased_example_is_nowhere_in_the_files_of_the_store(tmp_path):
    secret = "hieronymus.bosch.example"
    with Served(tmp_path, "--snapshot-every", "2") as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        server.post("/v1/models/m/shadows", {"name": "s", "config": {"rule": "pa"}}, status=201)
        learn(server, "a", "b")
        for text in ({secret: 1}, {"from": secret}, f"a mail of {secret}"):
            server.post(PREDICT, {"features": text})
            example = {"features": text, "label": "x"}
            key = str(text)[:9].replace(" ", "-")
            version = server.post(LEARN, example, Idempotency_Key=key)["version"]
            learn(server, "c", "d")
            time.sleep(1.2)  # a snapshot, and the prediction, are written
            found = [p.name for p in tmp_path.iterdir() if secret.encode() in p.read_bytes()]
            assert found
            server.ask("DELETE", f"/v1/models/m/versions/{version}")
            found = [p.name for p in tmp_path.iterdir() if secret.encode() in p.read_bytes()]
            assert found == []
            assert secret not in json.dumps(server.get("/v1/models/m/heaviest"))
    assert not [p for p in tmp_path.iterdir() if secret.encode() in p.read_bytes()]


@by_night("a million names, and bombs of gzip in test_codings.py, meet bounds of memory")
def test_memory_is_constant_under_load(tmp_path):
    """python tests/support/load_service.py 10 does it for ten minutes."""
    requests, sizes = load_service.load(tmp_path, seconds=4, warm=2)
    assert requests > 100
    assert max(sizes) - sizes[0] < 60


def test_a_request_with_two_keys_is_refused(tmp_path):
    body = b'{"features": {"a": 1}, "label": "x"}'
    head = f"POST {LEARN} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    with Served(tmp_path) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        for keys, status in (("ab", b"400"), ("aa", b"200")):
            lines = "".join(f"Idempotency-Key: {key}\r\n" for key in keys)
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                size = f"Content-Length: {len(body)}\r\n\r\n"
                connection.sendall((head + lines + size).encode() + body)
                assert connection.recv(65536)[9:12] == status


def test_no_number_of_an_answer_is_minus_zero(tmp_path):
    with Served(tmp_path) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        for label in "xy":
            server.post(LEARN, {"features": {"a": -1, "b": 1}, "label": label})
        for features in ({}, {"c": 1, "a": 0}, {"a": 0.0, "b": -0.0}):
            query = json.dumps({"features": features, "explain": True}).encode()
            assert b"-0.0" not in server.raw("POST", PREDICT, query)[2]


def test_a_deleted_model_that_came_as_a_file_has_its_configuration(tmp_path):
    rule = {"name": "pa1", "C": 0.25}
    with Served(tmp_path) as server:
        server.post("/v1/models", {"name": "m", "config": {"rule": rule}}, status=201)
        server.post("/v1/models", {"name": "n"}, status=201)
        server.post(LEARN, [{"features": {"a": 1}, "label": label} for label in "xy"])
        file = server.raw("GET", "/v1/models/m/file")[2]
        assert server.raw("PUT", "/v1/models/n/file", file)[0] == 200
        server.raw("DELETE", "/v1/models/n")
        (before,) = server.get("/v1/models?deleted=true")["deleted"]
    with Served(tmp_path) as server:
        (after,) = server.get("/v1/models?deleted=true")["deleted"]
    assert before["config"]["rule"] == rule
    assert after == before
