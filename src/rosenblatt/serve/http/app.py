"""The application: the routes of all endpoints, and the life of the service."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.http.call import ENDLESS, Answer, Call, encode, send_answer
from rosenblatt.serve.http.endpoint import Endpoint
from rosenblatt.serve.http.endpoints import all_endpoints
from rosenblatt.serve.http.origin import Admit, Bearer, OwnSite
from rosenblatt.serve.http.problems import fault
from rosenblatt.serve.http.tokens import Tokens
from rosenblatt.serve.maintenance import Maintenance
from rosenblatt.serve.service import Service
from rosenblatt.serve.telemetry.audit import Audit
from rosenblatt.serve.telemetry.watch import Watch


def build_app(
    service: Service,
    maintenance: Maintenance | None,
    watch: Watch,
    tokens: Tokens | None = None,
    host: str = "127.0.0.1",
) -> ASGIApp:
    """Return the ASGI application of a service.

    Parameters
    ----------
    service : Service
        Restored.
    maintenance : Maintenance or None
        None for a replica, which changes nothing.
    watch : Watch
        Reports alarms of drift.
    tokens : Tokens, optional
        Of which requests must bear one. Without them, other websites are kept off.
    host : str
        Where the service listens.
    """
    admit = OwnSite(host) if tokens is None else Bearer(tokens)
    audit = Audit()
    by_path: dict[str, list[Endpoint]] = defaultdict(list)
    for endpoint in sorted(all_endpoints(), key=lambda endpoint: not endpoint.is_frequent):
        for path in endpoint.paths:
            by_path[path].append(endpoint)
    routes = [Route(path, Resource(service, admit, audit, own)) for path, own in by_path.items()]

    @asynccontextmanager
    async def lifespan(app: object) -> AsyncIterator[None]:
        await service.start()
        if maintenance is not None:
            await maintenance.start()
        await watch.start()
        yield
        await watch.stop()
        if maintenance is not None:
            await maintenance.stop()
        await service.stop()
        audit.sum_up()

    nowhere = Resource(service, admit, audit, [])
    return Router(routes, redirect_slashes=False, default=nowhere, lifespan=lifespan)


class Resource:
    """The endpoints of a path as an ASGI application; without any, there is no such path.

    HEAD is GET, whose body the server leaves out.

    Parameters
    ----------
    service : Service
    admit : callable
        Refuses requests by who sends them.
    audit : Audit
    endpoints : iterable of Endpoint
    """

    def __init__(
        self, service: Service, admit: Admit, audit: Audit, endpoints: Iterable[Endpoint]
    ) -> None:
        self._service, self._admit, self._audit = service, admit, audit
        self._endpoints = {endpoint.method: endpoint for endpoint in endpoints}
        if "GET" in self._endpoints:
            self._endpoints["HEAD"] = self._endpoints["GET"]
        seconds = service.metrics.requests
        self._seconds = {
            method: seconds.labels(endpoint.name)
            for method, endpoint in self._endpoints.items()
            if endpoint.gives is not ENDLESS
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        start, method = time.perf_counter(), scope["method"]
        endpoint = self._endpoints.get(method)
        try:
            if endpoint is None:
                self._admit(scope, None)
                raise self._no_endpoint(scope)
            sender = self._admit(scope, None if endpoint.is_public else endpoint.needs)
            call = Call(scope, receive, endpoint.limit, sender)
            if scope["query_string"] and not endpoint.is_public:
                call.check_parameters(endpoint.query)
            if endpoint.changes:
                if not endpoint.for_any_role and (refusal := self._service.refusal()):
                    raise refusal
                with self._audit.noting(endpoint.name, sender.name, call.facts):
                    value = await endpoint.handler(self._service, call)
            else:
                value = await endpoint.handler(self._service, call)
            answer = value if isinstance(value, Answer) else Answer(encode(value), endpoint.status)
        except ConnectionResetError:
            return
        except Exception as error:
            answer = fault(error)
            self._service.metrics.refusals.labels(str(answer.status)).inc()
            if answer.status == 405:
                allowed = ", ".join(self._endpoints).encode()
                answer = answer._replace(headers=((b"allow", allowed),))
        await send_answer(send, answer, scope["headers"])
        if method in self._seconds:
            self._seconds[method].observe(time.perf_counter() - start)

    def _no_endpoint(self, scope: Scope) -> RefusedError:
        """Return the refusal of a path, or of its method."""
        if not self._endpoints:
            path = f"nothing is at {scope['path']!r:.80}"
            return RefusedError(404, f"{path}: GET /openapi.json lists the paths.")
        allowed = ", ".join(self._endpoints)
        return RefusedError(405, f"{scope['method']} is not for this path: use {allowed}.")
