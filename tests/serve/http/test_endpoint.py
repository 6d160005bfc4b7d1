"""Every endpoint that is declared, as a service, the client and the OpenAPI document have it."""

import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from profiles import is_thorough
from serving import Served

from rosenblatt.serve import Client
from rosenblatt.serve.clients.methods import Methods
from rosenblatt.serve.clients.transports import Blocking, Reply
from rosenblatt.serve.http import call
from rosenblatt.serve.http.endpoint import ERRORS, openapi
from rosenblatt.serve.http.endpoints import all_endpoints

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")
NUMBERS = {"number": "1", "model": "m", "shadow": "s", "file:path": "serve/page/main.js"}
QUERIES = {"/v1/models/{model}/examples": "?contains=a"}
ENDLESS = {endpoint.path for endpoint in all_endpoints() if endpoint.gives is call.ENDLESS}
TOKEN = "correct-horse-battery"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
ROWS = {"named": {"a": 1, "b": "x"}, "text": "a b", "dense": [1.0, 2.0]}
SUPPORT = str(Path(__file__).resolve().parents[2] / "support")
# Wrong values of every kind come by night; by day tests/serve/test_attacks.py sends some.
PHASES = "examples" + ",coverage,fuzzing" * is_thorough()
EXAMPLES_EACH = 8  # of the last phase; more by hand: st run URL/openapi.json --max-examples 300
LISTED = [endpoint for endpoint in all_endpoints() if endpoint.is_listed]
GIVEN = {
    "model": "m", "shadow": "s", "version": 1, "prediction": "p1", "label": "x", "data": b"",
    "features": {"a": 1}, "examples": [({"a": 1}, "x")], "contains": "a",
}  # fmt: skip


@pytest.fixture(scope="module")
def methods():
    """The methods of each path."""
    paths = {path for endpoint in all_endpoints() for path in endpoint.paths}
    return {path: {e.method for e in all_endpoints() if path in e.paths} for path in paths}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Served(tmp_path_factory.mktemp("store")) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        rows = [{"features": [1.0, 2.0], "label": label} for label in "xy"]
        server.post("/v1/models/m/learn", rows)
        yield server


def filled(path):
    return re.sub(r"{([\w:]+)}", lambda match: NUMBERS[match[1]], path)


def test_a_method_that_is_not_for_a_path_is_refused_with_those_that_are(server, methods):
    for path, own in methods.items():
        own = own | ({"HEAD"} if "GET" in own else set())
        for method in METHODS:
            if method not in own:
                status, headers, _ = server.raw(method, filled(path), b"")
                assert status == 405, (method, path)
                assert set(headers["Allow"].split(", ")) == own, (method, path)


def test_head_is_get_without_a_body(server, methods):
    for path, own in methods.items():
        if "GET" not in own or path in ENDLESS:
            continue
        asked = filled(path) + QUERIES.get(path, "")
        status, headers, body = server.raw("HEAD", asked)
        got, of_get, whole = server.raw("GET", asked)
        assert (status, body, got) == (200, b"", 200), path
        assert headers["Content-Type"] == of_get["Content-Type"]
        if path != "/metrics":  # the request itself is in them
            assert headers["Content-Length"] == of_get["Content-Length"] == str(len(whole)), path


def test_what_is_created_has_a_place(server):
    for path, name, place in [
        ("/v1/models", "new", "/v1/models/new"),
        ("/v1/models/m/shadows", "s", "/v1/models/m/shadows"),
    ]:
        status, headers, _ = server.raw("POST", path, json.dumps({"name": name}).encode())
        assert (status, headers["Location"]) == (201, place)
        assert server.get(place)


def test_every_parameter_that_is_required_is_and_no_other(server, methods):
    document = server.get("/openapi.json")
    for path, own in document["paths"].items():
        for parameter in own.get("get", {}).get("parameters", ()):
            if parameter["in"] == "query" and parameter["required"]:
                assert server.get(filled(path), status=422)
        if "get" in own and path not in QUERIES:
            assert server.raw("GET", filled(path))[0] == 200, path
    contains = document["paths"]["/v1/models/{model}/examples"]["get"]["parameters"][1]
    assert (contains["name"], contains["required"]) == ("contains", True)


def test_every_method_of_the_client_sends_the_endpoint_that_names_it(monkeypatch):
    sent = []

    async def send(transport, method, path, *other):
        sent.append((method, path.partition("?")[0]))
        return Reply(200, b'{"models": [], "deleted": [], "records": []}\n', None)

    monkeypatch.setattr(Blocking, "send", send)
    of_client = {name for name in vars(Methods) if not name.startswith("_")}
    assert sorted(of_client) == sorted(name for e in all_endpoints() for name in e.client)
    for endpoint in all_endpoints():
        for name in endpoint.client:
            method = getattr(Client("http://localhost"), name)
            required = inspect.signature(method).parameters.values()
            method(*(GIVEN[p.name] for p in required if p.default is inspect.Parameter.empty))
            assert sent.pop() == (endpoint.method, filled(endpoint.path)), name


def test_every_endpoint_is_described():
    document = openapi(all_endpoints())
    names = []
    for endpoint in LISTED:
        for path in endpoint.paths:
            described = document["paths"][path][endpoint.method.lower()]
            names.append(described["operationId"])
            assert described["summary"]
            parts = re.findall(r"{(\w+)}", path)
            required = [p["name"] for p in described["parameters"] if p["required"]]
            assert required == [*parts, *(p.name for p in endpoint.parameters if p.required)]
            assert {p.name for p in endpoint.parameters} <= {
                p["name"] for p in described["parameters"]
            }
            assert ("requestBody" in described) == (endpoint.takes is not None)
            assert (described.get("security") == []) == endpoint.is_public
            assert ("401" in described["responses"]) != endpoint.is_public
            assert ("422" in described["responses"]) != endpoint.is_public
            assert ("507" in described["responses"]) == endpoint.changes
    assert len(set(names)) == len(names) == sum(map(len, document["paths"].values()))
    used = {int(s) for m in document["paths"].values() for d in m.values() for s in d["responses"]}
    assert used - {200, 201} == set(ERRORS)


def test_every_body_of_json_has_examples_that_the_service_reads():
    for endpoint in LISTED:
        assert (endpoint.takes in (None, bytes)) == (not endpoint.examples), endpoint.path
        for value in endpoint.examples.values():
            msgspec.convert(value, endpoint.takes)


def test_schemathesis_finds_no_fault(tmp_path):
    with Served(tmp_path / "store", env={"ROSENBLATT_TOKEN": TOKEN}) as server:
        for name, features in ROWS.items():
            server.post("/v1/models", {"name": name}, status=201, **BEARER)
            rows = [{"features": features, "label": label} for label in "xy"]
            server.post(f"/v1/models/{name}/learn", rows, **BEARER)
        url = f"http://127.0.0.1:{server.port}/openapi.json"
        done = subprocess.run(
            [
                *[sys.executable, "-m", "schemathesis.cli", "run", url, "--seed", "1"],
                *["--header", f"Authorization: {BEARER['Authorization']}"],
                *["--phases", PHASES],
                *["--max-examples", str(EXAMPLES_EACH)],
                # What is well-formed may be refused: a text for a model of lists of numbers.
                *["--exclude-checks", "positive_data_acceptance"],
            ],
            cwd=tmp_path,
            env={**os.environ, "SCHEMATHESIS_HOOKS": "schemathesis_hooks", "PYTHONPATH": SUPPORT},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout
        paths = server.get("/openapi.json")["paths"].values()
        tested = sum(map(len, paths)) - 1  # all but the document itself
        assert f"{tested} selected" in done.stdout
        log = server.stop()
    assert '"level": "error"' not in log, log
