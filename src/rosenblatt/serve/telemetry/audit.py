"""The audit: a line of the log for each change, with the name of the token that asked for it.

Examples are summed up: how many each token has taught each model in a minute. A request that is
sent again with its key teaches nothing, and is not among them.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rosenblatt.serve.errors import StoreError

SECONDS = 60.0
"""Time that a summary of learned examples is of."""
EXAMPLES = "examples"
"""Key of the number of examples that a request has taught, which are summed up."""

_log = logging.getLogger("rosenblatt.serve")


class Audit:
    """Notes who changes what."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str | None, object]] = Counter()
        self._examples: Counter[tuple[str | None, object]] = Counter()

    @contextmanager
    def noting(self, what: str, by: str | None, facts: Mapping[str, object]) -> Iterator[None]:
        """Note a change at its end, if it took place, or the disk refused a part of it.

        Parameters
        ----------
        what : str
            Name of the endpoint.
        by : str or None
            Name of the token, if there is one.
        facts : dict
            The model and what else is known, at the end; with :data:`EXAMPLES` it is summed up.
        """
        line = {"what": what, "by": by}
        try:
            yield
            if EXAMPLES not in facts:
                _log.info("audit", extra={**line, **facts})
        except StoreError as error:
            if EXAMPLES not in facts:
                _log.info("audit", extra={**line, **facts, "fault": str(error)})
            raise
        finally:  # a request whose client is gone has taught, too
            count = facts.get(EXAMPLES)
            if isinstance(count, int) and count:
                if not self._requests:
                    asyncio.get_running_loop().call_later(SECONDS, self.sum_up)
                self._requests[by, facts["model"]] += 1
                self._examples[by, facts["model"]] += count

    def sum_up(self) -> None:
        """Write the summaries of what was learned since the last ones."""
        for (by, model), requests in self._requests.items():
            facts = {"requests": requests, EXAMPLES: self._examples[by, model]}
            _log.info("audit", extra={"what": "learn", "by": by, "model": model, **facts})
        self._requests.clear()
        self._examples.clear()
