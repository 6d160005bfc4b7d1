"""gzip: bodies are what they unpack to, bombs are stopped, long answers are packed."""

import gzip
import json
import os

import pytest
from service_runs import run_apart
from serving import Served

from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.http.codings import FREE, MAX_UNPACKED, PIECE, RATIO, pack, unpack
from rosenblatt.serve.http.lines import IN_MEMORY
from rosenblatt.serve.schema import MAX_BODY

GZIP, NDJSON = {"Content-Encoding": "gzip"}, {"Content-Type": "application/x-ndjson"}
ASKS = {"Accept-Encoding": "gzip"}
EXAMPLE = {"features": {"a": 1}, "label": "x"}


def unpacked(parts, most=MAX_BODY):
    """What a body of gzip becomes; the pieces, too."""

    async def main():
        async def come():
            for part in parts:
                yield part

        return [piece async for piece in unpack(come(), most)]

    pieces = run_apart(main())
    assert all(len(piece) <= PIECE for piece in pieces)
    return b"".join(pieces)


@pytest.mark.parametrize("size", [0, 1, 100, PIECE - 1, PIECE, PIECE + 1, 20 * PIECE])
@pytest.mark.parametrize("step", [7, 1000, 10**9])
def test_a_body_is_what_it_was_however_it_comes(size, step):
    data = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    packed = gzip.compress(data)
    assert unpacked([packed[i : i + step] for i in range(0, len(packed), step)]) == data
    pieces = [data[i : i + PIECE] for i in range(0, len(data), PIECE)]
    assert gzip.decompress(b"".join(pack(pieces))) == data


BOMB = gzip.compress(b"\0" * (MAX_UNPACKED + 1))
NOTHING = gzip.compress(b"")[:10] + b"\0\0\0\xff\xff" * 1000  # blocks that become nothing


@pytest.mark.parametrize(
    ("parts", "status", "why"),
    [
        ([b"{}"], 400, "is no gzip"),
        ([b""], 400, "ends before it is complete"),
        ([gzip.compress(b"{}")[:-1]], 400, "ends before it is complete"),
        ([gzip.compress(b"{}")[:-8] + b"\0" * 8], 400, "is no gzip: .*incorrect data check"),
        ([gzip.compress(b"{}") * 2], 400, "behind the end of its gzip"),
        ([gzip.compress(b"{}"), b"x"], 400, "behind the end of its gzip"),
        ([BOMB], 413, "may become 8,388,608 bytes"),
        ([NOTHING] + [b"\0\0\0\xff\xff" * 20_000] * 90, 413, "may become 8,388,608 bytes"),
    ],
)
def test_what_is_no_gzip_or_too_much_of_it_is_refused(parts, status, why):
    with pytest.raises(RefusedError, match=why) as refused:
        unpacked(parts)
    assert refused.value.status == status


def test_a_bomb_is_unpacked_to_its_limit_and_no_further():
    taken = []

    async def main():
        async def come():
            for start in range(0, len(BOMB), 1000):
                taken.append(start)
                yield BOMB[start : start + 1000]

        async for _ in unpack(come(), 10 * PIECE):
            pass

    with pytest.raises(RefusedError, match="655,360 bytes"):
        run_apart(main())
    assert len(taken) < 3 < len(BOMB) / 1000


def test_what_is_much_longer_than_its_gzip_is_a_bomb():
    assert len(unpacked([gzip.compress(b"\0" * FREE)])) == FREE
    few = gzip.compress(os.urandom(FREE) + b"\0" * FREE * 50)
    assert len(unpacked([few], MAX_UNPACKED)) == 51 * FREE < RATIO * len(few)
    with pytest.raises(RefusedError, match="100 times its own size"):
        unpacked([gzip.compress(b"\0" * 2 * FREE)])


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Served(tmp_path_factory.mktemp("store")) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        yield server


def test_bodies_are_taken_as_gzip(server):
    body = gzip.compress(json.dumps(EXAMPLE).encode())
    status, _, data = server.raw("POST", "/v1/models/m/learn", body, GZIP)
    assert (status, "version" in json.loads(data)) == (200, True)
    lines = b"\n".join([json.dumps(EXAMPLE).encode()] * 1000)
    status, _, data = server.raw("POST", "/v1/models/m/learn", gzip.compress(lines), GZIP | NDJSON)
    assert (status, len(data.splitlines())) == (200, 1000)
    server.post("/v1/models/m/learn", EXAMPLE | {"label": "y"})
    file = server.raw("GET", "/v1/models/m/file")[2]
    assert server.raw("PUT", "/v1/models/n/file", gzip.compress(file), GZIP)[0] == 200


def test_a_key_is_of_the_body_and_not_of_its_coding(server):
    body, key = json.dumps(EXAMPLE).encode(), {"Idempotency-Key": "k"}
    first = server.raw("POST", "/v1/models/m/learn", body, key)[2]
    assert server.raw("POST", "/v1/models/m/learn", gzip.compress(body), key | GZIP)[2] == first


@pytest.mark.parametrize("coding", ["br", "gzip, gzip", "gzip,identity", "deflate"])
def test_another_coding_is_refused_with_the_one_that_there_is(server, coding):
    body = gzip.compress(gzip.compress(json.dumps(EXAMPLE).encode()))
    headers = {"Content-Encoding": coding}
    status, answered, data = server.raw("POST", "/v1/models/m/learn", body, headers)
    assert (status, answered["Accept-Encoding"]) == (415, "gzip")
    assert json.loads(data)["title"] == "Unsupported body"


def test_a_body_packed_twice_is_unpacked_once(server):
    body = gzip.compress(gzip.compress(json.dumps(EXAMPLE).encode()))
    assert server.raw("POST", "/v1/models/m/learn", body, GZIP)[0] == 400


def test_bombs_of_gzip_are_refused_and_others_are_answered(server):
    """Their memory is that of the limit, and health answers while they are unpacked."""
    memory = peak(server)
    before = server.get("/v1/models/m")["version"]
    status, _, data = server.raw("POST", "/v1/models/m/learn", BOMB, GZIP)
    assert (status, json.loads(data)["title"]) == (413, "Too long")
    status, _, data = server.raw("POST", "/v1/models/m/learn", BOMB, GZIP | NDJSON)
    assert (status, json.loads(data)["title"]) == (413, "Too long")  # of the first line
    lines = json.dumps(EXAMPLE).encode() + b"\n" * 2 * FREE
    status, _, data = server.raw("POST", "/v1/models/m/learn", gzip.compress(lines), GZIP | NDJSON)
    learned, refused = map(json.loads, data.splitlines())
    assert (status, learned["version"]) == (200, before + 1)
    assert "may become 67,108,864 bytes, and beyond 1,048,576 bytes 100 times" in refused["error"]
    assert peak(server) < memory + 50 * 2**20


def peak(server):
    """Return the largest memory of the process so far."""
    with open(f"/proc/{server.process.pid}/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


def test_long_answers_are_packed_where_the_client_asks(server):
    rows = json.dumps([{"features": {"a": 1}}] * 200).encode()
    path = "/v1/models/m/predict"
    _, headers, plain = server.raw("POST", path, rows)
    assert (headers["Content-Encoding"], headers["Vary"]) == (None, "accept-encoding")
    status, headers, packed = server.raw("POST", path, rows, ASKS)
    assert (status, headers["Content-Encoding"], headers["Vary"]) == (
        200, "gzip", "accept-encoding",
    )  # fmt: skip
    answers = [json.loads(data) for data in (plain, gzip.decompress(packed))]
    for answer in answers:
        for prediction in answer:
            del prediction["id"]
    assert answers[0] == answers[1]
    assert len(packed) < len(plain) / 3
    lines = b'{"features": {"a": 1}}\n' * 25_000  # of which the answers wait in a file
    _, headers, packed = server.raw("POST", path, lines, ASKS | NDJSON)
    assert headers["Content-Encoding"] == "gzip"
    answers = gzip.decompress(packed)
    assert len(answers) > IN_MEMORY
    assert len(answers.splitlines()) == 25_000


def test_short_answers_model_files_and_events_are_sent_as_they_are(server):
    for path in ("/v1/health/live", "/v1/models/m/file"):
        _, headers, data = server.raw("GET", path, headers=ASKS)
        assert (headers["Content-Encoding"], headers["Content-Length"]) == (None, str(len(data)))
    assert next(server.events("/v1/models/m/stream", ASKS))["model"]["name"] == "m"
    status, headers, body = server.raw("HEAD", "/openapi.json", headers=ASKS)
    assert (status, headers["Content-Encoding"], body) == (200, "gzip", b"")
    assert json.loads(gzip.decompress(server.raw("GET", "/openapi.json", headers=ASKS)[2]))
