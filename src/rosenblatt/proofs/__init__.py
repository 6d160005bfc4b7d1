"""Certificates of linear separability or inseparability, exactly verifiable (decision record 008).

``check`` is the trusted base: it verifies certificates without ``search``, which finds them, and
without ``engine``. It relies on NumPy, SciPy, scikit-learn's input checks and python-flint.
``certify`` is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.proofs.certificate import Certificate, Certificates
from rosenblatt.proofs.check.record import Claim, Overlap, Verification

if TYPE_CHECKING:
    from rosenblatt.proofs.certification import certify

__all__ = ["Certificate", "Certificates", "Claim", "Overlap", "Verification", "certify"]


def __getattr__(name: str) -> Any:
    if name == "certify":
        from rosenblatt.proofs.certification import certify

        return certify
    raise AttributeError(f"module 'rosenblatt.proofs' has no attribute {name!r}")
