"""Alarms of drift go to a real HTTP server: slow, failing, gone, and one that sends elsewhere."""

import asyncio
import hashlib
import hmac
import json
import socket
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from service_runs import learn_rows, run_apart, run_service
from serving import Served

from rosenblatt.learning.evaluation.drift import Alarm
from rosenblatt.serve.telemetry import watch as watching
from rosenblatt.serve.telemetry import webhook as module
from rosenblatt.serve.telemetry.metrics import Metrics
from rosenblatt.serve.telemetry.watch import Watch
from rosenblatt.serve.telemetry.webhook import DriftEvent, Webhook

ALARM = Alarm(128, 97, 0.01, 0.56)
SECRET = b"correct-horse"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(module, "FIRST_DELAY", 0.01)
    monkeypatch.setattr(module, "SECONDS", 0.5)


class Receiver:
    """An HTTP server that answers with one status after another, the last one from then on."""

    def __init__(self, *statuses, delay=0.0, headers=()):
        self.requests, self._statuses = [], list(statuses)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.requests.append((self.path, self.headers, body))
                statuses = outer._statuses
                status = statuses.pop(0) if len(statuses) > 1 else statuses[0]
                time.sleep(delay)
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args):
                pass

            do_GET = do_POST

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook?key=1"

    def __enter__(self):
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *error):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def events(self):
        return [json.loads(body) for _, _, body in self.requests]


def totals(metrics):
    kinds = metrics.webhook_sent, metrics.webhook_failures, metrics.webhook_lost
    return [kind.value for kind in kinds]


def send(url, events, *, until, secret=None):
    """Send events until the totals (sent, failures, lost) are so; return them after the end."""

    async def main():
        metrics, webhook = Metrics(), Webhook(url, secret)
        await webhook.start(metrics)
        for event in events:
            webhook.send(event)
        async with asyncio.timeout(10):
            while not until(*totals(metrics)):
                await asyncio.sleep(0.005)
        await webhook.stop()
        return totals(metrics)

    return run_apart(main())


def event(model="m"):
    return DriftEvent.of(model, 130, ALARM)


def test_an_alarm_is_a_signed_post_of_json():
    sent = event()
    with Receiver(204) as receiver:
        assert send(receiver.url, [sent], until=lambda ok, *_: ok, secret=SECRET) == [1, 0, 0]
    ((path, headers, body),) = receiver.requests
    assert path == "/hook?key=1"
    assert headers["Content-Type"] == "application/json"
    assert headers["Idempotency-Key"] == sent.id
    signature = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    assert headers["X-Rosenblatt-Signature"] == f"sha256={signature}"
    got = json.loads(body)
    assert abs(got.pop("time") - time.time()) < 60
    assert got == {
        "id": sent.id, "kind": "drift", "model": "m", "version": 130, "example": 128, "since": 97,
        "error_before": 0.01, "error_after": 0.56,
    }  # fmt: skip


def test_without_a_secret_nothing_is_signed():
    with Receiver(200) as receiver:
        send(receiver.url, [event()], until=lambda ok, *_: ok)
    assert receiver.requests[0][1]["X-Rosenblatt-Signature"] is None


def test_a_failure_is_tried_again_with_the_same_id_and_in_order():
    events = [event("a"), event("b")]
    with Receiver(500, 429, 503, 200) as receiver:
        assert send(receiver.url, events, until=lambda ok, *_: ok == 2) == [2, 3, 0]
    assert [got["id"] for got in receiver.events] == [events[0].id] * 4 + [events[1].id]


def test_an_alarm_that_nobody_takes_is_given_up_and_the_next_one_has_its_turn(monkeypatch, caplog):
    monkeypatch.setattr(module, "TRIES", 3)
    with Receiver(500, 500, 500, 200) as receiver:
        events = [event("a"), event("b")]
        assert send(receiver.url, events, until=lambda ok, *_: ok) == [1, 3, 1]
    given_up = [r for r in caplog.records if r.message == "the webhook was not told of an alarm"]
    assert [(r.model, r.example, r.error_after) for r in given_up] == [("a", 128, 0.56)]
    assert "key=1" not in caplog.text  # it may be a secret


def test_the_delays_grow(monkeypatch):
    monkeypatch.setattr(module, "TRIES", 4)
    monkeypatch.setattr(module, "FIRST_DELAY", 0.05)
    start = time.monotonic()
    with Receiver(500) as receiver:
        send(receiver.url, [event()], until=lambda _ok, _failures, lost: lost)
    assert len(receiver.requests) == 4
    assert 0.35 <= time.monotonic() - start < 3  # 0.05 + 0.1 + 0.2


def test_a_redirection_is_a_failure_and_is_not_followed(monkeypatch):
    monkeypatch.setattr(module, "TRIES", 2)
    with Receiver(200) as other:
        for status in (301, 302, 303, 307, 308):
            with Receiver(status, headers=[("Location", other.url)]) as receiver:
                sent = send(receiver.url, [event()], until=lambda _ok, _failures, lost: lost)
            assert (sent, len(receiver.requests)) == ([0, 2, 1], 2)
    assert other.requests == []


def test_a_slow_receiver_has_some_time_and_no_more(monkeypatch):
    monkeypatch.setattr(module, "TRIES", 1)
    monkeypatch.setattr(module, "SECONDS", 0.1)
    start = time.monotonic()
    with Receiver(200, delay=0.5) as receiver:
        assert send(receiver.url, [event()], until=lambda *t: t[2]) == [0, 1, 1]
        assert time.monotonic() - start < 0.5


@contextmanager
def speaker(answer):
    """A server that answers with these bytes, and keeps the connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        kept = []

        def run():
            connection, _ = listener.accept()
            kept.append(connection)
            connection.recv(10_000)
            connection.sendall(answer)

        thread = threading.Thread(target=run)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()
        kept[0].close()


@pytest.mark.parametrize(
    "answer", [b"SSH-2.0-hello\r\n", b"x" * 200_000, b"HTTP/1.1 \r\n", b"HTTP"]
)
def test_what_is_no_http_is_a_failure(monkeypatch, answer):
    monkeypatch.setattr(module, "TRIES", 1)
    with speaker(answer) as url:
        assert send(url, [event()], until=lambda _ok, _failures, lost: lost) == [0, 1, 1]


def test_a_receiver_that_is_gone_keeps_few_alarms_waiting_and_the_youngest(monkeypatch):
    monkeypatch.setattr(module, "FIRST_DELAY", 0.2)
    monkeypatch.setattr(module, "MAX_WAITING", 5)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    events = [event(f"m{j}") for j in range(20)]
    found = send(f"http://127.0.0.1:{port}", events, until=lambda _ok, failures, _lost: failures)
    assert found[0] == 0
    assert found[2] == 20  # 15 as too many came, 5 at the end


def test_the_alarm_behind_one_that_is_given_up_while_it_is_sent_is_not_lost(monkeypatch):
    monkeypatch.setattr(module, "MAX_WAITING", 3)

    async def main(url):
        metrics, webhook = Metrics(), Webhook(url)
        await webhook.start(metrics)
        for name in "abc":
            webhook.send(event(name))
        await asyncio.sleep(0.1)  # the first is on its way
        webhook.send(event("d"))
        async with asyncio.timeout(10):
            while metrics.webhook_sent.value < 4:
                await asyncio.sleep(0.005)
        await webhook.stop()

    with Receiver(200, delay=0.2) as receiver:
        run_apart(main(receiver.url))
    assert [got["model"] for got in receiver.events] == list("abcd")


def test_the_end_sends_what_waits_once_more():
    async def main(url):
        metrics, webhook = Metrics(), Webhook(url)
        await webhook.start(metrics)
        for name in "ab":
            webhook.send(event(name))
        await webhook.stop()  # nothing was sent yet
        return totals(metrics)

    with Receiver(200) as receiver:
        assert run_apart(main(receiver.url)) == [2, 0, 0]


@pytest.mark.parametrize(
    "url",
    ["ftp://a.example/", "hooks.example", "http://", "https://user:pass@a.example/",
     "http://a.example/\r\nX: y", "http://a.example/a b", "http://a.example:port/"],
)  # fmt: skip
def test_an_address_to_which_nothing_can_be_sent_is_refused(url):
    with pytest.raises(ValueError, match=r"expected http|printable|Port"):
        Webhook(url)


# --- with models ----------------------------------------------------------------------------------


def rows(count, upside_down):
    """Rows of two labels that one word tells apart."""
    words = ("one", "two") if upside_down else ("two", "one")
    return [({words[j % 2]: 1.0}, "xy"[j % 2], 1.0) for j in range(count)]


def test_a_drift_is_told_once_and_learning_does_not_wait(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(watching, "SECONDS", 0.01)
    monkeypatch.setattr(module, "SECONDS", 5.0)

    async def test(service, model):
        watch = Watch(service, Webhook(receiver.url))
        await watch.start()
        await learn_rows(service, model, rows(1000, False))
        start = time.monotonic()
        await learn_rows(service, model, rows(200, True))
        while not model.live.progress.alarms:
            await learn_rows(service, model, rows(20, True))
        while not receiver.requests:
            await asyncio.sleep(0.005)
        for _ in range(5):
            await learn_rows(service, model, rows(1, True))
        assert time.monotonic() - start < 1.0  # while the receiver takes its time
        await watch.stop()
        return list(model.live.progress.alarms)

    with Receiver(200, delay=1.5) as receiver:
        alarms = run_service(tmp_path, test, config={"rule": "lms", "eta0": 1e-9})
    (alarm,) = alarms
    for told in receiver.events:  # twice where the end came before the answer
        assert told["id"] == receiver.events[0]["id"]
        assert (told["model"], told["example"], told["since"]) == ("m", alarm.example, alarm.since)
    (said,) = [r for r in caplog.records if r.message == "drift"]
    assert (said.model, said.error_after) == ("m", alarm.after)

    with Receiver(200) as receiver:  # a restart, whose replay has the same alarm

        async def again(service, model):
            watch = Watch(service, Webhook(receiver.url))
            assert len(model.live.progress.alarms) == 1
            await watch.start()
            await learn_rows(service, model, rows(1, True))
            await watch.stop()

        run_service(tmp_path, again)
    assert receiver.requests == []


def test_the_command_tells_the_webhook_and_signs_with_the_secret_of_a_file(tmp_path):
    (tmp_path / "secret").write_bytes(SECRET + b"\n")
    examples = [{"features": x, "label": y} for x, y, _ in [*rows(900, False), *rows(100, True)]]
    with Receiver(200) as receiver:
        options = "--drift-webhook", receiver.url, "--drift-webhook-secret", tmp_path / "secret"
        with Served(tmp_path / "store", *map(str, options)) as server:
            config = {"rule": "lms", "eta0": 1e-9}
            server.post("/v1/models", {"name": "m", "config": config}, status=201)
            server.post("/v1/models/m/learn", examples)
            end = time.monotonic() + 10
            while not receiver.requests:
                assert time.monotonic() < end
                time.sleep(0.02)
            alarms = server.get("/v1/models/m")["alarms"]
            log = server.stop()
    _, headers, body = receiver.requests[0]
    signature = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    assert headers["X-Rosenblatt-Signature"] == f"sha256={signature}"
    assert receiver.events[0]["error_after"] == alarms[0]["after"]
    said = [json.loads(line) for line in log.splitlines() if '"drift"' in line]
    assert said[0]["id"] == receiver.events[0]["id"]
    assert said[0]["time"].endswith("Z")  # that of the line


def test_a_standby_that_took_over_tells_of_alarms():
    with Receiver(200) as receiver:
        webhook = Webhook(receiver.url)

        async def serve(events):
            await webhook.start(Metrics())
            await asyncio.sleep(0.05)
            for event in events:
                webhook.send(event)
            await asyncio.sleep(0.2)
            await webhook.stop()

        run_apart(serve([]))
        run_apart(serve([DriftEvent.of("m", 1, ALARM)]))
        assert len(receiver.requests) == 1
