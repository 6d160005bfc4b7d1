"""Prometheus metrics of the service, all of them: those that are counted, and those that are read.

A metric that is counted as things happen is an attribute of :class:`Metrics`. One that the service
knows at any moment is a line of :data:`OF_SERVICE`, or, with a series for each model, of
:data:`OF_MODEL`: it is read at a scrape, from memory.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from rosenblatt import __version__
from rosenblatt.engine import instruction_set
from rosenblatt.learning.evaluation.intervals import anytime_intervals, wilson_interval
from rosenblatt.serve.telemetry import process
from rosenblatt.serve.telemetry.counters import ByLabel, Counter, Histogram, Samples, lines
from rosenblatt.serve.telemetry.observed import Counts, Observed, by_label

# Upper ends of the bins of histograms: 1, 2, 5 of seconds in every power of ten.
SECONDS = (
    0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0,
    10.0,
)  # fmt: skip
WORKS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)

T = TypeVar("T")


class Read(NamedTuple, Generic[T]):
    """A metric that is read."""

    name: str
    text: str
    read: Callable[[T], Samples]
    kind: str = "gauge"


def _one(read: Callable[[Observed], float | None]) -> Callable[[Observed], Samples]:
    """Return a function that gives one sample without labels."""
    return lambda observed: [("", read(observed))]


def _sizes(observed: Observed) -> Samples:
    if observed.sizes is None:
        return []
    return [(f'{{part="{part}"}}', size) for part, size in observed.sizes._asdict().items()]


def _log_room(observed: Observed) -> float | None:
    if observed.log_budget is None or observed.sizes is None:
        return None
    return max(0, observed.log_budget - observed.sizes.log)


_BUILD = (
    f'{{version="{__version__}",python="{platform.python_version()}",'
    f'instruction_set="{instruction_set}"}}'
)

OF_SERVICE: tuple[Read[Observed], ...] = (
    Read("rosenblatt_models", "Models that are not deleted.", _one(lambda o: len(o.models))),
    Read(
        "rosenblatt_store_failed",
        "1 while the store refuses: the last commit failed, or a replica cannot read.",
        _one(lambda o: int(o.failed)),
    ),
    Read(
        "rosenblatt_waiting_requests",
        "Requests whose examples are read, or wait for the disk; at 1,000 the next are refused.",
        _one(lambda o: o.waiting and o.waiting.requests),
    ),
    Read(
        "rosenblatt_waiting_bytes",
        "Bytes of their examples; at 16 MiB the next are refused.",
        _one(lambda o: o.waiting and o.waiting.size),
    ),
    Read(
        "rosenblatt_store_bytes",
        "Bytes of the log, of kept predictions, of keys, and of the whole file.",
        _sizes,
    ),
    Read(
        "rosenblatt_log_budget_bytes",
        "Bytes that the logs of all models may have (--log-bytes).",
        _one(lambda o: o.log_budget),
    ),
    Read("rosenblatt_log_free_bytes", "Bytes of this budget that are free.", _one(_log_room)),
    Read(
        "rosenblatt_disk_size_bytes",
        "Size of the disk of the store.",
        _one(lambda o: o.disk and o.disk.size),
    ),
    Read(
        "rosenblatt_disk_free_bytes",
        "Bytes of it that the service may still write.",
        _one(lambda o: o.disk and o.disk.free),
    ),
    Read(
        "rosenblatt_replica_lag_versions",
        "Records of all logs that a replica has seen and not learned yet.",
        _one(lambda o: o.lag_versions),
    ),
    Read(
        "rosenblatt_replica_lag_seconds",
        "Time since a replica had learned all there was.",
        _one(lambda o: o.lag_seconds),
    ),
    Read(
        "rosenblatt_standby_lag_seconds",
        "Time since the store of a standby had all that was at the target.",
        _one(lambda o: o.standby_lag),
    ),
    Read(
        "rosenblatt_shipping_lag_seconds",
        "Seconds of learning that the target of --ship may lack.",
        _one(lambda o: o.shipping and o.shipping.lag),
    ),
    Read(
        "rosenblatt_shipping_waiting_bytes",
        "Bytes that are not sent there yet.",
        _one(lambda o: o.shipping and o.shipping.waiting),
    ),
    Read(
        "rosenblatt_shipping_fenced",
        "1 when another service has taken over: this one learns nothing more.",
        _one(lambda o: o.shipping and int(o.shipping.fenced)),
    ),
    Read(
        "rosenblatt_tokens_stale",
        "1 while the file of tokens cannot be used, and those of before are valid.",
        _one(lambda o: None if o.tokens_are_stale is None else int(o.tokens_are_stale)),
    ),
    Read(
        "rosenblatt_build_info",
        "1; versions, and the instructions of the core.",
        lambda o: [(_BUILD, 1)],
    ),
    Read(
        "process_resident_memory_bytes",
        "Bytes of the process in memory.",
        _one(lambda o: process.memory()),
    ),
    Read(
        "process_cpu_seconds_total",
        "Time of all processors.",
        _one(lambda o: process.processor_seconds()),
        "counter",
    ),
    Read(
        "process_open_fds",
        "Open files and connections.",
        _one(lambda o: process.open_files()),
    ),
    Read(
        "process_start_time_seconds",
        "When the process started, in seconds since 1970.",
        _one(lambda o: process.START),
    ),
)


class ModelSeries(NamedTuple):
    """The numbers of all models of a scrape, in one order."""

    labels: list[str]
    counts: list[Counts]
    error: list[tuple[float, float]]
    recent: list[tuple[float, float]]
    is_replica: bool


def _column(read: Callable[[Counts], float]) -> Callable[[ModelSeries], Samples]:
    """Return a function that gives a sample for each model."""
    return lambda models: zip(models.labels, map(read, models.counts), strict=True)


def _of_saved(read: Callable[[Counts], float]) -> Callable[[ModelSeries], Samples]:
    """Return the same for what a replica, which takes no snapshots, does not have."""
    return lambda models: [] if models.is_replica else _column(read)(models)


def _end(interval: str, end: int) -> Callable[[ModelSeries], Samples]:
    """Return a function that gives an end of an interval of each model."""

    def read(models: ModelSeries) -> Samples:
        ends = getattr(models, interval)
        return zip(models.labels, (pair[end] for pair in ends), strict=True)

    return read


OF_MODEL: tuple[Read[ModelSeries], ...] = (
    Read("rosenblatt_model_version", "Last record of the log.", _column(lambda c: c.version)),
    Read(
        "rosenblatt_model_examples",
        "Examples that count: since the model began, or was replaced; a rollback lowers it.",
        _column(lambda c: c.examples),
    ),
    Read(
        "rosenblatt_model_errors",
        "Examples among them whose label was not predicted before they were learned.",
        _column(lambda c: c.errors),
    ),
    Read(
        "rosenblatt_model_error_ratio",
        "Errors divided by examples.",
        _column(lambda c: _share(c.errors, c.examples)),
    ),
    Read(
        "rosenblatt_model_error_low_ratio",
        "Lower end of its interval, which holds at all times at once with 95 % confidence.",
        _end("error", 0),
    ),
    Read(
        "rosenblatt_model_error_high_ratio",
        "Upper end of the same interval.",
        _end("error", 1),
    ),
    Read(
        "rosenblatt_model_recent_error_ratio",
        "Share of errors among the last 1,000 examples.",
        _column(lambda c: _share(c.recent_errors, c.recent)),
    ),
    Read(
        "rosenblatt_model_recent_error_low_ratio",
        "Lower end of its interval at this moment (Wilson), with 95 % confidence.",
        _end("recent", 0),
    ),
    Read(
        "rosenblatt_model_recent_error_high_ratio",
        "Upper end of the same interval.",
        _end("recent", 1),
    ),
    Read(
        "rosenblatt_model_drift",
        "1 from an alarm of drift until the recent error is down at that before it.",
        _column(lambda c: c.drifts),
    ),
    Read(
        "rosenblatt_model_drift_alarms",
        "Alarms of drift among the examples that count.",
        _column(lambda c: c.alarms),
    ),
    Read(
        "rosenblatt_model_bytes",
        "Bytes of the arrays of the model in memory, without the names of features.",
        _column(lambda c: c.bytes),
    ),
    Read(
        "rosenblatt_model_unsaved_versions",
        "Records since the last snapshot, which a start replays.",
        _of_saved(lambda c: c.unsaved),
    ),
    Read(
        "rosenblatt_model_snapshot_timestamp_seconds",
        "Time of the last snapshot, or of the creation.",
        _of_saved(lambda c: c.saved),
    ),
)


class Metrics:
    """Counters and histograms since the start, and the text of all metrics.

    Examples
    --------
    >>> metrics = Metrics()
    >>> metrics.predictions.inc()
    >>> b"rosenblatt_predictions_total 1.0" in metrics.text(Observed([], failed=False))
    True
    """

    def __init__(self) -> None:
        self.predictions = Counter("rosenblatt_predictions_total", "Rows predicted.")
        self.examples = Counter("rosenblatt_examples_total", "Examples learned.")
        self.refusals = ByLabel(
            "status", lambda: Counter("rosenblatt_refusals_total", "Requests refused, by status.")
        )
        self.requests = ByLabel(
            "what", lambda: Histogram("rosenblatt_request_seconds", "Time of a request.", SECONDS)
        )
        self.commits = Histogram("rosenblatt_commit_seconds", "Time of a commit.", SECONDS)
        self.commit_works = Histogram("rosenblatt_commit_requests", "Requests of a commit.", WORKS)
        self.failed_commits = Counter(
            "rosenblatt_failed_commits_total", "Commits that the disk refused."
        )
        self.drift_alarms = Counter(
            "rosenblatt_drift_alarms_total", "Alarms of drift, of all models."
        )
        self.webhook_sent = Counter(
            "rosenblatt_webhook_sent_total", "Alarms that the webhook took."
        )
        self.webhook_failures = Counter(
            "rosenblatt_webhook_failures_total", "Requests to the webhook that failed."
        )
        self.webhook_lost = Counter(
            "rosenblatt_webhook_lost_total", "Alarms that were given up; the log has them."
        )

    def facts(self) -> dict[str, object]:
        """Return totals since the start, and how many requests and commits took how long.

        Examples
        --------
        >>> metrics = Metrics()
        >>> metrics.commits.observe(0.004)
        >>> metrics.facts()["seconds"]["commit"]
        [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
        """
        return {
            "predictions": int(self.predictions.value),
            "examples": int(self.examples.value),
            "commits": sum(self.commits.counts),
            "commit_requests": int(self.commit_works.sum),
            "bounds": SECONDS,
            "seconds": {
                "predict": self.requests.labels("predict").up_to(),
                "learn": self.requests.labels("learn").up_to(),
                "commit": self.commits.up_to(),
            },
        }

    def text(self, observed: Observed) -> bytes:
        """Return all metrics as Prometheus reads them."""
        models, parts = _series(observed), list[str]()
        for counted in vars(self).values():
            parts += lines(counted.name, counted.kind, counted.text, counted.samples())
        for metric in OF_SERVICE:
            parts += lines(metric.name, metric.kind, metric.text, metric.read(observed))
        for series in OF_MODEL:
            parts += lines(series.name, series.kind, series.text, series.read(models))
        return "".join(parts).encode()


def _series(observed: Observed) -> ModelSeries:
    """Return the numbers of all models, with the intervals of their errors."""
    models = by_label(observed.models)
    counts = list(models.values())
    errors, examples = (np.array([getattr(c, n) for c in counts]) for n in ("errors", "examples"))
    low, high = anytime_intervals(errors, examples)
    return ModelSeries(
        [f'{{model="{name}"}}' for name in models],
        counts,
        list(zip(low.tolist(), high.tolist(), strict=True)),
        [wilson_interval(c.recent_errors, c.recent) for c in counts],
        observed.is_replica,
    )


def _share(errors: int, examples: int) -> float:
    return errors / examples if examples else 0.0
