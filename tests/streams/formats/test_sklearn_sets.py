"""Data sets of scikit-learn as streams."""

import numpy as np
import pytest
from stream_rows import refused, rows_of

from rosenblatt.streams import open_stream


@pytest.mark.parametrize(
    ("name", "shape", "classes"),
    [
        ("digits", (1797, 64), list(range(10))),
        ("breast_cancer", (569, 30), ["benign", "malignant"]),
        ("iris", (150, 4), ["setosa", "versicolor", "virginica"]),
        ("wine", (178, 13), ["class_0", "class_1", "class_2"]),
    ],
)
def test_data_sets_of_scikit_learn(name, shape, classes):
    stream = open_stream(f"sklearn:{name}", batch_bytes=20_000)
    assert (stream.name, stream.format, stream.target) == (f"sklearn:{name}", "sklearn", "target")
    assert len(stream.feature_names) == shape[1]
    batches = list(stream)
    assert sum(len(batch.y) for batch in batches) == shape[0]
    assert all(batch.X.flags.c_contiguous and batch.X.dtype == float for batch in batches)
    assert np.unique(np.concatenate([batch.y for batch in batches])).tolist() == classes
    assert rows_of(stream) == rows_of(open_stream(f"sklearn:{name}"))


def test_unknown_data_sets_are_listed():
    refused("sklearn:mnist", "no such data set; there are sklearn:breast_cancer, sklearn:digits")
