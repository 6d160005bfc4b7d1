"""Many learners on one reading of the rows: each batch is predicted and learned by all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter
from typing import Any

from rosenblatt.learning import interface
from rosenblatt.learning.evaluation.metrics import MAX_SCORES
from rosenblatt.learning.evaluation.progressive import match_width
from rosenblatt.learning.evaluation.repeated import Repeated
from rosenblatt.learning.evaluation.validation import Validation, Validator
from rosenblatt.learning.linear.base import OutOfRangeError
from rosenblatt.learning.tuning.grid import Candidate, Grid, columns_differ
from rosenblatt.learning.tuning.held_out import LearnedRows
from rosenblatt.learning.tuning.result import Baselines, NothingToRankError, Result, Tuning
from rosenblatt.streams.core.batch import Batch, CachedBatches, stored_rows
from rosenblatt.streams.rechunk import ShuffledBatches

HELD_OUT = 0.2
"""Share of the rows that several epochs do not learn, and by which they are ranked."""

_STOPPED = "it was stopped before the last row"

Build = Callable[[Candidate, Batch], Any]
Watch = Callable[[Iterable[Batch]], Iterator[Batch]]


class Track:
    """A candidate on its way: model, counts, and why it stopped.

    Parameters
    ----------
    candidate : Candidate
    model : linear classifier
    max_scores : int
        As of :class:`rosenblatt.validation.Validator`.

    Attributes
    ----------
    failure : str or None
        The weights left the floating-point range: the model learns no further rows.
    seconds : float
        Time of learning and predicting.
    rows : int
        Rows that were learned or predicted.
    """

    def __init__(self, candidate: Candidate, model: Any, max_scores: int, epochs: int = 1) -> None:
        self.candidate, self.model = candidate, model
        self.failure: str | None = None
        self.seconds, self.rows = 0.0, 0
        self._validator = Validator(model, drift=None, takes_points=False, max_scores=max_scores)
        self._repeated = Repeated(model, epochs)
        self._updates, self._is_settled = 0, False

    @property
    def is_done(self) -> bool:
        """Whether further epochs change nothing."""
        return self._is_settled or self.failure is not None

    def add(self, batch: Batch) -> None:
        """Predict the rows, each before it is learned."""
        self._run(self._validator.add, batch)

    def learn(self, batch: Batch, epoch: int) -> None:
        """Learn the rows alone."""
        if not self.is_done:
            with interface.in_pass(self.model, self._repeated.stream_pass(batch, epoch)):
                self._run(self._learn, batch)

    def predict(self, batch: Batch) -> None:
        """Predict rows that are held out."""
        self._run(self._validator.predict, batch)

    def end_epoch(self) -> None:
        """Learn no further epoch if this one had no update, as ``train`` does."""
        if self.failure is None:
            self._is_settled = self.model.updates_ == self._updates
            self._updates = self.model.updates_

    def finish(self) -> Validation:
        """Return the counts."""
        return self._validator.finish()

    def _learn(self, batch: Batch) -> None:
        X = match_width(self.model, stored_rows(batch))
        self.model.partial_fit(X, batch.y, sample_weight=batch.weight)

    def _run(self, do: Callable[[Batch], None], batch: Batch) -> None:
        if self.failure is not None:
            return
        started = perf_counter()
        try:
            do(batch)
        except OutOfRangeError:
            self.failure = "the weights left the floating-point range"
        self.seconds += perf_counter() - started
        self.rows += len(batch.y)


def tune_rows(
    readings: Sequence[tuple[bool, Iterable[Batch]]],
    grid: Grid,
    build: Build,
    *,
    metric: str,
    positive: Callable[[list[Any]], object] = lambda labels: None,
    epochs: int = 1,
    shuffle: bool = False,
    seed: int = 0,
    watch: Watch = iter,
) -> Tuning:
    """Try all candidates of a grid, and rank them.

    In one epoch each row is predicted before it is learned. Several epochs leave out a fifth of the
    rows of each class, chosen by the seed, and predict those at the end: a row that was learned in
    an earlier epoch says nothing about new ones.

    Parameters
    ----------
    readings : sequence of pairs
        Whether the rows have interactions, and an iterable of their batches.
    grid : Grid
    build : callable
        ``build(candidate, batch)`` is the unfitted model, and ``batch`` the first one.
    metric : str
        A name of :data:`rosenblatt.learning.evaluation.ranking.METRICS`.
    positive : callable, optional
        The class of F1 among the labels of the rows, which are sorted; None for the default.
    epochs : int ≥ 1
    shuffle : bool
        Whether each epoch has a random order of the rows, all in memory.
    seed : int
    watch : callable, optional
        Iterator over the batches of a pass, which may end early.

    Returns
    -------
    Tuning

    Raises
    ------
    ValueError
        Errors of the grid, of the rows or of a learner.
    NothingToRankError
        There are no rows, or no candidate can be ranked.
    """
    grid.check(metric)
    if epochs < 1:
        raise ValueError(f"epochs must be at least 1; got {epochs}.")
    started = perf_counter()
    tracks: list[Track] = []
    for has_interactions, rows in readings:
        kept = LearnedRows(rows, HELD_OUT, seed) if epochs > 1 else None
        learned: Any = rows if kept is None else kept
        if shuffle:
            learned = ShuffledBatches(learned, seed)
        elif epochs > 1:
            learned = CachedBatches(learned)
        these: list[Track] = []
        for epoch in range(1, epochs + 1):
            for batch in watch(learned):
                if not these:
                    differ = columns_differ(stored_rows(batch))
                    candidates = grid.candidates(
                        metric, differ=differ, interactions=has_interactions
                    )
                    most = max(1, MAX_SCORES // (len(candidates) * len(readings)))
                    these = [Track(one, build(one, batch), most, epochs) for one in candidates]
                for track in these:
                    track.add(batch) if kept is None else track.learn(batch, epoch)
            for track in these if kept is not None else ():
                track.end_epoch()
            if all(track.is_done for track in these):
                break
        for batch in [] if kept is None else kept.held_out:
            for track in these:
                track.predict(batch)
        tracks += these
    validations = [track.finish() for track in tracks]
    longest = max(validations, key=lambda one: one.examples, default=Validation(0, 0))
    if longest.examples == 0:
        failures = [track.failure for track in tracks if track.failure]
        raise NothingToRankError(f"{(failures or ['no rows to rank candidates by'])[0]}.")
    chosen = positive(sorted({label for label, _ in longest.confusion}))
    results = [
        Result.of(
            track.candidate,
            validation,
            track.failure or (None if validation.examples == longest.examples else _STOPPED),
            track.seconds,
            chosen,
        )
        for track, validation in zip(tracks, validations, strict=True)
    ]
    return Tuning.of(
        metric,
        results,
        [track.model for track in tracks],
        epochs,
        perf_counter() - started,
        sum(track.rows for track in tracks),
        Baselines.of(longest, shuffled=shuffle, held_out=epochs > 1),
    )
