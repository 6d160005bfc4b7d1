"""Part of the Vowpal Wabbit parser: deferred numbers, explanations of errors."""

from __future__ import annotations

import re

import numpy as np

from rosenblatt.engine.text.scanning import (
    MAX_TOKEN_BYTES,
    Bytes,
    Fault,
    locate_line,
    quote_token,
    rest_of_line,
)


def rewrite_deferred(text: Bytes, deferred: list[list[int]]) -> tuple[list[Fault], bytes]:
    """Rewrite the deferred numbers as Python prints them; also return faults for infinite ones."""
    raw = text.tobytes()
    faults, pieces, end = [], [], 0
    for begin, stop in deferred:
        token = raw[begin:stop]
        name = token[: token.rfind(b":") + 1]
        number = float(token[len(name) :])
        if np.isinf(number):
            reason = f"found {quote_token(token)}, expected a number that fits a float64."
            faults.append((begin, reason))
        pieces += [raw[end:begin], name, repr(number).encode()]
        end = stop
    return faults, b"".join([*pieces, raw[end:]])


_TORN = "found no '|', expected [label] [importance] ['tag]|features; the line may be torn."
_NO_LABEL = "found no label, expected a number before the bar."
_TOUCHES = "which touches the bar and so is a tag, no label: put a blank between them."
_HEAD_REASONS = {
    0: (
        (r"[+-]?(nan|inf|infinity)", "expected a finite label."),
        (r".*[:,].*", "expected one number as the label: costs, or several, cannot be read."),
        (r".*", "expected a number as the label."),
    ),
    1: (
        (r"-.*[0-9].*", "expected an importance of 0 or more."),
        (r".*", "expected a number as the importance, a tag that begins with \"'\", or '|'."),
    ),
    2: ((r".*", "expected '|': there can be a label, an importance and a tag before it."),),
}
_BODY_REASONS: tuple[tuple[str, str], ...] = (
    (r":.*", "expected a name before ':'."),
    (r"[^:]*:", "expected a number after ':'; the line may be torn."),
    (r"[^:]*:[+-]?(nan|inf|infinity)", "expected a finite number after ':'."),
    (r"[^:]*:[+-]?[0-9.]+(e[+-]?[0-9]+)?", "which times its namespace's scale fits no float64."),
    (r".*", "expected a decimal number after ':'."),
)


SUM_TOO_LARGE = "found values of one feature, or of two with one hash, whose sum fits no float64."


def row_start(text: Bytes, row: int) -> int:
    """Return the start of the line of a row."""
    start = 0
    for line in text.tobytes().split(b"\n"):
        row -= bool(line.removesuffix(b"\r").strip(b" \t"))
        if row < 0:
            break
        start += len(line) + 1
    return start


def explain_error(text: Bytes, begin: int) -> str:
    """Return the error in the token where the scan stopped, and what was expected."""
    start = locate_line(text, begin)[1]
    before, rest = text[start:begin].tobytes(), rest_of_line(text, begin)
    token = re.split(rb"[ \t|]", rest[:MAX_TOKEN_BYTES])[0]
    if b"|" in before:
        reasons = _BODY_REASONS
    elif b"|" not in rest:
        return _TORN
    elif not before.strip(b" \t") and rest[: len(token) + 1].startswith((b"|", b"'")):
        return _NO_LABEL
    elif not before.strip(b" \t") and rest[len(token) :].startswith(b"|"):
        return f"found {quote_token(token)}, {_TOUCHES}"
    else:
        reasons = _HEAD_REASONS[min(2, len(before.split()))]
    word = token.decode("utf-8", "backslashreplace").lower()
    reason = next(why for pattern, why in reasons if re.fullmatch(pattern, word, re.DOTALL))
    return f"found {quote_token(token)}, {reason}"
