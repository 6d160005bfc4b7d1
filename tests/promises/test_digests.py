"""The engine's results have the bits that they had: every kind of run, by its digest."""

import warnings

import digests
import pytest

RUNS = digests.runs()
SAMPLE = RUNS[::29]  # a prime: every rule, storage and scheme has its turn; the script runs all


@pytest.fixture(scope="module")
def others():
    return digests.other_probes()


def test_the_file_has_every_run_and_no_other():
    assert sorted(digests.read()["runs"]) == [run.name for run in RUNS]


@pytest.mark.parametrize("run", SAMPLE, ids=[run.name for run in SAMPLE])
def test_a_run_keeps_its_bits(run, others):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # runs of two epochs do not converge
        found = digests.digest(run.compute())
    if others.isdisjoint(run.needs):
        assert found == digests.read()["runs"][run.name]


def test_one_bit_or_type_changes_a_digest():
    a = digests.np.arange(3.0)
    b = a.copy()
    b[1] = digests.np.nextafter(1.0, 2.0)
    values = [a, b, a.astype("f4"), a[None], -a, 0.0, -0.0, 0, False, None, (), (a,), [a, b]]
    found = [digests.digest(value) for value in values]
    assert len({*found}) == len(values)
