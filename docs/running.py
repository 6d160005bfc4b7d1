"""How sphinx-gallery runs a script: called by name, in whichever process runs it."""

from __future__ import annotations

import re
import warnings
from typing import Any

import matplotlib.pyplot as plt
from sphinx_gallery.scrapers import matplotlib_scraper

from rosenblatt.plots import steps


def afresh(_conf: dict[str, Any], _script: str | None, when: str) -> None:
    """Begin without the figures of another script. While a script runs, a warning ends it."""
    plt.close("all")
    warnings.simplefilter("error" if when == "before" else "default")


def shown(block: Any, variables: dict[str, Any], conf: dict[str, Any]) -> str:
    """Keep figures where a script shows them, not half drawn after the cell that begins them."""
    if "plt.show()" not in block[1]:
        return ""
    page = matplotlib_scraper(block, variables, conf)
    return re.sub(r"<link[^>]*>", " ".join(steps.BUTTON_STYLE.split()), page)  # a film's web font
