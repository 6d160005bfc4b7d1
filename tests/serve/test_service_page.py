"""docs/service.md: its blocks run against real servers, and its limits are those of the code."""

import re
import shutil

import pytest
from bash_page import ROOT, check_blocks

from rosenblatt.serve import schema, served
from rosenblatt.serve.encoded.form import MAX_PRODUCTS
from rosenblatt.serve.http.codings import MAX_UNPACKED
from rosenblatt.serve.http.endpoints.learn import MAX_KEY
from rosenblatt.serve.http.endpoints.lists import MAX_PAGE
from rosenblatt.serve.wire import protocol

PAGE = (ROOT / "docs" / "service.md").read_text("utf-8")


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="needs curl and jq")
def test_the_blocks_of_the_page_run_and_print_what_follows(tmp_path):
    check_blocks(PAGE, tmp_path)


def test_the_page_names_the_addresses_whose_connections_are_not_counted():
    assert f"Connections from {' and '.join(protocol.OWN)}, " in PAGE


def test_the_limits_of_the_page_are_those_of_the_code():
    section = PAGE.partition("## Limits")[2].partition("\n##")[0]
    table = dict(re.findall(r"^\| (.*?) \| (\d[\d,.e]*)", section, re.M))
    limits = {
        "features of one row": schema.MAX_FEATURES,
        "characters of a name, a label or a value that is text": schema.MAX_WORD,
        "characters of a row that is a text, or of a column of texts": schema.MAX_TEXT,
        "features that the interactions of a row of JSON lines make": MAX_PRODUCTS,
        "rows of a list": schema.MAX_LIST,
        "models or records of a page": MAX_PAGE,
        "bytes of a body, and of a line": schema.MAX_BODY,
        "bytes of a model file": schema.MAX_FILE,
        "labels of a model": schema.MAX_LABELS,
        "names of a model": schema.MAX_NAMES,
        "weights of a model, its labels times its names": schema.MAX_WEIGHTS,
        "size of a value and of a weight": schema.LARGEST,
        "printable ASCII characters of an Idempotency-Key, without a space": MAX_KEY,
        "bytes of the head of a request, or of what is no body between two parts of one": (
            protocol.MAX_HEAD
        ),
        "header lines of a request": protocol.MAX_HEADERS,
        "requests of a connection that wait for one before": protocol.MAX_WAITING,
        "requests that learn and wait for the disk": served.QUEUED,
        "bytes of their examples, but for the last request": served.QUEUED_BYTES,
        "bytes that lines of gzip may become": MAX_UNPACKED,
        "connections of one address (of IPv6: of its first 64 bits)": protocol.MAX_CONNECTIONS,
        "silence within a body": protocol.BODY_SECONDS,
        "silence of a connection, and time for the head of a request": protocol.IDLE_SECONDS,
        "time in which a client takes nothing of its answer": protocol.WRITE_SECONDS,
    }
    assert {of: float(most.strip(",").replace(",", "")) for of, most in table.items()} == limits
