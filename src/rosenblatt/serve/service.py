"""The service, apart from HTTP: models that predict, and that learn what is on the disk."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from typing import TypeVar

import apsw

from rosenblatt.serve import schema
from rosenblatt.serve.config import check_config
from rosenblatt.serve.errors import RefusedError, StoreError, explained, refusing, was_deleted
from rosenblatt.serve.history import state_at
from rosenblatt.serve.live import LiveModel
from rosenblatt.serve.rows import Rows
from rosenblatt.serve.schema import Config, Features, Prediction
from rosenblatt.serve.served import (
    Key,
    LearnQueue,
    LearnWork,
    ServedModel,
    Taught,
    of_this_version,
)
from rosenblatt.serve.shipping.base import give_ticket
from rosenblatt.serve.shipping.shipper import Shipper
from rosenblatt.serve.store import tables
from rosenblatt.serve.store.database import Database
from rosenblatt.serve.store.kept import KeptRows
from rosenblatt.serve.store.layout import Sizes, read_sizes
from rosenblatt.serve.store.log import Row
from rosenblatt.serve.telemetry.metrics import Metrics
from rosenblatt.serve.telemetry.observed import Observed, Shipped, Waiting
from rosenblatt.serve.writer import Commit, Writer

_log = logging.getLogger("rosenblatt.serve")

T = TypeVar("T")

HISTORIC = 4
"""Models of earlier versions that are kept in memory."""


class Service:
    """Models of a store.

    Parameters
    ----------
    database : Database
        Open for writing.
    keep_predictions : float
        Seconds for which the features of predictions are kept; 0 keeps none.
    log_bytes : int, optional
        Budget of all logs.
    shipper : Shipper, optional
        Sends what is learned to a target.

    Attributes
    ----------
    models : dict
        Models by name, without the deleted ones.
    deleted : dict
        Deleted models by name. Those that were deleted at the start are not in memory.
    deleting, purging : asyncio.Lock
        Held by what deletes and restores models, and by what removes purged ones from the store.
    has_purged : bool
        Whether the file of the store is to be shortened.
    kept_rows : KeptRows
        Features of predictions.
    queue : LearnQueue
    failed : str or None
        Why the disk refused the last commit.
    log_is_full : bool
        Whether the log has reached its budget.
    tokens_are_stale : bool or None
        Whether the file of tokens cannot be used, and those of before are valid; None without one.
    is_draining : bool
        Whether the process stops in a moment: it is not ready for new clients.
    sizes : Sizes or None
        Bytes of the parts of the store, as they were read last.
    ticket : int
        Of the last erasure, where the service ships.
    stopping : asyncio.Event
        Set when the process begins to stop: answers without an end come to theirs.
    role : str
        "primary", "replica" or "standby".
    end : callable
        Stops to serve.
    """

    role = "primary"

    def __init__(
        self,
        database: Database,
        keep_predictions: float = 7 * 86400.0,
        log_bytes: int | None = None,
        shipper: Shipper | None = None,
    ) -> None:
        self.shipper = shipper
        self.end: Callable[[], object] = lambda: None
        self.database, self.keep_predictions = database, keep_predictions
        self.log_bytes, self.log_is_full = log_bytes, False
        self.sizes: Sizes | None = None
        self.ticket = 0
        self.models: dict[str, ServedModel] = {}
        self.deleted: dict[str, ServedModel] = {}
        self.purging = asyncio.Lock()
        self.has_purged = False
        self.deleting = asyncio.Lock()
        self.metrics = Metrics()
        self.failed: str | None = None
        self.is_draining = False
        self.tokens_are_stale: bool | None = None
        self.stopping = asyncio.Event()
        self.reader = database.connect()
        self.kept_rows = KeptRows()
        self.queue = LearnQueue()
        self._historic: OrderedDict[tuple[int, int], LiveModel] = OrderedDict()
        self._computing = asyncio.Lock()  # one earlier version is computed at a time
        self._explaining = ThreadPoolExecutor(1, "explanations")

    def restore(self) -> None:
        """Bring all models that are not deleted to the end of their logs.

        Raises
        ------
        StoreError
            The store is damaged.
        """
        write = self.database.writer
        with explained(self.database.file):
            with self.database.transaction():
                self.kept_rows.ids = tables.reserve_numbers(write)
            for stored in tables.read_models(write):
                model = ServedModel(stored)
                if model.deleted is not None:
                    self.deleted[model.name] = model
                    continue
                answers = model.restore(write)
                with self.database.transaction():
                    tables.save_answers(write, answers)
                self.models[model.name] = model

    async def start(self) -> None:
        """Start the writer."""
        self.writer = Writer(self.database, self._add_commit, self.log_bytes)
        if self.shipper is not None:
            self.shipper.start(self.writer)

    async def stop(self) -> None:
        """Write what waits, and end the writer."""
        await self.writer.stop()
        if self.shipper is not None:
            await self.shipper.stop()
        self._explaining.shutdown()
        self.reader.close()  # the last connection empties the journal

    def refusal(self) -> RefusedError | None:
        """Return why nothing may be changed; None if it may."""
        if self.shipper is None or self.shipper.fenced is None:
            return None
        return RefusedError(503, self.shipper.fenced, title="Fenced")

    async def promote(self) -> int:
        """Return the epoch of a service that ships: it is the primary already.

        Raises
        ------
        RefusedError
            It ships nothing, or another one took over.
        """
        if refusal := self.refusal():
            raise refusal
        if self.shipper is None:
            raise RefusedError(409, "this service ships nothing: it is no standby.")
        return self.shipper.manifest.epoch

    async def empty_journal(self) -> None:
        """Wait until what was erased is in no file of the store any more.

        Raises
        ------
        StoreError
            The service stops before; its next start empties the journal. Or the disk refuses.
        """
        if self.shipper is not None:  # a ticket also for an erasure that is asked for again
            self.ticket = await self.writer.do(give_ticket)
        emptied = self.writer.empty_journal()
        stopping = asyncio.create_task(self.stopping.wait())
        try:
            await asyncio.wait((emptied, stopping), return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
        if not emptied.done():
            raise StoreError(
                "the service stops while a backup or a replica reads what was erased: the next "
                "start overwrites it."
            )

    def observe(self) -> Observed:
        """Return what the metrics say of this moment; the disk is not read for it."""
        shipped = None
        if (shipper := self.shipper) is not None:
            shipped = Shipped(shipper.lag(), shipper.waiting_bytes(), shipper.fenced is not None)
        return Observed(
            list(self.models.values()),
            failed=self.failed is not None,
            sizes=self.sizes,
            log_budget=self.log_bytes,
            disk=self.writer.disk,
            waiting=Waiting(self.queue.requests, self.queue.size),
            shipping=shipped,
            tokens_are_stale=self.tokens_are_stale,
        )

    def _add_commit(self, commit: Commit) -> None:
        if commit.error is not None and self.failed is None:  # not once for each request
            _log.error("the store failed", extra={"fault": commit.error})
        elif commit.error is None and self.failed is not None:
            _log.info("the store takes examples again")
        self.failed = commit.error
        self.metrics.commits.observe(commit.seconds)
        self.metrics.commit_works.observe(commit.works)
        self.metrics.failed_commits.inc(commit.error is not None)

    # --- models ----------------------------------------------------------------------------------

    def model(self, name: str) -> ServedModel:
        """Return a model that is not deleted.

        Raises
        ------
        RefusedError
            There is none of this name.
        """
        model = self.models.get(name)
        if model is None and name in self.deleted:
            raise RefusedError(404, f"{was_deleted(name)}.")
        if model is None:
            raise RefusedError(404, f"no model {name!r:.80}: POST /v1/models creates one.")
        return model

    def about(self, model: ServedModel) -> schema.ModelInfo:
        """Return what is known of a model, with the head of its log.

        Raises
        ------
        RefusedError
            The model was purged while its request waited.
        """
        model.check_is_there()
        about = model.about()
        about.head = model.log(self.reader).head(about.version)
        return about

    async def create(
        self,
        new: schema.NewModel,
        also: Callable[[apsw.Connection, int], object] = lambda c, number: None,
    ) -> ServedModel:
        """Create a model; ``also`` writes with it, and has its number.

        Raises
        ------
        RefusedError
            The name is taken, or the configuration is not valid.
        """
        check_config(new.config)
        name, created = new.name, time.time()
        try:
            await self.writer.do(lambda c: also(c, tables.add_model(c, name, new.config, created)))
        except apsw.ConstraintError:
            taken = f"there is a model {name!r}: take another name."
            if name in self.deleted:
                taken = f"{was_deleted(name)}, …/purge ends it for good; or take another name."
            raise RefusedError(409, taken) from None
        stored = {model.name: model for model in tables.read_models(self.reader)}
        model = self.models[name] = ServedModel(stored[name])
        model.is_restored = True
        return model

    def put_back(self, model: ServedModel) -> None:
        """Serve a model that was deleted, at its place in the order of their creation."""
        self.models[model.name] = model
        for later in [other for other in self.models.values() if other.number > model.number]:
            self.models[later.name] = self.models.pop(later.name)

    # --- predicting ------------------------------------------------------------------------------

    def predict(
        self, model: ServedModel, features: Features, *, live: LiveModel | None = None
    ) -> Prediction:
        """Predict a row, and keep its features so that its label may come later.

        Parameters
        ----------
        model : ServedModel
        features : dict, list or str
        live : LiveModel, optional
            The model as it was at another version.

        Raises
        ------
        RefusedError
            The row is over a limit, or of a kind that the model does not have.
        """
        with refusing():
            prediction = self._checked(model, features, live).predict(features)
        return self._kept(model, features, prediction)

    async def explain(
        self, model: ServedModel, features: Features, *, live: LiveModel | None = None
    ) -> Prediction:
        """Predict a row as :meth:`predict`, and say what each feature contributes.

        That may take a while, so it is done in another thread: one for all, since each that runs
        Python makes the loop wait for its turn.
        """
        with refusing():
            live = self._checked(model, features, live)
            explain = partial(live.predict, features, explain=True)
            loop = asyncio.get_running_loop()
            prediction = await loop.run_in_executor(self._explaining, explain)
        return self._kept(model, features, prediction)

    def _checked(self, model: ServedModel, features: Features, live: LiveModel | None) -> LiveModel:
        """Return the model that predicts a row, once the row is checked."""
        live = live or model.live
        live.check_size(features)
        live.check(features)
        return live

    def _kept(self, model: ServedModel, features: Features, prediction: Prediction) -> Prediction:
        """Count a prediction, and give it an id."""
        self.metrics.predictions.inc()
        if self.keep_predictions > 0 and model.deleted is None:
            prediction.id = self.kept_rows.keep(self.writer, model.number, features)
        return prediction

    def features_of(self, model: ServedModel, prediction: str) -> Features:
        """Return the features of an earlier prediction.

        Raises
        ------
        RefusedError
            They are not kept.
        """
        data = self.kept_rows.find(self.reader, model.number, prediction)
        if data is None:
            raise RefusedError(
                404,
                f"no prediction {prediction!r:.40} of the model {model.name!r}: its features are "
                "not kept, or not any more. Send them with the label.",
            )
        return tables.decode_features(data)

    # --- learning --------------------------------------------------------------------------------

    def row(self, model: ServedModel, example: schema.Example) -> Row:
        """Return the row of an example; whether the model takes it, :meth:`learn` says.

        Raises
        ------
        RefusedError
            It is over a limit, or its id is unknown.
        """
        with refusing():
            schema.check_example(example, model.live.check_size)
        features = example.features
        if features is None:
            features = self.features_of(model, example.id or "")
        return features, example.label, example.weight

    async def learn(self, model: ServedModel, rows: Rows, key: Key | None = None) -> Taught:
        """Write examples to the disk and learn them, in order; say of each what came of it.

        Raises
        ------
        StoreError
            Nothing was written: the disk is full, or fails, or the log has reached its budget.
        RefusedError
            The model does not take one of the rows, or the key was used with another body.
        """
        if refusal := self.refusal():  # of lines that came when it was none
            raise refusal
        await model.wait_for_turn()  # what follows is of the model that will learn the rows
        if model.deleted is not None:
            raise RefusedError(404, f"{was_deleted(model.name)}.")
        if refused := model.live.refusals(rows):
            raise next(iter(refused.values()))
        with model.live.awaiting(rows):
            work = LearnWork(self.writer, model, rows, key)
            self.writer.submit(work)
            outcomes = await work.future
        taught = Taught(outcomes, len(outcomes) if work.stored is None else 0)
        self.metrics.examples.inc(taught.new)
        return taught

    def answer_of(self, model: ServedModel, key: Key) -> list[schema.Learned] | None:
        """Return the answer to an earlier request with the same key and body."""
        stored = tables.find_key(self.reader, model.number, key.text)
        if stored is None or not stored.is_of(key.digest) or model.live.overflow is not None:
            return None
        return model.find_answer(key.text, stored)

    # --- history ---------------------------------------------------------------------------------

    async def at(self, model: ServedModel, version: int) -> LiveModel:
        """Return a model as it was at a version.

        Raises
        ------
        RefusedError
            The version is not kept.
        """
        if version == model.live.version:
            return model.live
        key = model.number, version
        if key in self._historic:
            return self._historic[key]
        async with self._computing:
            while key not in self._historic:
                erasures, live = model.erasures, await self.compute(model, version)
                if erasures == model.erasures:  # else it may have what was erased meanwhile
                    self._historic[key] = live
            self._historic.move_to_end(key)
            while len(self._historic) > HISTORIC:
                self._historic.popitem(last=False)
            return self._historic[key]

    def versions(self, model: ServedModel) -> schema.VersionsInfo:
        """Return which versions are kept, with snapshots, rollbacks, model files and erasures."""
        log = model.log(self.reader)
        first, last = log.bounds()
        changed = [
            schema.Change(record.version, record.what, record.time) for record in log.changes()
        ]
        kept = tables.snapshot_versions(self.reader, model.number)
        return schema.VersionsInfo(model.live.version, first, last, kept, changed)

    async def compute(
        self, model: ServedModel, version: int, config: Config | None = None
    ) -> LiveModel:
        """Compute a state from the log, in another thread; with another configuration if given.

        Raises
        ------
        RefusedError
            The version is not kept.
        StoreError
            The log is damaged, or has what a newer rosenblatt has written.
        """
        other, config = config is not None, model.config if config is None else config
        with of_this_version(model.name):
            return await self.read(
                lambda connection: state_at(
                    model.log(connection), version, config, other_config=other
                )
            )

    async def read(self, call: Callable[[apsw.Connection], T]) -> T:
        """Return the result of a long reading of the store, in another thread."""

        def run() -> T:
            with closing(self.database.connect()) as connection:
                return call(connection)

        return await asyncio.to_thread(run)

    async def read_sizes(self) -> Sizes:
        """Return the bytes of the parts of the store, for the metrics, too."""
        self.sizes = sizes = await self.read(read_sizes)
        self.log_is_full = self.log_bytes is not None and sizes.log >= self.log_bytes
        return sizes

    def forget(self, model: ServedModel) -> None:
        """Drop what memory holds of a model's earlier versions, as an example is erased."""
        model.erasures += 1
        for key in [key for key in self._historic if key[0] == model.number]:
            del self._historic[key]
        model.recent.clear()
