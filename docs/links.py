"""Links of the pages: to files of the checkout in the source, to built pages on the site.

Run after a build: python docs/links.py. It checks that each link of the site to a page, a file or a
section of it leads there, without the network.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote

SITE = Path(__file__).resolve().parent / "_build" / "html"

# In a checkout a link opens what a page of the site is built from.
_EXAMPLES = re.compile(r"\]\(\.\./((?:\.\./)*)examples/?(?:([\w/]+)\.py)?\)")
_BUILT = {
    "rows.toml": "lectures.md",
    "options.py": "options.md",
    "registries.py": "reference/rules.rst",
}
_BENCH = re.compile(r"\[([^]]+)\]\(((?:\.\./)+bench/\w+\.md)\)")
_SOURCES = re.compile(rf"\]\(((?:\.\./)*)({'|'.join(map(re.escape, _BUILT))})\)")


def to_site(text: str) -> str:
    """Return a page's Markdown with links to the built pages, and files of bench/ as downloads.

    Examples
    --------
    >>> to_site("[a](../examples), [b](../../examples/lectures/plot_xor.py), [c](../rows.toml)")
    '[a](gallery/index.rst), [b](../gallery/lectures/plot_xor.rst), [c](../lectures.md)'
    >>> to_site("[All figures](../bench/figures.md)")
    '{download}`All figures <../bench/figures.md>`'
    """
    text = _BENCH.sub(lambda link: f"{{download}}`{link[1]} <{link[2]}>`", text)
    text = _EXAMPLES.sub(lambda link: f"]({link[1]}gallery/{link[2] or 'index'}.rst)", text)
    return _SOURCES.sub(lambda link: f"]({link[1]}{_BUILT[link[2]]})", text)


_LINK = re.compile(r'<[^<>]*\s(?:href|src)="([^"]*)"')
_ID = re.compile(r'\bid="([^"]*)"')
_ELSEWHERE = re.compile(r"[a-z]+:|//")
_SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)


def broken(site: Path) -> list[tuple[str, str]]:
    """Return the links below a folder that lead nowhere: pages, and what they link to.

    Sphinx's views of sources, which link to names by their other places, are left out.
    """
    site = site.resolve()
    pages = {path: _SCRIPT.sub("", path.read_text("utf-8")) for path in site.rglob("*.html")}
    ids = {path: {unquote(name) for name in _ID.findall(text)} for path, text in pages.items()}
    found = []
    for page, text in pages.items():
        if "_modules" in page.parts:
            continue
        for link in set(_LINK.findall(text)):
            if not link or _ELSEWHERE.match(link):
                continue
            name, _, part = unquote(link).partition("#")
            target = _file(page.parent, name.partition("?")[0]) if name else page
            is_section = target in ids and part and "=" not in part  # else a state of a page
            if target is None or (is_section and part not in ids[target]):
                found.append((page.relative_to(site).as_posix(), link))
    return sorted(found)


@cache  # the pages of a folder have most links in common
def _file(folder: Path, name: str) -> Path | None:
    """Return what a name means in a folder, or None if it is not there."""
    path = (folder / name).resolve()
    return path if path.exists() else None


def main() -> int:
    """Check the built site; return 1 if a link leads nowhere."""
    found = broken(SITE)
    for page, link in found:
        print(f"{page}: {link} leads nowhere", file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
