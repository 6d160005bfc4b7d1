"""Training on a Dask cluster: ``rosenblatt.dask``, by iterative parameter mixing.

:class:`DaskPerceptron` learns Dask arrays, Dask DataFrames, delayed batches and files, in shards
that are where the workers are. Needs the extra ``dask``: ``pip install 'rosenblatt[dask]'``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.cluster.estimator import DaskPerceptron

__all__ = ["DaskPerceptron"]


def __getattr__(name: str) -> Any:
    """Load the estimator when it is first used: workers do without it, and without scikit-learn."""
    if name not in __all__:
        raise AttributeError(f"module 'rosenblatt.dask' has no attribute {name!r}")
    try:
        from rosenblatt.cluster import estimator
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("dask", "distributed"):
            raise
        raise ImportError(
            f"rosenblatt.dask needs Dask ({error}): pip install 'rosenblatt[dask]'."
        ) from error

    return getattr(estimator, name)


def __dir__() -> list[str]:
    return list(__all__)
