"""The page at / and its modules. They hold no data, so they need no token."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath

from rosenblatt.serve.http.endpoint import Answer, Call
from rosenblatt.serve.refused import RefusedError

FOLDERS = ("serve/page", "utils/drawing")
"""Folders of the package that the page loads modules from."""
TYPES = {
    ".css": b"text/css; charset=utf-8",
    ".html": b"text/html; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
}
_CONTENT_POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    b"img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
HEADERS = (
    (b"content-security-policy", _CONTENT_POLICY),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-cache"),
)


class Page:
    """Handlers of the page's files.

    Under ``/page/`` they have the paths that they have in the package, so that the modules import
    each other as they stand. The table of all paths is made once: a path is looked up in it and is
    never one of the disk.
    """

    def __init__(self) -> None:
        self._answers: dict[str, Answer] = {}
        for folder in FOLDERS:
            self._add(resources.files("rosenblatt").joinpath(*folder.split("/")), folder)

    def _add(self, folder: Traversable, path: str) -> None:
        for entry in folder.iterdir():
            name = f"{path}/{entry.name}"
            if entry.is_dir():
                self._add(entry, name)
            elif (kind := TYPES.get(PurePosixPath(name).suffix)) is not None:
                self._answers[name] = Answer(entry.read_bytes(), type=kind, headers=HEADERS)

    async def page(self, call: Call) -> Answer:
        """Answer with the page."""
        return self._answers["serve/page/index.html"]

    async def page_file(self, call: Call) -> Answer:
        """Answer with a file of the page.

        Raises
        ------
        RefusedError
            It has none of this path.
        """
        answer = self._answers.get(call.part("file"))
        if answer is None:
            raise RefusedError(404, "the page has no such file.")
        return answer
