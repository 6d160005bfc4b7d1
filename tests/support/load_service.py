"""Load a service for some minutes, and see that its memory stays constant.

Run: python tests/support/load_service.py MINUTES
"""

import http.client
import json
import random
import sys
import tempfile
import threading
import time

from serving import Served

CLIENTS = 4
NAMES = 2000


class Load(threading.Thread):
    """A client that predicts, learns, learns lists and lines, with keys and without, until told."""

    def __init__(self, port, number, end):
        super().__init__()
        self.rng = random.Random(number)
        self.port, self.number, self.end, self.requests = port, number, end, 0

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while time.monotonic() < self.end:
            path, body, headers = self.request()
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
            data = answer.read()
            assert answer.status == 200, data
            self.requests += 1
        connection.close()

    def request(self):
        """Return path, body and headers of one request of any kind."""
        path, headers = "/v1/models/m/learn", {}
        match self.rng.randrange(6):
            case 0:
                body = self.example()
                headers = {"Idempotency-Key": f"{self.number}-{self.requests}"}
            case 1:
                body = [self.example() for _ in range(50)]
            case 2:
                lines = [json.dumps(self.example()) for _ in range(200)]
                return path, "\n".join(lines), {"Content-Type": "application/x-ndjson"}
            case 3:
                path, body = f"{path[:-5]}predict?version=1", {"features": self.row()}
            case _:
                path, body = f"{path[:-5]}predict", {"features": self.row(), "explain": True}
        return path, json.dumps(body), headers

    def row(self):
        return {f"f{self.rng.randrange(NAMES)}": self.rng.gauss(0, 1) for _ in range(20)}

    def example(self):
        return {"features": self.row(), "label": self.rng.choice("xyz")}


def resident(process):
    """Return the resident memory of a process, in MiB."""
    with open(f"/proc/{process.pid}/statm") as file:
        return int(file.read().split()[1]) * 4096 / 2**20


def load(folder, seconds, warm):
    """Load a service; return requests, and its memory after the warm-up and at each look after."""
    options = "--keep-examples", "20000", "--snapshot-every", "5000", "--keep-predictions", "2s"
    with Served(folder, *options) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        server.post("/v1/models/m/learn", {"features": {"a": 1}, "label": "x"})
        start = time.monotonic()
        clients = [Load(server.port, j, start + seconds) for j in range(CLIENTS)]
        for client in clients:
            client.start()
        time.sleep(warm)
        sizes = []
        while any(client.is_alive() for client in clients):
            sizes.append(resident(server.process))
            time.sleep(0.5)
        for client in clients:
            client.join()
        return sum(client.requests for client in clients), sizes


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        minutes = float(sys.argv[1])
        requests, sizes = load(folder, 60 * minutes, warm=6 * minutes)
        print(f"{requests} requests in {minutes:g} minutes")
        print("MiB:", *(f"{size:.0f}" for size in sizes[:: max(1, len(sizes) // 20)]))
