"""The table of raw columns in other units."""

from __future__ import annotations

from typing import Any

from markdown import table

HOW = "One pass over raw columns, and over the same columns, each multiplied by 10^u with u uniform from −6 to 6: points of accuracy that are gained, and the growth of the log loss."  # noqa: E501


def section(found: dict[str, Any]) -> str:
    """Return the section of the units; empty where they were not measured."""
    if not found:
        return ""
    names = list(next(iter(found["sets"].values())))
    rows = []
    for data, of in found["sets"].items():
        cells = []
        for name in names:
            before, after = of[name]
            cells.append(f"{after[0] - before[0]:+.1f} / {after[1] - before[1]:+.3f}")
        rows.append([data, *(cell.replace("-", "−") for cell in cells)])
    return f"## Other units\n\n{HOW}\n\n{table(['', *names], rows)}"
