"""Features of predictions, by id: the youngest in memory, until they are in the database."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress

import apsw

from rosenblatt.serve.errors import StoreError
from rosenblatt.serve.schema import Features
from rosenblatt.serve.store import tables
from rosenblatt.serve.writer import ROW_BYTES, Writer

UNWRITTEN = 2**25
"""Bytes of the predictions found in memory, before they are in the database."""


class KeptRows:
    """Rows that were predicted, and the ids that are left for more.

    Attributes
    ----------
    ids : range
        Reserved in the database, and not given out.
    """

    def __init__(self) -> None:
        self.ids = range(0)
        self._reserving: asyncio.Task[None] | None = None
        self._unwritten: OrderedDict[int, tuple[int, bytes]] = OrderedDict()
        self._bytes = 0

    def keep(self, writer: Writer, model: int, features: Features) -> str | None:
        """Keep the features of a prediction; return its id, None where no id is left."""
        if len(self.ids) < tables.RESERVED // 2 and self._reserving is None:
            self._reserving = asyncio.create_task(self._reserve(writer))
        if not self.ids:  # the disk has refused for that long
            return None
        number, data = self.ids[0], tables.encode_features(features)
        self.ids = self.ids[1:]
        self._unwritten[number] = model, data
        self._bytes += len(data) + ROW_BYTES
        while self._bytes > UNWRITTEN:
            _, (_, oldest) = self._unwritten.popitem(last=False)
            self._bytes -= len(oldest) + ROW_BYTES
        writer.keep_prediction((number, model, writer.clock.read(), data))
        return f"p{number}"

    def find(self, reader: apsw.Connection, model: int, prediction: str) -> bytes | None:
        """Return the encoded features of a prediction of a model; None if they are not kept."""
        digits = prediction.removeprefix("p")
        if digits == prediction or not (digits.isascii() and digits.isdigit() and len(digits) < 19):
            return None
        owner, data = self._unwritten.get(int(digits), (model, None))
        if owner != model:
            return None
        return tables.find_features(reader, model, int(digits)) if data is None else data

    def in_memory(self) -> list[tuple[int, bytes]]:
        """Return the ids and encoded features of the predictions that memory has, of any model."""
        return [(number, data) for number, (_, data) in self._unwritten.items()]

    def forget(self, numbers: Iterable[int]) -> None:
        """Drop the features of predictions from memory, by their ids."""
        for number in numbers:
            if number in self._unwritten:
                self._bytes -= len(self._unwritten.pop(number)[1]) + ROW_BYTES

    async def _reserve(self, writer: Writer) -> None:
        """Reserve more ids, before those that are left are given out."""
        try:
            with suppress(StoreError):  # tried again at the next prediction
                self.ids = await writer.do(tables.reserve_numbers)
        finally:
            self._reserving = None
