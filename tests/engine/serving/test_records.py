"""The chain of a log by the core: that of hashlib and zlib."""

import hashlib
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.engine.serving.records import chain_records, has_sha_instructions

BY = [False, True] if has_sha_instructions else [False]


def ends_of(bodies):
    ends, end = [], 0
    for body in bodies:
        end += len(body)
        ends.append(end)
    return struct.pack(f"<{len(ends)}q", *ends)


def twin(bodies, model, first, kind, time, salts, chain):
    sums, chains = [], []
    for i, body in enumerate(bodies):
        head = struct.pack("<qqqd", model, first + i, kind, time)
        committed = hashlib.sha256(salts[16 * i : 16 * i + 16] + head + body).digest()
        chain = hashlib.sha256(chain + committed).digest()
        sums.append(b"%010d%010d" % (zlib.crc32(head + body), len(body)))
        chains.append(chain)
    return b"".join(sums), b"".join(chains)


@pytest.mark.parametrize("instructions", BY)
@given(
    st.lists(st.binary(max_size=150), max_size=5),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(0, 2**62),
    st.floats(),
    st.randoms(),
)
def test_the_chain_is_that_of_hashlib(instructions, bodies, model, first, time, random):
    salts, chain = random.randbytes(16 * len(bodies)), random.randbytes(32)
    ours = chain_records(
        b"".join(bodies), ends_of(bodies), model, first, 6, time, salts, chain, instructions
    )
    assert ours == twin(bodies, model, first, 6, time, salts, chain)


@pytest.mark.parametrize("instructions", BY)
def test_bodies_of_every_length_around_the_blocks(instructions):
    bodies = [bytes([k % 251]) * k for k in range(300)] + [b"x" * 100_000]
    arguments = (1, 5, 0, 1.5, bytes(16 * len(bodies)), bytes(32))
    ours = chain_records(b"".join(bodies), ends_of(bodies), *arguments, instructions)
    assert ours == twin(bodies, *arguments)


@pytest.mark.parametrize("change", [
    {"ends": struct.pack("<2q", 2, 5)}, {"ends": struct.pack("<2q", 3, 2)},
    {"ends": struct.pack("<2q", -1, 2)}, {"ends": b"1234567"}, {"salts": bytes(31)},
    {"chain": bytes(31)}, {"chain": bytes(33)},
])  # fmt: skip
def test_lengths_that_do_not_fit_are_refused(change):
    fine = {
        "bodies": b"abcd", "ends": struct.pack("<2q", 2, 4), "model": 1, "first": 1, "kind": 0,
        "time": 0.0, "salts": bytes(32), "chain": bytes(32),
    }  # fmt: skip
    assert len(chain_records(**fine)[1]) == 64
    with pytest.raises(ValueError, match="must"):
        chain_records(**fine | change)
