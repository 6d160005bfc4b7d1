"""The chain of a log, computed by the core for many records at once, without Python's lock.

``chain_records(bodies, ends, model, first, kind, time, salts, chain)`` takes records of one model,
kind and time, whose versions follow each other from ``first`` on: their bodies, one after the
other, where each of them ends, as integers of 64 bits, salts of 16 bytes for each, and the chain
value of the record before, 32 bytes. It returns two bytes objects:

- of each record its checksum, the CRC-32 of head and body, and the size of its body, in 10 decimal
  digits each;
- the chain value of each: ``sha256(before + sha256(salt + head + body))``.

The head of a record is model, version and kind as integers and the time as a float64, eight bytes
each, the lowest byte first. Where the processor has instructions for SHA-256, they compute it;
``instructions=False`` does without.

Examples
--------
>>> ends = (4).to_bytes(8, "little")
>>> sums, chain = chain_records(b"body", ends, 1, 1, 0, 0.0, bytes(16), bytes(32))
>>> sums, len(chain)
(b'00775495550000000004', 32)
"""

from rosenblatt._core.records import chain_records, has_sha_instructions

__all__ = ["chain_records", "has_sha_instructions"]
