"""Elements, style and frame of a self-contained HTML page."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

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
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    head = element(
        "head",
        Html('<meta charset="utf-8">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html(_GENERATOR),
        element("title", title),
        element("style", Html(_STYLE)),
    )
    body = element("body", element("main", *sections))
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


_GENERATOR = '<meta name="generator" content="rosenblatt">'


def check_report(path: str) -> None:
    """Raise ValueError if a file is no report."""
    with open(path, "rb") as file:
        if _GENERATOR.encode() not in file.read(1024):
            raise ValueError(f"{path} is no report of rosenblatt.")


_STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2128; --soft: #5d6673; --line: #dde1e7;
  --blue: #1f6fd1; --red: #c93a2b; --band: #1f6fd133; --right: #e3eefb; --wrong: #fbe6e3; }
@media screen and (prefers-color-scheme: dark) { :root { --paper: #14181d; --ink: #e6e9ee;
  --soft: #98a2b0; --line: #323a45; --blue: #6aa9ff; --red: #ff8273; --band: #6aa9ff38;
  --right: #1b2c42; --wrong: #43211e; } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .25rem; overflow-wrap: anywhere }
h2 { font-size: 1.15rem; margin: 0 0 .35rem }
h3 { font-size: 1rem; margin: 0 0 .35rem; overflow-wrap: anywhere }
section { margin-top: 2.25rem; padding-top: 1.25rem; border-top: 1px solid var(--line) }
.note, .date { color: var(--soft); margin: 0 0 .9rem; max-width: 46rem }
.lead { font-size: 1.15rem; margin: 1rem 0 0; max-width: 46rem }
.lead b { font-size: 1.5rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.4rem; margin: 0 }
dt { color: var(--soft) } dd { margin: 0; overflow-wrap: anywhere }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem }
th { text-align: right; font-weight: 500; color: var(--soft) }
tbody th { color: var(--ink) } thead th { border-bottom: 1px solid var(--line) }
td, th { padding: .18rem .8rem .18rem 0; text-align: right; white-space: nowrap }
.wide { overflow-x: auto }
.confusion td { padding: .3rem .6rem; min-width: 3rem; border: 2px solid var(--paper) }
.confusion .right { background: var(--right) }
.confusion .wrong { background: var(--wrong); color: var(--red); font-weight: 600 }
.confusion .none { color: var(--soft) }
.claims td, .claims th, .words td { text-align: left; white-space: normal; vertical-align: top }
.claims .yes { color: var(--blue); white-space: nowrap }
.claims .no { color: var(--red); white-space: nowrap }
.claims .open { color: var(--soft); white-space: nowrap }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); gap: 1.5rem }
.cards article { min-width: 0; break-inside: avoid }
.bars { width: 100%; table-layout: fixed } .bars th { width: 42%; overflow: hidden;
  text-overflow: ellipsis; text-align: left } .bars td { width: 22% } .bars .bar { width: 36%;
  padding: 0 }
.bar { background: linear-gradient(var(--line), var(--line)) center / 1px 100% no-repeat }
.bar i { display: block; height: .8em; border-radius: 1px; print-color-adjust: exact }
.bar .plus { margin-left: 50%; background: var(--blue) }
.bar .minus { margin-left: auto; margin-right: 50%; background: var(--red) }
.shares { margin-bottom: 1rem } .shares td:last-child { width: 12rem; padding-right: 0 }
.share { position: relative; width: 12rem; height: .8em; background: var(--line);
  border-radius: 1px; print-color-adjust: exact }
.share i { display: block; height: 100%; background: var(--blue); border-radius: 1px }
.share b { position: absolute; top: -.2em; bottom: -.2em; width: 2px; background: var(--red) }
svg { display: block; margin-bottom: .75rem; width: 100%; max-width: 46rem; height: auto;
  print-color-adjust: exact }
svg text { font-size: 13px; fill: var(--soft) } svg .label { fill: var(--ink) }
svg .grid { stroke: var(--line) } svg .axis { stroke: var(--soft) }
svg .band { fill: var(--band) } svg .line { fill: none; stroke: var(--blue); stroke-width: 2.5 }
svg .dot, svg .plus { fill: var(--blue) } svg .minus { fill: var(--red) }
svg .constant { stroke: var(--red); stroke-dasharray: 6 4; stroke-width: 1.5 }
svg .constant-name { fill: var(--red) }
@media (max-width: 32rem) { main { padding-top: 1.5rem } svg text { font-size: 19px }
  dl { grid-template-columns: 1fr; gap: 0 } dd { margin-bottom: .5rem } }
@media print { body { font-size: 11pt } main { padding: 0; max-width: none }
  section { break-inside: avoid-page } }
"""
