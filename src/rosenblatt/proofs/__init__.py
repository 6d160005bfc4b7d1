"""Certificates of linear separability or inseparability, exactly verifiable (decision record 008).

``check`` is the trusted base: it verifies certificates without ``search``, which finds them, and
without ``engine``. It relies on NumPy, SciPy, scikit-learn's input checks and python-flint.
``certify`` and ``Audit`` are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from rosenblatt.proofs.certificate import Certificate, Certificates
from rosenblatt.proofs.check.record import Claim, Overlap, Verification

if TYPE_CHECKING:
    from rosenblatt.proofs.audit import Audit
    from rosenblatt.proofs.certification import certify

__all__ = ["Audit", "Certificate", "Certificates", "Claim", "Overlap", "Verification", "certify"]


_LATER = {"certify": "certification", "Audit": "audit"}


def __getattr__(name: str) -> object:
    if name in _LATER:
        return getattr(import_module(f"rosenblatt.proofs.{_LATER[name]}"), name)
    raise AttributeError(f"module 'rosenblatt.proofs' has no attribute {name!r}")
