"""Linear and kernel perceptrons that learn one example at a time, at compiled speed.

Names are loaded when they are first used: ``import rosenblatt`` does not import
scikit-learn.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt import cluster as dask
    from rosenblatt import plots, proofs, serve, streams, studies, teach, theory
    from rosenblatt.estimators import lifts, models
    from rosenblatt.estimators.encoder import RowEncoder
    from rosenblatt.estimators.kernel import KernelPerceptron, VotedPerceptron
    from rosenblatt.estimators.lifts import AssociationCells, PolynomialLift, RadialLift
    from rosenblatt.estimators.linear import (
        Adaline,
        AveragedPerceptron,
        Classifier,
        LMSRegressor,
        PassiveAggressiveClassifier,
        Perceptron,
    )
    from rosenblatt.estimators.models import load, save
    from rosenblatt.estimators.row_model import RowModel
    from rosenblatt.estimators.tuning import tune
    from rosenblatt.exports.writing import export
    from rosenblatt.learning.decisions import sets
    from rosenblatt.learning.evaluation import drift, progressive, validation
    from rosenblatt.learning.evaluation import probability_metrics as metrics
    from rosenblatt.learning.online.classifier import OnlineClassifier
    from rosenblatt.learning.online.estimator import OnlinePerceptron
    from rosenblatt.proofs import Certificate, Certificates, certify
    from rosenblatt.proofs.audit import audit
    from rosenblatt.theory import kernels, rules, textbook
    from rosenblatt.theory.datasets import retina, signals, toys
    from rosenblatt.theory.textbook import claims, criteria, cycling

__version__ = "1.0.0"

_PUBLIC = {
    "Adaline": "estimators.linear",
    "AssociationCells": "estimators.lifts",
    "AveragedPerceptron": "estimators.linear",
    "Certificate": "proofs.certificate",
    "Certificates": "proofs.certificate",
    "Classifier": "estimators.linear",
    "KernelPerceptron": "estimators.kernel",
    "LMSRegressor": "estimators.linear",
    "OnlineClassifier": "learning.online.classifier",
    "OnlinePerceptron": "learning.online.estimator",
    "PassiveAggressiveClassifier": "estimators.linear",
    "Perceptron": "estimators.linear",
    "PolynomialLift": "estimators.lifts",
    "RadialLift": "estimators.lifts",
    "RowEncoder": "estimators.encoder",
    "RowModel": "estimators.row_model",
    "VotedPerceptron": "estimators.kernel",
    "audit": "proofs.audit",
    "certify": "proofs.certification",
    "export": "exports.writing",
    "load": "estimators.models",
    "save": "learning.models.files",
    "tune": "estimators.tuning",
}
"""Public class or function -> the module that defines it."""

_PUBLIC_MODULES = {
    "claims": "theory.textbook.claims",
    "criteria": "theory.textbook.criteria",
    "cycling": "theory.textbook.cycling",
    "dask": "cluster",
    "drift": "learning.evaluation.drift",
    "kernels": "theory.kernels",
    "lifts": "estimators.lifts",
    "metrics": "learning.evaluation.probability_metrics",
    "models": "estimators.models",
    "plots": "plots",
    "progressive": "learning.evaluation.progressive",
    "proofs": "proofs",
    "retina": "theory.datasets.retina",
    "rules": "theory.rules",
    "serve": "serve",
    "sets": "learning.decisions.sets",
    "signals": "theory.datasets.signals",
    "streams": "streams",
    "studies": "studies",
    "teach": "teach",
    "textbook": "theory.textbook",
    "theory": "theory",
    "toys": "theory.datasets.toys",
    "validation": "learning.evaluation.validation",
}
"""Public module -> its place in the tree. ``rosenblatt.toys`` is importable by its short name."""

_FORMER_MODULES = dict.fromkeys(
    (
        "theory.confidence",
        "theory.confidence_weighted",
        "theory.full_covariance",
        "theory.margin_rules",
        "theory.minover",
        "theory.rescaling",
    ),
    "theory.rules",
)
"""Module whose classes older pickles name -> the module that has them now."""

__all__ = [
    "Adaline",
    "AssociationCells",
    "AveragedPerceptron",
    "Certificate",
    "Certificates",
    "Classifier",
    "KernelPerceptron",
    "LMSRegressor",
    "OnlineClassifier",
    "OnlinePerceptron",
    "PassiveAggressiveClassifier",
    "Perceptron",
    "PolynomialLift",
    "RadialLift",
    "RowEncoder",
    "RowModel",
    "VotedPerceptron",
    "__version__",
    "audit",
    "certify",
    "claims",
    "criteria",
    "cycling",
    "dask",
    "drift",
    "export",
    "kernels",
    "lifts",
    "load",
    "metrics",
    "models",
    "plots",
    "progressive",
    "proofs",
    "retina",
    "rules",
    "save",
    "serve",
    "sets",
    "signals",
    "streams",
    "studies",
    "teach",
    "textbook",
    "theory",
    "toys",
    "tune",
    "validation",
]


class _PublicModuleFinder:
    """Import a public module by its short name: ``from rosenblatt.toys import rings``."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return a spec for the short name of a public module (or of a module inside it)."""
        package, _, rest = name.partition(".")
        if package != __name__:
            return None
        short, _, inner = rest.partition(".")
        home = _PUBLIC_MODULES.get(short, short)
        real = ".".join(filter(None, (home, inner)))
        real = _FORMER_MODULES.get(real, real)
        if real == rest:
            return None
        real = f"{__name__}.{real}"
        return ModuleSpec(name, _PublicModuleFinder, origin=real)  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """Leave the creation of the module to Python."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Put the real module in the place of the empty one."""
        spec = module.__spec__
        assert spec is not None
        assert spec.origin is not None
        sys.modules[spec.name] = import_module(spec.origin)


sys.meta_path.insert(0, _PublicModuleFinder)


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(f"rosenblatt.{_PUBLIC[name]}"), name)
    if name in _PUBLIC_MODULES:
        return import_module(f"rosenblatt.{_PUBLIC_MODULES[name]}")
    raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
