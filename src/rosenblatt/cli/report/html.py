"""Elements of a self-contained HTML page; ``page.html`` is its frame and style."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from importlib import resources
from string import Template

from rosenblatt.cli.display.fmt import printable


class Html(str):
    """Text that is HTML; any other text is escaped by :func:`element`."""


def element(name: str, *children: str, **attributes: str | float) -> Html:
    """Return an element; in names of attributes ``_`` becomes ``-``, at the end it is dropped.

    Examples
    --------
    >>> element("p", "a < b & ", element("b", "c"), class_="note")
    '<p class="note">a &lt; b &amp; <b>c</b></p>'
    """
    attributes_text = (
        f' {key.rstrip("_").replace("_", "-")}="{_escape(_text(value))}"'
        for key, value in attributes.items()
    )
    inner = "".join(child if isinstance(child, Html) else _escape(child) for child in children)
    return Html(f"<{name}{''.join(attributes_text)}>{inner}</{name}>")


def _escape(text: str) -> str:
    return html.escape(printable(text))


def _text(value: str | float) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def section(title: str, *children: str, note: str = "") -> Html:
    """Return a section with a title and an explanatory note."""
    intro = [element("p", note, class_="note")] if note else []
    return element("section", element("h2", title), *intro, *children)


def facts(rows: Iterable[tuple[str, str]]) -> Html:
    """Return a list of names and values."""
    return element(
        "dl", *(Html(element("dt", name) + element("dd", value)) for name, value in rows)
    )


def row(name: str, *cells: str, **attributes: str) -> Html:
    """Return a row of a table with its name; a cell is text, or a ``td`` of its own."""
    data = (
        cell if cell.startswith("<td") and isinstance(cell, Html) else element("td", cell)
        for cell in cells
    )
    return element("tr", element("th", name, scope="row", **attributes), *data)


def table(header: Sequence[str], rows: Iterable[Sequence[str]], class_: str = "") -> Html:
    """Return a table whose first column names the line; wide tables scroll."""
    head = element("thead", element("tr", *(element("th", name, scope="col") for name in header)))
    body = element("tbody", *(row(*cells) for cells in rows))
    return element("div", element("table", head, body, class_=class_), class_="wide")


def bars(weights: Sequence[tuple[str, float]]) -> Html:
    """Return a bar chart: negative weights to the left, positive weights to the right."""
    longest = max((abs(weight) for _, weight in weights), default=1.0)
    rows = []
    for name, weight in weights:
        side, share = ("minus" if weight < 0.0 else "plus"), 50.0 * abs(weight) / longest
        bar = element("td", element("i", class_=side, style=f"width:{share:.1f}%"), class_="bar")
        rows.append(row(name, f"{weight:+.4g}", bar, title=name))
    return element("table", element("tbody", *rows), class_="bars")


def page(title: str, *sections: Html) -> str:
    """Return the page. Its content security policy forbids requests and scripts."""
    template = resources.files("rosenblatt").joinpath("cli", "report", "page.html")
    text = Template(template.read_text(encoding="utf-8"))
    return text.substitute(title=_escape(title), sections="".join(sections))


_GENERATOR = b'<meta name="generator" content="rosenblatt">'


def check_report(path: str) -> None:
    """Raise ValueError if a file is no report."""
    with open(path, "rb") as file:
        if _GENERATOR not in file.read(1024):
            raise ValueError(f"{path} is no report of rosenblatt.")
