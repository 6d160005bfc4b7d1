"""The service: models that learn from labelled events, and lose none of them.

``rosenblatt serve --store DIR`` starts it; :class:`Client` and :class:`AsyncClient` speak with it.
"""

from __future__ import annotations

from rosenblatt.serve.client import AsyncClient, Client, ServiceError

__all__ = ["AsyncClient", "Client", "ServiceError"]
