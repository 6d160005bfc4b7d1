"""What the fuzzers try of the core: texts of rows, numbers, names, examples of the service.

What the core reads is compared with plain Python.
"""

import math
import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Target(NamedTuple):
    """A check of what a reader makes of bytes, and bytes from which the search begins.

    ``check(data, folder)`` fails where something is wrong; the folder is for its files.
    """

    check: Callable[[bytes, str], None]
    seeds: Callable[[], list[bytes]]
    most: int = 512
    """Bytes of the longest input that is tried."""


@contextmanager
def may_refuse(where: object, *kinds: type[Exception]) -> Iterator[None]:
    """Let errors of these kinds pass, which say where."""
    message = str(where)
    try:
        yield
    except kinds as error:
        message = str(error)
    assert str(where) in message


def delimited(data, folder):
    """CSV with quotes: the same rows and the same error, however the text is cut into batches."""
    schema = {"a": "number", "b": "category", "y": "label"}
    same_rows(Path(folder, "a.csv"), b"a,b,y\n" + data[1:], data[0], format="csv", schema=schema)


def same_rows(path, text, first, **options):
    """Read a text as a whole and in small batches: both have the same rows and the same error.

    Labels are the exception: where some are numbers and others not, a batch of numbers alone has
    numbers, and the next one is refused.
    """
    from scipy.sparse import csr_array

    from rosenblatt.streams import DataError, open_stream

    path.write_bytes(text)
    found = []
    for size in (1 << 20, 1 + first % 64):
        rows, error = [], None
        try:
            for batch in open_stream(path, batch_bytes=size, **options):
                matrix = csr_array(batch.X)
                assert all(map(math.isfinite, matrix.data))
                for i, label in enumerate(batch.y):
                    row = matrix[[i]]
                    rows.append((plain(label), row.indices.tolist(), row.data.tolist()))
        except DataError as problem:
            error = str(problem)
        found.append((rows, error))
    if "labels of mixed types" not in str(found[1][1]):
        assert repr(found[0]) == repr(found[1])


def plain(label):
    """A label as a number, if it is one: whole numbers of a batch are no floats."""
    try:
        return float(label)
    except ValueError:
        return str(label)


def decimals(data, folder):
    """A number is the float nearest to its decimal, as ``float`` has it."""
    from rosenblatt.streams import DataError, open_stream

    path = Path(folder, "a.svm")
    token = re.split(rb"[\0-\x20#]", data)[0]
    path.write_bytes(b"1 1:" + token + b"\n")
    try:
        found = float(open_stream(path, format="svmlight").read()[0].data[0])
    except (DataError, IndexError):
        return
    assert repr(found) == repr(float(token)), token


def names(data, folder):
    """A dict row has the features that plain Python gives it, and a bad one is refused as there."""
    import atheris

    from rosenblatt import OnlinePerceptron

    provider = atheris.FuzzedDataProvider(data)
    makers = (
        lambda: provider.ConsumeFloat(),
        lambda: provider.ConsumeInt(9),
        lambda: provider.ConsumeUnicode(6),
        lambda: provider.ConsumeBool(),
        lambda: None,
        lambda: [provider.ConsumeUnicode(3)] * provider.ConsumeIntInRange(0, 3),
        lambda: {provider.ConsumeUnicode(2): provider.ConsumeFloat()},
        lambda: provider.ConsumeBytes(3),
    )
    one, many = OnlinePerceptron(), OnlinePerceptron()
    while provider.remaining_bytes():
        row = {
            provider.ConsumeUnicode(4): makers[provider.ConsumeIntInRange(0, len(makers) - 1)]()
            for _ in range(provider.ConsumeIntInRange(0, 6))
        }
        label = provider.ConsumeBool()
        errors = []
        for learn in (lambda: one.learn_one(row, label), lambda: many.learn_many([row], [label])):  # noqa: B023
            try:
                learn()
                errors.append(None)
            except (ValueError, TypeError) as error:
                errors.append(type(error))
        assert errors[0] == errors[1], (row, errors)
        if errors[0] is None:
            assert one.predict_one(row) == many.predict_many([row])[0], row


def examples(data, folder):
    """A line that the core takes for the service is what msgspec and the schema take of it."""
    import msgspec

    from rosenblatt._core.json import ExampleParser
    from rosenblatt._core.names import Encoder
    from rosenblatt.learning.online.features import one_hot
    from rosenblatt.serve import schema
    from rosenblatt.serve.store.log import encode_body

    line = b'{"features":{"a":1' + data.replace(b"\n", b" ")
    parser = ExampleParser(schema.MAX_FEATURES, schema.MAX_WORD, schema.LARGEST)
    block, left = parser.parse([line])
    if left:
        return
    example = msgspec.json.Decoder(schema.Example).decode(line)
    schema.check_example(example)
    assert block.bodies == encode_body((example.features, example.label, example.weight))
    assert [*map(repr, block.labels)] == [repr(example.label)]
    assert block.weights(0, 1) == [example.weight]
    ours, theirs = (Encoder({}, None, lambda row, i: one_hot(row), 0) for _ in range(2))
    ours.encode_row(block, 0, True)
    theirs.encode(example.features, True)
    for a, b in zip(ours.arrays(), theirs.arrays(), strict=True):
        assert a.tobytes() == b.tobytes()


def text_target(format):
    """The differential check of a format of lines, on text that the fuzzer made."""

    def check(data, folder):
        import damage

        damage.check(
            random.Random(data[0]), format, damage.FIRST[format] + b"\n" + data[1:], folder
        )

    def seeds():
        import damage

        return [bytes([k]) + damage.text_of(random.Random(k), format) for k in range(20)]

    return Target(check, seeds)


def numbers():
    r = random.Random(0)
    return [repr(r.uniform(-1, 1) * 10.0 ** r.randrange(-320, 308)).encode() for _ in range(20)]


TARGETS = {
    "svmlight": text_target("svmlight"),
    "vw": text_target("vw"),
    "jsonl": text_target("jsonl"),
    "delimited": Target(delimited, lambda: [b'\7a,b\n1,"x, ""y"""\n-2.5e-3,z\n,\n']),
    "decimals": Target(decimals, numbers),
    "names": Target(names, numbers),
    "examples": Target(examples, lambda: [b',"b":"x","c":true},"label":"spam","weight":2.5}']),
}
