"""What one connection may cost, before anything is asked: real sockets, and the memory of the
process that serves them."""

import json
import socket
import time
from contextlib import ExitStack, suppress

import pytest
from serving import Served

from rosenblatt.serve.wire import protocol

TOKEN = "correct-horse-battery"
HOST = b"Host: localhost\r\n"
GET = b"GET /v1/health/live HTTP/1.1\r\n" + HOST
CHUNKED = (
    b"POST /v1/models/m/learn HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n"
    b"Content-Type: application/x-ndjson\r\n\r\n"
)
GROWTH = 16
"""Megabytes of memory that a refused flood may take."""
FLOOD = 2**25


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A service with a token, which no client here has."""
    env = {"ROSENBLATT_TOKEN": TOKEN}
    with Served(tmp_path_factory.mktemp("store"), env=env) as server:
        for _ in range(20):
            server.get("/v1/health/live")
        yield server


def connect(server, source="127.0.0.1"):
    address = "127.0.0.1", server.port
    return socket.create_connection(address, timeout=20, source_address=(source, 0))


def received(connection):
    """What comes until the end."""
    data = b""
    with suppress(ConnectionResetError, TimeoutError):
        while part := connection.recv(2**16):
            data += part
    return data


def exchange(server, *parts):
    """Send parts on one connection, and return what comes until its end."""
    with connect(server) as connection:
        for part in parts:
            with suppress(ConnectionResetError, BrokenPipeError):
                connection.sendall(part)
        return received(connection)


def megabytes(server):
    """The largest memory of the process so far."""
    with open(f"/proc/{server.process.pid}/status") as file:
        return int(next(line for line in file if line.startswith("VmHWM")).split()[1]) / 1024


def flood(server, start, part):
    """Send a start, and a part again and again."""
    with connect(server) as connection, suppress(ConnectionResetError, BrokenPipeError):
        connection.sendall(start)
        for _ in range(FLOOD // len(part)):
            connection.sendall(part)


FLOODS = {
    "header lines": (GET, b"".join(b"X-%d: %d\r\n" % (i, i) for i in range(5000))),
    "one header line": (GET + b"X: ", b"x" * 2**16),
    "the name of a header": (GET, b"x" * 2**16),
    "the path": (b"GET /", b"x" * 2**16),
    "empty lines": (b"", b"\r\n" * 2**15),
    "the extension of a chunk": (CHUNKED + b"1;", b"x" * 2**16),
    "lines behind the body": (CHUNKED + b"0\r\n", b"X: y\r\n" * 2**13),
    "one line behind the body": (CHUNKED + b"0\r\nX: ", b"x" * 2**16),
    "the size of a chunk": (CHUNKED, b"0" * 2**16),
}


@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_of_what_is_no_body_takes_no_memory(guarded, name):
    before = megabytes(guarded)
    flood(guarded, *FLOODS[name])
    assert megabytes(guarded) - before < GROWTH
    assert guarded.get("/v1/health/live") == {"live": True}


def test_thousands_of_requests_at_once_take_no_memory(guarded):
    before = megabytes(guarded)
    flood(guarded, b"", 2000 * (GET + b"\r\n"))
    assert megabytes(guarded) - before < GROWTH


def test_many_heads_that_do_not_end_take_what_they_may(guarded):
    before, count = megabytes(guarded), 200
    with ExitStack() as stack:
        for _ in range(count):
            connection = stack.enter_context(connect(guarded))
            connection.sendall(GET + b"X: " + b"x" * (protocol.MAX_HEAD - 200))
        assert guarded.get("/v1/health/live") == {"live": True}
        assert megabytes(guarded) - before < GROWTH + count * 4 * protocol.MAX_HEAD / 2**20


def test_a_head_within_the_limits_is_answered_and_one_beyond_is_told(guarded):
    close = b"Connection: close\r\n\r\n"
    lines = protocol.MAX_HEADERS - 2
    for within in (b"X: y\r\n" * lines, b"X: " + b"x" * (protocol.MAX_HEAD - 200) + b"\r\n"):
        assert exchange(guarded, GET + within + close).startswith(b"HTTP/1.1 200")
    for beyond in (b"X: y\r\n" * (lines + 1), b"X: " + b"x" * protocol.MAX_HEAD + b"\r\n"):
        head, _, body = exchange(guarded, GET + beyond + close).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 431 ")
        assert "32,768 bytes in 100 lines" in json.loads(body)["error"]


def test_a_few_requests_at_once_are_answered_in_their_order(guarded):
    answers = exchange(guarded, 8 * (GET + b"\r\n") + GET + b"Connection: close\r\n\r\n")
    assert answers.count(b"HTTP/1.1 200") == 9


def test_a_request_that_is_answered_is_not_cut_by_nonsense_behind_it(guarded):
    answer = exchange(guarded, b"GET /openapi.json HTTP/1.1\r\n" + HOST + b"\r\n", b"\0 nonsense")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    assert json.JSONDecoder().raw_decode(body.decode("latin-1"))[0]["openapi"] == "3.1.0"


def test_header_lines_behind_a_body_are_no_headers(tmp_path):
    body = b'{"features": {"a": 1}, "label": "x"}'
    with Served(tmp_path) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        request = CHUNKED.replace(b"x-ndjson", b"json")
        end = b"%x\r\n%b\r\n0\r\nIdempotency-Key: k\r\n\r\n" % (len(body), body)
        for version in (1, 2):  # with the key, the second would be the first again
            with connect(server) as connection:
                connection.sendall(request + end)
                assert b'"version":%d' % version in connection.recv(10_000)


def test_malformed_requests_are_logged_once_a_second_as_json(tmp_path):
    with Served(tmp_path) as server:
        start = time.monotonic()
        for _ in range(300):
            answer = exchange(server, b"nonsense\r\n\r\n")
            assert answer.startswith(b"HTTP/1.1 400")
        seconds = time.monotonic() - start
        log = [json.loads(line) for line in server.stop().splitlines()]
    refused = [line for line in log if "refused" in line["message"]]
    assert 1 <= len(refused) <= seconds + 1
    assert (refused[0]["address"], refused[0]["status"]) == ("127.0.0.1", 400)
    assert len(log) - len(refused) == 1  # "restored"


def test_an_address_has_so_many_connections_and_this_machine_any(tmp_path):
    code = "import rosenblatt.serve.wire.protocol as p; p.MAX_CONNECTIONS = 5"
    with Served(tmp_path, code=code) as server, ExitStack() as stack:
        for source, count in (("127.0.0.1", 10), ("127.0.0.2", 5)):
            open_ones = [stack.enter_context(connect(server, source)) for _ in range(count)]
        # The service may reset the connection before the client has seen that it stands.
        with suppress(ConnectionResetError), connect(server, "127.0.0.2") as one_more:
            assert received(one_more) == b""
        assert server.get("/v1/health/live") == {"live": True}
        open_ones[0].close()
        for source in ("127.0.0.2", "127.0.0.3"):
            assert eventually_answered(server, source)
        log = [json.loads(line) for line in server.stop().splitlines()]
    assert "127.0.0.2" in {line.get("address") for line in log}


def eventually_answered(server, source):
    for _ in range(100):
        with suppress(OSError), connect(server, source) as connection:
            connection.sendall(GET + b"Connection: close\r\n\r\n")
            if received(connection).startswith(b"HTTP/1.1 200"):
                return True
        time.sleep(0.05)
    return False


def test_a_client_that_takes_nothing_of_its_answer_is_left(tmp_path):
    code = "import rosenblatt.serve.wire.protocol as p; p.WRITE_SECONDS = 2"
    row = {"features": {f"n{i}": 1 for i in range(4000)}, "explain": True}
    lines = json.dumps(row).encode() + b"\n"
    with Served(tmp_path, code=code) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        server.post("/v1/models/m/learn", {"features": row["features"], "label": "x"})
        server.post("/v1/models/m/learn", {"features": {"a": 1}, "label": "y"})
        body = 50 * lines
        head = b"POST /v1/models/m/predict HTTP/1.1\r\n" + HOST
        head += b"Content-Type: application/x-ndjson\r\nContent-Length: %d\r\n\r\n" % len(body)
        with socket.socket() as slow, socket.socket() as silent:
            for connection in (slow, silent):
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.settimeout(30)
                connection.connect(("127.0.0.1", server.port))
                connection.sendall(head + body)
            end = time.monotonic() + 6
            while time.monotonic() < end:  # slowly, but it takes what it is sent
                assert slow.recv(1000)
                time.sleep(0.1)
            assert eventually_closed(server, silent.getsockname()[1])
            assert slow.recv(1000)


def eventually_closed(server, port):
    """Whether the server's side of a connection is gone soon."""
    for _ in range(100):
        with open(f"/proc/{server.process.pid}/net/tcp") as file:
            ends = {(line.split()[1], line.split()[2]) for line in file}
        ours = {local for local, remote in ends if remote.endswith(f":{port:04X}")}
        if not any(local.endswith(f":{server.port:04X}") for local in ours):
            return True
        time.sleep(0.1)
    return False
