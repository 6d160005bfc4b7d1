"""What there is to tell of hashed columns: which names share one, and what the heavy ones mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.cli.display import text
from rosenblatt.cli.display.model_facts import heaviest, vectors

if TYPE_CHECKING:
    from rosenblatt.cli.inputs.models import Loaded
    from rosenblatt.streams import Stream
    from rosenblatt.streams.core.hashed_names import Collisions, HashedNames


def by_label(loaded: Loaded, top: int) -> dict[str, dict[str, list[tuple[str, float]]]]:
    """The heaviest features of each weight vector, by their names, as :func:`heaviest` has them."""
    names, base = names_of(loaded), loaded.notes.get("index_base") or 0
    return {
        label: heaviest(of_names(loaded, weights), names, base, top)
        for label, weights in vectors(loaded.model)
    }


KEPT = 1000
"""Heaviest columns of a class whose names are noted in the model."""


def noted(model: Any, names: HashedNames) -> dict[str, Any]:
    """What a model notes of its names: how many columns are shared, and what heavy ones mean."""
    if names.bits == 0:
        return {}
    found = names.of(_heavy(model))
    spelled = {str(column): [sign, name] for column, (sign, name) in sorted(found.items())}
    return {"collisions": record(names.collisions()), "names": spelled}


def _heavy(model: Any) -> list[int]:
    """The heaviest columns of each class."""
    import numpy as np

    from rosenblatt.cli.display.model_facts import vectors

    columns: set[int] = set()
    for _, weights in vectors(model):
        sizes = np.abs(weights)
        heavy = np.argsort(-sizes, kind="stable")[:KEPT]
        columns.update(heavy[sizes[heavy] > 0.0].tolist())
    return sorted(columns)


def record(collisions: Collisions | None) -> dict[str, Any] | None:
    """The object of ``--json``, and of a model's notes."""
    return None if collisions is None else collisions._asdict() | {"share": collisions.share}


def facts(told: dict[str, Any] | None) -> list[tuple[str, str]]:
    """The line of a screen, from what :func:`record` makes."""
    if told is None:
        return []
    shared = f"{told['shared']:,} of them by several names ({text.percent(told['share'])})"
    return [("hashed", f"{told['used']:,} of 2^{told['bits']} columns in use, {shared}")]


def has_pairs(stream: Stream, collisions: Collisions | None) -> bool:
    """Whether interactions, where there are any, made a feature."""
    if not stream.interactions:
        return True
    if stream.bits is not None:
        return collisions is None or collisions.pairs > 0
    return any("*" in name for name in stream.feature_names or ())


def names_of(loaded: Loaded) -> list[str] | dict[int, str] | None:
    """The name of each column, where the model knows any."""
    if loaded.notes.get("bits") is None:
        return loaded.names
    noted = loaded.notes.get("names") or {}
    return _Spelled({int(column): name for column, (_, name) in noted.items()})


def of_names(loaded: Loaded, weights: Any) -> Any:
    """The weights of the names: a column's, with the sign with which its first name counts."""
    noted = loaded.notes.get("names") or {}
    weights = weights.copy()
    for column, (sign, _) in noted.items():
        weights[int(column)] *= sign
    return weights


class _Spelled(dict[int, str]):
    """Names of columns; of one whose name is not known, its number."""

    def __missing__(self, column: int) -> str:
        return str(column)
