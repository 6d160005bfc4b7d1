"""Errors are problem details, each with a section of the page on errors."""

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
