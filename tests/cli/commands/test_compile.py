"""``rosenblatt compile`` says that nothing needs compiling, with the arguments that it once had."""

import json

import pytest


@pytest.mark.parametrize("arguments", [[], ["csv", "online", "--rule", "perceptron"]])
def test_nothing_needs_compiling(call, arguments):
    status, out, err = call("compile", *arguments)
    assert (status, out) == (0, "")
    assert "nothing needs compiling" in err


def test_a_script_reads_an_object_without_seconds(call):
    status, out, _ = call("compile", "--json")
    assert (status, json.loads(out)) == (0, {"seconds": {}, "folder": None})
