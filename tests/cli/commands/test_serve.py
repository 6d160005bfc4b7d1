"""``rosenblatt serve`` and ``rosenblatt backup``: what is refused, tokens, times, copies."""

import sys
import threading
from pathlib import Path

import pytest
from service_runs import learn_rows, run_service

from rosenblatt.cli.commands.serve import parse_duration, read_token
from rosenblatt.cli.display.errors import Failure
from rosenblatt.serve.errors import StoreError
from rosenblatt.serve.store.database import Database


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ROSENBLATT_TOKEN", raising=False)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--host", "0.0.0.0"), "give --tokens FILE or --token-file FILE, or set ROSENBLATT_TOKEN"),
        (("--host", "learn.example.org"), "can be reached by other machines"),
        (("--certificate", "a.pem"), "--certificate-key go together"),
        (("--keep-predictions", "5"), "write 90s, 15m, 12h or 7d"),
        (("--keep-keys", "-1s"), "write 90s, 15m, 12h or 7d"),
        (("--drain", "9" * 400 + "d"), "write 90s, 15m, 12h or 7d"),
        (("--log-bytes", "9" * 400 + "TB"), "write 0, 500kB, 250MB, 20GB or 2TB"),
        (("--port", "65536"), "65536"),
        (("--ship-seconds", "nan"), "'nan' is not a finite number"),  # segments without a pause
        (("--ship-seconds", "inf"), "'inf' is not a finite number"),  # none at all
        (("--drift-webhook-secret", "secret"), "goes with --drift-webhook"),
        (("--drift-webhook", "http://a.example/", "--replica"), "that the replica follows"),
        (("--drift-webhook", "ftp://a.example/"), "expected http://HOST"),
    ],
)
def test_wrong_options_are_refused_before_there_is_a_store(call, options, says):
    status, out, err = call("serve", "--store", "store", *options)
    assert (status, out) == (2, "")
    assert says in " ".join(err.split())
    assert not Path("store").exists()


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("1.5m", 90), ("12h", 43_200), ("7d", 604_800)]
)
def test_times_have_units(text, seconds):
    assert parse_duration(text) == seconds


def test_a_token_comes_from_the_file_else_from_the_environment(monkeypatch):
    assert read_token(None) is None
    Path("token").write_text(" correct-horse\n")
    monkeypatch.setenv("ROSENBLATT_TOKEN", "battery-staple")
    assert read_token("token") == b"correct-horse"
    assert read_token(None) == b"battery-staple"


@pytest.mark.parametrize("text", ["", "short", "with a space", "Schlüssel4711", "tab\tinside"])
def test_a_token_that_cannot_be_sent_is_refused(text):
    Path("token").write_text(text, encoding="utf-8")
    with pytest.raises(Failure, match="8 or more printable ASCII characters"):
        read_token("token")
    with pytest.raises(Failure, match="cannot be read"):
        read_token("there-is-none")


def test_what_is_no_store_is_no_traceback(call, monkeypatch):
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)  # the service has its own
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    Path("store").write_text("a file")
    for command in (("serve",), ("serve", "--replica"), ("backup", "copy.db")):
        status, out, err = call(*command, "--store", "store")
        assert (status, out) == (1, "")
        assert "store: " in err


def test_check_names_models_and_where_a_value_is(call):
    """The value comes on standard input, so that no list of processes shows it."""

    async def learn(service, model):
        await learn_rows(service, model, [("a text of Kryptonite", "x", 1.0)])

    run_service("store", learn)

    def check(*options, value=""):
        return call("check", "store", *options, stdin=value)

    status, out, _ = check()
    assert (status, out[:16]) == (0, "m  1 to 1  head ")
    status, out, err = check("--find", "-", value="kryptonite\n")
    assert (status, out.splitlines()[0]) == (1, "found  table log, model 'm', version 1")
    assert "store has the value in" in err
    assert check("--find", "-", value="another value") == (0, "", "")
    status, out, err = check("--find", "-", value="zq9")  # too short to be told among bytes
    assert (status, out.startswith("cannot tell  ")) == (4, True)
    assert "not found, but not everything could be searched" in err
    assert check("--find", "-", value="\n")[0] == 2


def test_a_backup_is_a_store_and_replaces_no_file(call):
    database = Database("store")
    assert call("backup", "--store", "store", "copy.db") == (0, "", "written  copy.db\n")
    database.close()
    before = Path("copy.db").read_bytes()
    status, _, err = call("backup", "--store", "store", "copy.db")
    assert status == 1
    assert "'copy.db' is there already, and is not overwritten: choose another name." in err
    assert Path("copy.db").read_bytes() == before
    Path("restored").mkdir()
    Path("copy.db").rename("restored/store.db")
    Database("restored").close()
    with pytest.raises(StoreError, match="no store"):
        Database("nothing", readonly=True)
