"""What the fuzzers try of the service: bytes of a connection, requests, bodies of gzip, its files.

No request is answered with 500 or left without an answer, and none ends the service.
"""

import asyncio
import gzip
import json
import re
import socket
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from fuzz_core import Target, may_refuse

# --- requests ------------------------------------------------------------------------------------

MODELS = ("named", "text", "dense")
MOST_MODELS = 30
"""Models of the service: requests create some."""


class Connections:
    """A service of this process, and connections to it, each of a pair of sockets."""

    def __init__(self, folder):
        import uvicorn
        from uvicorn.server import ServerState

        from rosenblatt.serve.http.app import build_app
        from rosenblatt.serve.schema import NewModel
        from rosenblatt.serve.service import Service
        from rosenblatt.serve.store.database import Database
        from rosenblatt.serve.telemetry.watch import Watch
        from rosenblatt.serve.wire.protocol import new_protocols

        self.loop, self.faults = asyncio.new_event_loop(), []
        self.loop.set_exception_handler(lambda _, context: self.faults.append(context))
        asyncio.set_event_loop(self.loop)
        self.database = Database(Path(folder, "store"))
        self.service = Service(self.database)
        self.service.restore()
        app = build_app(self.service, None, Watch(self.service))
        config = uvicorn.Config(app, ws="none", lifespan="off", log_config=None, access_log=False)
        config.load()
        self.state = ServerState()
        self.protocols, self.config = new_protocols(), config
        self.loop.run_until_complete(self.service.start())
        for name in MODELS:
            self.loop.run_until_complete(self.service.create(NewModel(name)))
        for name, row in zip(MODELS, ({"a": 1.0, "b": "x"}, "some words", [1.0, 2.0]), strict=True):
            for label in ("no", "yes"):
                body = json.dumps({"features": row, "label": label}).encode()
                answer = self.send(request("POST", f"/v1/models/{name}/learn", body))
                assert answer.startswith(b"HTTP/1.1 200"), answer

    def close(self):
        """End the service."""
        self.loop.run_until_complete(self.service.stop())
        self.database.close()
        self.loop.close()

    def send(self, data):
        """Send bytes on a connection of their own; return all that is answered."""
        return self.loop.run_until_complete(self._send(data))

    async def _send(self, data):
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        made = []

        def protocol():
            made.append(self.protocols(config=self.config, server_state=self.state, app_state={}))
            return made[0]

        await self.loop.connect_accepted_socket(protocol, theirs)
        connection, answer = made[0], b""
        try:
            for start in range(0, len(data), 700):  # parts, so that a head is cut somewhere
                await self.loop.sock_sendall(ours, data[start : start + 700])
            for _ in range(3):
                await asyncio.sleep(0)
            while self.is_busy(connection):
                await asyncio.sleep(0)
            for _ in range(3):  # what was answered is sent soon
                await asyncio.sleep(0)
            while part := _available(ours):
                answer += part
        except (BrokenPipeError, ConnectionResetError):
            pass
        finally:
            ours.close()
            while self.state.connections:
                await asyncio.sleep(0)
            while self.state.tasks:
                await asyncio.sleep(0)
        return answer

    def is_busy(self, connection):
        """Whether a request is being answered, and waits for nothing that this side could send."""
        cycle = connection.cycle
        waits = cycle is not None and cycle.more_body and not cycle.message_event.is_set()
        endless = cycle is not None and cycle.response_started and cycle.scope["path"] in ENDLESS
        return bool(self.state.tasks) and not waits and not endless


def _available(connection):
    try:
        return connection.recv(2**20)
    except (BlockingIOError, ConnectionResetError):
        return b""


ENDLESS = {f"/v1/models/{name}/stream" for name in MODELS}


_opened: list[Connections] = []


def connections(folder):
    """The service of this process; a new one where models are gone, or there are many others."""
    if _opened:
        models = _opened[-1].service.models
        if set(MODELS) <= models.keys() and len(models) < MOST_MODELS:
            return _opened[-1]
    close()
    _opened.append(Connections(tempfile.mkdtemp(dir=folder)))
    return _opened[-1]


def close():
    """End the service of this process, if there is one."""
    while _opened:
        _opened.pop().close()


def request(method, path, body, *headers):
    """Return a request as bytes."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}"]
    head = "\r\n".join([*lines, *headers, "", ""])
    return head.encode("latin-1", "replace") + body


def answered(data, folder):
    """Send bytes, and check what is answered: no 500, and no exception that nobody catches."""
    service = connections(folder)
    answer = service.send(data)
    assert not service.faults, service.faults
    statuses = re.findall(rb"HTTP/1\.1 (\d+) ", answer)
    assert b"500" not in statuses, answer
    return answer


def wire(data, folder):
    """Bytes of a connection, as they come; the service answers others afterwards."""
    answered(data, folder)
    answer = answered(request("GET", "/v1/health/live", b""), folder)
    assert answer.startswith(b"HTTP/1.1 200"), answer


def requests(data, folder):
    """Requests to each endpoint: parts of the path, parameters and body of any content."""
    from rosenblatt.serve.http.endpoints import all_endpoints

    number, flags, (part, query, body) = data[0], data[1], [*data[2:].split(b"\n", 2), b"", b""][:3]
    endpoints = [e for e in all_endpoints() if not e.path.endswith("/stream")]
    endpoint = endpoints[number % len(endpoints)]
    path = endpoint.also if flags & 4 and endpoint.also else endpoint.path
    model = MODELS[flags % 3]
    words = [
        re.sub(r"[\s?#\x00-\x1f]", "", word) or "1" for word in part.decode("latin-1").split("/")
    ]
    for name in re.findall(r"{(\w+)}", path):
        word = model if name == "model" else words.pop(0) if words else ""
        path = path.replace(f"{{{name}}}", word or "1")
    if query:
        path += "?" + re.sub(r"[\s#\x00-\x1f]", "", query.decode("latin-1"))
    headers = ["Content-Type: application/x-ndjson"] if flags & 8 else []
    if flags & 16:
        body, headers = gzip.compress(body, 1), [*headers, "Content-Encoding: gzip"]
    if flags & 32:
        headers += [f"Idempotency-Key: {part.decode('latin-1')[:20].strip() or 'k'!r}"]
    answered(request(endpoint.method, path, body, *headers), folder)


def bodies():
    """A request to each endpoint, with the bodies of its examples."""
    from rosenblatt.serve.http.endpoints import all_endpoints

    endpoints = [e for e in all_endpoints() if not e.path.endswith("/stream")]
    found = []
    for k, endpoint in enumerate(endpoints):
        for body in endpoint.examples.values() or [{}]:
            found += [bytes([k, flags]) + b"1\n\n" + json.dumps(body).encode() for flags in (0, 12)]
    return found


def unpacking(data, folder):
    """What a body of gzip becomes is what gzip says, or it is refused."""
    from rosenblatt.serve.errors import RefusedError
    from rosenblatt.serve.http.codings import unpack

    step, body = 1 + data[0], data[1:]
    if step % 2:
        body = gzip.compress(body, 1)

    async def main():
        async def come():
            for start in range(0, len(body), step):
                yield body[start : start + step]

        return b"".join([piece async for piece in unpack(come(), 2**22)])

    unpacked = None
    with suppress(RefusedError):
        unpacked = asyncio.run(main())
    assert unpacked == gzip.decompress(body) if unpacked is not None else not step % 2


# --- files ---------------------------------------------------------------------------------------


def tokens(data, folder):
    """A file of tokens has a name and scopes on each line, or is refused by name."""
    from rosenblatt.serve.errors import TokensError
    from rosenblatt.serve.http.tokens import SCOPES, Tokens

    path = Path(folder, "tokens")
    path.write_bytes(data)
    with may_refuse(path, TokensError):
        read = Tokens(str(path))
        assert read.find(b"") is None
        for _, sender in read._senders:
            assert re.fullmatch("[A-Za-z0-9._-]{1,64}", sender.name)
            assert set() < sender.scopes <= set(SCOPES)


def records(data, folder):
    """Bodies of records of a log, predictions and answers: read, or refused as damaged."""
    from rosenblatt.serve.errors import RefusedError, StoreError
    from rosenblatt.serve.store.check import READERS
    from rosenblatt.serve.store.pages import seal
    from rosenblatt.serve.store.tables import decode_answer, decode_features

    readers = [
        *READERS.values(),
        lambda b: decode_answer(seal(b)),
        lambda b: decode_features(seal(b)),
    ]
    with suppress(StoreError, RefusedError, ValueError, TypeError):  # as `check` names them
        readers[data[0] % len(readers)](data[1:])


def shipped(data, folder):
    """A manifest with a right checksum, a segment, a note and a mark: read, or damaged by name."""
    from rosenblatt.serve.errors import StoreError
    from rosenblatt.serve.shipping.claim import MARK, read_mark
    from rosenblatt.serve.shipping.records import (
        Base,
        Ref,
        Segment,
        manifest_name,
        read_chunk,
        read_manifest,
        read_record,
    )
    from rosenblatt.serve.shipping.standby import note_name, read_notes
    from rosenblatt.serve.shipping.target import Target

    home = Path(folder, "target")
    target, body = Target(str(home)), data[1:]
    files = {
        manifest_name(1): body.partition(b"\n")[0] + b"\n" + digest(body.partition(b"\n")[0]),
        "segments/1": body,
        note_name("a"): body,
        f"chunks/1-{sha256(body).hexdigest()}": body,
        MARK: body,
    }
    for name, content in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(content)
    ref = Ref("segments/1", sha256(body).hexdigest())
    readers = (
        lambda: read_manifest(target, 1),
        lambda: read_record(target, ref, Segment),
        lambda: read_record(target, ref, Base),
        lambda: read_notes(target, "b"),
        lambda: read_mark(home),
        lambda: read_chunk(target, f"chunks/1-{sha256(body).hexdigest()}"),
    )
    with may_refuse(home, StoreError):
        readers[data[0] % len(readers)]()
    for name in files:
        (home / name).unlink()


def digest(data):
    return sha256(data).hexdigest().encode() + b"\n"


def stored():
    """Records as a service writes them."""
    from rosenblatt.serve.store.log import encode_body

    bodies = [encode_body(({"a": 1.5, "b": "x"}, "yes", 1.0)), encode_body(7)]
    return [bytes([k]) + body for k in range(8) for body in bodies]


def objects():
    """A manifest, a segment, a base, a note and a mark."""
    import msgspec

    from rosenblatt.serve.shipping.claim import Mark
    from rosenblatt.serve.shipping.records import Base, Manifest, Ref, Segment, encode
    from rosenblatt.serve.shipping.standby import Note

    ref = Ref("segments/1", "0" * 64)
    return [
        b"\0" + msgspec.json.encode(Manifest(1, 1, "a", 2.5, base=ref, last=ref, begins=[1])),
        b"\1" + encode(Segment(1, 1, 0, 2, 2.5, ref, b"patch")),
        b"\2" + encode(Base(1, 2.5, 10, ["chunks/1-00"])),
        b"\3" + msgspec.json.encode(Note("a", "host", 1, 1, 2.5)),
        b"\4" + msgspec.json.encode(Mark("a", 1, True)),
    ]


def requests_as_bytes():
    learn = b'{"features":{"a":1},"label":"yes"}'
    chunked = (
        b"POST /v1/models/named/learn HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
        b"Content-Type: application/x-ndjson\r\n\r\n22\r\n" + learn + b"\r\n1\r\n\n\r\n0\r\n\r\n"
    )
    return [
        request("GET", "/v1/models", b""),
        request("POST", "/v1/models/named/learn", learn) * 2,
        request("GET", "/v1/models/named/log?limit=2&after=1", b"", "Accept-Encoding: gzip"),
        chunked,
    ]


TARGETS = {
    "wire": Target(wire, requests_as_bytes, most=2048),
    "requests": Target(requests, bodies, most=1024),
    "unpacking": Target(
        unpacking, lambda: [b"\0" + b"a" * 99, b"\1" + gzip.compress(b"spam" * 50)], most=4096
    ),
    "tokens": Target(tokens, lambda: [b"# a\nweb predict,learn sha256:" + b"0a" * 32 + b"\n"]),
    "records": Target(records, stored),
    "shipped": Target(shipped, objects),
}
