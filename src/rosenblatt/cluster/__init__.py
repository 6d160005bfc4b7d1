"""Training on a Dask cluster: ``rosenblatt.dask``, by iterative parameter mixing.

:class:`DaskPerceptron` learns Dask arrays, Dask DataFrames, delayed batches and files, in shards
that are where the workers are. Needs the extra ``dask``: ``pip install 'rosenblatt[dask]'``.
"""

from __future__ import annotations

try:
    import dask.array
    import distributed  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"rosenblatt.dask needs Dask ({error}): pip install 'rosenblatt[dask]'."
    ) from error

from rosenblatt.cluster.estimator import DaskPerceptron

__all__ = ["DaskPerceptron"]
