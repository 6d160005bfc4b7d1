"""The application: the routes of all operations, and the life of the service."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from rosenblatt.serve.http.endpoint import Answer, ByMethod, Call, Endpoint, fault, send_answer
from rosenblatt.serve.http.operations import operations
from rosenblatt.serve.http.origin import OwnSite
from rosenblatt.serve.http.page import Page
from rosenblatt.serve.http.stream import Stream
from rosenblatt.serve.maintenance import Maintenance
from rosenblatt.serve.refused import RefusedError
from rosenblatt.serve.service import Service

FREQUENT = ("/predict", "/learn")
"""Ends of the paths that are looked up first."""


def build_app(
    service: Service,
    maintenance: Maintenance | None,
    token: bytes | None = None,
    host: str = "127.0.0.1",
) -> ASGIApp:
    """Return the ASGI application of a service.

    Parameters
    ----------
    service : Service
        Restored.
    maintenance : Maintenance or None
        None for a replica, which changes nothing.
    token : bytes, optional
        What requests must bear. Without one, other websites are kept off.
    host : str
        Where the service listens.
    """
    by_path: dict[str, dict[str, Endpoint]] = defaultdict(dict)
    for operation in operations(service):
        refused = operation.changes and maintenance is None
        by_path[operation.path][operation.method] = Endpoint(
            _refuse if refused else operation.handler,
            operation.handler.__name__,
            service.metrics,
            None if operation.public else token,
            operation.limit,
            None if operation.public else operation.query,
        )
    routes = [Route(path, ByMethod(endpoints)) for path, endpoints in by_path.items()]
    stream = Stream(service, token, learns=maintenance is not None)
    routes.append(Route("/v1/models/{model}/stream", ByMethod({"GET": stream})))
    routes += _page_routes(service)

    @asynccontextmanager
    async def lifespan(app: object) -> AsyncIterator[None]:
        await service.start()
        if maintenance is not None:
            await maintenance.start()
        yield
        if maintenance is not None:
            await maintenance.stop()
        await service.stop()

    routes.sort(key=lambda route: not route.path.endswith(FREQUENT))
    router = Router(routes, redirect_slashes=False, default=_no_path, lifespan=lifespan)
    return router if token is not None else OwnSite(router, host)


def _page_routes(service: Service) -> list[Route]:
    page = Page()
    return [
        Route(path, ByMethod({"GET": Endpoint(handler, "page", service.metrics, None)}))
        for path, handler in (("/", page.page), ("/page/{file:path}", page.page_file))
    ]


async def _no_path(scope: Scope, receive: Receive, send: Send) -> None:
    message = f"nothing is at {scope['path']!r:.80}: GET /openapi.json lists the paths."
    await send_answer(send, fault(RefusedError(404, message)))


async def _refuse(call: Call) -> Answer:
    raise RefusedError(403, "a replica predicts only: send this to the service that it follows.")
