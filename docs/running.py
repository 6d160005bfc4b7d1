"""Hooks of sphinx-gallery, called by name in every process that runs scripts."""

from __future__ import annotations

import re
import warnings
from typing import Any

import matplotlib.pyplot as plt
from sphinx_gallery.scrapers import matplotlib_scraper

from rosenblatt.plots.displays import steps


def afresh(_conf: dict[str, Any], _script: str | None, when: str) -> None:
    """Close all figures before and after a script, and make warnings errors while it runs."""
    plt.close("all")
    warnings.simplefilter("error" if when == "before" else "default")


def shown(block: Any, variables: dict[str, Any], conf: dict[str, Any]) -> str:
    """Save figures only in cells that call plt.show()."""
    if "plt.show()" not in block[1]:
        return ""
    page = matplotlib_scraper(block, variables, conf)
    return re.sub(r"<link[^>]*>", " ".join(steps.button_style().split()), page)  # no web font
