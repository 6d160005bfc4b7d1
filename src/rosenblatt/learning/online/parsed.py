"""Examples that the core has parsed, learned by an online model without dicts."""

from __future__ import annotations

from typing import Any

from rosenblatt.engine.serving.examples import Block
from rosenblatt.engine.text.named_rows import INFINITE, Encoder
from rosenblatt.learning.online.base import OnlineBase


def predict_then_learn_rows(
    model: OnlineBase, block: Block, start: int, stop: int, predicted: list[Any]
) -> None:
    """Predict rows of a block and learn each then, as ``predict_then_learn`` does, in order.

    Parameters
    ----------
    model : OnlinePerceptron
    block : Block
        Its weights are finite numbers ≥ 0.
    start, stop : int
        The rows from ``start`` to before ``stop``.
    predicted : list
        Gets the label that was predicted of each row that was learned; where one is refused, those
        before it were learned, and none after it.

    Raises
    ------
    TypeError, ValueError, OutOfRangeError
        As in ``learn_one``.

    Examples
    --------
    >>> from rosenblatt import OnlinePerceptron
    >>> from rosenblatt.engine.serving.examples import ExampleParser
    >>> lines = [b'{"features": {"a": 2}, "label": 1}', b'{"features": {"b": 1}, "label": 0}'] * 2
    >>> block, _ = ExampleParser(9, 9, 1e30).parse(lines)
    >>> model, predicted = OnlinePerceptron(), []
    >>> predict_then_learn_rows(model, block, 0, 4, predicted)
    >>> predicted, model.predict_one({"b": 1})
    ([None, 1, 0, 0], 0)
    """
    labels, weights = block.labels[start:stop], block.weights(start, stop)
    with model._lock:
        while (i := len(predicted)) < stop - start:
            codes = _learn_run(model, block, start + i, labels[i:], weights[i:])
            fault = codes.pop() if codes and codes[-1] < 0 else 0
            predicted += [model._labels[code] for code in codes]
            if fault == INFINITE:
                raise model._out_of_range()
            if codes and not fault:
                continue
            i = len(predicted)
            encoder = model._encoder or model._get_encoder()
            with model._adding_names():
                if not fault:  # else it is encoded, and the weights have to grow
                    encoder.row_of(block, start + i, add_names=True)
                predicted.append(_learn_encoded(model, encoder.latest, labels[i], weights[i]))


def _learn_run(
    model: OnlineBase, block: Block, start: int, labels: list[Any], weights: list[float]
) -> list[int]:
    """Learn rows in one call of the core, up to one whose label is new; return their codes."""
    fast, targets = model._cached_path, [model._targets.get(label) for label in labels]
    if fast is None or fast.learn is None:
        return []
    y: list[float] = []
    for target in targets:
        if target is None:
            break
        y.append(target)
    if not y:
        return []
    if fast.class_weights is not None:
        weights = [w * fast.class_weights[target] for w, target in zip(weights, y, strict=False)]
    model._weights_changed = True
    return fast.dicts.learn_rows(block, start, y, weights[: len(y)])


def _learn_encoded(model: OnlineBase, encoded: Encoder, label: Any, weight: float) -> Any:
    return model._learn_row(encoded, label, model._target(label), weight, predict=True)
