"""The chain of a log."""

from typing import Final

has_sha_instructions: Final[bool]

def chain_records(
    bodies: bytes,
    ends: bytes,
    model: int,
    first: int,
    kind: int,
    time: float,
    salts: bytes,
    chain: bytes,
    instructions: bool = ...,
) -> tuple[bytes, bytes]: ...
