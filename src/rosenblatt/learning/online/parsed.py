"""Examples whose rows the core has parsed, learned by an online model without dicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rosenblatt.engine.serving.examples import ParsedRow
from rosenblatt.engine.text.named_rows import INFINITE
from rosenblatt.learning.online.base import OnlineBase


def predict_then_learn_parsed(
    model: OnlineBase,
    examples: Sequence[tuple[ParsedRow, Any, float]],
    predicted: list[Any],
) -> None:
    """Predict each row and learn it then, as ``predict_then_learn`` does, in order.

    Parameters
    ----------
    model : OnlinePerceptron
    examples : sequence of (row, label, weight)
        The weights are finite numbers ≥ 0.
    predicted : list
        Gets the label that was predicted of each row that was learned; where an example is refused,
        those before it were learned, and none after it.

    Raises
    ------
    TypeError, ValueError, OutOfRangeError
        As in ``learn_one``.

    Examples
    --------
    >>> from rosenblatt import OnlinePerceptron
    >>> from rosenblatt.engine.serving.examples import ExampleParser
    >>> lines = [b'{"features": {"a": 2}, "label": 1}', b'{"features": {"b": 1}, "label": 0}'] * 2
    >>> model, predicted = OnlinePerceptron(), []
    >>> predict_then_learn_parsed(model, ExampleParser(9, 9, 1e30).parse(lines), predicted)
    >>> predicted, model.predict_one({"b": 1})
    ([None, 1, 1, 0], 0)
    """
    with model._lock:
        while len(predicted) < len(examples):
            if not _learn_run(model, examples, predicted):
                row, label, weight = examples[len(predicted)]
                encoded = (model._encoder or model._get_encoder()).parsed_row(row, add_names=True)
                predicted.append(_learn_encoded(model, encoded, label, weight))


def _learn_run(
    model: OnlineBase, examples: Sequence[tuple[ParsedRow, Any, float]], predicted: list[Any]
) -> bool:
    """Learn examples in one call of the core; return whether any was learned.

    It takes them up to the first one whose label is new, or whose names are beyond the weights.
    """
    fast, targets = model._cached_path, model._targets
    if fast is None or fast.learn is None:
        return False
    rows, y, weights = [], [], []
    for row, label, weight in examples[len(predicted) :]:
        target = targets.get(label)
        if target is None:
            break
        rows.append(row)
        y.append(target)
        weights.append(
            weight if fast.class_weights is None else weight * fast.class_weights[target]
        )
    if not rows:
        return False
    model._weights_changed = True
    codes = fast.dicts.learn_parsed(rows, y, weights)
    fault = codes.pop() if codes[-1] < 0 else 0
    predicted += [model._labels[code] for code in codes]
    if fault == INFINITE:
        raise model._out_of_range()
    if fault:  # it is encoded, and the weights have to grow
        _, label, weight = examples[len(predicted)]
        predicted.append(_learn_encoded(model, model._get_encoder().latest, label, weight))
    return True


def _learn_encoded(model: OnlineBase, encoded: Any, label: Any, weight: float) -> Any:
    target = model._target(label)
    return model._learn_row(encoded, label, target, weight, predict=True)
