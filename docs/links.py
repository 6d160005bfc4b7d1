"""Links of the pages: to files of the checkout in the source, to built pages on the site."""

from __future__ import annotations

import re

# In a checkout a link opens what a page of the site is built from.
_EXAMPLES = re.compile(r"\]\(\.\./((?:\.\./)*)examples/?(?:([\w/]+)\.py)?\)")
_BUILT = {
    "rows.toml": "lectures.md",
    "options.py": "options.md",
    "registries.py": "reference/rules.rst",
}
_SOURCES = re.compile(rf"\]\(((?:\.\./)*)({'|'.join(map(re.escape, _BUILT))})\)")


def to_site(text: str) -> str:
    """Return a page's Markdown with links to the built pages.

    Examples
    --------
    >>> to_site("[a](../examples), [b](../../examples/lectures/plot_xor.py), [c](../rows.toml)")
    '[a](gallery/index.rst), [b](../gallery/lectures/plot_xor.rst), [c](../lectures.md)'
    """
    text = _EXAMPLES.sub(lambda link: f"]({link[1]}gallery/{link[2] or 'index'}.rst)", text)
    return _SOURCES.sub(lambda link: f"]({link[1]}{_BUILT[link[2]]})", text)
