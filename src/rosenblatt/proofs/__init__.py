"""Separable or not, with a proof that anyone can check (decision record 008).

``certify`` is loaded when it is first used: to check a proof takes no compiled loop.
"""

from __future__ import annotations

from typing import Any

from rosenblatt.proofs.certificate import Certificate, Certificates
from rosenblatt.proofs.check.record import Claim, Overlap, Verification

__all__ = ["Certificate", "Certificates", "Claim", "Overlap", "Verification", "certify"]


def __getattr__(name: str) -> Any:
    if name == "certify":
        from rosenblatt.proofs.certification import certify

        return certify
    raise AttributeError(f"module 'rosenblatt.proofs' has no attribute {name!r}")
