"""The OpenAPI document: it has every operation, and the service keeps to it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import msgspec
from serving import Served

from rosenblatt.serve.http.endpoints import all_endpoints
from rosenblatt.serve.http.openapi import ERRORS, openapi

TOKEN = "correct-horse-battery"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
ROWS = {"named": {"a": 1, "b": "x"}, "text": "a b", "dense": [1.0, 2.0]}
SUPPORT = str(Path(__file__).resolve().parents[2] / "support")
EXAMPLES_EACH = 15  # more by hand: st run URL/openapi.json --max-examples 300


LISTED = [endpoint for endpoint in all_endpoints() if endpoint.is_listed]


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
                *["--phases", "examples,coverage,fuzzing"],
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
