"""Prometheus' own checker: of rules, of expressions, and of alerts on recorded metrics."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ALERTS = Path(__file__).parents[2] / "deploy" / "prometheus" / "alerts.yml"
STEP = 15  # seconds between two scrapes, as in deploy/prometheus/prometheus.yml
JOB = 'job="rosenblatt",instance="here:8000"'


def promtool(*words, stdin=None):
    """Run promtool; skip without it, or fail where ROSENBLATT_REQUIRE_PROMTOOL is set."""
    program = shutil.which("promtool")
    if program is None:
        if os.environ.get("ROSENBLATT_REQUIRE_PROMTOOL"):
            pytest.fail("ROSENBLATT_REQUIRE_PROMTOOL is set, but the machine has no promtool")
        pytest.skip("needs promtool, of Debian's package prometheus")
    done = subprocess.run([program, *map(str, words)], input=stdin, capture_output=True)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()


def samples(text):
    """The series of a scrape: name with labels, and value."""
    lines = [line.rsplit(" ", 1) for line in text.splitlines() if line and line[0] != "#"]
    return {series: float(value) for series, value in lines}


def scrape(server, headers=None):
    """The series of a running service, as Prometheus stores them; without an answer, "up" alone."""
    try:
        status, _, data = server.raw("GET", "/metrics", headers=headers)
    except OSError:
        status, data = 0, b""
    found = samples(data.decode()) if status == 200 else {}
    return {"up": float(status == 200), **found}


def check_alerts(folder, parts):
    """Play a recording to the rules: of each part only the alerts that it names fire at its end.

    A part is a scrape, the minutes for which a service says the same, and names of alerts.
    """
    counts = [minutes * 60 // STEP for _, minutes, _ in parts]
    series = {name for scraped, *_ in parts for name in scraped}
    values = {
        name: [
            f"{scraped.get(name, '_')}"
            for (scraped, *_), count in zip(parts, counts, strict=True)
            for _ in range(count)
        ]
        for name in series
    }
    test = {
        "interval": f"{STEP}s",
        "input_series": [
            {"series": _labelled(name), "values": " ".join(own)} for name, own in values.items()
        ],
        "promql_expr_test": [
            {
                "expr": 'group by (alertname) (ALERTS{alertstate="firing"})',
                "eval_time": f"{STEP * (sum(counts[: k + 1]) - 1)}s",
                "exp_samples": [
                    {"labels": f'{{alertname="{name}"}}', "value": 1} for name in names
                ],
            }
            for k, (*_, names) in enumerate(parts)
        ],
    }
    path = folder / "recorded.yml"
    rules = {"rule_files": [str(ALERTS)], "evaluation_interval": f"{STEP}s", "tests": [test]}
    path.write_text(json.dumps(rules))  # JSON is YAML
    promtool("test", "rules", path)


def _labelled(series):
    """A series with the labels that Prometheus adds to each of a target."""
    name, _, labels = series.partition("{")
    return f"{name}{{{JOB}{',' if labels else '}'}{labels}"


def named(text):
    """The metrics that an expression or a document names."""
    return set(re.findall(r"\b(?:rosenblatt|process)_\w+", text))
