"""The requests of a client of the service, and its answers; how they are sent is left open.

Each method is written once, as a coroutine: :class:`rosenblatt.serve.Client` runs it to its end,
:class:`rosenblatt.serve.AsyncClient` lets it be awaited.
"""

from __future__ import annotations

import http.client
import json
import os
import uuid
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Generic, TypeAlias, TypeVar, overload
from urllib.parse import quote, urlencode

from rosenblatt.serve.clients.transports import Target, Transport

Features: TypeAlias = Mapping[str, float | bool | str | None] | Sequence[float] | str
Label: TypeAlias = bool | int | str
Answer: TypeAlias = dict[str, Any]
"""A JSON object: what the service answers, or is sent."""
Sender = TypeVar("Sender", bound=Transport)
One = TypeVar("One")
Many = TypeVar("Many")
Data = TypeVar("Data")

LINES = 5_000
"""Examples of one request of ``learn_many``."""
PAGE = 1_000
"""Records of one request of ``log``."""
FIRST_WAIT = 0.1
"""Seconds before the first retry; each later one waits twice as long, or as the service says."""
LONGEST_WAIT = 60.0
"""Seconds before a retry, whatever the answer says."""
_AGAIN: tuple[int, ...] = (408, 429, 502, 503, 504, 507)


class ServiceError(Exception):
    """A request that failed.

    Attributes
    ----------
    status : int or None
        Status of the answer; None if there was none.
    message : str
        What the service says of the fault.
    retry_after : float or None
        Seconds after which the service asks to be tried again.
    answers : list of dict
        Of :meth:`Client.learn_many`: what is known of each example that was sent before.

    Examples
    --------
    >>> str(ServiceError(404, "no model 'mail': POST /v1/models creates one."))
    "404: no model 'mail': POST /v1/models creates one."
    """

    def __init__(self, status: int | None, message: str, retry_after: float | None = None) -> None:
        super().__init__(message if status is None else f"{status}: {message}")
        self.status, self.message, self.retry_after = status, message, retry_after
        self.answers: list[Answer] = []


class Methods(Generic[Sender, One, Many, Data]):
    """What a client of the service can do.

    Its parameters are the transport, and the types of answers: an object, a list of objects, and
    bytes, or what is awaited for these. Those of the constructor are described by the clients.
    """

    _transport_of: type[Sender]

    def __init__(
        self,
        url: str = "http://127.0.0.1:8000",
        token: str | None = None,
        *,
        timeout: float = 30.0,
        retries: int = 4,
        cafile: str | None = None,
    ) -> None:
        self._transport = self._transport_of(Target(url, timeout, cafile))
        self.url, self.retries = url, retries
        token = (token or os.environ.get("ROSENBLATT_TOKEN", "")).strip() or None
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    @overload
    def _run(self, answering: Coroutine[Any, Any, Answer]) -> One: ...
    @overload
    def _run(self, answering: Coroutine[Any, Any, list[Answer]]) -> Many: ...
    @overload
    def _run(self, answering: Coroutine[Any, Any, bytes]) -> Data: ...
    def _run(self, answering: Coroutine[Any, Any, Any]) -> Any:
        """Return the answer that a coroutine gives, or what is awaited for it."""
        raise NotImplementedError

    # --- models ----------------------------------------------------------------------------------

    def create(self, model: str, config: Mapping[str, Any] | None = None) -> One:
        """Create a model; ``config`` has parameters of :class:`rosenblatt.OnlinePerceptron`."""
        return self._run(
            self._object("POST", "/v1/models", {"name": model, "config": dict(config or {})})
        )

    def models(self) -> Many:
        """List the models."""
        return self._run(self._all("/v1/models", "models"))

    def deleted(self) -> Many:
        """List the deleted models."""
        return self._run(self._all("/v1/models?deleted=true", "deleted"))

    def model(self, model: str) -> One:
        """Return configuration, version, examples and errors of a model."""
        return self._run(self._object("GET", _path(model)))

    def delete(self, model: str) -> One:
        """Delete a model; :meth:`restore` brings it back, :meth:`purge` ends it for good."""
        return self._run(self._object("DELETE", _path(model)))

    def restore(self, model: str) -> One:
        """Bring a deleted model back."""
        return self._run(self._object("POST", _path(model, "restore")))

    def purge(self, model: str) -> One:
        """Remove a deleted model from the store, for good; its name is free."""
        return self._run(self._object("POST", _path(model, "purge")))

    def file(self, model: str) -> Data:
        """Return a model as the bytes of a file, which :func:`rosenblatt.load` reads."""
        return self._run(self._bytes("GET", _path(model, "file")))

    def put_file(self, model: str, data: bytes) -> One:
        """Replace a model, or create one, by the bytes of a model file.

        One that the command trained on a table, JSON lines or texts takes raw rows from then on,
        and gives them the scores of ``rosenblatt predict``; ``rows`` of the answer says which
        columns it takes.
        """
        return self._run(self._object("PUT", _path(model, "file"), data))

    # --- predict and learn -----------------------------------------------------------------------

    def predict(
        self,
        model: str,
        features: Features | Sequence[Features],
        *,
        version: int | None = None,
        explain: bool = False,
    ) -> Any:
        """Predict the label of a row, or of each row of a list.

        Parameters
        ----------
        model : str
        features : dict, text, list of numbers, or a list of up to 1,000 of these
        version : int, optional
            Predict as the model did at this version.
        explain : bool, default=False
            Whether to say what each feature contributes.

        Returns
        -------
        dict or list of dict
            ``id``, ``label``, ``scores``, ``margin`` and ``version``; with ``explain``
            ``contributions``; of a model with ``probabilities`` those of its labels.
        """
        query = {} if version is None else {"version": version}
        queries: Any = {"features": features, "explain": explain}
        if not _is_row(features):
            queries = [{"features": row, "explain": explain} for row in features]
        return self._run(self._json("POST", _path(model, "predict", **query), queries))

    def learn(self, model: str, features: Features, label: Label, weight: float = 1.0) -> One:
        """Learn an example; once this returns, it is on the service's disk.

        Returns
        -------
        dict
            ``version``, and ``was_right``: whether the label was predicted.
        """
        return self._run(self._learn(model, _example((features, label, weight))))

    def correct(self, model: str, prediction: str, label: Label) -> One:
        """Learn the label of an earlier prediction, by its ``id``."""
        return self._run(self._learn(model, {"id": prediction, "label": label}))

    def learn_list(self, model: str, examples: Iterable[tuple[Any, ...]]) -> Many:
        """Learn up to 1,000 examples (features, label) or (features, label, weight): all or none.

        Returns
        -------
        list of dict
            As of :meth:`learn`.
        """
        return self._run(self._learn_list(model, [_example(e) for e in examples]))

    def learn_many(self, model: str, examples: Iterable[tuple[Any, ...]]) -> Many:
        """Learn any number of examples (features, label) or (features, label, weight), fast.

        They are sent as NDJSON, some thousand at a time, each body with a key: it is sent again as
        that of :meth:`learn`, and goes on from the first example that was not learned.

        Returns
        -------
        list of dict
            As of :meth:`learn`.

        Raises
        ------
        ServiceError
            Examples were refused, and the others were learned; or a request failed, or the disk or
            the log was full, and no later request was sent. ``answers`` has what is known: as
            above, or ``line``, counted from 1, and ``error`` of an example that was refused.
        """
        return self._run(self._learn_many(model, examples))

    # --- shipping --------------------------------------------------------------------------------

    def shipping(self, erasure: int | None = None) -> One:
        """Return where the log goes, and of the ticket of an erasure whether it has arrived."""
        query = "" if erasure is None else f"?erasure={erasure}"
        return self._run(self._object("GET", f"/v1/shipping{query}"))

    def promote(self) -> One:
        """Let a standby take over; return the epoch."""
        return self._run(self._object("POST", "/v1/promote"))

    # --- versions and shadows --------------------------------------------------------------------

    def heaviest(self, model: str, top: int = 10) -> One:
        """Return the features of each label that move its score most, with their weights."""
        return self._run(self._object("GET", _path(model, "heaviest", top=top)))

    def versions(self, model: str) -> One:
        """Return which versions are kept, and what changed the model besides examples."""
        return self._run(self._object("GET", _path(model, "versions")))

    def examples(self, model: str, contains: str, before: int | None = None) -> Many:
        """Return the last 100 examples, before a version, with a text or number, youngest first."""
        query = {"contains": contains} | ({} if before is None else {"before": before})
        return self._run(self._list(_path(model, "examples", **query)))

    def log(self, model: str, after: int = 0) -> Many:
        """Return up to 1,000 records of the log behind a version, with what each of them says."""
        return self._run(self._records(_path(model, "log", limit=PAGE, after=after)))

    def rollback(self, model: str, version: int) -> One:
        """Return to an earlier version; that is a new version."""
        return self._run(self._object("POST", _path(model, "rollback"), {"version": version}))

    def erase(self, model: str, version: int) -> One:
        """Erase the example or the model file of a version, as if it had never been there.

        Returns
        -------
        dict
            As of :meth:`model`, and ``remains``: a dict of ``model``, ``version``, ``what`` and
            ``rollback`` for each place whose weights may still hold it. ``what`` is "file", a model
            file that was put, or "start", the beginning of a log that was shortened.
        """
        return self._run(self._object("DELETE", _path(model, f"versions/{version}")))

    def shadows(self, model: str) -> One:
        """Compare a model with its shadows."""
        return self._run(self._object("GET", _path(model, "shadows")))

    def add_shadow(self, model: str, shadow: str, config: Mapping[str, Any] | None = None) -> One:
        """Let another configuration learn the same examples."""
        value = {"name": shadow, "config": dict(config or {})}
        return self._run(self._object("POST", _path(model, "shadows"), value))

    def promote_shadow(self, model: str, shadow: str) -> One:
        """Put a shadow in the model's place; its counts start anew."""
        return self._run(
            self._object("POST", _path(model, f"shadows/{quote(shadow, safe='')}/promote"))
        )

    def drop_shadow(self, model: str, shadow: str) -> One:
        """End a comparison."""
        return self._run(self._object("DELETE", _path(model, "shadows/" + quote(shadow, safe=""))))

    # --- requests --------------------------------------------------------------------------------

    async def _learn(self, model: str, example: Answer) -> Answer:
        answer: Answer = json.loads(await self._send_examples(model, _encode(example)))
        return answer

    async def _learn_list(self, model: str, examples: list[Answer]) -> list[Answer]:
        answers: list[Answer] = json.loads(await self._send_examples(model, _encode(examples)))
        return answers

    async def _learn_many(self, model: str, examples: Iterable[tuple[Any, ...]]) -> list[Answer]:
        answers: list[Answer] = []
        rows = iter(examples)
        while chunk := list(islice(rows, LINES)):
            body = b"\n".join(_encode(_example(example)) for example in chunk)
            before = len(answers)
            try:
                data = await self._send_examples(model, body, lines=len(chunk))
            except ServiceError as error:
                error.answers = answers + _numbered(error.answers, before)
                raise
            answers += _numbered(map(json.loads, data.splitlines()), before)
        refused = [answer for answer in answers if "line" in answer]
        if refused:
            first = refused[0]
            fault = ServiceError(
                422,
                f"{len(refused):,} of {len(answers):,} examples were refused, the first is "
                f"number {first['line']:,}: {first['error']}",
            )
            fault.answers = answers
            raise fault
        return answers

    async def _send_examples(self, model: str, body: bytes, lines: int = 0) -> bytes:
        """Send examples until they are learned; the key makes sure that they are learned once."""
        kind, again = "application/json", _AGAIN
        if lines:  # 409: those that came before the connection broke are still being learned
            kind, again = "application/x-ndjson", (*_AGAIN, 409)
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        for attempt in range(self.retries + 1):
            try:
                answer, wait = await self._ask("POST", _path(model, "learn"), body, kind, headers)
                if answer.count(b"\n") < lines:
                    why = _message(answer.splitlines()[-1]) if answer else "no answer."
                    raise ServiceError(None, f"the lines broke off: {why}")
                if lines and b'"status":' in answer:
                    raise _unwritten(answer, wait)
                return answer
            except ServiceError as error:
                last = attempt == self.retries
                if last or not (error.status is None or error.status in again):
                    raise
                wait = max(FIRST_WAIT * 2**attempt, error.retry_after or 0.0)
            await self._transport.wait(min(wait, LONGEST_WAIT))
        raise AssertionError("the last attempt returns or raises")

    async def _all(self, path: str, part: str) -> list[Answer]:
        """Return a list whose pages come one after another."""
        answers: list[Answer] = []
        page: Answer = {"next": path}
        while "next" in page:
            page = await self._json("GET", page["next"])
            answers += page[part]
        return answers

    async def _records(self, path: str) -> list[Answer]:
        return list((await self._object("GET", path))["records"])

    async def _list(self, path: str) -> list[Answer]:
        return list(await self._json("GET", path))

    async def _object(self, method: str, path: str, value: object = None) -> Answer:
        return dict(await self._json(method, path, value))

    async def _json(self, method: str, path: str, value: object = None) -> Any:
        body = value if value is None or isinstance(value, bytes) else _encode(value)
        return json.loads(await self._bytes(method, path, body))

    async def _bytes(self, method: str, path: str, body: bytes | None = None) -> bytes:
        return (await self._ask(method, path, body))[0]

    async def _ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        kind: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> tuple[bytes, float | None]:
        """Send a request; return the body of the answer, and its Retry-After in seconds.

        Raises
        ------
        ServiceError
            It was refused, or there was no answer.
        """
        sent = {"Content-Type": kind, **self._headers, **(headers or {})}
        try:
            status, data, wait = await self._transport.send(method, path, body, sent)
        except (OSError, EOFError, http.client.HTTPException) as error:
            reason = str(error) or type(error).__name__
            raise ServiceError(None, f"{self.url}: {method} {path}: {reason}.") from error
        if status >= 400:
            raise ServiceError(status, _message(data), wait)
        return data, wait


def _path(model: str, rest: str = "", **query: object) -> str:
    """Return the path of a model, or of something of it.

    Examples
    --------
    >>> _path("../mail", "predict", version=3)
    '/v1/models/..%2Fmail/predict?version=3'
    """
    path = f"/v1/models/{quote(model, safe='')}" + (f"/{rest}" if rest else "")
    return f"{path}?{urlencode(query)}" if query else path


def _is_row(features: Any) -> bool:
    """Return whether features are one row, and not a list of rows.

    Examples
    --------
    >>> [_is_row(x) for x in ({"a": 1}, "a text", [0.5, 2], [[0.5, 2]], ["a text"], [])]
    [True, True, True, False, False, False]
    """
    if isinstance(features, str | Mapping):
        return True
    if hasattr(features, "ndim"):
        return bool(features.ndim == 1)
    first: Any = features[0] if len(features) else ""
    return not (isinstance(first, str | Mapping | Sequence) or bool(getattr(first, "ndim", 0)))


def _example(example: tuple[Any, ...]) -> Answer:
    """Return the JSON value of (features, label) or (features, label, weight)."""
    features, label, *weight = example
    value = {"features": features, "label": label}
    return value | {"weight": weight[0]} if weight else value


def _encode(value: object) -> bytes:
    """Return a value as JSON, or raise ValueError where a number is not finite."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"), default=_plain)
    return text.encode()


def _plain(value: object) -> object:
    """Return a number or an array of NumPy as Python's, or raise TypeError: it is no JSON."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r:.80}, of type {type(value).__name__}, is no JSON value.")


def _numbered(answers: Iterable[Answer], before: int) -> list[Answer]:
    """Return the answers to the lines of a body, with the numbers of the examples."""
    return [a | {"line": a["line"] + before} if "line" in a else a for a in answers]


def _unwritten(answer: bytes, wait: float | None) -> ServiceError:
    """Return the error of lines of which some could not be written now, with all answers."""
    answers = [json.loads(line) for line in answer.splitlines()]
    first = next(answer for answer in answers if "status" in answer)
    fault = ServiceError(first["status"], first["error"], wait)
    fault.answers = answers
    return fault


def _message(data: bytes) -> str:
    """Return the message of an answer, which may come from a proxy between."""
    try:
        answer = json.loads(data)
        return str(answer.get("detail") or answer["error"])
    except (ValueError, KeyError, AttributeError):
        return data[:200].decode("utf-8", "replace")
