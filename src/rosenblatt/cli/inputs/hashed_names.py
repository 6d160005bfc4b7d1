"""Names of hashed columns: collisions, and names of the heaviest columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from rosenblatt.cli.display import fmt
from rosenblatt.cli.display.model_facts import heaviest_columns, weight_vectors
from rosenblatt.streams.core.notes import hashed_columns

if TYPE_CHECKING:
    from collections.abc import Callable

    from rosenblatt.cli.inputs.models import LoadedModel
    from rosenblatt.streams import Stream
    from rosenblatt.streams.core.hashed_names import Collisions, HashedNames
    from rosenblatt.utils.arrays import Array

T = TypeVar("T")

MAX_NAMES = 1000
"""Number of columns of each class whose names are noted: of the largest weights, and effects."""


def names_for_notes(
    model: Any, names: HashedNames, earlier: dict[int, tuple[int, str]] | None = None
) -> dict[str, object]:
    """Return the notes of a model on hashed names: collisions, names of the heaviest columns.

    Parameters
    ----------
    model : classifier
    names : HashedNames
        Of the rows of the run.
    earlier : dict, optional
        The names in the notes of the model that the run went on from. Collisions with names in its
        rows are not known, so none are noted.
    """
    import numpy as np

    from rosenblatt.learning import interface

    columns: set[int] = set()
    spreads = interface.comparable_spreads(model)
    for _, weights in weight_vectors(model):
        for effects in [weights] if spreads is None else [weights, weights * spreads.values]:
            sizes = np.abs(effects)
            used = np.flatnonzero(sizes > 0.0)  # of 2^24 columns few: they alone are sorted
            heavy = used[np.argsort(-sizes[used], kind="stable")[:MAX_NAMES]]
            columns.update(heavy.tolist())
    heaviest = names.of(sorted(columns))
    heaviest |= {column: name for column, name in (earlier or {}).items() if column in columns}
    spelled = {str(column): [*name] for column, name in sorted(heaviest.items())}
    if earlier is not None:
        return {"names": spelled}
    return {"collisions": collision_record(names.collisions()), "names": spelled}


def collision_record(collisions: Collisions | None) -> dict[str, object] | None:
    """Return the collisions as the object of ``--json`` and of a model's notes."""
    return None if collisions is None else collisions._asdict() | {"share": collisions.share}


def collision_facts(collisions: dict[str, Any] | None) -> list[tuple[str, str]]:
    """Return the line on collisions; ``collisions`` as from :func:`collision_record`."""
    if collisions is None:
        return []
    share = fmt.percent(collisions["share"])
    used = f"{collisions['used']:,} of 2^{collisions['bits']} columns used"
    return [("hashed", f"{used}, {collisions['shared']:,} of them by several names ({share})")]


def has_pairs(stream: Stream, collisions: Collisions | None) -> bool:
    """Return whether a row has a pair of the interactions that were requested."""
    if stream.bits is not None:
        return collisions is None or collisions.pairs > 0
    return any("*" in name for name in stream.feature_names or ())


def column_names(loaded: LoadedModel) -> list[str] | dict[int, str] | None:
    """Return the name of each column, if the model has names."""
    if loaded.notes.get("bits") is None:
        return loaded.names
    spelled = hashed_columns(loaded.notes)
    return _ColumnNames({column: name for column, (_, name) in spelled.items()})


def signed_weights(loaded: LoadedModel, weights: Array) -> Array:
    """Return the weights, multiplied by the hash sign of the first name of each column."""
    weights = weights.copy()
    for column, (sign, _) in hashed_columns(loaded.notes).items():
        if column < len(weights):  # a file may have any notes
            weights[column] *= sign
    return weights


def heaviest_by_label(
    loaded: LoadedModel, top: int
) -> dict[str, dict[str, list[tuple[str, float]]]]:
    """Return the heaviest features of each weight vector: names with weights, on each side."""
    return _each_side(_rank(loaded, top), lambda name, effect, weight: (name, weight))


def heaviest_effects(
    loaded: LoadedModel, top: int
) -> dict[str, dict[str, list[tuple[str, float, float]]]] | None:
    """Return the features of the largest effects in a model that knows spreads; else None.

    Each has its name, its effect (weight times spread of the column) and its weight.
    """
    from rosenblatt.learning import interface

    spreads = interface.comparable_spreads(loaded.model)
    return None if spreads is None else _rank(loaded, top, spreads.values)


def _rank(
    loaded: LoadedModel, top: int, spreads: Array | None = None
) -> dict[str, dict[str, list[tuple[str, float, float]]]]:
    """Return name, effect and weight of features; without spreads the effects are the weights."""
    names, base = column_names(loaded), loaded.notes.get("index_base") or 0
    ranked = {}
    for label, raw in weight_vectors(loaded.model):
        weights = signed_weights(loaded, raw)
        effects = weights if spreads is None else weights * spreads
        ranked[label] = {
            side: [
                (str(j + base) if names is None else names[j], float(effects[j]), float(weights[j]))
                for j in columns
            ]
            for side, columns in heaviest_columns(effects, top).items()
        }
    return ranked


class FeatureRanking(NamedTuple):
    """The features that move the scores most, as inspect and the report show them.

    Attributes
    ----------
    title : str
    hint : str
        The meaning of the numbers; "" for weights.
    by_label : dict of str to dict of str to list of (str, float)
        For each weight vector, ``positive`` and ``negative``: names with weights or effects.
    weights : dict of str to dict of str to list of float, or None
        The weights behind the effects, in the same order; None if the numbers are the weights.
    """

    title: str
    hint: str
    by_label: dict[str, dict[str, list[tuple[str, float]]]]
    weights: dict[str, dict[str, list[float]]] | None


def rank_features(loaded: LoadedModel, top: int) -> FeatureRanking:
    """Rank the features by effects in a model that knows spreads, else by weights."""
    from rosenblatt.learning import interface

    effects, spreads = heaviest_effects(loaded, top), interface.comparable_spreads(loaded.model)
    if effects is None or spreads is None:
        return FeatureRanking(
            "Features of the largest weights", "", heaviest_by_label(loaded, top), None
        )
    return FeatureRanking(
        "Features of the largest effects",
        f"effect = weight × {spreads.name}",
        _each_side(effects, lambda name, effect, weight: (name, effect)),
        _each_side(effects, lambda name, effect, weight: weight),
    )


def _each_side(
    effects: dict[str, dict[str, list[tuple[str, float, float]]]],
    chosen: Callable[[str, float, float], T],
) -> dict[str, dict[str, list[T]]]:
    return {
        label: {side: [chosen(*one) for one in features] for side, features in sides.items()}
        for label, sides in effects.items()
    }


class _ColumnNames(dict[int, str]):
    """Names of columns; the number of a column without a noted name."""

    def __missing__(self, column: int) -> str:
        return str(column)
