"""The service beside a bare Starlette handler: requests a second, durable examples a second.

Run: python bench/service.py [--write]; --write writes docs/service-speed.md. Five minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import json
import tempfile
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import numpy as np
import uvloop
from liveness import liveness
from markdown import table
from measure import machine
from served import ECHO, post, server, service

from rosenblatt.serve.rows import PlainRows
from rosenblatt.serve.store import tables
from rosenblatt.serve.store.database import Database
from rosenblatt.serve.store.log import Log

PAGE = Path(__file__).resolve().parents[1] / "docs" / "service-speed.md"
CONNECTIONS, FEATURES, SECONDS, ROUNDS = 32, 20, 3.0, 5
LINES, LOGGED = 200_000, 1_000_000


def rows(count: int, seed: int = 0) -> Iterator[tuple[dict[str, float], str]]:
    """Yield rows of 20 features among 1,000, with a label that a hyperplane gives."""
    rng = np.random.default_rng(seed)
    w = rng.standard_normal(1000)
    for _ in range(count):
        columns = rng.choice(1000, FEATURES, replace=False)
        values = rng.standard_normal(FEATURES).round(3)
        label = "spam" if values @ w[columns] > 0 else "ham"
        yield {f"f{j}": float(v) for j, v in zip(columns, values, strict=True)}, label


def request(port: int, path: str, body: bytes, kind: str = "application/json") -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: {kind}\r\n"
    return head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body


class Client(asyncio.Protocol):
    """A connection that sends one request after another, and notes how long each takes."""

    def __init__(self, requests: list[bytes], until: float, times: list[float]) -> None:
        self.requests, self.until, self.times = requests, until, times
        self.done = asyncio.get_running_loop().create_future()
        self.next = 0

    def connection_made(self, transport: Any) -> None:
        """Send the first request."""
        self.transport = transport
        self.send()

    def send(self) -> None:
        """Send the next request."""
        self.buffer = b""
        self.start = time.perf_counter()
        self.transport.write(self.requests[self.next % len(self.requests)])
        self.next += 1

    def data_received(self, data: bytes) -> None:
        """Note the time of an answer, once it is whole."""
        self.buffer += data
        head, found, body = self.buffer.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
        if not found or len(body) < length:
            return
        now = time.perf_counter()
        self.times.append(now - self.start)
        if not head.startswith(b"HTTP/1.1 2"):
            self.done.set_exception(RuntimeError(self.buffer.decode()))
        elif now > self.until:
            self.done.set_result(None)
            self.transport.close()
        else:
            self.send()


async def load(port: int, requests: list[bytes]) -> tuple[float, float, float]:
    """Return requests a second, and the median and 99th percentile of their times in ms."""
    loop, times = asyncio.get_running_loop(), []
    start = time.perf_counter()
    clients = []
    for j in range(CONNECTIONS):
        own = requests[j::CONNECTIONS]
        _, client = await loop.create_connection(
            lambda own=own: Client(own, start + SECONDS, times), "127.0.0.1", port
        )
        clients.append(client)
    await asyncio.gather(*(client.done for client in clients))
    rate = len(times) / (time.perf_counter() - start)
    return rate, 1e3 * float(np.median(times)), 1e3 * float(np.quantile(times, 0.99))


def rates(store: str) -> tuple[dict[str, Any], str]:
    """Return the rates of each kind of request in every round, and facts of the commits."""
    examples = list(rows(20_000))
    queries = [json.dumps({"features": x}).encode() for x, _ in examples]
    lessons = [json.dumps({"features": x, "label": y}).encode() for x, y in examples]
    found: dict[str, Any] = {"echo": [], "predict": [], "learn": []}
    with server(ECHO) as echo, server(service(store)) as ours:
        post(ours, "/v1/models", b'{"name": "m"}')
        post(ours, "/v1/models/m/learn", b"[" + b",".join(lessons[:1000]) + b"]")
        for _ in range(ROUNDS):
            for what, port, bodies in (
                ("echo", echo, queries), ("predict", ours, queries), ("learn", ours, lessons),
            ):  # fmt: skip
                sent = [request(port, f"/v1/models/m/{what}", body) for body in bodies]
                found[what].append(uvloop.run(load(port, sent)))
        return found, commits(ours)


def commits(port: int) -> str:
    """Return the requests of a commit, and the commits a second."""
    connection = HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/metrics")
    lines = dict(
        line.rsplit(" ", 1) for line in connection.getresponse().read().decode().splitlines()
        if not line.startswith("#")
    )  # fmt: skip
    count = float(lines["rosenblatt_commit_seconds_count"])
    works = float(lines["rosenblatt_commit_requests_sum"])
    seconds = float(lines["rosenblatt_commit_seconds_sum"])
    share, each = works / count, seconds / count
    return f"Commits take {1e3 * each:.1f} ms, and {share:.0f} requests share one"


def lines_rate(store: str) -> float:
    """Return the examples a second of a body of lines."""
    body = b"\n".join(json.dumps({"features": x, "label": y}).encode() for x, y in rows(LINES))
    with server(service(store)) as port:
        post(port, "/v1/models", b'{"name": "m"}')
        post(port, "/v1/models/m/learn", body[: body.index(b"\n")])
        start = time.perf_counter()
        post(port, "/v1/models/m/learn", body, "application/x-ndjson")
        return LINES / (time.perf_counter() - start)


def fill(store: str, count: int) -> None:
    """Write examples to a log, without a snapshot."""
    database = Database(store)
    with database.writer as connection:
        log = Log(connection, tables.add_model(connection, "m", {}, 0.0), "m")
        examples = PlainRows([(x, y, 1.0) for x, y in rows(count)])
        log.append_examples(examples.bodies, examples.ends, 0.0)
    database.close()


def start_seconds(store: str) -> float:
    """Return the seconds from the prompt to the first answer."""
    start = time.perf_counter()
    with server(service(store)):
        return time.perf_counter() - start


def measure() -> str:
    """Return the page."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        found, shared = rates(f"{folder}/rates")
        empty = min(start_seconds(f"{folder}/empty{j}") for j in range(3))
        lines = lines_rate(f"{folder}/lines")
        fill(f"{folder}/log", LOGGED)
        recovery = start_seconds(f"{folder}/log")
        lives = liveness(folder)
    today = datetime.date.today().isoformat()
    return f"""# The service, measured

`python bench/service.py --write`, {today}: {machine()}.

The service stands beside a bare handler of Starlette and msgspec that decodes and encodes the \
same rows of {FEATURES} named numbers, and does nothing with them. A process of the same machine \
sends requests over {CONNECTIONS} connections, to one and the other in turn, {ROUNDS} times \
{SECONDS:g} seconds each; the table has medians.

{rates_table(found)}

- **A request to learn** is answered once its example is written, synced and learned. {shared}.
- **Lines of NDJSON** are learned at {lines:,.0f} a second, durably. The core parses them; one \
thread finds names, learns and counts, while another writes the log and waits for the disk.
- **Recovery** of {LOGGED:,} logged examples without a snapshot takes {recovery:.1f} seconds, \
start-up included. A snapshot every 50,000 examples makes it short.
- **An empty store** answers {empty:.2f} seconds after the prompt.

{lives}"""


def rates_table(found: dict[str, Any]) -> str:
    """Return requests a second and their times, as a table."""
    medians = {what: np.median(results, axis=0) for what, results in found.items()}
    echo = medians["echo"][0]
    rows = [
        [what, f"{rate:,.0f}", f"{100 * rate / echo:.0f} %", f"{p50:.2f}", f"{p99:.2f}"]
        for what, (rate, p50, p99) in medians.items()
    ]
    return table(["", "requests a second", "of echo", "p50, ms", "p99, ms"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help=f"write docs/{PAGE.name}")
    options = parser.parse_args()
    text = measure()
    print(text)
    if options.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
