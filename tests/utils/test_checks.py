"""Argument checks: each returns its argument in one form, or names it in a ValueError."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.utils.checks import (
    check_array,
    check_choice,
    check_float,
    check_int,
    check_number,
    check_signs,
    check_vector,
    check_X_y,
    csr_entries,
)


def test_valid_arguments_have_one_form():
    assert check_float(Fraction(1, 2), "x") == 0.5
    assert check_int(np.int8(3), "k", minimum=3) == 3
    assert check_array([[1, 2]], "X", "(n, d)", 2).dtype == np.float64
    assert check_vector([1, 2], "w", 2).tolist() == [1.0, 2.0]
    assert check_signs([1.0, -1.0], 2).tolist() == [1, -1]
    assert check_choice(1.0, "tie", (-1, 0, 1)) == 1
    assert isinstance(check_choice(1.0, "tie", (-1, 0, 1)), int)
    check_number(1, "max_iter", 1, integer=True)
    check_number(np.float32(0.5), "tol", 0, 1, open_low=True, open_high=True)


@pytest.mark.parametrize("y", [[-1, 1], [0, 1], [False, True], [-1.0, 1.0]])
def test_labels_of_either_kind_become_the_codes(y):
    assert check_X_y([[1], [2]], y)[1].tolist() == [-1, 1]
    assert check_X_y([[1], [2]], y, (0, 1))[1].tolist() == [0, 1]


def test_csr_entries_are_flat_indices_and_values():
    X = sp.csr_array([[0.0, 2.0], [3.0, 0.0]])
    indices, values = csr_entries(X, "X")
    assert (indices.tolist(), values.tolist()) == ([1, 2], [2.0, 3.0])


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (partial(check_float, np.inf, "R"), r"R must be a finite number, got inf"),
        (partial(check_float, 0, "eta", above=0.0), r"eta must be a finite number > 0, got 0"),
        (partial(check_float, 10**400, "R", minimum=0.0), r"R must be a finite number >= 0"),
        (partial(check_float, "1", "R"), r"R must be a finite number, got '1'"),
        (partial(check_int, 1.0, "n", minimum=1), r"n must be a whole number >= 1, got 1\.0"),
        (partial(check_array, [["a"]], "X", "(n, d)", 2), r"X must be an array of real numbers"),
        (partial(check_array, [], "X", "(n, d)", 2), r"X must have shape \(n, d\)"),
        (partial(check_array, [np.nan], "x", "(n,)", 1), r"x must be finite, got nan at \(0,\)"),
        (partial(check_vector, [1.0], "w", 2), r"w must have shape \(2,\), got \(1,\)"),
        (partial(check_signs, [1, 0], 2), r"y must hold the labels -1 and 1, got 0"),
        (partial(check_X_y, [[1]], ["a"]), r"y must hold signs, got text"),
        (partial(check_X_y, [[1], [2]], [0, 2]), r"y must hold the labels .*, got 2"),
        (partial(check_X_y, [[1], [2]], [1, 1]), r"y must hold both -1 and 1, got 1 only"),
        (partial(check_choice, 2, "tie", (-1, 1)), r"tie must be one of -1, 1; got 2\."),
        (partial(check_number, True, "tol", 0), r"tol must be a number in \[0, inf\); got True\."),
        (partial(check_number, 1, "tol", 0, 1, open_high=True), r"in \[0, 1\); got 1\."),
        (partial(csr_entries, sp.csc_array(np.eye(2)), "X"), r"X must be CSR .* got csc \(2, 2\)"),
    ],
)
def test_other_arguments_are_named(check, message):
    with pytest.raises(ValueError, match=message):
        check()
