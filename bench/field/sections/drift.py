"""The table of the made streams."""

from __future__ import annotations

from typing import Any

from markdown import table

HOW = "20,000 rows of two classes, 5 % of the labels turned (10 % of SEA); one stream of each kind. Each row is predicted before it is learned, ours ten at a time. Error in percent / log loss. *Tuned* is the best of the default rate and two others (arow 0.1, 10; adagrad_logistic 0.1, 0.01), chosen after the fact. *None* has no change; *abrupt* other weights in each quarter; *flip* turns all signs in the middle; *rotation* turns a plane twice; *slow* goes from one plane to another; *shift of means* adds three deviations to all columns in the middle; *SEA* and *hyperplane* are those of Street and Kim (2001) and of Hulten, Spencer and Domingos (2001). Raw columns have units of 0.01 to 100 and means that are not 0, so that who does not centre sees little."  # noqa: E501


def section(found: dict[str, Any]) -> str:
    """Return the section of the streams; empty where they were not measured."""
    if not found:
        return ""
    streams = found["streams"]
    names = list(next(iter(streams.values())))
    rows = []
    for stream, of in streams.items():
        low = [min(round(of[n][i], (1, 3)[i]) for n in names) for i in (0, 1)]
        cells = []
        for name in names:
            error, loss = round(of[name][0], 1), round(of[name][1], 3)
            words = [f"{error:.1f}", f"{loss:.3f}"]
            marked = [
                f"**{w}**" if v == least else w
                for w, v, least in zip(words, (error, loss), low, strict=True)
            ]
            cells.append(" / ".join(marked))
        rows.append([stream, *cells])
    return f"## Streams that change\n\n{HOW}\n\n{table(['', *names], rows)}"
