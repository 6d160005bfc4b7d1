"""The service: models that learn from labelled events, and lose none of them.

``rosenblatt serve --store DIR`` starts it; :class:`Client` speaks with it.
"""

from __future__ import annotations

from rosenblatt.serve.client import Client, ServiceError

__all__ = ["Client", "ServiceError"]
