"""Check in headless Chromium that no page is wider than its window, or long without contents.

Run after a build: python docs/layout.py. Without Chromium nothing is checked. A page of more than
four screens of sixty lines needs a list of its sections in the window, of a phone as of a desktop:
the theme's beside the text, or the one below the title (_templates/page.html).
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Queue
from typing import Any, NamedTuple

SITE = Path(__file__).resolve().parent / "_build" / "html"
WIDTHS = (390, 1280)
SCREEN, SCREENS = 60 * 24, 4  # 60 lines of 24 pixels
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
SECONDS = 900  # some twenty, alone: beside the tests it has what they leave of the processor
HARNESS = """<!doctype html><iframe style="border:0;height:800px"></iframe><script>
const frame = document.querySelector("iframe"), found = [];
const inWindow = (element, width) => {
  const box = element.getBoundingClientRect();
  return box.height > 0 && box.left < width && box.right > 0;
};
const load = page => new Promise(done => { frame.onload = done; frame.src = "/" + page; });
(async () => {
  for (const page of PAGES) {
    await load(page);
    for (const width of WIDTHS) {
      frame.style.width = width + "px";
      const {documentElement: root} = frame.contentDocument;
      if (root.scrollWidth > width) found.push([page, width, `${root.scrollWidth} pixels wide`]);
      const article = root.querySelector("article");
      const lists = root.querySelectorAll(".toc-tree, .on-page, .genindex-jumpbox");
      const isText = article && !page.startsWith("_modules/");  // else a source
      const screens = isText ? article.offsetHeight / SCREEN_HEIGHT : 0;
      if (screens > SCREENS && ![...lists].some(list => inWindow(list, width)))
        found.push([page, width, `${screens.toFixed(1)} screens without contents`]);
    }
  }
  fetch("/found", {method: "POST", body: JSON.stringify(found)});
})();
</script>"""


class Fault(NamedTuple):
    """A page, the width of the window in pixels, and what is wrong."""

    page: str
    window: int
    what: str


class Handler(SimpleHTTPRequestHandler):
    """Serves the site and the page that measures it, and receives the result."""

    def __init__(self, *args: Any, harness: str, results: Queue[list[Any]], **options: Any) -> None:
        self.harness, self.results = harness, results
        super().__init__(*args, **options)

    def do_GET(self) -> None:
        """Answer with a file of the site, or the measuring page."""
        if self.path != "/measure":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(self.harness.encode())

    def do_POST(self) -> None:
        """Take the result."""
        self.results.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        """Write no log."""


def chromium() -> str | None:
    """Return the path of Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def faults(site: Path, program: str) -> list[Fault]:
    """Return what is wrong with the pages below a folder, in each of the windows."""
    pages = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    harness = HARNESS
    values = {"WIDTHS": WIDTHS, "SCREEN_HEIGHT": SCREEN, "SCREENS": SCREENS, "PAGES": pages}
    for name, value in values.items():
        harness = harness.replace(name, json.dumps(value))
    results: Queue[list[Any]] = Queue()
    handler = partial(Handler, directory=str(site), harness=harness, results=results)
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        ThreadingHTTPServer(("127.0.0.1", 0), handler) as server,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]
        options.append("--disable-threaded-compositing")  # pages are laid out, and never drawn
        address = f"http://127.0.0.1:{server.server_port}/measure"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        browser = subprocess.Popen(
            [program, *options, "--remote-debugging-port=0", address],
            start_new_session=True,
            **quiet,
        )
        try:
            return [Fault(*found) for found in results.get(timeout=SECONDS)]
        except Empty:
            raise TimeoutError(f"{program} did not answer in {SECONDS} s") from None
        finally:
            os.killpg(browser.pid, signal.SIGTERM)  # the program may be a script that waits for it
            browser.wait()
            server.shutdown()


def main() -> int:
    """Check the built site; return 1 if something is wrong."""
    program = chromium()
    if program is None:
        print("No Chromium: the layout of the pages was not checked.", file=sys.stderr)
        return 0
    found = faults(SITE, program)
    for page, window, what in found:
        print(f"{page}: {what} in a window of {window} pixels", file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
