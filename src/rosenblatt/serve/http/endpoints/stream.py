"""Facts of a model as server-sent events, for the page: each second, and soon after a change."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from itertools import islice

from rosenblatt.serve.errors import STORE_FAILED
from rosenblatt.serve.http.call import ENDLESS, Answer, Call, encode
from rosenblatt.serve.http.endpoint import Endpoint
from rosenblatt.serve.live import named_values
from rosenblatt.serve.schema import Features, Label
from rosenblatt.serve.served import RecentExample, ServedModel
from rosenblatt.serve.service import Service
from rosenblatt.serve.store.log import decode_row
from rosenblatt.utils.arrays import Array

TICK = 0.2
"""Seconds between two looks for a change."""
SECONDS = 1.0
"""Longest time between two events."""
SHARE = 20
"""An event whose facts took a time is the last for that many times as long: requests go first."""
PAUSE = 2.0
"""Longest such pause, in seconds."""
LABELS = 12
"""Labels of the confusion table and of the heaviest features: the most frequent ones."""
HEAVIEST = 8
EXAMPLES = 12
VALUES = 12
"""Features of an example that are shown, and characters of a name or of a text."""
CHARACTERS = 80

_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # a proxy passes each event on
)


@Endpoint("GET", "/v1/models/{model}/stream", gives=ENDLESS, is_listed=False, needs="predict")
async def stream(service: Service, call: Call) -> Answer:
    """Send what the page shows of a model, until the model or the service ends.

    What was learned, examples and features, is for those who may read it.
    """
    events = _events(service, service.model(call.path["model"]), call)
    return Answer(events, type=b"text/event-stream", headers=_HEADERS)


async def _events(service: Service, model: ServedModel, call: Call) -> AsyncIterator[bytes]:
    if call.scope["method"] == "HEAD":
        return
    reads = "admin" in call.sender.scopes
    # Without this the page offers no correction, for which it reads an example.
    learns = reads and "learn" in call.sender.scopes and service.refusal() is None
    rights = {"learns": learns, "reads": reads}
    ends = {asyncio.create_task(call.wait_for_end()), asyncio.create_task(service.stopping.wait())}
    try:
        while model.deleted is None:
            start, seen = time.monotonic(), _state(service, model)
            facts = page_facts(service, model, reads=reads)
            pause = min(PAUSE, max(TICK, SHARE * (time.monotonic() - start)))
            yield b"data: %b\n\n" % encode({**facts, **rights})
            while True:
                done, _ = await asyncio.wait(
                    ends, timeout=pause, return_when=asyncio.FIRST_COMPLETED
                )
                if done:
                    return
                if time.monotonic() - start >= SECONDS or _state(service, model) != seen:
                    break
                pause = TICK
    finally:
        for end in ends:
            end.cancel()


def _state(service: Service, model: ServedModel) -> object:
    """Return what differs after a change that the page shows."""
    names = list(service.models)
    live = model.live.version, id(model.live), model.snapshot_version, model.deleted
    return live, list(model.shadows), names, service.failed


# --- facts, as JSON values of a bounded size --------------------------------------------------


def page_facts(service: Service, model: ServedModel, *, reads: bool) -> dict[str, object]:
    """Return what the page shows of a model, and of the service around it.

    Without ``reads`` it has no examples, no features, and no paths.
    """
    progress, common = model.live.progress, _frequent_labels(model)
    constant, constant_error = progress.constant
    failed = service.failed if reads or service.failed is None else STORE_FAILED
    spreads = model.live.spreads() if reads else None
    recent = islice(reversed(model.recent), EXAMPLES) if reads else ()
    return {
        "model": service.about(model),
        "points": [point.record() for point in [*progress.points, progress.point()]],
        "constant": {"label": constant, "error": constant_error},
        "confusion": {
            "labels": common,
            "counts": [
                [progress.confusion[label, guess] for guess in [*common, None]] for label in common
            ],
        },
        "heaviest": _heaviest(model, common, spreads) if reads else [],
        "knows_spreads": spreads is not None,
        "recent": [_shortened(example) for example in recent],
        "versions": service.versions(model),
        "shadows": model.compare().models if model.shadows else [],
        "models": [
            {"name": m.name, "examples": p.examples, "error": p.error, "alarms": len(p.alarms)}
            for m, p in ((m, m.live.progress) for m in service.models.values())
        ],
        "service": {"failed": failed, **service.metrics.facts()},
    }


def _frequent_labels(model: ServedModel) -> list[Label]:
    """Return the most frequent labels, in the order in which they appeared."""
    labels = Counter(model.labels)
    common = {label for label, _ in labels.most_common(LABELS)}
    return [label for label in labels if label in common]


def _heaviest(model: ServedModel, common: list[Label], spreads: Array | None) -> list[object]:
    labels = model.live.model.classes_
    shown = labels[1:] if len(labels) == 2 else labels
    effects = model.live.effects(HEAVIEST, spreads).values()
    return [
        {
            "label": label,
            "features": [[name[:CHARACTERS], effect] for name, _, effect in largest if effect],
        }
        for label, largest in zip(shown, effects, strict=False)
        if label in common
    ]


def _shortened(example: RecentExample) -> dict[str, object]:
    """Return an example without what is too long to show."""
    version, body, was_right = example
    features, label, _ = decode_row(body)
    text = isinstance(features, str)
    return {
        "version": version,
        "label": label,
        "was_right": was_right,
        "text": features[: 2 * CHARACTERS] if isinstance(features, str) else None,
        "values": [] if text else _first_values(features),
        "more": max(0, len(features) - (2 * CHARACTERS if text else VALUES)),
    }


def _first_values(features: Features) -> list[list[object]]:
    if isinstance(features, list):
        return [[str(j), value] for j, value in enumerate(features[:VALUES])]
    assert isinstance(features, dict)
    first = dict(islice(features.items(), VALUES))
    return [[name[:CHARACTERS], value] for name, value in named_values(first)]
