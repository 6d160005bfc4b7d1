"""Alerts fire on what real services say in each fault, and each has its section of the runbook."""

import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import time
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path

import pytest
import yaml
from promtool import ALERTS, check_alerts, named, promtool, samples, scrape
from serving import Served
from shipped import wait_for

DEPLOY = ALERTS.parents[1]
DASHBOARD = json.loads((DEPLOY / "grafana" / "rosenblatt.json").read_text("utf-8"))
RUNBOOK = (DEPLOY.parent / "docs" / "howto" / "runbook.md").read_text("utf-8")
RULES = [rule for g in yaml.safe_load(ALERTS.read_text("utf-8"))["groups"] for rule in g["rules"]]
NDJSON = {"Content-Type": "application/x-ndjson"}
LEARN = "/v1/models/m/learn"
LOG = 'rosenblatt_store_bytes{part="log"}'
TOKEN = "secret-of-the-alerts-0123456789"
# A step so small that the model never changes its mind.
STUBBORN = {"name": "m", "config": {"rule": "lms", "eta0": 1e-9}}


def eventually(server, condition, seconds=20):
    """The first scrape that fulfils a condition."""
    end = time.monotonic() + seconds
    while not condition(found := scrape(server)):
        assert time.monotonic() < end, found
        time.sleep(0.1)
    return found


@contextmanager
def sending(server, count, body):
    """Requests that learn, all at once, whose answers nobody reads."""
    head = f"POST {LEARN} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    with ExitStack() as stack:
        for _ in range(count):
            own = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            own.sendall(head.encode() + body)
        yield


def lines(count, upside_down=False):
    """A body of examples that one word tells apart."""
    words = ("one", "two") if upside_down else ("two", "one")
    rows = [{"features": {words[j % 2]: 1.0}, "label": "xy"[j % 2]} for j in range(count)]
    return "\n".join(map(json.dumps, rows)).encode()


# --- the faults -----------------------------------------------------------------------------------


def test_a_drift_a_high_error_a_webhook_that_is_gone_and_a_log_at_its_end(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        nobody = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    quick = "from rosenblatt.serve.telemetry import webhook\nwebhook.FIRST_DELAY = 0.05\n"
    options = "--log-bytes", "1MB", "--drift-webhook", nobody
    with Served(tmp_path / "store", *options, code=quick) as server:
        server.post("/v1/models", STUBBORN, status=201)
        server.post(LEARN, [json.loads(line) for line in lines(100).splitlines()])
        each = eventually(server, lambda found: found.get(LOG, 0) > 0)[LOG] / 100
        server.raw("POST", LEARN, lines(2900), NDJSON)
        well = eventually(
            server, lambda found: found['rosenblatt_model_examples{model="m"}'] == 3000
        )
        server.raw("POST", LEARN, lines(1000, upside_down=True), NDJSON)
        drift = eventually(server, lambda found: found["rosenblatt_webhook_failures_total"] >= 4)
        count = int((1e6 - 5e4) / each)  # so that 50 kB are left
        server.raw("POST", LEARN, lines(count - 4000), NDJSON)
        nearly = eventually(server, lambda found: found[LOG] >= (count - 1) * each)
        server.raw("POST", LEARN, lines(2000), NDJSON)
        full = eventually(server, lambda found: found["rosenblatt_log_free_bytes"] == 0)
    assert drift['rosenblatt_model_drift{model="m"}'] == 1
    risen = ["RosenblattDrift", "RosenblattErrorHigh", "RosenblattWebhookFails"]
    check_alerts(tmp_path, [(well, 10, []), (drift, 8, risen)])
    low = well | {name: x for name, x in nearly.items() if name.startswith("rosenblatt_log")}
    check_alerts(tmp_path, [(well, 10, []), (low, 10, ["RosenblattLogNearlyFull"])])
    ended = well | {name: x for name, x in full.items() if name.startswith("rosenblatt_log")}
    both = ["RosenblattLogFull", "RosenblattLogNearlyFull"]
    check_alerts(tmp_path, [(well, 10, []), (ended, 1, both[:1]), (ended, 10, both)])


def test_a_disk_that_refuses_and_a_process_that_is_gone(tmp_path):
    with Served(tmp_path / "store") as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        server.raw("POST", LEARN, lines(10), NDJSON)
        well = scrape(server)
        size = max(path.stat().st_size for path in (tmp_path / "store").iterdir()) + 10_000
        unlimited = resource.RLIM_INFINITY
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, unlimited))
        while server.raw("POST", LEARN, lines(200), NDJSON)[0] == 200:
            pass
        fails = eventually(server, lambda found: found["rosenblatt_store_failed"] == 1)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (unlimited, unlimited))
        again = eventually(server, lambda found: found["rosenblatt_store_failed"] == 0)
        server.kill()
        gone = scrape(server)
    assert gone == {"up": 0.0}
    assert fails["rosenblatt_failed_commits_total"] > 0
    check_alerts(
        tmp_path,
        [(well, 5, []), (fails, 5, ["RosenblattStoreFails"]), (again, 5, []),
         (gone, 5, ["RosenblattDown"])],
    )  # fmt: skip


def test_a_disk_that_is_nearly_full(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        with Served(folder / "store") as server:
            well = eventually(server, lambda found: "rosenblatt_disk_free_bytes" in found)
            with open(folder / "ballast", "wb") as file:
                file.write(b"\0" * (shutil.disk_usage(folder).free - 1_000_000))
            low = eventually(server, lambda found: found["rosenblatt_disk_free_bytes"] < 1.1e6)
    finally:
        subprocess.run(["umount", folder], check=True)
    assert well["rosenblatt_disk_size_bytes"] == 8 * 2**20
    check_alerts(tmp_path, [(well, 10, []), (low, 10, ["RosenblattDiskNearlyFull"])])


def test_a_replica_that_is_behind(tmp_path):
    slow = """
import time
from rosenblatt.serve.shipping import replica
learn = replica.replay
def replay(live, log, after, last):
    if last > 100:
        time.sleep(0.2)
    learn(live, log, after, last)
replica.replay, replica.ROWS = replay, 1
"""
    with Served(tmp_path / "store") as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        server.raw("POST", LEARN, lines(10), NDJSON)
        with Served(tmp_path / "store", "--replica", code=slow) as replica:
            well = scrape(replica)
            server.raw("POST", LEARN, lines(1000), NDJSON)
            behind = eventually(replica, lambda found: found["rosenblatt_replica_lag_seconds"] > 11)
    assert (
        well["rosenblatt_replica_lag_versions"],
        well["rosenblatt_replica_lag_seconds"] < 5,
    ) == (0, True)
    assert 0 < behind["rosenblatt_replica_lag_versions"] < 1000
    check_alerts(tmp_path, [(well, 5, []), (behind, 5, ["RosenblattReplicaBehind"])])


def test_a_queue_that_is_long(tmp_path):
    held = tmp_path / "held"
    slow = f"""
import os, time
from rosenblatt.serve import writer
end = writer.Writer._end
def slow_end(self):
    while os.path.exists({str(held)!r}):
        time.sleep(0.02)
    end(self)
writer.Writer._end = slow_end
"""
    with Served(tmp_path / "store", code=slow) as server:
        server.post("/v1/models", {"name": "m"}, status=201)
        well = scrape(server)
        held.touch()
        with sending(server, 510, lines(1)):
            long = eventually(server, lambda found: found["rosenblatt_waiting_requests"] > 500)
            held.unlink()
        again = eventually(server, lambda found: found["rosenblatt_waiting_requests"] == 0)
        batch = [{"features": "a " * 10_000, "label": "x"}] * 25
        held.touch()
        with sending(server, 20, json.dumps(batch).encode()):
            large = eventually(server, lambda found: found["rosenblatt_waiting_bytes"] > 8e6)
            held.unlink()
    assert (well["rosenblatt_waiting_requests"], well["rosenblatt_waiting_bytes"]) == (0, 0)
    assert again["rosenblatt_waiting_bytes"] == 0
    assert large["rosenblatt_waiting_requests"] < 50
    alert = ["RosenblattQueueLong"]
    check_alerts(tmp_path, [(well, 5, []), (long, 5, alert), (again, 5, []), (large, 5, alert)])


def test_a_target_that_is_away_and_a_primary_that_is_fenced(tmp_path):
    # While the target is away a second counts as 5 minutes.
    quick = """
from rosenblatt.serve.shipping import shipper, standby
def hurry(cls):
    lag = cls.lag
    cls.lag = lambda self: lag(self) * (300 if self.fault else 1)
hurry(shipper.Shipper)
hurry(standby.Follower)
"""
    target, away = tmp_path / "target", tmp_path / "away"
    ship = "--ship", str(target), "--ship-seconds", "0.1"
    follow = "--standby", str(target), "--ship-seconds", "0.1"
    with Served(tmp_path / "a", *ship, code=quick) as primary:
        primary.post("/v1/models", {"name": "m"}, status=201)
        wait_for(lambda: primary.get("/v1/shipping")["commits"])  # its first base is whole
        with Served(tmp_path / "b", *follow, code=quick) as standby:
            well, following = scrape(primary), scrape(standby)
            target.rename(away)
            target.write_text("no folder")
            primary.raw("POST", LEARN, lines(10), NDJSON)
            behind = eventually(primary, lambda x: x["rosenblatt_shipping_lag_seconds"] > 60)
            stopped = eventually(primary, lambda x: x["rosenblatt_shipping_lag_seconds"] > 600)
            lost = eventually(standby, lambda x: x["rosenblatt_standby_lag_seconds"] > 60)
            target.unlink()
            away.rename(target)
            again = eventually(primary, lambda x: x["rosenblatt_shipping_waiting_bytes"] == 0)
            standby.post("/v1/promote", {})
            fenced = eventually(primary, lambda x: x["rosenblatt_shipping_fenced"] == 1)
    assert behind["rosenblatt_shipping_lag_seconds"] < 600
    both = ["RosenblattShippingBehind", "RosenblattShippingStopped"]
    check_alerts(
        tmp_path,
        [(well, 5, []), (behind, 5, both[:1]), (stopped, 5, both), (again, 5, []),
         (fenced, 5, ["RosenblattFenced"])],
    )  # fmt: skip
    check_alerts(tmp_path, [(following, 5, []), (lost, 5, ["RosenblattStandbyBehind"])])


def test_tokens_that_cannot_be_used(tmp_path):
    path = tmp_path / "tokens"
    path.write_text(f"graphs metrics sha256:{sha256(TOKEN.encode()).hexdigest()}\n")
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with Served(tmp_path / "store", "--tokens", str(path)) as server:
        well = scrape(server, headers)
        path.write_text("nonsense")
        server.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + 20
        while not (stale := scrape(server, headers))["rosenblatt_tokens_stale"]:
            assert time.monotonic() < end
            time.sleep(0.05)
    assert well["rosenblatt_tokens_stale"] == 0
    check_alerts(tmp_path, [(well, 5, []), (stale, 5, ["RosenblattTokensStale"])])


# --- the files ------------------------------------------------------------------------------------


def expressions():
    """The expressions of the dashboard, without its variables."""
    queries = [target["expr"] for p in DASHBOARD["panels"] for target in p.get("targets", ())]
    queries += [note["expr"] for note in DASHBOARD["annotations"]["list"]]
    variables = [v["definition"] for v in DASHBOARD["templating"]["list"] if "definition" in v]
    chosen = [re.match(r"label_values\((.*), \w+\)$", query)[1] for query in variables]
    return [query.replace("$instance", ".*").replace("$model", ".*") for query in queries + chosen]


def test_rules_and_dashboard_name_only_metrics_that_exist(server):
    text = server.raw("GET", "/metrics")[2].decode()
    exist = set(re.findall(r"^# TYPE (\S+)", text, re.M)) | {
        name.partition("{")[0] for name in samples(text)
    }
    server.raw("GET", "/v1/models")  # its time makes the bins of a histogram
    histograms = re.findall(r"^# TYPE (\S+) histogram", text, re.M)
    exist |= {f"{name}_{end}" for name in histograms for end in ("bucket", "sum", "count")}
    used = {name for text in [ALERTS.read_text("utf-8"), *expressions()] for name in named(text)}
    assert used - exist == set()
    assert len(used) > 35
    own = {n for n in re.findall(r"^# TYPE (\S+)", text, re.M) if n.startswith("rosenblatt_model_")}
    assert own - used <= {"rosenblatt_model_examples", "rosenblatt_model_errors"}


def test_panels_have_a_place_of_their_own():
    cells = [
        (x, y)
        for at in (panel["gridPos"] for panel in DASHBOARD["panels"])
        for x in range(at["x"], at["x"] + at["w"])
        for y in range(at["y"], at["y"] + at["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))


def test_prometheus_understands_rules_configuration_and_dashboard(tmp_path):
    promtool("check", "rules", ALERTS)
    promtool("check", "config", "--syntax-only", ALERTS.parent / "prometheus.yml")
    rules = [{"record": f"panel:{j}", "expr": query} for j, query in enumerate(expressions())]
    (tmp_path / "panels.yml").write_text(json.dumps({"groups": [{"name": "all", "rules": rules}]}))
    promtool("check", "rules", tmp_path / "panels.yml")


def test_prometheus_understands_the_metrics_and_finds_nothing_to_mend(server):
    server.raw("GET", "/v1/models")
    text = server.raw("GET", "/metrics")[2]
    promtool("check", "metrics", stdin=text)


@pytest.mark.parametrize("rule", RULES, ids=[rule["alert"] for rule in RULES])
def test_an_alert_leads_to_its_section(rule):
    page, _, anchor = rule["annotations"]["runbook"].partition("#")
    assert page == "docs/howto/runbook.md"
    assert anchor == rule["alert"].lower()
    assert rule["labels"]["severity"] in ("page", "ticket")
    section = re.search(rf"^## {rule['alert']}\n(.*?)(?=^## |\Z)", RUNBOOK, re.M | re.S)[1]
    for part in ("**Means.**", "**Look.**", "**Do.**", "**Wake somebody**"):
        assert part in section, part


def test_the_runbook_has_no_other_alerts_and_each_fires_in_a_test():
    names = [rule["alert"] for rule in RULES]
    assert re.findall(r"^## (Rosenblatt\w+)$", RUNBOOK, re.M) == names
    fired = Path(__file__).read_text("utf-8")
    assert [name for name in names if f'"{name}"' not in fired] == []
