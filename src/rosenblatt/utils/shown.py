"""Text, tables and pages as a prompt and a notebook show them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path

CELL = "text-align: right; padding: 0.1em 0.8em 0.1em 0"
FIRST_CELL = CELL.replace("right", "left")
PROSE = "text-align: left; max-width: 50em"
LEFT = "margin-left: 0"
"""A notebook centres tables, and leaves text on the left."""


class Text(str):
    r"""Text that a prompt shows without quotes, and a notebook as HTML.

    Examples
    --------
    >>> Text("one line,\nand another")
    one line,
    and another
    """

    html: str
    """What a notebook shows."""

    def __new__(cls, text: str, html: str | None = None) -> Text:
        """Return the text; without ``html`` a notebook shows it as a paragraph."""
        result = super().__new__(cls, text)
        paragraph = f'<p style="white-space: pre-wrap">{escape(text)}</p>'
        result.html = paragraph if html is None else html
        return result

    def __repr__(self) -> str:
        return str.__str__(self)

    def _repr_html_(self) -> str:
        return self.html


def to_html(text: str) -> str:
    """Return the HTML of a text: its tables as tables, if it has any."""
    return (text if isinstance(text, Text) else Text(text)).html


def join(parts: Iterable[str], separator: str = "\n") -> Text:
    """Join texts and tables, each on lines of its own; empty ones are dropped."""
    shown = [part for part in parts if part]
    return Text(separator.join(shown), "".join(map(to_html, shown)))


def html_facts(facts: Iterable[tuple[str, str]]) -> str:
    """Return named facts as prose in HTML, a line each; one without a name goes on with the last.

    Examples
    --------
    >>> html_facts([("margin", "1"), ("run", "2 mistakes"), ("", "at most 9")]).split("<br>")[1]
    '<b>run:</b> 2 mistakes; at most 9</p>'
    """
    lines: list[str] = []
    for name, fact in facts:
        if name:
            lines.append(f"<b>{escape(name)}:</b> {escape(fact)}")
        else:
            lines[-1] += f"; {escape(fact)}"
    return f'<p style="{PROSE}">{"<br>".join(lines)}</p>'


def html_table(heads: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> str:
    """Return an HTML table whose first columns, as many as are ``texts``, are left-aligned.

    Examples
    --------
    >>> html_table(["a"], [["<b>"]]).count("&lt;b&gt;")
    1
    """
    styles = [FIRST_CELL] * texts + [CELL] * (len(heads) - texts)
    head = _html_row("th", heads, styles)
    body = "".join(_html_row("td", row, styles) for row in rows)
    return f'<table style="{LEFT}"><thead>{head}</thead><tbody>{body}</tbody></table>'


def _html_row(tag: str, cells: Sequence[str], styles: Sequence[str]) -> str:
    line = "".join(
        f'<{tag} style="{style}">{escape(cell)}</{tag}>'
        for cell, style in zip(cells, styles, strict=True)
    )
    return f"<tr>{line}</tr>"


def in_notebook() -> bool:
    """Return whether the code runs in a kernel of Jupyter."""
    shell = sys.modules.get("IPython")
    return shell is not None and hasattr(shell.get_ipython(), "kernel")


def open_in_browser(save: Callable[[Path], None], name: str) -> Path:
    """Save a page of this name in a temporary folder, open it in the browser, return its path."""
    import tempfile
    import webbrowser

    path = Path(tempfile.mkdtemp(prefix="rosenblatt-")) / name
    save(path)
    webbrowser.open(path.as_uri())
    return path
