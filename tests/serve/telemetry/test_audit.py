"""The audit: who changed what stands in the log, and no token."""

import json
import time

from serving import Served

from rosenblatt.serve.telemetry import audit

ROOT, LINES = "correct-horse-battery", {"Content-Type": "application/x-ndjson"}
BEARER = {"Authorization": f"Bearer {ROOT}"}


def audited(log):
    """What the audit lines of a log say."""
    lines = [json.loads(line) for line in log.splitlines()]
    return [
        {name: value for name, value in line.items() if name not in ("time", "level", "message")}
        for line in lines
        if line["message"] == "audit"
    ]


def test_every_change_has_a_line_with_the_name_of_its_token(tmp_path):
    with Served(tmp_path, env={"ROSENBLATT_TOKEN": ROOT}) as server:
        server.post("/v1/models", {"name": "m"}, status=201, **BEARER)
        for label in "xyx":
            example = {"features": {"kryptonite": 1}, "label": label}
            server.post("/v1/models/m/learn", example, **BEARER)
        server.post("/v1/models/m/shadows", {"name": "s"}, status=201, **BEARER)
        server.post("/v1/models/m/shadows/s/promote", None, **BEARER)
        server.post("/v1/models/m/rollback", {"version": 2}, **BEARER)
        server.ask("DELETE", "/v1/models/m/versions/1", **BEARER)
        data = server.raw("GET", "/v1/models/m/file", headers=BEARER)[2]
        assert server.raw("PUT", "/v1/models/n/file", data, BEARER)[0] == 200
        server.ask("DELETE", "/v1/models/n", **BEARER)
        server.post("/v1/models/n/purge", None, **BEARER)
        server.post("/v1/models/n/purge", None, status=404, **BEARER)  # changes nothing
        lines = b'{"features": {"a": 1}, "label": "x"}\nno json\n'
        assert server.raw("POST", "/v1/models/m/learn", lines, BEARER | LINES)[0] == 200
        log = server.stop()
    by = {"by": "token"}
    assert audited(log) == [
        {"what": "create_model", **by, "model": "m"},
        {"what": "add_shadow", **by, "model": "m", "shadow": "s"},
        {"what": "promote_shadow", **by, "model": "m", "shadow": "s"},
        {"what": "roll_back", **by, "model": "m", "to": 2},
        {"what": "erase", **by, "model": "m", "number": "1"},
        {"what": "put_file", **by, "model": "n"},
        {"what": "delete_model", **by, "model": "n"},
        {"what": "purge_model", **by, "model": "n"},
        {"what": "learn", **by, "model": "m", "requests": 4, "examples": 4},
    ]
    assert ROOT not in log
    assert "kryptonite" not in log


def test_a_request_that_is_sent_again_with_its_key_has_taught_nothing_more(tmp_path):
    with Served(tmp_path / "store") as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        one, learn = {"features": "a", "label": "x"}, "/v1/models/m/learn"
        first = server.post(learn, one, Idempotency_Key="k")
        assert server.post(learn, one, Idempotency_Key="k") == first
        lines = b'{"features": "b", "label": "y"}\n'
        for body in (lines, lines, 2 * lines):
            headers = LINES | {"Idempotency-Key": "of-lines"}
            assert server.raw("POST", learn, body, headers)[0] == 200
        metrics = server.raw("GET", "/metrics")[2]
        log = server.stop()
    assert b"rosenblatt_examples_total 3.0" in metrics
    learned = {"what": "learn", "by": None, "model": "m", "requests": 3, "examples": 3}
    assert audited(log)[1:] == [learned]


def test_examples_are_summed_up_each_minute_and_without_a_token_nobody_is_named(tmp_path):
    code = f"import {audit.__name__} as a; a.SECONDS = 0.3"
    with Served(tmp_path / "store", code=code) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        for label in "xy":
            server.post("/v1/models/m/learn", {"features": "a", "label": label})
        time.sleep(1)
        server.post("/v1/models/m/learn", [])  # teaches nothing
        server.post("/v1/models/m/learn", [{"features": "a", "label": "x"}] * 3)
        log = server.stop()
    nobody = {"by": None, "model": "m"}
    assert audited(log) == [
        {"what": "create_model", **nobody},
        {"what": "learn", **nobody, "requests": 2, "examples": 2},
        {"what": "learn", **nobody, "requests": 1, "examples": 3},
    ]
