"""Separable or not, with a proof that anyone can check (decision record 008)."""

from rosenblatt.proofs.certificate import (
    Certificate,
    Certificates,
    Claim,
    Overlap,
    Verification,
)
from rosenblatt.proofs.certifying import certify

__all__ = ["Certificate", "Certificates", "Claim", "Overlap", "Verification", "certify"]
