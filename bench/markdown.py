"""Figures and tables in Markdown."""

from __future__ import annotations


def figure(value: float) -> str:
    """Return two digits, and all before the point.

    >>> figure(0.734), figure(4.41), figure(14.3), figure(152.3)
    ('0.73', '4.4', '14', '152')
    """
    return f"{value:.{2 if value < 1 else 1 if value < 10 else 0}f}"


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def pretty(value: float) -> str:
    """Seconds in a readable unit.

    >>> pretty(0.0123), pretty(3.7e-05)
    ('12.3 ms', '37.0 µs')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return (
                f"{value / size:.3g} {unit}"
                if value >= 100 * size
                else f"{value / size:.1f} {unit}"
            )
    return f"{value * 1e9:.0f} ns"


def percent(share: float) -> str:
    """A share in percent.

    >>> percent(0.7526)
    '75.26 %'
    """
    return f"{100 * share:.2f} %"


def versus(title: str, times: dict[str, float], ours: str, notes: str = "") -> str:
    """A titled table of times and their ratio to ours."""
    rows = [
        [f"**{name}**" if name == ours else name, pretty(t), f"{figure(t / times[ours])} ×"]
        for name, t in times.items()
    ]
    text = f"### {title}\n\n{notes}\n\n" if notes else f"### {title}\n\n"
    return text + table(["", "median", "to ours"], rows)
