"""Structured logs: one JSON object on each line of standard error."""

from __future__ import annotations

import json
import logging
import math
import sys
import threading
import time

LEVELS = {
    "rosenblatt": logging.WARNING,  # notes
    "rosenblatt.serve": logging.INFO,
    "uvicorn.error": logging.ERROR,  # its warnings are of requests, as many as a client likes
    "asyncio": logging.WARNING,
    "py.warnings": logging.WARNING,
}
"""Of each logger that writes in a service."""
_STANDARD = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}


class JsonFormatter(logging.Formatter):
    """Format of a line: time, level, message, and what else the record has.

    Examples
    --------
    >>> record = logging.makeLogRecord({"msg": "snapshot", "levelname": "INFO", "version": 7})
    >>> json.loads(JsonFormatter().format(record))["version"]
    7
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as JSON."""
        time_of = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, object] = {
            "time": f"{time_of}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        line |= {name: value for name, value in vars(record).items() if name not in _STANDARD}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


class LimitedLog:
    """A warning that strangers can cause: once a second at most, with the number left out.

    Parameters
    ----------
    logger : logging.Logger
    message : str

    Examples
    --------
    >>> log = LimitedLog(logging.getLogger("an example"), "no token")
    >>> for _ in range(3):
    ...     log({"address": "203.0.113.7"})
    >>> log.left_out
    2
    """

    def __init__(self, logger: logging.Logger, message: str) -> None:
        self._logger, self._message = logger, message
        self._last = -math.inf
        self.left_out = 0

    def __call__(self, facts: dict[str, object]) -> None:
        """Log the message with facts."""
        if time.monotonic() - self._last < 1.0:
            self.left_out += 1
            return
        self._logger.warning(self._message, extra=facts | {"left_out": self.left_out})
        self._last, self.left_out = time.monotonic(), 0


def log_as_json() -> None:
    """Write the logs of the service, and all that Python says of itself, to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter())
    logging.captureWarnings(True)
    for name, level in LEVELS.items():
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
    threading.excepthook = lambda it: _log_exception(it.exc_value, it.thread)
    sys.unraisablehook = lambda it: _log_exception(it.exc_value, it.object)


def log_end(why: str, error: Exception | None = None) -> None:
    """Log that the service ends otherwise than by a signal."""
    logging.getLogger("rosenblatt.serve").critical(why, exc_info=error)


def _log_exception(error: BaseException | None, where: object) -> None:
    """Log an exception that nobody awaits."""
    facts = {"where": f"{where!r:.200}"}
    logging.getLogger("rosenblatt.serve").error("an exception", exc_info=error, extra=facts)
