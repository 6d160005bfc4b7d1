"""Changes of model files with valid checksums: what is wrong is the content alone."""

import json

from safetensors import safe_open
from safetensors.numpy import save_file

from rosenblatt.learning.models import files


def rewrite(path, change):
    """Apply ``change`` to the header and the arrays of a file, and write valid checksums."""
    with safe_open(path, "np") as file:
        header = json.loads(file.metadata()["rosenblatt"])
        tensors = file.get_tensors() if hasattr(file, "get_tensors") else None
        tensors = tensors or {name: file.get_tensor(name) for name in list(file.keys())}
    change(header, tensors)
    with_checksums(path, header, tensors)


def with_checksums(path, header, tensors):
    """Write a model file of this header and these arrays, with valid checksums."""
    header["sha256"] = files._arrays_digest(tensors)
    header["seal"] = files._header_digest(header)
    save_file(tensors, path, {"rosenblatt": json.dumps(header)})


def put(*place, value):
    """Change one entry of the header."""

    def change(header, tensors):
        for key in place[:-1]:
            header = header[key]
        header[place[-1]] = value

    return change


def drop(*place):
    def change(header, tensors):
        for key in place[:-1]:
            header = header[key]
        del header[place[-1]]

    return change


def array(name, value):
    return lambda header, tensors: tensors.__setitem__(name, value)


def without(name):
    return lambda header, tensors: tensors.pop(name)
