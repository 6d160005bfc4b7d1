"""What the page shows of a model and of the service, as JSON values of a bounded size."""

from __future__ import annotations

from itertools import islice

from rosenblatt.serve.live import named_values
from rosenblatt.serve.schema import Compared, Comparison, Features, Label
from rosenblatt.serve.served import RecentExample, ServedModel
from rosenblatt.serve.service import Service
from rosenblatt.serve.store.log import decode_row

LABELS = 12
"""Labels of the confusion table and of the heaviest features: the most frequent ones."""
HEAVIEST = 8
EXAMPLES = 12
VALUES = 12
"""Features of an example that are shown, and characters of a name or of a text."""
CHARACTERS = 80


def page_facts(service: Service, model: ServedModel) -> dict[str, object]:
    """Return what the page shows of a model, and of the service around it."""
    progress, common = model.live.progress, _frequent_labels(model)
    constant, constant_error = progress.constant
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
        "heaviest": _heaviest(model, common),
        "recent": [_shortened(e) for e in islice(reversed(model.recent), EXAMPLES)],
        "versions": service.kept_versions(model),
        "shadows": comparison(model).models if model.shadows else [],
        "models": [_in_short(m) for m in service.models.values()],
        "service": {"failed": service.failed, **service.metrics.facts()},
    }


def comparison(model: ServedModel) -> Comparison:
    """Return the errors of a model and of its shadows, on the same examples."""
    lives = {model.name: model.live, **model.shadows}
    return Comparison(
        model.live.examples,
        [
            Compared(name, live is not model.live, live.config, **live.progress.point().record())
            for name, live in lives.items()
        ],
    )


def _frequent_labels(model: ServedModel) -> list[Label]:
    """Return the most frequent labels, in the order in which they appeared."""
    labels = model.live.progress.labels
    common = {label for label, _ in labels.most_common(LABELS)}
    return [label for label in labels if label in common]


def _heaviest(model: ServedModel, common: list[Label]) -> list[object]:
    labels = model.live.model.classes_
    shown = labels[1:] if len(labels) == 2 else labels
    weights = model.live.heaviest(HEAVIEST).values()
    return [
        {
            "label": label,
            "features": [[name[:CHARACTERS], weight] for name, weight in heaviest if weight],
        }
        for label, heaviest in zip(shown, weights, strict=False)
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


def _in_short(model: ServedModel) -> dict[str, object]:
    progress = model.live.progress
    return {
        "name": model.name,
        "examples": progress.examples,
        "error": progress.error,
        "alarms": len(progress.alarms),
    }
