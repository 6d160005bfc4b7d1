"""Errors are problem details, each with a section of the page on errors, and say what to do."""

import json
import re
import socket
from pathlib import Path

import pytest
from serving import Served

from rosenblatt.serve.errors import BudgetError, RefusedError, StoreError
from rosenblatt.serve.http.problems import PAGE, TITLES, fault

ROOT = Path(__file__).parents[3]
HEADINGS = re.findall(r"^## (.*)$", (ROOT / PAGE).read_text("utf-8"), re.M)
SOURCES = [path.read_text("utf-8") for path in (ROOT / "src/rosenblatt/serve").rglob("*.py")]
OWN = {title for text in SOURCES for title in re.findall(r'\btitle ?= ?"(.+?)"', text)}
LEARN, PREDICT = "/v1/models/m/learn", "/v1/models/m/predict"
LONG = b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n"


def anchor(title):
    return title.lower().replace(" ", "-")


def check(status, headers, body):
    """Return a problem, whose parts fit together."""
    problem = json.loads(body)
    assert headers["Content-Type"] == "application/problem+json"
    assert problem["status"] == status
    assert problem["detail"] == problem["error"] != ""
    page, _, section = problem["type"].partition("#")
    assert (page, section) == (PAGE, anchor(problem["title"]))
    assert problem["title"] in HEADINGS
    return problem


def test_each_title_has_a_section_and_each_section_a_title():
    titles = [*TITLES.values(), *sorted(OWN)]
    assert sorted(HEADINGS) == sorted(titles)
    assert len({anchor(title) for title in titles}) == len(titles)


def test_each_status_of_a_refusal_has_a_title():
    statuses = {int(s) for text in SOURCES for s in re.findall(r"RefusedError\(\s*(\d+)", text)}
    assert {400, 401, 408, 431} < statuses <= set(TITLES)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Served(tmp_path_factory.mktemp("store")) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        yield server


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "title"),
    [
        ("POST", "/v1/models", b"{", {}, "Malformed request"),
        ("GET", "/v1/models/none", None, {}, "Not found"),
        ("GET", "/nowhere", None, {}, "Not found"),
        ("PUT", "/v1/models", b"", {}, "Method not allowed"),
        ("POST", "/v1/models", b'{"name": "m"}', {}, "Conflict"),
        ("POST", "/v1/models", b" " * (2**23 + 1), {}, "Too long"),
        ("POST", "/v1/models/m/learn", b"a", {"Content-Type": "text/csv"}, "Unsupported body"),
        ("POST", "/v1/models/m/learn", b"{}", {}, "Unacceptable content"),
        ("GET", "/v1/models?more=1", None, {}, "Unacceptable content"),
        ("GET", "/v1/models", None, {"Host": "evil.example"}, "Another host"),
        ("DELETE", "/v1/models/m", None, {"Origin": "http://evil.example"}, "Another website"),
        ("GET", "/v2/models/m/ready", None, {}, "Conflict"),
    ],
)
def test_a_refusal_is_a_problem(server, method, path, body, headers, title):
    problem = check(*server.raw(method, path, body, headers))
    assert problem["title"] == title


def test_what_is_no_http_is_answered_with_a_problem(server):
    for sent, title in ((b"no HTTP\r\n\r\n", "Malformed request"), (LONG, "Head too long")):
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            connection.sendall(sent)
            head, _, body = b"".join(iter(lambda c=connection: c.recv(2**16), b"")).partition(
                b"\r\n\r\n"
            )
        status = int(head.split()[1])
        kind = re.search(rb"content-type: (.*?)\r\n", head)[1].decode()
        assert check(status, {"Content-Type": kind}, body)["title"] == title


@pytest.mark.parametrize(
    ("error", "status", "title", "again"),
    [
        (StoreError("the disk failed."), 503, "Store failed", "5"),
        (StoreError("store.db: the disk is full."), 507, "Disk full", "5"),
        (BudgetError("the log has reached its budget."), 507, "Log at its budget", None),
        (OSError(28, "No space left"), 507, "Disk full", None),
        (OSError(5, "Input/output error"), 503, "Store failed", None),
        (RefusedError(403, "no.", title="A replica"), 403, "A replica", None),
        (KeyError("secret"), 500, "Fault of the service", None),
    ],
)
def test_an_error_has_its_status_title_and_when_to_try_again(error, status, title, again):
    answer = fault(error)
    headers = {"Content-Type": answer.type.decode()}
    problem = check(answer.status, headers, answer.body)
    assert (problem["status"], problem["title"]) == (status, title)
    assert dict(answer.headers).get(b"retry-after", b"").decode() == (again or "")
    assert "secret" not in problem["detail"]


def test_advice_is_what_helps(tmp_path):
    with Served(tmp_path) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        server.post("/v1/models/m/learn", {"features": {"a": 1}, "label": "x"})
        server.post("/v1/models/m/rollback", {"version": 0})
        _, _, data = server.raw("GET", "/v1/models/m/versions/2")
        assert b"a change of the model" in data
        _, _, data = server.raw("GET", "/v1/models/m/learn")
        assert b"use POST" in data
        _, _, data = server.raw("DELETE", "/v1/models/m/shadows/q")
        assert b"there are none" in data
        server.raw("DELETE", "/v1/models/m")
        _, _, data = server.raw("POST", "/v1/models/m/predict", b'{"features": {"a": 1}}')
        assert b"was deleted: POST /v1/models/m/restore" in data


CSV = {"Content-Type": "text/csv; charset=utf-8"}


WRONG = [
    ("POST", PREDICT, b"", {}, 400, "the body is empty: send JSON."),
    ("POST", PREDICT, b'{"features": {"\\ud800": 1}}', {}, 400, "half of a character"),
    ("POST", PREDICT, b'{"features": {"a"', {}, 400, "the JSON ends before it is complete"),
    ("POST", PREDICT, b'{"features": {}} {}', {}, 400, "). Several lines are sent with"),
    ("POST", LEARN, b"a,b\n1,2\n", CSV, 415, "application/x-ndjson"),
    ("POST", LEARN, b"[" + b" " * 2**23 + b"]", {}, 413, "send many rows as lines of NDJSON"),
    ("POST", "/v1/models", b'{"name": "a b"}', {}, 422, "a name of 1 to 64 letters, digits,"),
    ("POST", "/v1/models", b'{"name": "n", "config": {"rule": {"name": "pa1", "C": -1}}}', {}, 422,
     "PA1 cannot have C=-1: C is a finite number above 0."),
    ("POST", PREDICT + "?version=7", b'{"features": {"a": 1}}', {}, 404, "versions are 0 to 1."),
]  # fmt: skip


def test_what_is_wrong_says_what_to_do(tmp_path):
    with Served(tmp_path) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        server.post(LEARN, {"features": {"a": 1}, "label": "x"})
        for method, path, body, headers, status, words in WRONG:
            got, _, data = server.raw(method, path, body, headers)
            assert (got, words in json.loads(data)["error"]) == (status, True), data
        for rule in ("perceptr", {"name": "perceptr"}):
            config = {"name": "n", "config": {"rule": rule}}
            answer = server.post("/v1/models", config, status=422)
            assert "perceptron" in answer["error"]
            assert "minover" not in answer["error"]
        predicted = server.post(f"{PREDICT}?version=0", {"features": {"a": 1}})
        assert predicted["version"] == 0
