"""Teach a model of the service the messages of a queue: each once, those of a partition in order.

A message is an example, as the service takes it in JSON. Each has a key of its own, so it does not
matter how messages are cut into batches, how often one is read, or by whom; what the queue has
noted as done has been answered. Settings come from the environment: ROSENBLATT_URL is the model's
address, ROSENBLATT_TOKEN_FILE the file of the service's token, which need not exist.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote, urlsplit

ADDRESS = urlsplit(os.environ["ROSENBLATT_URL"])
TOKEN_FILE = Path(os.environ.get("ROSENBLATT_TOKEN_FILE", "/etc/rosenblatt/token"))
BLOCK = 500
"""Offsets of one body. Its bounds are in the key: with another number all keys are others."""
SECONDS = 30.0
"""Longest wait for an answer."""
FIRST_WAIT, LONGEST_WAIT, NAP = 0.1, 10.0, 0.1
"""Seconds before the first retry, doubled for each; at most; and after which a signal is seen."""
LATER = (408, 409, 429, 502, 503, 504, 507)
"""Statuses of what may be learned later. 409: another consumer has this block under way."""
REFUSED = 78
"""Status of the program where the service would refuse every message, as mail-learn has it."""


class Message(NamedTuple):
    """A message of a queue; ``value`` is None where it says that another one is deleted."""

    topic: str
    partition: int
    offset: int
    value: bytes | None


class Queue(Protocol):
    """A queue in the manner of Kafka: each partition is a log, and an offset a place in it."""

    def poll(self, most: int) -> Sequence[Message]:
        """Return the next messages, those of a partition in order; none after a short wait."""

    def commit(self, partition: int, offset: int) -> None:
        """Note that the messages of a partition before an offset are done."""


class RefusedError(Exception):
    """The service would refuse every message: the token is wrong, or there is no such model."""


class StoppedError(Exception):
    """A signal came while the service did not answer."""


def main(queue: Queue, dead: Path) -> int:
    """Learn the messages of a queue until SIGTERM or Ctrl-C; return the status of the program.

    ``dead`` is the file of messages that the service refuses, a JSON object with the reason on each
    line. One that is read again after a crash is there again.
    """
    try:
        Learner(queue, dead).run()
    except RefusedError as error:
        print(f"queue_learn: {error}", file=sys.stderr)
        return REFUSED
    except StoppedError:  # what was not answered is not noted as done, and is read again
        pass
    return 0


class Learner:
    """Learns the messages of a queue, as :func:`main` says."""

    def __init__(self, queue: Queue, dead: Path) -> None:
        self._queue, self._dead, self._is_stopping = queue, dead, False
        token = TOKEN_FILE.read_text("ascii").strip() if TOKEN_FILE.exists() else None
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)

    def run(self) -> None:
        """Learn batch after batch, and note each as done."""
        while not self._is_stopping:
            for block in _blocks(self._queue.poll(BLOCK)):
                self._learn(block)
                self._queue.commit(block[0].partition, block[-1].offset + 1)

    def _learn(self, block: list[Message]) -> None:
        topic, partition, offset, _ = block[0]
        first = offset - offset % BLOCK
        key = f"{quote(topic, safe='')}/{partition}/{first}-{first + BLOCK - 1}"
        # The service keeps a key for each run of lines, by the number of its first line. An empty
        # line between two messages makes a run of each, whose number is given by its offset.
        lines = [b""] * (2 * (block[-1].offset - first) + 1)
        for message in block:
            lines[2 * (message.offset - first)] = _line(message.value)
        answers = self._ask("POST", "/learn", b"\n".join(lines), key, len(block))
        refused = {first + (a["line"] - 1) // 2: a["error"] for a in answers if "error" in a}
        if refused:
            version = self._ask("GET")[0]["overflow"]
            if version is not None:
                raise RefusedError(f"version {version} left the floating-point range: erase it.")
            self._bury([m for m in block if m.offset in refused], refused)

    def _bury(self, messages: list[Message], reasons: dict[int, str]) -> None:
        """Write messages to the file of the dead, which only its owner may read."""
        texts = [
            json.dumps({
                "topic": m.topic, "partition": m.partition, "offset": m.offset,
                "error": reasons[m.offset], "value": (m.value or b"").decode(errors="replace"),
            }) + "\n"
            for m in messages
        ]  # fmt: skip
        with open(self._dead, "a", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write("".join(texts))
            file.flush()
            os.fsync(file.fileno())

    def _ask(
        self, method: str, path: str = "", body: bytes = b"", key: str = "", count: int = 1
    ) -> list[dict[str, Any]]:
        """Send a request until there are so many answers; return them."""
        headers = self._headers | {"Content-Type": "application/x-ndjson"}
        headers |= {"Idempotency-Key": key} if key else {}
        secure = ADDRESS.scheme == "https"
        connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        wait = FIRST_WAIT
        while True:
            after = 0.0
            try:
                with closing(connect(ADDRESS.netloc, timeout=SECONDS)) as connection:
                    connection.request(method, ADDRESS.path + path, body, headers)
                    answer = connection.getresponse()
                    data = answer.read()
                fault = f"{answer.status}: {data[:500].decode(errors='replace')}"
                if answer.status == 200:
                    answers: list[dict[str, Any]] = [json.loads(line) for line in data.splitlines()]
                    later = [one["error"] for one in answers if "status" in one]
                    if len(answers) == count and not later:
                        return answers
                    fault = later[0] if later else fault
                elif answer.status not in LATER:
                    raise RefusedError(fault)
                after = float(answer.headers.get("Retry-After", 0))
            except (OSError, http.client.HTTPException, ValueError) as error:
                fault = repr(error)
            print(f"queue_learn: {key} {fault}", file=sys.stderr)
            self._wait(max(wait, after))
            wait = min(2 * wait, LONGEST_WAIT)

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self._is_stopping:
                raise StoppedError
            time.sleep(NAP)

    def _stop(self, *signal: object) -> None:
        self._is_stopping = True


def _blocks(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Yield the messages of each block of a partition, in the order of their offsets."""
    blocks: dict[tuple[int, int], dict[int, Message]] = {}
    for message in messages:
        block = message.partition, message.offset // BLOCK
        blocks.setdefault(block, {})[message.offset] = message
    for of_offset in blocks.values():
        yield [of_offset[offset] for offset in sorted(of_offset)]


def _line(value: bytes | None) -> bytes:
    """Return a value as a line; one without content as null, which the service refuses."""
    return (value or b"").replace(b"\n", b" ").strip() or b"null"
