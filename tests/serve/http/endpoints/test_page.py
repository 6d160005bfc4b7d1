"""The files of the page: a fixed table, with headers that keep strangers out."""

from pathlib import Path

import pytest
from serving import Served

import rosenblatt

ROOT = Path(rosenblatt.__file__).parent
FILES = [
    path.relative_to(ROOT).as_posix()
    for folder in ("serve/page", "utils/drawing")
    for path in sorted((ROOT / folder).rglob("*.*"))
    if path.suffix in (".html", ".css", ".js")
]
TYPES = {".css": "text/css", ".html": "text/html", ".js": "text/javascript"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    store = tmp_path_factory.mktemp("store")
    with Served(store, env={"ROSENBLATT_TOKEN": "correct-horse"}) as server:
        yield server


def test_the_page_is_public_and_strict(server):
    status, headers, body = server.raw("GET", "/")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    policy = headers["Content-Security-Policy"].split("; ")
    assert policy[:4] == [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"
    ]  # fmt: skip
    assert policy[4:] == [
        "img-src 'self' data:", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"
    ]  # fmt: skip
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert body == (ROOT / "serve/page/index.html").read_bytes()


@pytest.mark.parametrize("path", FILES)
def test_every_file_has_its_path_in_the_package(server, path):
    status, headers, body = server.raw("GET", f"/page/{path}")
    assert status == 200
    assert headers["Content-Type"] == f"{TYPES[Path(path).suffix]}; charset=utf-8"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert body == (ROOT / path).read_bytes()


@pytest.mark.parametrize(
    "path",
    [
        "serve/service.py", "serve/page/../service.py", "serve/page/%2e%2e/service.py",
        "../../../../../../etc/passwd", "%2Fetc%2Fpasswd", "//etc/passwd", "serve/page",
        "serve/page/", "", "serve/page/main.js%00", "serve%5Cpage%5Cmain.js",
        "serve/page/./main.js",
    ],
)  # fmt: skip
def test_no_other_path_is_answered(server, path):
    assert server.raw("GET", f"/page/{path}")[0] == 404


def test_the_page_is_read_alone(server):
    assert server.raw("POST", "/")[0] == 405


def test_modules_say_what_they_are_and_stay_short():
    for path in FILES:
        lines = (ROOT / path).read_text("utf-8").splitlines()
        assert len(lines) <= 450, path
        if path.endswith(".js"):
            assert lines[0].startswith("// "), path


def test_no_module_writes_html():
    for path in FILES:
        text = (ROOT / path).read_text("utf-8")
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert word not in text, path
