"""Clients of the service: models that learn and predict in another process."""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine
from typing import Any, Self, TypeVar

from rosenblatt.serve.clients.methods import Answer, Methods, ServiceError
from rosenblatt.serve.clients.transports import Blocking, Streams

__all__ = ["AsyncClient", "Client", "ServiceError"]

T = TypeVar("T")


class Client(Methods[Blocking, Answer, list[Answer], bytes]):
    """Client of ``rosenblatt serve``.

    It needs the standard library alone. Answers are the JSON values of the service. The connection
    is kept between requests. Threads may share a client, and their requests go one after another.

    In its methods ``model`` and ``shadow`` are names, ``features`` a row (a dict of names and
    values, a list of numbers or a text), ``label`` its label, ``weight`` a number of 0 or more,
    ``examples`` tuples of these, ``config`` a configuration as of :meth:`create`, ``data`` the
    bytes of a model file, ``after`` a version, ``top`` a number of features, and ``contains`` a
    part of a name, a value, a text or a label.

    Parameters
    ----------
    url : str, default="http://127.0.0.1:8000"
        Where the service is; with https, its certificate is checked.
    token : str, optional
        What the service asks for; by default the variable ``ROSENBLATT_TOKEN``.
    timeout : float > 0, default=30.0
        Longest wait for an answer, in seconds.
    retries : int ≥ 0, default=4
        How often a request that learns is sent again when the service cannot be reached, or cannot
        write. Each has an Idempotency-Key, so that nothing is learned twice. No other request is
        sent again.
    cafile : str, optional
        Certificates to trust, as PEM, instead of the system's.

    Raises
    ------
    ValueError
        The URL is not one of http or https.

    Examples
    --------
    >>> import subprocess, sys, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> command = f"-m rosenblatt serve --port 0 --store {folder.name}".split()
    >>> server = subprocess.Popen([sys.executable, *command], stdout=-1, stderr=-1, text=True)
    >>> client = Client(server.stdout.readline().strip())

    >>> client.create("mail")["examples"]
    0
    >>> client.learn("mail", "win a free prize", "spam")["version"]
    1
    >>> rows = [("lunch at noon?", "ham"), ("a prize for you", "spam"), ("noon is fine", "ham")]
    >>> client.learn_list("mail", rows)[-1]["version"]
    4
    >>> client.predict("mail", "another prize")["label"]
    'spam'
    >>> client.model("n")
    Traceback (most recent call last):
        ...
    rosenblatt.serve.clients.methods.ServiceError: 404: no model 'n': POST /v1/models creates one.

    >>> client.close(); server.terminate(); _ = server.communicate(); folder.cleanup()
    """

    _transport_of = Blocking

    def _run(self, answering: Coroutine[Any, Any, T]) -> T:
        try:
            answering.send(None)  # it runs to its end: this transport lets nobody else run
        except StopIteration as end:
            answer: T = end.value
            return answer
        raise AssertionError("a request that waits for the loop")

    def close(self) -> None:
        """Close the connection; the next request opens one."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class AsyncClient(Methods[Streams, Awaitable[Answer], Awaitable[list[Answer]], Awaitable[bytes]]):
    """Client of ``rosenblatt serve`` for asyncio.

    It has the methods of :class:`Client`, which are awaited, and needs the standard library alone.
    Requests that are awaited together are sent together, over at most 32 connections, which are
    kept. A client belongs to one loop.

    Parameters
    ----------
    url, token, timeout, retries, cafile
        As of :class:`Client`.

    Raises
    ------
    ValueError
        The URL is not one of http or https.

    Examples
    --------
    >>> import asyncio, subprocess, sys, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> command = f"-m rosenblatt serve --port 0 --store {folder.name}".split()
    >>> server = subprocess.Popen([sys.executable, *command], stdout=-1, stderr=-1, text=True)
    >>> url = server.stdout.readline().strip()

    >>> async def main():
    ...     async with AsyncClient(url) as client:
    ...         await client.create("mail")
    ...         await client.learn("mail", "win a free prize", "spam")
    ...         rows = [("lunch at noon?", "ham"), ("a prize for you", "spam")]
    ...         await client.learn_list("mail", [*rows, ("noon is fine", "ham")])
    ...         texts = ["another prize", "lunch", "noon"]
    ...         answers = await asyncio.gather(*(client.predict("mail", t) for t in texts))
    ...         return [answer["label"] for answer in answers]
    >>> asyncio.run(main())
    ['spam', 'ham', 'ham']

    >>> server.terminate(); _ = server.communicate(); folder.cleanup()
    """

    _transport_of = Streams

    def _run(self, answering: Coroutine[Any, Any, T]) -> Coroutine[Any, Any, T]:
        return answering

    async def close(self) -> None:
        """Close the connections; the next request opens one."""
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()
