"""Tables of certificates."""

from dataclasses import replace

import numpy as np

from rosenblatt import certify
from rosenblatt.cli.display import certificates


def test_a_table_of_many_rows_has_the_heaviest():
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) % 2
    proof = certify(X, y)
    many = replace(proof, rows=np.arange(40), weights=tuple(range(1, 41)))
    assert certificates.row_table(many, y).row_count == 12
    assert (
        certificates.omitted_rows(many, saved=True) == "… and 28 with smaller weights, in the proof"
    )
    exact = replace(proof, rows=np.arange(2), weights=(10**20, 10**5000))
    assert certificates.row_table(exact, y).row_count == 2
    assert "--proof FILE" in certificates.omitted_rows(exact, saved=False)
