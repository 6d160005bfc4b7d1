"""Clients that are no executor, and rows that need one of Dask."""

import dask
import dask.array as da
import numpy as np
import pytest
from joblib import Parallel

from rosenblatt.dask import DaskPerceptron


def test_a_client_of_no_engine_is_refused(folder):
    with pytest.raises(TypeError, match=r"must be a distributed\.Client, .*; got str"):
        DaskPerceptron().fit(str(folder / "*.svm"), client="tcp://10.0.0.7:8786")


def test_collections_and_delayed_batches_need_a_client_of_dask():
    rows, labels = da.from_array(np.eye(2)), da.from_array(np.arange(2))
    batch = dask.delayed((np.eye(2), [0, 1]))
    for arguments in ((rows, labels), ([batch],)):
        with pytest.raises(TypeError, match=r"need a distributed\.Client"):
            DaskPerceptron().fit(*arguments, client=Parallel(n_jobs=1))
