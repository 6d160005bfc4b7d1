"""Bodies of lines with a key, sent again after they broke off: each line is learned once."""

import http.client
import json
import random
import signal
import socket
import threading
import time
from contextlib import suppress

import pytest
from serving import Served

from rosenblatt.serve.http import lines

LEARN = "/v1/models/m/learn"
HEAD = {"Content-Type": "application/x-ndjson"}
KEY = {**HEAD, "Idempotency-Key": "import"}


def line(n):
    return json.dumps({"features": {"n": n, f"w{n % 7}": 1}, "label": "xy"[n % 2]}).encode()


def body(*numbers):
    return b"\n".join(line(n) for n in numbers)


def learn(server, data, headers=KEY):
    """The answers to the lines of a body."""
    status, _, answer = server.raw("POST", LEARN, data, headers)
    assert status == 200, answer
    return [json.loads(text) for text in answer.splitlines()]


def send_some(server, data, headers=KEY):
    """Send the start of a body that does not end, as it comes from a chunked request."""
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    connection.sendall(
        f"POST {LEARN} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n{head}\r\n"
        f"{len(data):x}\r\n".encode()
        + data
        + b"\r\n"
    )
    return connection


def answered(connection):
    """Status and lines of the answer."""
    answer = http.client.HTTPResponse(connection)
    answer.begin()
    return answer.status, [json.loads(text) for text in answer.read().splitlines()]


@pytest.fixture
def server(tmp_path):
    with Served(tmp_path / "store") as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        yield server


def eventually(server, version):
    for _ in range(200):
        if server.get("/v1/models/m")["version"] == version:
            return True
        time.sleep(0.02)
    return False


def test_a_body_sent_again_is_answered_alike_and_goes_on_from_the_first_unlearned_line(server):
    count = 2 * lines.PARSED + 30
    first = learn(server, body(*range(count)))
    assert [answer["version"] for answer in first] == list(range(1, count + 1))
    for more in (0, 700):
        again = learn(server, body(*range(count + more)))
        assert again[:count] == first
        versions = [answer["version"] for answer in again]
        assert versions == list(range(1, count + more + 1))
    shorter = learn(server, body(*range(lines.PARSED - 10)))
    assert shorter == first[: lines.PARSED - 10]
    assert server.get("/v1/models/m")["version"] == count + 700
    assert learn(server, body(0), {**HEAD, "Idempotency-Key": "other"})[0]["version"] == 1731


def test_a_body_that_breaks_off_anywhere_is_learned_once(server):
    rng, whole = random.Random(5), b"\n".join(line(n) for n in range(900)) + b"\n"
    for _ in range(8):
        with send_some(server, whole[: rng.randrange(len(whole))]):
            time.sleep(rng.random() / 10)
    answers = None
    for _ in range(50):  # until the one before has ended
        status, _, data = server.raw("POST", LEARN, whole, KEY)
        if status == 200:
            answers = [json.loads(text) for text in data.splitlines()]
            break
        assert status == 409
        time.sleep(0.1)
    assert [answer["version"] for answer in answers] == list(range(1, 901))


def test_lines_that_were_refused_are_tried_again_and_changed_ones_refused(server):
    bad = b'{"features": 7}'
    sent = [line(0), bad, line(2), b"", line(4), bad, line(6)]
    first = learn(server, b"\n".join(sent))
    assert [answer.get("version") for answer in first] == [1, None, 2, 3, None, 4]
    assert learn(server, b"\n".join(sent)) == first
    sent[1], sent[4] = line(1), line(40)
    again = learn(server, b"\n".join(sent))
    assert [answer.get("version") for answer in again] == [1, 5, 2, None, None, 4]
    assert "another line was learned" in again[3]["error"]
    assert (again[3]["line"], again[4]["line"]) == (5, 6)
    assert server.get("/v1/models/m")["version"] == 5


@pytest.mark.parametrize("stride", [1, 2, 5])
def test_lines_between_empty_ones_are_learned_once_however_bodies_are_cut(server, stride):
    rng, versions, end = random.Random(stride), {}, 0
    while end < 300:
        start, end = rng.randrange(end + 1), min(300, end + rng.choice([1, 5, 90]))
        texts = [b""] * (2 * end)
        numbers = range(start, end, stride)  # some come later, in their places
        for n in numbers:
            texts[2 * n] = line(n)
        for n, answer in zip(numbers, learn(server, b"\n".join(texts)), strict=True):
            assert versions.setdefault(n, answer["version"]) == answer["version"]
    assert sorted(versions.values()) == list(range(1, len(versions) + 1))


def test_lines_are_answered_alike_after_an_example_of_them_was_erased(server):
    first = learn(server, body(*range(20)))
    server.ask("DELETE", "/v1/models/m/versions/3")
    assert learn(server, body(*range(20))) == first
    assert learn(server, body(*range(22)))[20:][0]["version"] == 22
    assert server.get("/v1/models/m")["version"] == 23


def test_a_key_of_an_example_is_refused_with_lines_and_the_reverse(server):
    example = json.loads(line(0))
    first = server.post(LEARN, example, Idempotency_Key="import")
    refused = server.ask("POST", LEARN, example, status=422, **KEY)
    assert refused["error"] == "the Idempotency-Key 'import' was used with another body."
    other = learn(server, body(0, 1), {**HEAD, "Idempotency-Key": "other"})
    refused = server.post(LEARN, example, status=422, Idempotency_Key="other")
    assert refused["detail"] == "the Idempotency-Key 'other' was used with another body."
    assert server.post(LEARN, example, Idempotency_Key="import") == first
    assert learn(server, body(0, 1), {**HEAD, "Idempotency-Key": "other"}) == other
    assert server.get("/v1/models/m")["version"] == 3


def test_one_body_with_a_key_comes_at_a_time(server):
    with send_some(server, line(0) + b"\n") as connection:
        assert eventually(server, 1)
        assert "being learned" in server.ask("POST", LEARN, status=409, **KEY)["error"]
        connection.sendall(b"0\r\n\r\n")
        assert answered(connection)[0] == 200
    assert learn(server, body(0, 1))[1]["version"] == 2


def test_a_killed_service_goes_on_where_it_was(tmp_path):
    rng, count = random.Random(3), 15_000
    whole, versions = body(*range(count)), []
    with Served(tmp_path) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
    for _ in range(3):
        with Served(tmp_path) as server:
            versions.append(server.get("/v1/models/m")["version"])
            sender = threading.Thread(target=try_to_send, args=(server, whole))
            sender.start()
            while server.get("/v1/models/m")["version"] == versions[-1] and sender.is_alive():
                pass
            time.sleep(rng.uniform(0.0, 0.1))
            server.kill()
            sender.join()
    assert any(0 < version < count for version in versions)
    with Served(tmp_path) as server:
        learned = learn(server, whole)
        assert [answer["version"] for answer in learned] == list(range(1, count + 1))
        assert learn(server, whole) == learned
        for n in rng.sample(range(count), 20):
            example = server.get(f"/v1/models/m/versions/{n + 1}")
            assert example["features"]["n"] == n


def try_to_send(server, data):
    with suppress(OSError, http.client.HTTPException):
        learn(server, data)


def test_a_signal_in_a_body_says_what_was_learned_and_the_rest_is_sent_again(tmp_path):
    code = "import rosenblatt.serve.server as s; s.STOP_SECONDS = 1"
    with Served(tmp_path / "store", code=code) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        data = body(*range(700)) + b"\n" + line(700)[:9]
        with send_some(server, data) as connection, send_some(server, b"{", HEAD) as started:
            assert eventually(server, 700)
            server.process.send_signal(signal.SIGTERM)
            status, answers = answered(connection)
            stopped, nothing = answered(started)
        assert server.process.wait(20) == 0
    assert (status, stopped) == (200, 503)
    assert [answer.get("version") for answer in answers] == [*range(1, 701), None]
    assert answers[-1] == {"line": 701, "error": nothing[0]["error"], "status": 503}
    assert answers[-1]["error"].startswith("the service stops")
    with Served(tmp_path / "store") as server:
        again = learn(server, body(*range(710)))
        assert again[:700] == answers[:700]
        assert again[-1]["version"] == 710


def test_a_body_that_ends_in_time_is_answered_though_the_service_stops(tmp_path):
    with Served(tmp_path) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        with send_some(server, line(0) + b"\n") as connection:
            assert eventually(server, 1)
            server.process.send_signal(signal.SIGTERM)
            time.sleep(1)
            connection.sendall(b"%x\r\n%b\r\n0\r\n\r\n" % (len(line(1)), line(1)))
            status, answers = answered(connection)
    assert (status, [answer["version"] for answer in answers]) == (200, [1, 2])


def test_a_malformed_chunk_says_what_was_learned_before(server):
    with send_some(server, body(*range(3)) + b"\n", HEAD) as connection:
        connection.sendall(b"no number\r\n" + b"x" * 100_000)
        status, answers = answered(connection)
    assert status == 200
    assert [answer.get("version") for answer in answers] == [1, 2, 3, None]
    assert answers[-1]["line"] == 4
    with send_some(server, b"", HEAD) as connection:  # an empty chunk ends the body
        assert answered(connection) == (200, [])
    with send_some(server, b"{", HEAD) as connection:
        connection.sendall(b"no number\r\n")
        assert answered(connection)[0] == 400
