"""A queue of files, for machines without a broker: python file_queue.py FOLDER PARTITION [...].

FOLDER is the topic, with a folder for each partition. A partition is a log in files, whose names
are the offsets of their first lines with 20 digits: ``clicks/0/00000000000000000000.jsonl``. A
program appends lines, one message each, and may begin the next file at any line. ``committed``
beside them has the offset of the next message that is not done; files before it may be deleted.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import queue_learn
from queue_learn import Message

SECONDS = 0.2
"""Wait for messages where there are none."""


class FileQueue:
    """Reads partitions of a folder.

    Parameters
    ----------
    folder : Path
    partitions : sequence of int
        Those that this program reads; give each to one program.

    Raises
    ------
    FileNotFoundError
        The file of the next message has been deleted.
    """

    def __init__(self, folder: Path, partitions: Sequence[int]) -> None:
        self._folder = folder
        self._readers = [self._read(partition) for partition in partitions]

    def poll(self, most: int) -> list[Message]:
        """Return the next messages, some of each partition; none after a short wait."""
        messages: list[Message] = []
        for reader in self._readers:
            for _ in range(max(1, most // len(self._readers))):
                message = next(reader)
                if message is None:
                    break
                messages.append(message)
        if not messages:
            time.sleep(SECONDS)
        return messages

    def commit(self, partition: int, offset: int) -> None:
        """Note durably that the messages before an offset are done."""
        folder = self._folder / str(partition)
        new = folder / f"committed.{os.getpid()}"
        with open(new, "w") as file:
            file.write(str(offset))
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, folder / "committed")

    def _read(self, partition: int) -> Iterator[Message | None]:
        """Yield the messages that are not done; None where the next one is not there yet."""
        folder = self._folder / str(partition)
        done = folder / "committed"
        start = int(done.read_text()) if done.exists() else 0
        firsts = [int(path.stem) for path in folder.glob("*.jsonl")] or [0]
        offset = max((first for first in firsts if first <= start), default=-1)
        if offset < 0:
            raise FileNotFoundError(f"{folder}: no file has the message {start}.")
        while True:
            path, first = folder / f"{offset:020}.jsonl", offset
            while not path.exists():
                yield None
            with open(path, "rb") as file:
                while offset == first or not (folder / f"{offset:020}.jsonl").exists():
                    line = file.readline()
                    if not line.endswith(b"\n"):  # it is being written
                        file.seek(-len(line), os.SEEK_CUR)
                        yield None
                        continue
                    if offset >= start:
                        yield Message(self._folder.name, partition, offset, line[:-1])
                    offset += 1


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    queue = FileQueue(folder, [int(partition) for partition in sys.argv[2:]])
    sys.exit(queue_learn.main(queue, folder / f"dead-{'-'.join(sys.argv[2:])}.jsonl"))
