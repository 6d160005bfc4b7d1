"""Render mathematics as SVG at build time: the pages need no script and no font."""

from __future__ import annotations

from html import escape
from typing import Any
from xml.etree import ElementTree

import ziamath
from docutils.nodes import SkipNode

SIZE = 20.0  # of the drawing, in pixels; a page scales it to its own letters
SCALE = 1.12 / SIZE  # em of the page for a pixel of the drawing: equal heights of small letters


def drawing(latex: str, *, inline: bool) -> str:
    """Return a formula as an SVG element on the baseline of its line, in the colour of the text."""
    svg = ziamath.Latex(latex, size=SIZE, color="currentColor", inline=inline).svgxml()
    _, top, width, height = map(float, svg.attrib["viewBox"].split())
    svg.attrib |= {
        "class": "math",
        "role": "img",
        "aria-label": latex.strip(),
        "width": f"{width * SCALE:.3f}em",
        "height": f"{height * SCALE:.3f}em",
        "style": f"vertical-align: {-(height + top) * SCALE:.3f}em",
    }
    return ElementTree.tostring(svg, encoding="unicode")


def visit_inline(self: Any, node: Any) -> None:
    """Write a formula within a line."""
    self.body.append(drawing(node.astext(), inline=True))
    raise SkipNode


def visit_block(self: Any, node: Any) -> None:
    """Write a formula on a line of its own, which scrolls where the page is narrow."""
    anchor = f' id="{escape(node["ids"][0])}"' if node["ids"] else ""
    formula = drawing(node.astext(), inline=False)
    self.body.append(f'<div class="formula"{anchor} tabindex="0">{formula}</div>\n')
    raise SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("svg", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True}
