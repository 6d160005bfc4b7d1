"""Products of features: each once, and Vowpal Wabbit's hash of three."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.engine.text.crossing import cross, hash_triples, runs_of, split_interaction

rows = st.lists(st.lists(st.sampled_from("abc"), max_size=5), min_size=1, max_size=4)


@given(rows, st.lists(st.sampled_from("abc"), min_size=2, max_size=3))
def test_products_of_a_row_come_once_in_the_order_of_its_entries(rows, groups):
    groups = split_interaction("*".join(groups))
    entries = np.array([group for row in rows for group in row], "U1")
    indptr = np.cumsum([0, *map(len, rows)])
    factors = cross(indptr, [entries == group for group in groups], runs_of(groups))
    expected = []
    for start, stop in pairwise(indptr):
        for places in product(range(start, stop), repeat=len(groups)):
            is_sorted = all(
                groups[i] != groups[i + 1] or places[i] <= places[i + 1]
                for i in range(len(groups) - 1)
            )
            if is_sorted and tuple(entries[list(places)]) == groups:
                expected.append(places)
    assert list(zip(*map(np.ndarray.tolist, factors), strict=True)) == expected


@pytest.mark.parametrize("runs", [(1, 1, 1), (2, 1), (1, 2), (3,)])
def test_hashes_of_three_do_not_depend_on_the_order_within_a_group(rng, runs):
    hashes = rng.integers(-(2**31), 2**31, (100, 3)).astype(np.int32)
    swapped = hashes.copy()
    if runs[0] > 1:
        swapped[:, [0, 1]] = swapped[:, [1, 0]]
    else:
        swapped[:, [1, 2]] = swapped[:, [2, 1]]
    is_equal = np.array_equal(hash_triples(hashes.copy(), runs), hash_triples(swapped, runs))
    assert is_equal == (runs != (1, 1, 1))


def test_the_hash_of_three_is_vowpal_wabbits():
    one, two, three = 4026469504, 17, 2**31 + 5  # unsigned, as its source has them
    expected = ((one * 16777619 ^ two) * 16777619 ^ three) % 2**32
    hashes = np.array([[one, two, three]], np.uint32).view(np.int32)
    assert hash_triples(hashes, (1, 1, 1)).view(np.uint32).tolist() == [expected]
