"""Certificates of linear separability or inseparability, exactly verifiable (decision record 008).

``check`` is the trusted base: it verifies certificates without ``search``, which finds them, and
without ``engine``. It relies on NumPy, SciPy, scikit-learn's input checks and python-flint.
``certify`` and ``Audit`` are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.proofs.certificate import Certificate, Certificates
from rosenblatt.proofs.check.record import Claim, Overlap, Verification

if TYPE_CHECKING:
    from rosenblatt.proofs.audit import Audit
    from rosenblatt.proofs.certification import certify

__all__ = ["Audit", "Certificate", "Certificates", "Claim", "Overlap", "Verification", "certify"]


def __getattr__(name: str) -> Any:
    if name == "certify":
        from rosenblatt.proofs.certification import certify

        return certify
    if name == "Audit":
        from rosenblatt.proofs.audit import Audit

        return Audit
    raise AttributeError(f"module 'rosenblatt.proofs' has no attribute {name!r}")
