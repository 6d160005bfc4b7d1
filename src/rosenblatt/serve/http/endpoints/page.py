"""The page at / and its modules. They hold no data, so they need no token."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import PurePosixPath

from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.http.call import Answer, Call
from rosenblatt.serve.http.endpoint import Endpoint
from rosenblatt.serve.service import Service

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


@cache
def _answers() -> dict[str, Answer]:
    """Return the answers by their paths in the package, so that modules import each other as there.

    A path is looked up in this table, and is never one of the disk.
    """
    answers: dict[str, Answer] = {}
    todo = [(resources.files("rosenblatt").joinpath(*path.split("/")), path) for path in FOLDERS]
    for folder, path in todo:
        for entry in folder.iterdir():
            name = f"{path}/{entry.name}"
            if entry.is_dir():
                todo.append((entry, name))
            elif (kind := TYPES.get(PurePosixPath(name).suffix)) is not None:
                answers[name] = Answer(entry.read_bytes(), type=kind, headers=HEADERS)
    return answers


@Endpoint("GET", "/", "/page/{file:path}", gives=bytes, is_public=True, is_listed=False)
async def page(service: Service, call: Call) -> Answer:
    """Answer with the page, or a file of it."""
    answer = _answers().get(call.path.get("file", "serve/page/index.html"))
    if answer is None:
        raise RefusedError(404, "the page has no such file.")
    return answer
