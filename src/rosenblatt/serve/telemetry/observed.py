"""What the metrics read of a service at a moment: plain numbers that memory already has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rosenblatt.learning.online.base import array_bytes
from rosenblatt.serve.served import ServedModel
from rosenblatt.serve.store.layout import Sizes
from rosenblatt.serve.writer import Disk

MAX_MODELS = 100
"""Models with series of their own, the first ones by creation: as many series as one reads."""
OTHERS = "(others)"
"""The label of the sum of all further models; no model can have this name."""


class Shipped(NamedTuple):
    """What a primary has not sent to its target yet.

    Attributes
    ----------
    lag : float
        Seconds that the target may lack.
    waiting : int
        Bytes that are not sent yet.
    fenced : bool
        Whether another service has taken over.
    """

    lag: float
    waiting: int
    fenced: bool


class Waiting(NamedTuple):
    """Requests whose examples are read, or wait for the disk, and the bytes of their examples."""

    requests: int
    size: int


class Observed(NamedTuple):
    """A service at a moment; None is what it does not have.

    Attributes
    ----------
    models : sequence of ServedModel
        In the order of their creation.
    failed : bool
        Whether the disk refused the last commit, or a replica cannot read.
    sizes : Sizes or None
        Bytes of the store, as of the last second.
    log_budget : int or None
        Bytes that the logs may have.
    disk : Disk or None
        Room of the disk, as of the last commit or half second.
    waiting : Waiting or None
        What waits to be learned.
    lag_versions, lag_seconds : int, float or None
        Records that a replica has not learned yet, and the time since it had learned all.
    standby_lag : float or None
        Seconds since the store of a standby had all that was at the target.
    shipping : Shipped or None
        Of a service that ships its log.
    tokens_are_stale : bool or None
        Whether the file of tokens cannot be used.
    """

    models: Sequence[ServedModel]
    failed: bool
    sizes: Sizes | None = None
    log_budget: int | None = None
    disk: Disk | None = None
    waiting: Waiting | None = None
    lag_versions: int | None = None
    lag_seconds: float | None = None
    standby_lag: float | None = None
    shipping: Shipped | None = None
    tokens_are_stale: bool | None = None

    @property
    def is_replica(self) -> bool:
        """Whether another process writes the store."""
        return self.lag_seconds is not None


class Counts(NamedTuple):
    """Numbers of a model, or sums of several.

    The errors are as they were counted last: within the last second, or 512 examples ago.

    Attributes
    ----------
    version : int
    examples, errors : int
        Since the model was made, replaced by a file, or promoted; a rollback lowers them.
    recent, recent_errors : int
        Of the last 1,000 examples.
    alarms : int
        Alarms of drift among the examples.
    drifts : int
        Whether the error is still above that before the last alarm; of several, how many are.
    bytes : int
        Of the arrays in memory; names are not in it.
    unsaved : int
        Records since the last snapshot, which the next start replays.
    saved : float
        Time of the last snapshot, in seconds since 1970; of several, of the oldest.
    """

    version: int
    examples: int
    errors: int
    recent: int
    recent_errors: int
    alarms: int
    drifts: int
    bytes: int
    unsaved: int
    saved: float


def counts_of(model: ServedModel) -> Counts:
    """Return the numbers of a model."""
    live, progress = model.live, model.live.counted
    recent_errors, recent = progress.recent
    return Counts(
        version=live.version,
        examples=progress.examples,
        errors=progress.errors,
        recent=recent,
        recent_errors=recent_errors,
        alarms=len(progress.alarms),
        drifts=int(progress.drifts),
        bytes=array_bytes(live.model),
        unsaved=live.version - model.snapshot_version,
        saved=model.snapshot_time,
    )


def by_label(models: Sequence[ServedModel]) -> dict[str, Counts]:
    """Return the numbers of the first models by name, and the sum of the others.

    Examples
    --------
    >>> by_label([])
    {}
    """
    counts = {model.name: counts_of(model) for model in models[:MAX_MODELS]}
    if rest := [counts_of(model) for model in models[MAX_MODELS:]]:
        sums = Counts(*map(sum, zip(*rest, strict=True)))
        counts[OTHERS] = sums._replace(saved=min(other.saved for other in rest))
    return counts
