"""Executors of the calls of a fit: a Dask cluster, processes of joblib, a Ray cluster.

They have the methods of :class:`rosenblatt.cluster.executors.calls.Executor`. Calls are pure
functions of their arguments, so that the bits of a fit are the same on all of them.
"""
