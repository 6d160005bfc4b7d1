"""Why a model takes a row or a label not."""

from __future__ import annotations

from rosenblatt.serve.refused import RefusedError
from rosenblatt.serve.schema import MAX_LABELS, Features, Label
from rosenblatt.utils.labels import label_kind


def check_kind(features: Features, label: Label | None, other: Label, dense: int | None) -> None:
    """Refuse a row of another kind than a model has: names, or ``dense`` numbers.

    Raises
    ------
    ValueError
        With the kind.
    """
    if label is not None and label_kind(other) != label_kind(label):
        raise ValueError(
            f"label {label!r:.80} is of another kind than the model's labels, such as "
            f"{other!r:.80}."
        )
    if isinstance(features, list) != (dense is not None):
        learned = "names" if dense is None else "dense rows (lists of numbers)"
        raise ValueError(f"features are of another kind: this model has learned {learned}.")
    if isinstance(features, list) and len(features) != dense:
        raise ValueError(f"a row of this model has {dense} numbers; got {len(features)}.")


def out_of_range(version: int) -> RefusedError:
    """Return the refusal of weights that left the floating-point range at a version."""
    return RefusedError(
        409,
        f"the weights left the floating-point range at version {version}: erase that version, or "
        "roll back to an earlier one.",
    )


def too_many_labels(label: Label) -> str:
    """Return the message on a label that is one too many."""
    return f"a model may have {MAX_LABELS:,} labels; {label!r:.80} is one more."
