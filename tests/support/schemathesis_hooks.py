"""Hooks of schemathesis: paths of models that exist, and bodies of lines."""

import json
import random
import re

import schemathesis

MODELS = ("named", "text", "dense")


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    """Put the name of a model that exists in the place of most generated names."""
    name = (path_parameters or {}).get("model", "")
    rng = random.Random(name)
    if re.fullmatch("[A-Za-z0-9][A-Za-z0-9._-]*", name) and rng.random() < 0.8:
        path_parameters["model"] = rng.choice(MODELS)
    return path_parameters


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    """Send a generated value on two lines, and one that is cut off."""
    line = json.dumps(value).encode()
    return b"\n".join([line, line, line[:-1]])
