"""A web server of a folder that sends ranges, counts requests and bytes, and has faults."""

import http.server
import re
import threading
from contextlib import contextmanager
from pathlib import Path
from zlib import crc32


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server = self.server
        path = Path(server.folder, self.path.partition("?")[0].lstrip("/"))
        server.asked.append((self.path, self.headers.get("Range")))
        status = server.answers.pop(0) if server.answers else None
        if status is None and not path.is_file():
            status = 404
        if status is not None:
            return self._answer(status, b"", {})
        body = path.read_bytes()
        headers = {"ETag": server.tags.get(path.name) or f'"{crc32(body)}"'}
        match = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        if match is None or not server.has_ranges:
            if server.has_ranges:
                headers["Accept-Ranges"] = "bytes"
            return self._answer(200, body, headers)
        start, stop = int(match[1]), min(int(match[2] or len(body)) + 1, len(body))
        if start >= len(body):
            return self._answer(416, b"", {"Content-Range": f"bytes */{len(body)}"})
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(body)}"
        return self._answer(206, body[start:stop], headers)

    def _answer(self, status, body, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        cut = self.server.cuts.pop(0) if self.server.cuts and body else None
        sent = body if cut is None else body[:cut]
        self.server.sent += len(sent)
        self.wfile.write(sent)
        if cut is not None:
            self.wfile.flush()
            self.close_connection = True

    def log_message(self, *args):
        pass


class RangeServer(http.server.ThreadingHTTPServer):
    """Attributes steer it: ``answers`` and ``cuts`` are faults of the next requests."""

    daemon_threads = True

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder, self.url = folder, f"http://127.0.0.1:{self.server_port}"
        self.has_ranges, self.tags = True, {}
        self.clear()

    def clear(self):
        """Count from 0 again."""
        self.asked, self.sent, self.answers, self.cuts = [], 0, [], []


@contextmanager
def range_server(folder):
    """Yield a running server of the files of a folder."""
    with RangeServer(folder) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
