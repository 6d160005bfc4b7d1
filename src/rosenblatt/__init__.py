"""The perceptron, from the lecture to the stream.

Names are loaded when they are first used: ``import rosenblatt`` imports neither numba nor
scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "Adaline": "linear",
    "AssociationCells": "lifts",
    "AveragedPerceptron": "linear",
    "Certificate": "proofs",
    "Certificates": "proofs",
    "KernelPerceptron": "dual",
    "LMSRegressor": "regression",
    "OnlinePerceptron": "online",
    "PassiveAggressiveClassifier": "linear",
    "Perceptron": "linear",
    "PolynomialLift": "lifts",
    "RadialLift": "lifts",
    "VotedPerceptron": "dual",
    "audit": "auditing",
    "certify": "proofs",
    "load": "models",
    "save": "models",
}
_MODULES = (
    "claims",
    "criteria",
    "cycling",
    "drift",
    "kernels",
    "lifts",
    "models",
    "plots",
    "progressive",
    "proofs",
    "retina",
    "rules",
    "signals",
    "streams",
    "studies",
    "textbook",
    "theory",
    "toys",
    "validation",
)

__all__ = ["__version__", *sorted(_HOMES), *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"rosenblatt.{_HOMES[name]}"), name)
    if name in _MODULES:
        return import_module(f"rosenblatt.{name}")
    raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
