"""What deploy/ has: the mail scripts beside a real service, the unit, the image."""

import configparser
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import forked
import kubernetes_validate
import pytest
import yaml
from serving import Served

from rosenblatt.cli import main
from rosenblatt.serve.server import ANSWER_SECONDS, STOP_SECONDS

DEPLOY = Path(__file__).parents[2] / "deploy"
MAIL = b"""From: Ann <ann@example.org>
To: bob@example.org
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=
DKIM-Signature: v=1; b=abc

A prize for you, winner!
"""
TOKEN = "correct-horse-battery"


@pytest.fixture
def model(server, request):
    """The path of a new model."""
    name = re.sub(r"\W+", "-", request.node.name)[:60]
    server.post("/v1/models", {"name": name}, status=201)
    return f"/v1/models/{name}"


def run(script, *args, port, model, message=MAIL, token_file="there-is-none"):
    """Run a script; return its status, standard output and standard error."""
    env = {
        **os.environ,
        "ROSENBLATT_URL": f"http://127.0.0.1:{port}{model}",
        "ROSENBLATT_TOKEN_FILE": str(token_file),
        "http_proxy": "http://127.0.0.1:1",
    }
    process = forked.Forked(forked.script(DEPLOY / script, *args), env=env, stdin=message)
    out, error = process.communicate()
    return process.returncode, out, error


def ids(output):
    return re.findall(rb"^X-Spam-Id: (p\d+)\r?$", output, re.M)


def test_a_message_is_marked_and_no_other_byte_of_it_changes(server, model):
    for label, message in [("spam", MAIL), ("ham", MAIL.replace(b"prize", b"lunch"))] * 2:
        assert run("mail-learn", label, port=server.port, model=model, message=message)[0] == 0
    for message in (MAIL, MAIL.replace(b"\n", b"\r\n"), b"From ann Mon Nov 23\n" + MAIL):
        status, output, log = run("mail-filter", port=server.port, model=model, message=message)
        assert (status, log) == (0, "")
        end = rb"\r\n" if b"\r" in message else rb"\n"
        score = rb"X-Spam-Score: \d+\.\d{3}" + end  # positive: spam
        marks = rb"X-Spam: yes" + end + score + rb"X-Spam-Id: p\d+" + end
        without, count = re.subn(marks, b"", output)
        assert (count, without) == (1, message)
    lunch = MAIL.replace(b"prize", b"lunch")
    output = run("mail-filter", port=server.port, model=model, message=lunch)[1]
    assert b"X-Spam: no\nX-Spam-Score: -" in output


def test_a_message_without_a_word_has_no_verdict_and_teaches_nothing(server, model):
    assert run("mail-learn", "spam", port=server.port, model=model)[0] == 0
    for empty in (
        b"",
        b"\n",
        b"Received: from there\nDate: today\n\n \n",
        b"\n\n!!! ---\n",
        b"Date: today\nSubject: ?\n\na 1 !\n",
    ):
        asked = {"port": server.port, "model": model, "message": empty}
        assert run("mail-filter", **asked) == (0, empty, "")
        assert run("mail-learn", "ham", **asked)[0] == 0
    assert server.get(model)["labels"] == [["spam", 1]]


def test_marks_of_the_sender_are_removed_even_without_a_service(server, model):
    marks = b"x-spam: no\nX-Spam-Id: p1,\n folded\nX-SPAM-ID : p2\nX-Spam-Score: -9\n"
    body = b"\nX-Spam: in the text stays\n"
    message = marks + MAIL + body
    _, output, _ = run("mail-filter", port=server.port, model=model, message=message)
    assert output.count(b"X-Spam: no\n") == 1  # ours: the model knows nothing yet
    assert len(ids(output)) == 1
    assert output.endswith(MAIL + body)
    status, output, log = run("mail-filter", port=1, model=model, message=message)
    assert (status, output) == (0, MAIL + body)
    assert "mail-filter: " in log


def test_a_correction_goes_to_the_prediction_else_to_the_text(server, model):
    _, marked, _ = run("mail-filter", port=server.port, model=model)
    without_text = marked.partition(b"\n\n")[0] + b"\n\n"
    assert run("mail-learn", "spam", port=server.port, model=model, message=without_text)[0] == 0
    words = server.post(f"{model}/predict?explain=true", {"features": "prize winner"})
    assert words["label"] == "spam"
    assert server.get(f"{model}")["features"] > 5  # the words of the message, which had no text now
    gone = marked.replace(ids(marked)[0], b"p999999999999")
    assert run("mail-learn", "ham", port=server.port, model=model, message=gone)[0] == 0
    assert server.get(model)["labels"] == [["spam", 1], ["ham", 1]]


def test_what_cannot_be_learned_now_can_be_tried_again_and_a_refusal_cannot(server, model):
    assert run("mail-learn", "ham", port=1, model=model)[0] == 75
    status, _, log = run("mail-learn", "ham", port=server.port, model="/v1/models/none")
    assert status == 78
    assert "no model" in log
    assert run("mail-learn", "junk", port=server.port, model=model)[0] == 2


def test_the_scripts_bear_the_token(tmp_path):
    (tmp_path / "token").write_text(TOKEN + "\n")
    with Served(tmp_path / "store", "--token-file", str(tmp_path / "token")) as server:
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        assert server.raw("POST", "/v1/models", b'{"name": "mail"}', bearer)[0] == 201
        asked = {"port": server.port, "model": "/v1/models/mail"}
        assert ids(run("mail-filter", **asked)[1]) == []
        assert ids(run("mail-filter", **asked, token_file=tmp_path / "token")[1]) == [b"p1"]
        assert run("mail-learn", "ham", **asked, token_file=tmp_path / "token")[0] == 0


# --- the unit and the image ---------------------------------------------------------------------


def unit():
    parser = configparser.ConfigParser(interpolation=None, strict=False, comment_prefixes=("#",))
    parser.optionxform = str
    parser.read(DEPLOY / "rosenblatt.service")
    return parser


def instructions():
    """The instructions of the Dockerfile: pairs of a word and its argument."""
    text = (DEPLOY / "Dockerfile").read_text()
    lines = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text, flags=re.M)).splitlines()
    return [line.split(maxsplit=1) for line in lines if line]


def options_of_serve(words):
    """Parse a command line of the service; fails on an option that there is not."""
    name, *rest = words
    assert name == "serve"
    command = main.command.get_command(click.Context(main.command), "serve")
    return command.make_context("serve", rest).params


def test_the_unit_starts_the_service_with_a_token_and_little_else():
    service = unit()["Service"]
    program, *words = service["ExecStart"].split()
    options = options_of_serve(words)
    assert options["store"] == "${STATE_DIRECTORY}"
    assert options["token_file"] == "${CREDENTIALS_DIRECTORY}/token"
    assert options["host"] == "127.0.0.1"
    assert service["LoadCredential"] == "token:/etc/rosenblatt/token"
    for name in ("mail-filter", "mail-learn"):
        assert (DEPLOY / name).read_text().startswith(f"#!{Path(program).parent}/python\n")
    said = {"DynamicUser": "yes", "ProtectSystem": "strict", "NoNewPrivileges": "yes",
            "Restart": "on-failure", "StateDirectoryMode": "0700", "Type": "notify"}  # fmt: skip
    assert said.items() <= dict(service).items()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_understands_the_unit(tmp_path):
    program = unit()["Service"]["ExecStart"].split()[0]
    text = (DEPLOY / "rosenblatt.service").read_text().replace(program, sys.executable)
    (tmp_path / "rosenblatt.service").write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(tmp_path / "rosenblatt.service")],
        capture_output=True,
        text=True,
    )
    about_ours = [line for line in done.stderr.splitlines() if "rosenblatt.service" in line]
    assert (done.returncode, about_ours) == (0, []), done.stderr


def test_the_image_serves_as_a_user_of_its_own(server):
    steps = instructions()
    by_word = dict(steps)
    options = options_of_serve(json.loads(by_word["CMD"])[1:])
    assert options["store"] == by_word["VOLUME"]
    assert (options["host"], options["token_file"]) == ("0.0.0.0", "/run/secrets/token")
    assert str(options["port"]) == by_word["EXPOSE"]
    words = [word for word, _ in steps]
    assert words.index("USER") < words.index("CMD")
    for source in [words for w, a in steps if w == "COPY" for words in a.split()[:-1]]:
        assert (DEPLOY.parent / source).exists()
    check = json.loads(by_word["HEALTHCHECK"].partition("CMD")[2])
    for port, status in ((server.port, 0), (1, 1)):
        code = [part.replace("8000", str(port)) for part in check]
        done = subprocess.run([sys.executable, *code[1:]], capture_output=True)
        assert done.returncode == status, done.stderr


# --- Kubernetes ---------------------------------------------------------------------------------


def manifests():
    return list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))


@pytest.mark.parametrize("version", ["1.28", "1.31", "1.34"])
def test_kubernetes_takes_the_manifests(version):
    for manifest in manifests():
        kubernetes_validate.validate(manifest, version, strict=True)


@pytest.mark.parametrize("number", [1, 2], ids=["primary", "standby"])
def test_the_pod_serves_a_store_on_its_volume_and_has_time_to_end(number):
    service, pods = manifests()[0], manifests()[number]
    pod = pods["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    options = options_of_serve(container["args"][1:])
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    assert mounts[str(Path(options["store"]).parent)] == "store"
    assert mounts[str(Path(options["token_file"]).parent)] == "token"
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert {"name": mounts["/tmp"], "emptyDir": {}} in pod["volumes"]  # of a model file that comes
    assert (pods["spec"]["replicas"], options["host"]) == (1, "0.0.0.0")
    budgets = options["log_bytes"] + options["predictions_bytes"] + options["keys_bytes"]
    assert budgets < 20 * 2**30 / 2
    (port,) = container["ports"]
    assert port["containerPort"] == options["port"]
    assert service["spec"]["ports"][0]["targetPort"] == port["name"]
    ends = options["drain"] + STOP_SECONDS + ANSWER_SECONDS
    assert pod["terminationGracePeriodSeconds"] > 2 * ends


def test_its_probes_ask_what_the_service_answers(server):
    for pods in manifests()[1:]:
        (container,) = pods["spec"]["template"]["spec"]["containers"]
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            assert server.raw("GET", container[probe]["httpGet"]["path"])[0] == 200


def test_the_standby_follows_the_primary_and_differs_from_it_in_nothing_else():
    primary, standby = manifests()[1:]
    roles = ("--ship", "ship"), ("--standby", "standby")
    urls, labels = [], []
    for pods, (option, name) in zip((primary, standby), roles, strict=True):
        spec = pods["spec"]["template"]["spec"]
        (container,) = spec["containers"]
        urls.append(options_of_serve(container["args"][1:])[name])
        container["args"] = [word for word in container["args"] if not word.startswith(option)]
        seconds = container["livenessProbe"].pop("failureThreshold") * 10
        assert seconds >= (600 if name == "standby" else 60)
        (other,) = spec["affinity"]["podAntiAffinity"][
            "requiredDuringSchedulingIgnoredDuringExecution"
        ]
        own = pods["spec"]["template"]["metadata"]["labels"]
        assert other["labelSelector"]["matchLabels"].items() <= own.items()
        labels.append(own)
        assert pods["spec"].pop("selector")["matchLabels"] == own == pods["metadata"]["labels"]
        pods["spec"]["template"].pop("metadata")
    assert urls[0] == urls[1] != ""
    assert primary["spec"] == standby["spec"]
    assert labels[0] != labels[1]
    assert manifests()[0]["spec"]["selector"] == labels[0]


def test_the_page_promotes_the_standby_and_sends_the_requests_to_it():
    page = (DEPLOY.parent / "docs" / "howto" / "kubernetes.md").read_text("utf-8")
    standby = manifests()[2]
    (words,) = re.findall(r"^kubectl exec (\S+) -- rosenblatt promote (.*)$", page, re.M)
    assert words[0] == f"{standby['metadata']['name']}-0"
    command = main.command.get_command(click.Context(main.command), "promote")
    options = command.make_context("promote", words[1].split()).params
    (container,) = standby["spec"]["template"]["spec"]["containers"]
    serving = options_of_serve(container["args"][1:])
    assert options["token_file"] == serving["token_file"]
    assert options["address"] == f"http://localhost:{serving['port']}"
    (patch,) = re.findall(r"^kubectl patch service rosenblatt --patch '(.*)'$", page, re.M)
    assert json.loads(patch)["spec"]["selector"] == standby["metadata"]["labels"]
    secrets = re.findall(r"^kubectl create secret generic (\S+) ", page, re.M)
    of_bucket = container["envFrom"][0]["secretRef"]["name"]
    of_token = standby["spec"]["template"]["spec"]["volumes"][0]["secret"]["secretName"]
    assert secrets == [of_token, of_bucket]
