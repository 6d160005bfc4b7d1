"""Prometheus metrics of the service."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.utils import floatToGoString

# Upper ends of the bins of histograms: two of seconds in every power of ten.
SECONDS = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
WORKS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


class Metrics:
    """Counters and histograms since the start.

    Examples
    --------
    >>> metrics = Metrics()
    >>> metrics.predictions.inc()
    >>> b"rosenblatt_predictions_total 1.0" in metrics.text()
    True
    """

    def __init__(self) -> None:
        self.registry = own = CollectorRegistry()
        self.predictions = Counter("rosenblatt_predictions", "Rows predicted.", registry=own)
        self.examples = Counter("rosenblatt_examples", "Examples learned.", registry=own)
        self.refusals = Counter(
            "rosenblatt_refusals", "Requests refused, by status.", ["status"], registry=own
        )
        self.requests = Histogram(
            "rosenblatt_request_seconds", "Time of a request.", ["what"], buckets=SECONDS,
            registry=own,
        )  # fmt: skip
        self.commits = Histogram(
            "rosenblatt_commit_seconds", "Time of a commit.", buckets=SECONDS, registry=own
        )
        self.commit_works = Histogram(
            "rosenblatt_commit_requests", "Requests of a commit.", buckets=WORKS, registry=own
        )
        self.failed_commits = Counter(
            "rosenblatt_failed_commits", "Commits that the disk refused.", registry=own
        )
        self.store_bytes = Gauge(
            "rosenblatt_store_bytes",
            "Bytes of the log, of kept predictions, of keys, and of the whole file.", ["part"],
            registry=own,
        )  # fmt: skip
        self.tokens_are_stale = Gauge(
            "rosenblatt_tokens_stale",
            "1 while the file of tokens cannot be used, and those of before are valid.",
            registry=own,
        )

    def facts(self) -> dict[str, object]:
        """Return totals since the start, and how many requests and commits took how long.

        Examples
        --------
        >>> metrics = Metrics()
        >>> metrics.commits.observe(0.002)
        >>> metrics.facts()["seconds"]["commit"]
        [0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1]
        """
        values = {
            (sample.name, *sample.labels.values()): int(sample.value)
            for metric in self.registry.collect()
            for sample in metric.samples
        }
        bounds = [*map(floatToGoString, SECONDS), "+Inf"]

        def counts(*name: str) -> list[int]:
            return [values.get((*name, bound), 0) for bound in bounds]

        return {
            "predictions": values["rosenblatt_predictions_total",],
            "examples": values["rosenblatt_examples_total",],
            "commits": values["rosenblatt_commit_seconds_count",],
            "commit_requests": values["rosenblatt_commit_requests_sum",],
            "bounds": SECONDS,
            "seconds": {
                "predict": counts("rosenblatt_request_seconds_bucket", "predict"),
                "learn": counts("rosenblatt_request_seconds_bucket", "learn"),
                "commit": counts("rosenblatt_commit_seconds_bucket"),
            },
        }

    def text(self) -> bytes:
        """Return all metrics as Prometheus reads them."""
        return generate_latest(self.registry)
