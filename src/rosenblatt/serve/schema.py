"""What requests and answers of the service hold, and the limits that a request must keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, TypeAlias

from msgspec import Meta, Struct

from rosenblatt.serve.shipping.facts import ShippedErasure
from rosenblatt.theory import rules
from rosenblatt.theory.rules.auto import NOT_OF_AUTO

NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$(?!\n)"
Name: TypeAlias = Annotated[str, Meta(pattern=NAME)]
"""Name of a model: up to 64 letters, digits, points, dashes and underscores."""

Features: TypeAlias = dict[str, float | bool | str | None] | list[float] | str
"""One row: values by name, or the numbers of a dense row, or a text, whose words are features."""

Label: TypeAlias = bool | int | str

MAX_FEATURES = 10_000
"""Features of one row."""
MAX_WORD = 1_000
"""Characters of a feature name, of a value that is text, and of a label."""
MAX_TEXT = 100_000
"""Characters of a row that is a text."""
MAX_LIST = 1_000
"""Examples of one list; more go in lists one after another, or as lines of NDJSON."""
MAX_BODY = 8 * 2**20
"""Bytes of a body, and of a line of NDJSON; a model file may have MAX_FILE."""
MAX_FILE = 2**30
MAX_NAMES = 2**20
"""Feature names of a model, unless its config has max_features."""
MAX_LABELS = 500
"""Labels of a model."""
MAX_COPIED = 2**22
"""Weights of a model that may get a new label, which copies them all: others wait meanwhile."""
MAX_WEIGHTS = 2**25
"""Weights of a model, labels times names: one with more learns no new name and no new label."""
LARGEST = 1e30
"""Largest size of a number in a row or a config: its square times a weight is far from overflow."""


_NUMBER: dict[str, object] = {"type": "number", "minimum": 0}
_CONFIG: dict[str, object] = {
    "type": "object",
    "description": "Parameters of rosenblatt.OnlinePerceptron. Without a rule it is auto, if "
    f"{', '.join(NOT_OF_AUTO)} are absent or have their defaults; else perceptron.",
    "properties": {
        "rule": {
            "anyOf": [
                {"enum": list(rules.NAMES)},
                {
                    "type": "object",
                    "properties": {"name": {"enum": list(rules.NAMES)}},
                    "required": ["name"],
                    "additionalProperties": _NUMBER,
                },
            ]
        },
        "output": {"enum": ["last", "average"]},
        "multi_class": {"enum": ["ovr", "joint"]},
        "tie": {"enum": [0, -1, 1]},
        "penalty": {"enum": [None, "l2", "l1", "elasticnet"]},
        "alpha": _NUMBER,
        "l1_ratio": _NUMBER | {"maximum": 1},
        "fit_intercept": {"type": "boolean"},
        "eta0": _NUMBER,
        "class_weight": {
            "anyOf": [{"type": "null"}, {"type": "object", "additionalProperties": _NUMBER}]
        },
        "probabilities": {"type": "boolean"},
        "max_features": {"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 1}]},
    },
    "additionalProperties": False,
}
Config: TypeAlias = dict[str, Any]
"""The configuration of a model: parameters of OnlinePerceptron."""
DescribedConfig: TypeAlias = Annotated[Config, Meta(extra_json_schema=_CONFIG)]
"""The same, as the OpenAPI document describes it."""


class NewModel(Struct, forbid_unknown_fields=True):
    """A model to create: its name, and parameters of OnlinePerceptron."""

    name: Name
    config: DescribedConfig = {}


class Query(Struct, forbid_unknown_fields=True):
    """A row whose label is asked for; ``explain`` adds what each feature contributes."""

    features: Features
    explain: bool = False


class Example(Struct, forbid_unknown_fields=True):
    """A row with its label; ``id`` of an earlier prediction stands for its features."""

    label: Label
    features: Features | None = None
    id: str | None = None
    weight: float = 1.0


class Rollback(Struct, forbid_unknown_fields=True):
    """A version to return to."""

    version: int


class Shadow(Struct, forbid_unknown_fields=True):
    """Another configuration, to be compared with the model on the same examples."""

    name: Name
    config: DescribedConfig = {}


class Contribution(Struct, gc=False):
    """Part of a score that one feature brings."""

    feature: str
    value: float
    contribution: float


class Prediction(Struct, omit_defaults=True):
    """The answer to a query.

    ``margin`` is the score of the label minus the largest other score. Before the first example the
    label and the margin are null, and there are no scores. A model with ``probabilities`` has those
    of its labels, from the second label on.
    """

    id: str | None
    label: Label | None
    scores: dict[str, float]
    margin: float | None
    version: int
    contributions: list[Contribution] | None = None
    probabilities: dict[str, float] | None = None


class Learned(Struct):
    """The answer to an example: the version that has it, and whether its label was predicted.

    ``head`` is the head of the log at this version: a receipt. Answers that a store of layout 1 had
    for keys have none.
    """

    version: int
    was_right: bool
    head: str = ""


class LineError(Struct, omit_defaults=True):
    """The answer to a line of NDJSON that was refused.

    It has a status, 408 or one from 500, where the line may be taken later.
    """

    line: int
    error: str
    status: int | None = None


class Fault(Struct):
    """The answer to a request that was refused: problem details, as RFC 9457 has them.

    ``type`` is a section of the docs. ``error`` is ``detail`` under the name of earlier versions.
    """

    type: str
    title: str
    status: int
    detail: str
    error: str


class DriftAlarm(Struct):
    """A rise of the error: when it was noticed, where it began, and the error before and after."""

    example: int
    since: int
    before: float
    after: float


class FeatureWeight(NamedTuple):
    """A feature and its weight, as a list of two."""

    feature: str
    weight: float


class RowsInfo(Struct):
    """How a model reads rows, as its model file says.

    ``rows`` is "table", where a row has all ``columns``, a missing cell being null; "objects",
    where it has any names, and ``columns`` those of a certain kind; or "text", where it is a text.
    Kinds are those of ``--schema``. ``impute`` is what stands for a missing number. ``text`` are
    the n-grams of texts; names are hashed to 2^``bits`` columns, if at all.
    """

    rows: str
    columns: dict[str, str]
    impute: str | None
    missing: list[str]
    text: list[str]
    bits: int | None
    interactions: list[str]
    scale: bool


class ModelInfo(Struct):
    """What is known of a model.

    ``errors`` counts the examples whose label was not predicted before they were learned; ``error``
    is their share, with its 95 % ``interval``, and ``recent_error`` that of the last examples.
    ``head`` is that of the log at ``version``: two logs with the same one have the same records.
    ``overflow`` is the version whose step left the floating-point range, if there is one. ``rows``
    says how rows are read, if a model file did. ``labels`` has the examples of each label that were
    learned here: 0 of one that only the file had.
    """

    name: str
    config: Config
    created: float
    deleted: float | None
    version: int
    examples: int
    errors: int
    error: float
    interval: tuple[float, float]
    recent_error: float
    labels: list[tuple[Label, int]]
    features: int
    alarms: list[DriftAlarm]
    snapshot: int
    overflow: int | None = None
    head: str = ""
    rows: RowsInfo | None = None


class Remains(Struct):
    """A place that an erasure cannot reach, whose weights may hold what was erased.

    ``what`` is "file", a model file that was put at ``version`` of ``model``, or "start", the state
    with which a log begins that ``--keep-examples`` shortened. A rollback to ``rollback`` puts the
    model in use back to before the file; the deletion of ``version`` erases the file.
    """

    model: str
    version: int
    what: str
    rollback: int | None


class Ready(Struct, omit_defaults=True):
    """That a service can do its work; ``role`` is "replica" or "standby" where it only predicts."""

    ready: bool
    role: str = "primary"


class Erasure(ModelInfo):
    """The answer to an erasure: the model without what was erased, and what may still hold it."""

    remains: list[Remains] = []
    shipped: ShippedErasure | None = None


class DeletedModel(Struct):
    """A model that was deleted: its name, its last version, and the head of its log there."""

    name: str
    config: Config
    created: float
    deleted: float | None
    version: int
    head: str
    shipped: ShippedErasure | None = None


class Models(Struct, omit_defaults=True):
    """Models of a service, and deleted ones where they are asked for.

    ``next`` is the path of the next page, if there are more.
    """

    models: list[ModelInfo]
    deleted: list[DeletedModel] | None = None
    next: str | None = None


class Change(Struct):
    """A version that is no example: a rollback, a model file, an erasure."""

    version: int
    what: str
    time: float


class StoredExample(Struct):
    """An example of the log, as it was learned."""

    version: int
    time: float
    features: Features
    label: Label
    weight: float


class LogRecord(Struct, omit_defaults=True):
    """A record of the log, and what it says.

    An example has features, label and weight, a rollback the version that it returned to, an
    erasure that which it erased, a promotion the configuration.
    """

    version: int
    time: float
    what: str
    features: Features | None = None
    label: Label | None = None
    weight: float | None = None
    of: int | None = None
    config: Config | None = None


class LogPage(Struct, omit_defaults=True):
    """Records of a log, in their order; ``next`` is the path of the next page, if there is one."""

    records: list[LogRecord]
    next: str | None = None


class VersionsInfo(Struct):
    """The versions of a model that are kept; ``until`` is the last one until the time asked for."""

    version: int
    first: int
    last: int
    snapshots: list[int]
    changes: list[Change]
    until: int | None = None


class Compared(Struct):
    """The counts of a model or of one of its shadows."""

    name: str
    shadow: bool
    config: Config
    examples: int
    errors: int
    error: float
    interval: tuple[float, float]
    windowed: float


class Comparison(Struct):
    """A model and its shadows, on the same examples."""

    examples: int
    models: list[Compared]


def check_features(features: Features) -> None:
    """Refuse a row that is over a limit.

    Raises
    ------
    ValueError
        With the limit.

    Examples
    --------
    >>> check_features({"size": 1e200})
    Traceback (most recent call last):
        ...
    ValueError: feature 'size' is 1e+200: values must lie between -1e+30 and 1e+30.
    """
    if isinstance(features, str):
        if len(features) > MAX_TEXT:
            raise ValueError(f"a text may have {MAX_TEXT:,} characters; got {len(features):,}.")
        return
    if features and len(features) <= MAX_FEATURES and _is_plain(features):
        return
    if len(features) > MAX_FEATURES:
        raise ValueError(f"a row may have {MAX_FEATURES:,} features; got {len(features):,}.")
    items = features.items() if isinstance(features, dict) else enumerate(features)
    for name, value in items:
        if type(name) is str and len(name) > MAX_WORD:
            raise ValueError(f"a feature name may have {MAX_WORD:,} characters; got {len(name):,}.")
        if type(value) is str:
            if len(value) > MAX_WORD:
                raise ValueError(
                    f"the value of feature {name!r:.80} may have {MAX_WORD:,} characters; got "
                    f"{len(value):,}."
                )
        elif value is not None and not -LARGEST <= float(value) <= LARGEST:
            raise ValueError(
                f"feature {name!r:.80} is {value}: values must lie between {-LARGEST} and "
                f"{LARGEST}."
            )


def _is_plain(features: Any) -> bool:
    """Return whether a row has numbers alone, within the limits: most rows, and a fast test."""
    values = features
    if type(features) is dict:
        if max(map(len, features)) > MAX_WORD:
            return False
        values = features.values()
    try:
        return bool(min(values) >= -LARGEST and max(values) <= LARGEST)
    except TypeError:
        return False


def check_example(
    example: Example, check_size: Callable[[Features], None] = check_features
) -> None:
    """Refuse an example that is over a limit, or that has both features and an id, or neither.

    ``check_size`` refuses features that are too large.

    Raises
    ------
    ValueError
        With the limit.
    """
    if (example.features is None) == (example.id is None):
        raise ValueError("an example has either features, or the id of an earlier prediction.")
    label, weight = example.label, example.weight
    if type(label) is str and len(label) > MAX_WORD:
        raise ValueError(f"a label may have {MAX_WORD:,} characters; got {len(label):,}.")
    if type(label) is int and not -(2**63) <= label < 2**63:
        raise ValueError("a label that is a number must be a whole number of 64 bits.")
    if not 0.0 <= weight <= LARGEST:
        raise ValueError(f"weight must lie between 0 and {LARGEST}; got {weight}.")
    if example.features is not None:
        check_size(example.features)
