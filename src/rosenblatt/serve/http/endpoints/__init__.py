"""The endpoints of the service, each declared beside its handler.

To add one is to add a file here, or a function to a file: routes, the OpenAPI document and the
tests of all endpoints find it by :func:`all_endpoints`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from rosenblatt.serve.http.endpoint import Endpoint


@cache
def all_endpoints() -> tuple[Endpoint, ...]:
    """Return the endpoints that the modules of this folder declare.

    Examples
    --------
    >>> [e.path for e in all_endpoints() if e.name == "learn"]
    ['/v1/models/{model}/learn']
    """
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    values = [value for module in modules for value in vars(module).values()]
    return tuple(value for value in values if isinstance(value, Endpoint))
