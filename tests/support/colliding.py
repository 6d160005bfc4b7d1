"""Words that someone chooses so that their hashes collide: tables of the core must not slow down.

Both hashes can be inverted: of the eight last letters that bring about a hash, those that can be
written are kept, one in 4,000.
"""

import numpy as np

GOLDEN = 0x9E3779B97F4A7C15  # of src/core/text/hashing/categories.cpp
MURMUR, SEED = 0xC6A4A7935BD1E995, 0xC70F6907  # of std::hash in libstdc++, MurmurHash64A
WRITABLE = np.array([33 <= byte < 127 and byte not in b'",\\' for byte in range(256)])
DRAWN = 1 << 18


def inverse(factor):
    """The number whose product with an odd one is 1, of 64 bits."""
    return np.uint64(pow(factor, -1, 1 << 64))


def are_writable(words):
    """Whether the eight bytes of each word can be written in CSV and JSON as they are."""
    return WRITABLE[words.view(np.uint8).reshape(-1, 8)].all(axis=1)


def words_of_one_slot(count):
    """Words of eight letters with the same first 20 bits of the hash of category columns."""
    rng, words = np.random.default_rng(0), []
    while len(words) < count:
        state = rng.integers(0, 1 << 44, DRAWN, np.uint64) * inverse(GOLDEN)
        state ^= state >> np.uint64(32)
        last = (state * inverse(GOLDEN)) ^ np.uint64(8)
        words += [word.tobytes().decode() for word in last[are_writable(last)]]
    return words[:count]


def words_of_one_hash(count):
    """Words of sixteen letters with one ``std::hash`` of libstdc++."""
    rng, words = np.random.default_rng(0), []
    factor, shift = np.uint64(MURMUR), np.uint64(47)
    start = np.uint64(SEED ^ (16 * MURMUR) % (1 << 64))
    letters = np.flatnonzero(WRITABLE).astype(np.uint8)
    while len(words) < count:
        first = rng.choice(letters, (DRAWN, 8)).view(np.uint64).ravel()
        mixed = first * factor
        mixed = (mixed ^ (mixed >> shift)) * factor
        last = (start ^ mixed) * factor * inverse(MURMUR)  # which takes the state to 0
        last = (last ^ (last >> shift)) * inverse(MURMUR)
        pairs = np.column_stack([first, last])[are_writable(last)]
        words += [pair.tobytes().decode() for pair in pairs]
    return words[:count]
