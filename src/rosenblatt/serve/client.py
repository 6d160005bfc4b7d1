"""A client of the service: models that learn and predict in another process."""

from __future__ import annotations

import http.client
import json
import os
import ssl
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from threading import Lock
from typing import Any, Self, TypeAlias
from urllib.parse import quote, urlencode, urlsplit

__all__ = ["Client", "ServiceError"]

Features: TypeAlias = Mapping[str, float | bool | str | None] | Sequence[float] | str
Label: TypeAlias = bool | int | str
Answer: TypeAlias = dict[str, Any]
"""A JSON object: what the service answers, or is sent."""

IDLE_SECONDS = 10.0
"""A connection that was silent for longer is opened anew: the service closes it after 20."""
LINES = 5_000
"""Examples of one request of :meth:`Client.learn_many`."""
FIRST_WAIT = 0.1
"""Seconds before the first retry; each later one waits twice as long, or as the service says."""
LONGEST_WAIT = 60.0
"""Seconds before a retry, whatever the answer says."""
_AGAIN: tuple[int, ...] = (408, 502, 503, 504, 507)


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


class Client:
    """Client of ``rosenblatt serve``.

    It needs the standard library alone. Answers are the JSON values of the service. The connection
    is kept between requests. Threads may share a client, and their requests go one after another.

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
    >>> client.model("nail")
    Traceback (most recent call last):
        ...
    rosenblatt.serve.client.ServiceError: 404: no model 'nail': POST /v1/models creates one.

    >>> client.close(); server.terminate(); _ = server.communicate(); folder.cleanup()
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8000",
        token: str | None = None,
        *,
        timeout: float = 30.0,
        retries: int = 4,
        cafile: str | None = None,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url must be http://HOST:PORT or https://HOST:PORT; got {url!r}.")
        self.url, self.retries = url, retries
        self._base = parts.path.rstrip("/")
        token = (token or os.environ.get("ROSENBLATT_TOKEN", "")).strip() or None
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        connect: Callable[..., http.client.HTTPConnection] = http.client.HTTPConnection
        if parts.scheme == "https":
            context = ssl.create_default_context(cafile=cafile)
            connect = partial(http.client.HTTPSConnection, context=context)
        self._connection = connect(parts.hostname, parts.port, timeout=timeout)
        self._lock = Lock()
        self._last = 0.0

    def close(self) -> None:
        """Close the connection; the next request opens one."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # --- models ----------------------------------------------------------------------------------

    def create(self, model: str, config: Mapping[str, Any] | None = None) -> Answer:
        """Create a model; ``config`` has parameters of :class:`rosenblatt.OnlinePerceptron`."""
        return self._json("POST", "/v1/models", {"name": model, "config": dict(config or {})})

    def models(self) -> list[Answer]:
        """List the models."""
        models: list[Answer] = self._json("GET", "/v1/models")["models"]
        return models

    def deleted(self) -> list[Answer]:
        """List the deleted models."""
        deleted: list[Answer] = self._json("GET", "/v1/models?deleted=true")["deleted"]
        return deleted

    def model(self, model: str) -> Answer:
        """Return configuration, version, examples and errors of a model."""
        return self._json("GET", _path(model))

    def delete(self, model: str) -> Answer:
        """Delete a model; :meth:`restore` brings it back, :meth:`purge` ends it for good."""
        return self._json("DELETE", _path(model))

    def restore(self, model: str) -> Answer:
        """Bring a deleted model back."""
        return self._json("POST", _path(model, "restore"))

    def purge(self, model: str) -> Answer:
        """Remove a deleted model from the store, for good; its name is free."""
        return self._json("POST", _path(model, "purge"))

    def file(self, model: str) -> bytes:
        """Return a model as the bytes of a file, which :func:`rosenblatt.load` reads."""
        return self._ask("GET", _path(model, "file"))[0]

    def put_file(self, model: str, data: bytes) -> Answer:
        """Replace a model, or create one, by the bytes of a model file.

        One that the command trained on a table, JSON lines or texts takes raw rows from then on,
        and gives them the scores of ``rosenblatt predict``; ``rows`` of the answer says which
        columns it takes.
        """
        return self._json("PUT", _path(model, "file"), data)

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
        return self._json("POST", _path(model, "predict", **query), queries)

    def learn(self, model: str, features: Features, label: Label, weight: float = 1.0) -> Answer:
        """Learn an example; once this returns, it is on the service's disk.

        Returns
        -------
        dict
            ``version``, and ``was_right``: whether the label was predicted.
        """
        learned: Answer = self._learn(model, _example((features, label, weight)))
        return learned

    def correct(self, model: str, prediction: str, label: Label) -> Answer:
        """Learn the label of an earlier prediction, by its ``id``."""
        learned: Answer = self._learn(model, {"id": prediction, "label": label})
        return learned

    def learn_list(self, model: str, examples: Iterable[tuple[Any, ...]]) -> list[Answer]:
        """Learn up to 1,000 examples (features, label) or (features, label, weight): all or none.

        Returns
        -------
        list of dict
            As of :meth:`learn`.
        """
        learned: list[Answer] = self._learn(model, [_example(e) for e in examples])
        return learned

    def learn_many(self, model: str, examples: Iterable[tuple[Any, ...]]) -> list[Answer]:
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
        answers: list[Answer] = []
        rows = iter(examples)
        while chunk := list(islice(rows, LINES)):
            body = b"\n".join(_encode(_example(example)) for example in chunk)
            before = len(answers)
            try:
                data = self._send_examples(model, body, lines=len(chunk))
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

    def _learn(self, model: str, value: object) -> Any:
        return json.loads(self._send_examples(model, _encode(value)))

    def _send_examples(self, model: str, body: bytes, lines: int = 0) -> bytes:
        """Send examples until they are learned; the key makes sure that they are learned once."""
        kind, again = "application/json", _AGAIN
        if lines:  # 409: those that came before the connection broke are still being learned
            kind, again = "application/x-ndjson", (*_AGAIN, 409)
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        for attempt in range(self.retries + 1):
            try:
                answer, wait = self._ask("POST", _path(model, "learn"), body, kind, headers)
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
            time.sleep(min(wait, LONGEST_WAIT))
        raise AssertionError("the last attempt returns or raises")

    # --- shipping --------------------------------------------------------------------------------

    def shipping(self, erasure: int | None = None) -> Answer:
        """Return where the log goes, and of the ticket of an erasure whether it has arrived."""
        query = "" if erasure is None else f"?erasure={erasure}"
        return self._json("GET", f"/v1/shipping{query}")

    def promote(self) -> Answer:
        """Let a standby take over; return the epoch."""
        return self._json("POST", "/v1/promote")

    # --- versions and shadows --------------------------------------------------------------------

    def heaviest(self, model: str, top: int = 10) -> Answer:
        """Return the features with the largest weights of each label."""
        return self._json("GET", _path(model, "heaviest", top=top))

    def versions(self, model: str) -> Answer:
        """Return which versions are kept, and what changed the model besides examples."""
        return self._json("GET", _path(model, "versions"))

    def examples(self, model: str, contains: str, before: int | None = None) -> list[Answer]:
        """Return the last 100 examples, before a version, with a text or number, youngest first."""
        query = {"contains": contains} | ({} if before is None else {"before": before})
        answer: Any = self._json("GET", _path(model, "examples", **query))
        return list(answer)

    def rollback(self, model: str, version: int) -> Answer:
        """Return to an earlier version; that is a new version."""
        return self._json("POST", _path(model, "rollback"), {"version": version})

    def erase(self, model: str, version: int) -> Answer:
        """Erase the example or the model file of a version, as if it had never been there.

        Returns
        -------
        dict
            As of :meth:`model`, and ``remains``: a dict of ``model``, ``version``, ``what`` and
            ``rollback`` for each place whose weights may still hold it. ``what`` is "file", a model
            file that was put, or "start", the beginning of a log that was shortened.
        """
        return self._json("DELETE", _path(model, f"versions/{version}"))

    def shadows(self, model: str) -> Answer:
        """Compare a model with its shadows."""
        return self._json("GET", _path(model, "shadows"))

    def add_shadow(
        self, model: str, shadow: str, config: Mapping[str, Any] | None = None
    ) -> Answer:
        """Let another configuration learn the same examples."""
        value = {"name": shadow, "config": dict(config or {})}
        return self._json("POST", _path(model, "shadows"), value)

    def promote_shadow(self, model: str, shadow: str) -> Answer:
        """Put a shadow in the model's place; its counts start anew."""
        return self._json("POST", _path(model, f"shadows/{quote(shadow, safe='')}/promote"))

    def drop_shadow(self, model: str, shadow: str) -> Answer:
        """End a comparison."""
        return self._json("DELETE", _path(model, "shadows/" + quote(shadow, safe="")))

    # --- requests --------------------------------------------------------------------------------

    def _json(self, method: str, path: str, value: object = None) -> Answer:
        body = value if value is None or isinstance(value, bytes) else _encode(value)
        answer: Answer = json.loads(self._ask(method, path, body)[0])
        return answer

    def _ask(
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
        with self._lock:
            try:
                if time.monotonic() - self._last > IDLE_SECONDS:
                    self._connection.close()
                self._connection.request(method, self._base + path, body, sent)
                answer = self._connection.getresponse()
                status, data = answer.status, answer.read()
                again = answer.headers.get("Retry-After", "")
                wait = float(again) if again.isdigit() else None
                self._last = time.monotonic()
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
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
        return str(json.loads(data)["error"])
    except (ValueError, KeyError, TypeError):
        return data[:200].decode("utf-8", "replace")
