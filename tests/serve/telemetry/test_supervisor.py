"""What systemd hears of a real service, and how it leaves a group of services."""

import os
import signal
import socket
import time

import pytest
from serving import Served

from rosenblatt.serve.telemetry.supervisor import notify, watchdog_seconds


@pytest.fixture
def systemd(tmp_path):
    """A socket as systemd has it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.settimeout(30)
        yield listener


def test_systemd_hears_that_it_is_ready_lives_and_ends(systemd, tmp_path):
    env = {"NOTIFY_SOCKET": systemd.getsockname(), "WATCHDOG_USEC": "400000"}
    with Served(tmp_path / "store", env=env) as server:
        heard = [systemd.recv(100) for _ in range(5)]
        assert (heard.count(b"READY=1"), heard.count(b"WATCHDOG=1")) == (1, 3)
        assert heard.count(b"WATCHDOG_USEC=400000") == 1
        server.stop()
    systemd.settimeout(0)
    last = b""
    while last != b"STOPPING=1":
        last = systemd.recv(100)


def test_abstract_names_and_a_listener_that_is_gone(monkeypatch, tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        name = f"rosenblatt-{os.getpid()}"
        listener.bind(f"\0{name}")
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{name}")
        notify("READY=1")
        assert listener.recv(100) == b"READY=1"
    for nobody in (f"@{name}", str(tmp_path / "none")):
        monkeypatch.setenv("NOTIFY_SOCKET", nobody)
        notify("READY=1")


@pytest.mark.parametrize(
    ("usec", "pid", "seconds"),
    [("30000000", None, 15.0), ("30000000", "1", None), ("", None, None), (None, None, None)],
)
def test_the_watchdog_is_fed_twice_in_its_time_if_it_is_ours(monkeypatch, usec, pid, seconds):
    for name, value in (("WATCHDOG_USEC", usec), ("WATCHDOG_PID", pid)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    assert watchdog_seconds() == seconds


def test_a_service_that_drains_is_unready_and_answers_until_its_end(tmp_path):
    with Served(tmp_path / "store", "--drain", "2s") as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        assert server.get("/v1/health/ready") == {"ready": True}
        start = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        while server.raw("GET", "/v1/health/ready")[0] == 200:
            time.sleep(0.01)
        learned = server.post("/v1/models/m/learn", {"features": "a prize", "label": "spam"})
        assert learned["version"] == 1
        assert server.get("/v1/health/live") == {"live": True}
        assert server.process.wait(30) == 0
        assert time.monotonic() - start >= 2.0


def test_a_second_signal_ends_the_draining(tmp_path):
    with Served(tmp_path / "store", "--drain", "10m") as server:
        server.process.send_signal(signal.SIGTERM)
        while server.raw("GET", "/v1/health/ready")[0] == 200:
            time.sleep(0.01)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(30) == 0
