"""Configuration of the site: Markdown pages, docstrings, and the gallery.

`make docs` builds it and runs the gallery; a warning is an error. No page loads anything from
the network.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import links
import options
import registries
import rows

from rosenblatt import __version__, teach
from rosenblatt.plots.style import BLUE, VERMILION

project, author, release = "rosenblatt", "The rosenblatt developers", __version__
copyright = author

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_gallery.gen_gallery",
    "mathematics",
]
html_math_renderer = "svg"
exclude_patterns = ["_build", "**/GALLERY_HEADER.rst"]
templates_path = ["_templates"]

# A name in backquotes is a link if possible. Only names of rosenblatt must resolve.
default_role = "py:obj"
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!rosenblatt\.).*")]
add_module_names = False
python_maximum_signature_line_length = 88

autodoc_preserve_defaults = True
autodoc_typehints = "none"  # the docstrings have the types, with ranges
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_custom_sections = [("Attributes", "params_style")]  # a list, without links to namesakes
napoleon_use_param = False  # keeps "X, y" together
napoleon_use_rtype = False

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "subsection_order": ["../examples/lectures", "../examples/studies", "../examples/applications"],
    "within_subsection_order": "rows.position",
    "doc_module": ("rosenblatt",),
    "backreferences_dir": "gallery/backreferences",
    "image_scrapers": ("running.shown",),
    "reset_modules": ("matplotlib", "running.afresh"),
    "reset_modules_order": "both",
    "abort_on_example_error": True,
    "parallel": True,  # as many as --jobs
    "image_srcset": ["2x"],
    "thumbnail_size": (640, 360),
    "matplotlib_animations": True,
    "capture_repr": (),  # scripts print their results
    "download_all_examples": False,
    "min_reported_time": 3600,  # never
    "write_computation_times": False,
    "show_signature": False,
}

pygments_dark_style = "github-dark"
html_theme = "furo"
html_title = "rosenblatt"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/icon.svg"
html_js_files = ["site.js"]
html_copy_source = html_show_sourcelink = False


def tint(colour: str) -> str:
    """Return a colour for dark pages."""
    return f"color-mix(in srgb, {colour} 50%, white)"


def brand(blue: str, vermilion: str) -> dict[str, str]:
    """Return furo's names for the two colours of all pictures."""
    return {
        "color-brand-primary": blue,
        "color-brand-content": blue,
        "color-brand-visited": blue,
        "color-api-name": blue,
        "color-link--hover": vermilion,
        "color-link--visited--hover": vermilion,
    }


html_theme_options = {
    "light_css_variables": brand(BLUE, VERMILION),
    "dark_css_variables": brand(tint(BLUE), tint(VERMILION)),
}


def skip(_app: Any, _what: str, _name: str, obj: Any, skip: bool, _options: Any) -> bool | None:
    """Skip inherited members of other packages: scikit-learn's methods, a tuple's fields."""
    written = getattr(getattr(obj, "fget", obj), "__module__", None) or ""
    return None if written.startswith("rosenblatt") else True


def keep_words(
    _app: Any, what: str, _name: str, _obj: Any, _options: Any, lines: list[str]
) -> None:
    """Prevent napoleon from taking the first words of a property, up to a colon, for its type."""
    if what == "property":
        lines[:0] = ["..", ""]  # a comment, which has no colon


def link_to_site(_app: Any, _page: str, source: list[str]) -> None:
    """Replace links to files of the checkout by links to the pages built from them."""
    source[0] = links.to_site(source[0])


def fold_sidebar(
    _app: Any, _page: str, _template: str, context: dict[str, Any], _doctree: Any
) -> None:
    """Leave in the sidebar what is around the page: all pages on each are half of its bytes."""
    if toctree := context.get("toctree"):
        context["toctree"] = lambda **options: toctree(**options | {"collapse": True})


def write_lecture_page(app: Any, error: Exception | None) -> None:
    """Write the lecture page beside the pages of the site."""
    if error is None:
        (Path(app.outdir) / "lecture.html").write_text(teach.html(), encoding="utf-8")


def setup(app: Any) -> None:
    """Write the pages that are made from code, and connect the handlers above."""
    rows.write()
    options.write()
    registries.write()
    app.connect("source-read", link_to_site)
    app.connect("source-read", registries.fill)
    app.connect("autodoc-skip-member", skip)
    app.connect("autodoc-process-docstring", keep_words, priority=400)  # before napoleon's 500
    app.connect("html-page-context", fold_sidebar, priority=400)  # before furo's 500
    app.connect("build-finished", write_lecture_page)
