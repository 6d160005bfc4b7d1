"""What there is to tell of hashed columns: which names share one, and what the heavy ones mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.cli.display import fmt
from rosenblatt.cli.display.model_facts import heaviest_weights, weight_vectors

if TYPE_CHECKING:
    from rosenblatt.cli.inputs.models import LoadedModel
    from rosenblatt.streams import Stream
    from rosenblatt.streams.core.hashed_names import Collisions, HashedNames


def heaviest_by_label(
    loaded: LoadedModel, top: int
) -> dict[str, dict[str, list[tuple[str, float]]]]:
    """The heaviest features of each weight vector, by their names, as :func:`heaviest` has them."""
    names, base = column_names(loaded), loaded.notes.get("index_base") or 0
    return {
        label: heaviest_weights(signed_weights(loaded, weights), names, base, top)
        for label, weights in weight_vectors(loaded.model)
    }


MAX_NAMES = 1000
"""Heaviest columns of a class whose names are noted in the model."""


def names_for_notes(model: Any, names: HashedNames) -> dict[str, Any]:
    """What a model notes of its names: how many columns are shared, and what heavy ones mean."""
    if names.bits == 0:
        return {}
    heavy_names = names.of(_heaviest_columns(model))
    spelled = {str(column): [sign, name] for column, (sign, name) in sorted(heavy_names.items())}
    return {"collisions": collision_record(names.collisions()), "names": spelled}


def _heaviest_columns(model: Any) -> list[int]:
    """The heaviest columns of each class."""
    import numpy as np

    from rosenblatt.cli.display.model_facts import weight_vectors

    columns: set[int] = set()
    for _, weights in weight_vectors(model):
        sizes = np.abs(weights)
        heavy = np.argsort(-sizes, kind="stable")[:MAX_NAMES]
        columns.update(heavy[sizes[heavy] > 0.0].tolist())
    return sorted(columns)


def collision_record(collisions: Collisions | None) -> dict[str, Any] | None:
    """The object of ``--json``, and of a model's notes."""
    return None if collisions is None else collisions._asdict() | {"share": collisions.share}


def collision_facts(collisions: dict[str, Any] | None) -> list[tuple[str, str]]:
    """The line of a screen, from what :func:`collision_record` makes."""
    if collisions is None:
        return []
    shared = (
        f"{collisions['shared']:,} of them by several names ({fmt.percent(collisions['share'])})"
    )
    return [
        ("hashed", f"{collisions['used']:,} of 2^{collisions['bits']} columns in use, {shared}")
    ]


def has_pairs(stream: Stream, collisions: Collisions | None) -> bool:
    """Whether interactions, where there are any, made a feature."""
    if not stream.interactions:
        return True
    if stream.bits is not None:
        return collisions is None or collisions.pairs > 0
    return any("*" in name for name in stream.feature_names or ())


def column_names(loaded: LoadedModel) -> list[str] | dict[int, str] | None:
    """The name of each column, where the model knows any."""
    if loaded.notes.get("bits") is None:
        return loaded.names
    spelled = loaded.notes.get("names") or {}
    return _ColumnNames({int(column): name for column, (_, name) in spelled.items()})


def signed_weights(loaded: LoadedModel, weights: Any) -> Any:
    """The weights of the names: a column's, with the sign with which its first name counts."""
    spelled = loaded.notes.get("names") or {}
    weights = weights.copy()
    for column, (sign, _) in spelled.items():
        weights[int(column)] *= sign
    return weights


class _ColumnNames(dict[int, str]):
    """Names of columns; of one whose name is not known, its number."""

    def __missing__(self, column: int) -> str:
        return str(column)
