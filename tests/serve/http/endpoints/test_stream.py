"""Server-sent events of a model: each second, soon after a change, and to an end."""

import json
import socket
import time

import numpy as np
import pytest
from service_runs import run_service
from serving import Served

from rosenblatt.serve.http.endpoints.stream import page_facts

TOKEN = {"ROSENBLATT_TOKEN": "correct-horse"}


@pytest.fixture
def own(tmp_path):
    with Served(tmp_path) as own:
        own.post("/v1/models", {"name": "m"}, status=201)
        yield own


def learn(own, *labels):
    for label in labels:
        own.post("/v1/models/m/learn", {"features": {f"is {label}": 1}, "label": label})


def test_an_event_comes_each_second_and_soon_after_a_change(own):
    events = own.events("/v1/models/m/stream")
    first = next(events)
    assert first["model"]["version"] == 0
    assert first["learns"] is True
    start = time.monotonic()
    assert next(events)["model"]["version"] == 0
    assert 0.5 < time.monotonic() - start < 5
    learn(own, "spam", "ham")
    versions = [next(events)["model"]["version"] for _ in range(4)]
    assert versions[-1] == 2
    assert versions == sorted(versions)


def test_a_snapshot_a_shadow_and_another_model_are_changes(own):
    events = own.events("/v1/models/m/stream")
    next(events)
    learn(own, "spam", "ham")
    own.post("/v1/models", {"name": "other"}, status=201)
    own.post("/v1/models/m/shadows", {"name": "pa", "config": {"rule": "pa"}}, status=201)
    own.post("/v1/models/m/rollback", {"version": 1})
    seen = next(e for e in events if e["model"]["version"] == 3 and e["shadows"])
    assert [model["name"] for model in seen["models"]] == ["m", "other"]
    assert [model["name"] for model in seen["shadows"]] == ["m", "pa"]
    assert [change["what"] for change in seen["versions"]["changes"]] == ["rollback"]


def test_the_stream_ends_with_its_model(own):
    events = own.events("/v1/models/m/stream")
    next(events)
    own.ask("DELETE", "/v1/models/m")
    assert len(list(events)) <= 2
    assert own.raw("GET", "/v1/models/m/stream")[0] == 404


def test_open_streams_do_not_hold_up_the_end(own):
    streams = [own.events("/v1/models/m/stream") for _ in range(5)]
    for events in streams:
        next(events)
    start = time.monotonic()
    log = own.stop()
    assert time.monotonic() - start < 8  # uvicorn ends by force after 10
    assert own.process.returncode == 0, log
    for events in streams:
        assert len(list(events)) <= 5  # to the end of the answer, not to an error


def test_a_client_that_goes_is_forgotten(own):
    for _ in range(30):
        events = own.events("/v1/models/m/stream")
        next(events)
        events.close()
    learn(own, "spam")
    assert own.get("/v1/models/m")["version"] == 1
    assert own.stop().count("Traceback") == 0


def test_the_stream_needs_the_token_and_a_replica_says_that_it_learns_nothing(tmp_path):
    bearer = {"Authorization": "Bearer correct-horse"}
    with Served(tmp_path, env=TOKEN) as own:
        own.raw("POST", "/v1/models", b'{"name": "m"}', bearer)
        for headers in ({}, {"Authorization": "Bearer wrong-horse"}):
            assert own.raw("GET", "/v1/models/m/stream", headers=headers)[0] == 401
        assert next(own.events("/v1/models/m/stream", bearer))["learns"] is True
        with Served(tmp_path, "--replica", env=TOKEN) as replica:
            assert next(replica.events("/v1/models/m/stream", bearer))["learns"] is False


def test_head_ends_after_the_headers(own):
    status, headers, data = own.raw("HEAD", "/v1/models/m/stream")
    assert (status, headers["Content-Type"], data) == (200, "text/event-stream", b"")
    with socket.create_connection(("127.0.0.1", own.port), timeout=20) as connection:
        for _ in range(2):  # the connection is kept, and answers again
            connection.sendall(b"HEAD /v1/models/m/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = b""
            while not answer.endswith(b"\r\n\r\n"):
                answer += connection.recv(1000)
            assert answer.startswith(b"HTTP/1.1 200")


def test_only_get_streams(own):
    assert own.raw("POST", "/v1/models/m/stream", b"{}")[0] == 405


# --- the facts: right counts, and a bounded size whatever was learned ---------------------------


@pytest.fixture
def model(server, request):
    name = request.node.name.split("[")[0][:64]
    server.post("/v1/models", {"name": name}, status=201)
    return f"/v1/models/{name}"


def facts(server, model):
    return next(server.events(f"{model}/stream"))


def test_counts_are_those_of_the_model(server, model):
    rows = [("a", True), ("b", False), ("a", True), ("b", True), ("b", False)]
    learned = server.post(f"{model}/learn", [{"features": x, "label": y} for x, y in rows])
    seen = facts(server, model)
    assert seen["model"] == server.get(model)
    assert seen["model"]["errors"] == sum(not answer["was_right"] for answer in learned)
    assert [point["examples"] for point in seen["points"]] == [1, 2, 4, 5]
    assert seen["points"][-1]["interval"] == seen["model"]["interval"]
    assert seen["constant"] == {"label": True, "error": 0.4}
    confusion = seen["confusion"]
    assert confusion["labels"] == [True, False]
    assert sum(map(sum, confusion["counts"])) == 5
    right = sum(confusion["counts"][i][i] for i in range(2))
    assert right == 5 - seen["model"]["errors"]
    assert confusion["counts"][0][2] == 1  # the first example found no prediction
    assert [e["version"] for e in seen["recent"]] == [5, 4, 3, 2, 1]
    assert seen["recent"][0] == {
        "version": 5, "label": False, "was_right": learned[-1]["was_right"], "text": "b",
        "values": [], "more": 0,
    }  # fmt: skip
    (group,) = seen["heaviest"]
    assert group["label"] is True  # the second of two, in order
    assert dict(group["features"]).keys() <= {"a", "b"}


def test_the_heaviest_features_are_those_that_move_the_scores_whatever_their_units(server, model):
    """The same label depends on metres far more than on a noise between 0 and 0.001."""
    rng = np.random.default_rng(0)
    metres, noise = rng.normal(0.0, 1000.0, 200), rng.random(200) / 1000
    rows = [
        {"features": {"metres": m, "noise": n}, "label": bool(m + 300 * rng.normal() > 0)}
        for m, n in zip(metres.tolist(), noise.tolist(), strict=True)
    ]
    server.post(f"{model}/learn", rows)
    weights = dict(server.get(f"{model}/heaviest")["true"])
    assert list(weights) == ["metres", "noise"]
    assert abs(weights["metres"]) < abs(weights["noise"])
    seen = facts(server, model)
    assert seen["knows_spreads"]
    effects = dict(seen["heaviest"][0]["features"])
    assert effects["metres"] > 10 * abs(effects["noise"])


def test_labels_of_a_file_are_shown_before_they_are_learned(server, model):
    examples = [{"features": {f"is {label}": 1}, "label": label} for label in "abab"]
    server.post(f"{model}/learn", examples)
    file = server.raw("GET", f"{model}/file")[2]
    assert server.raw("PUT", f"{model}s/file", file)[0] == 200
    assert server.get(f"{model}s")["labels"] == [["a", 0], ["b", 0]]
    server.post(f"{model}s/learn", {"features": {"is a": 1}, "label": "b"})
    seen = facts(server, f"{model}s")
    assert seen["model"]["labels"] == [["b", 1], ["a", 0]], "the card of features names both"
    assert seen["confusion"] == {"labels": ["b", "a"], "counts": [[0, 1, 0], [0, 0, 0]]}


def test_an_event_stays_small(server, model):
    long = {f"{'x' * 990}{j}": float(j) for j in range(500)}
    examples = [{"features": long, "label": f"{i:02}{'y' * 990}"} for i in range(20)]
    for example in examples:
        server.post(f"{model}/learn", example)
    seen = facts(server, model)
    assert len(seen["recent"]) == 12
    assert len(seen["recent"][0]["values"]) == 12
    assert seen["recent"][0]["more"] == 500 - 12
    assert len(seen["confusion"]["labels"]) == len(seen["heaviest"]) == 12
    assert len(json.dumps(seen)) < 200_000


def test_dense_rows_and_texts_are_shortened(server, model):
    server.post(f"{model}/learn", {"features": [float(j) for j in range(20)], "label": 1})
    (example,) = facts(server, model)["recent"]
    assert example["values"][:2] == [["0", 0.0], ["1", 1.0]]
    assert (len(example["values"]), example["more"]) == (12, 8)


def test_values_that_are_words_read_as_the_model_reads_them(server, model):
    server.post(f"{model}/learn", {"features": {"colour": "red", "size": 2}, "label": 1})
    assert facts(server, model)["recent"][0]["values"] == [["colour=red", 1.0], ["size", 2.0]]


def test_totals_and_times_are_those_of_the_service(server, model):
    before = facts(server, model)["service"]
    server.post(f"{model}/learn", [{"features": "a", "label": "x"}] * 7)
    server.post(f"{model}/predict", [{"features": "a"}] * 3)
    after = facts(server, model)["service"]
    assert after["examples"] - before["examples"] == 7
    assert after["predictions"] - before["predictions"] == 3
    for kind in ("learn", "predict"):
        assert after["seconds"][kind][-1] - before["seconds"][kind][-1] == 1
    assert after["seconds"]["commit"][-1] == after["commits"] > before["commits"]
    assert after["failed"] is None


def test_who_may_not_read_examples_sees_no_paths_in_a_failure(tmp_path):
    async def test(service, model):
        service.failed = f"{tmp_path}/store.db: the disk is full."
        for reads in (True, False):
            failed = page_facts(service, model, reads=reads)["service"]["failed"]
            assert (str(tmp_path) in failed, "takes no examples" in failed) == (reads, not reads)

    run_service(tmp_path, test)


def test_an_example_of_a_version_is_whole(server, model):
    example = {"features": {"a b": 1.5, "c": "d"}, "label": "x", "weight": 2.0}
    server.post(f"{model}/learn", example)
    seen = server.get(f"{model}/versions/1")
    assert seen.pop("time") > 1.7e9
    assert seen == {"version": 1, **example}
    assert "1 to 1" in server.get(f"{model}/versions/2", status=404)["error"]
    server.get(f"{model}/versions/x", status=422)
    server.post(f"{model}/rollback", {"version": 1})
    assert "no example" in server.get(f"{model}/versions/2", status=422)["error"]
