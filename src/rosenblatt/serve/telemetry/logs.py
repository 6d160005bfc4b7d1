"""Structured logs: one JSON object on each line of standard error."""

from __future__ import annotations

import json
import logging
import time
from typing import Any

NAMES = ("rosenblatt.serve", "uvicorn.error")
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
        line: dict[str, Any] = {
            "time": f"{time_of}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        line |= {name: value for name, value in vars(record).items() if name not in _STANDARD}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def log_as_json() -> None:
    """Write the logs of the service to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter())
    for name, level in zip(NAMES, (logging.INFO, logging.WARNING), strict=True):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
