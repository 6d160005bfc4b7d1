"""A kernel's run keeps its rows and its kernel."""

import numpy as np

from rosenblatt import textbook, toys
from rosenblatt.textbook import KernelTrace, Trace


def square(x, z):
    return (x @ z + 1.0) ** 2


def test_L2_10_a_kernels_run_scores_new_rows_as_its_features_do():
    toy = toys.rings(20, 0.5, 1.0)
    run = textbook.kernel_perceptron(toy.X, toy.y, square)
    assert isinstance(run, KernelTrace)
    assert run.rows.tolist() == toy.X.tolist()
    assert not run.rows.flags.writeable
    at = np.array([[0.1, 0.2], [3.0, -1.0]])
    expected = [[square(z, x) for z in toy.X] for x in at]
    assert run.products(at).tolist() == expected
    assert run.products(toy.X).tolist() == run.points.tolist()
    assert run.predict(run.products(at)).tolist() == [1, -1]
    assert run.alpha.tolist() == run.w.tolist()


def test_a_kernels_run_is_read_from_json_as_a_trace():
    toy = toys.xor()
    run = textbook.kernel_perceptron(toy.X, toy.y, square)
    read = Trace.from_json(run.to_json())
    assert type(read) is Trace
    assert read.w.tolist() == run.alpha.tolist()
