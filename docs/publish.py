"""Put the built site on the branch gh-pages: of main at dev/, of the tag v1.2.3 at 1.2/.

Run: python docs/publish.py NAME [--remote REMOTE], after `make docs`. The front of the site leads
to the newest version, and `versions.json` lists them all.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

HTML = Path(__file__).resolve().parent / "_build" / "html"
BRANCH, DEVELOPMENT = "gh-pages", "dev"
_TAG = re.compile(r"v(\d+\.\d+)\.\d+")
_FRONT = """<!doctype html>
<meta charset="utf-8">
<title>rosenblatt</title>
<meta http-equiv="refresh" content="0; url={newest}/">
<a href="{newest}/">rosenblatt {newest}</a>
"""


def folder_of(name: str) -> str:
    """Return the folder of a branch or a tag.

    Raises
    ------
    ValueError
        It is neither main nor a version.

    Examples
    --------
    >>> folder_of("main"), folder_of("v1.2.3")
    ('dev', '1.2')
    """
    found = _TAG.fullmatch(name)
    if name != "main" and found is None:
        raise ValueError(f"{name!r} is neither main nor a tag such as v1.2.3.")
    return DEVELOPMENT if found is None else found[1]


def order(version: str) -> tuple[int, ...]:
    """Return what sorts versions, the one in development first."""
    return () if version == DEVELOPMENT else tuple(map(int, version.split(".")))


def place(site: Path, html: Path, name: str) -> list[str]:
    """Put a built site into its folder of the whole one; return all versions, the newest first."""
    folder = site / folder_of(name)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(html, folder)
    found = [path.name for path in site.iterdir() if (path / "index.html").is_file()]
    versions = sorted(found, key=order, reverse=True)
    (site / "versions.json").write_text(json.dumps(versions) + "\n", encoding="utf-8")
    (site / "index.html").write_text(_FRONT.format(newest=versions[0]), encoding="utf-8")
    (site / ".nojekyll").touch()  # folders such as _static are served, too
    return versions


def publish(name: str, remote: str, html: Path = HTML) -> None:
    """Add the built site to the branch, and push it."""
    with tempfile.TemporaryDirectory() as folder:

        def git(*words: str) -> None:
            subprocess.run(["git", "-C", folder, *words], check=True)

        fetched = subprocess.run(
            ["git", "clone", "--quiet", "--depth=1", "--branch", BRANCH, remote, folder],
            stderr=subprocess.DEVNULL,
        )
        if fetched.returncode:  # the first time there is no such branch
            git("init", "--quiet", "--initial-branch", BRANCH)
            git("remote", "add", "origin", remote)
        place(Path(folder), html, name)
        git("add", "--all")
        git("-c", "user.name=docs", "-c", "user.email=docs@localhost", "commit", "-qm", name)
        git("push", "--quiet", "origin", BRANCH)


def main() -> None:
    """Publish the site that was built here."""
    parser = argparse.ArgumentParser(description="Put the built site on the branch gh-pages.")
    parser.add_argument("name", help="main, or a tag such as v1.2.3")
    parser.add_argument("--remote", help="where the branch is; by default the remote origin")
    given = parser.parse_args()
    remote = given.remote or subprocess.run(
        ["git", "remote", "get-url", "origin"], check=True, capture_output=True, text=True
    ).stdout.strip()  # fmt: skip
    publish(given.name, remote)


if __name__ == "__main__":
    main()
