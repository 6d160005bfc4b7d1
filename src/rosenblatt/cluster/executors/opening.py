"""The executor of a client: an object that users of Dask, joblib or Ray have anyway."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import distributed
from joblib import Parallel

from rosenblatt.cluster.executors.calls import Executor
from rosenblatt.cluster.executors.on_dask import DaskExecutor
from rosenblatt.cluster.executors.on_joblib import JoblibExecutor
from rosenblatt.cluster.executors.on_ray import RayExecutor


def executor_of(client: Any) -> Executor:
    """Return the executor of a client; of None, that of the latest client of Dask.

    Parameters
    ----------
    client : distributed.Client, joblib.Parallel, the module ray, an executor, or None

    Raises
    ------
    TypeError
    ValueError
        There is no client.
    """
    if isinstance(client, Executor):
        return client
    if client is None:
        return DaskExecutor(_latest_client())
    if isinstance(client, distributed.Client):
        return DaskExecutor(client)
    if isinstance(client, Parallel):
        return JoblibExecutor(client)
    if isinstance(client, ModuleType) and client.__name__ == "ray":
        return RayExecutor(client)
    raise TypeError(
        "client must be a distributed.Client, a joblib.Parallel, or the module ray; got "
        f"{type(client).__name__}."
    )


def _latest_client() -> Any:
    """Return the client of Dask that was made last."""
    try:
        return distributed.default_client()  # type: ignore[no-untyped-call]
    except ValueError as error:
        raise ValueError(
            "There is no cluster: make a distributed.Client(), of this machine or of an address."
        ) from error
