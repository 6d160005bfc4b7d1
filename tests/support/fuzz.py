"""Fuzzing of what reads hostile text, guided by the branches that the core takes: ``make fuzz``.

Run: python tests/support/fuzz.py [TARGET …] [--seconds 600]. The core is that of ``make sanitize``,
with a counter at each branch; atheris (libFuzzer) makes the inputs. Each target compares what the
core reads with plain Python, or lets errors of its own kind pass. Inputs that took a new branch
are kept in ``build/fuzz/TARGET``, where the next run begins.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import sanitize

FOLDER = sanitize.ROOT / "build" / "fuzz"


def delimited(data, folder):
    """CSV with quotes: the same rows and the same error, however the text is cut into batches."""
    from rosenblatt.streams import DataError, open_stream

    path = Path(folder, "a.csv")
    path.write_bytes(b"a,b,y\n" + data[1:])
    schema = {"a": "number", "b": "category", "y": "label"}
    found = []
    for size in (1 << 20, 1 + data[0] % 64):
        rows, error = [], None
        try:
            for batch in open_stream(path, format="csv", schema=schema, batch_bytes=size):
                matrix = batch.X.tocsr()
                for i, label in enumerate(batch.y):
                    row = matrix[[i]]
                    rows.append((str(label), row.indices.tolist(), row.data.tolist()))
        except DataError as problem:
            error = str(problem)
        found.append((rows, error))
    assert repr(found[0]) == repr(found[1])


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

    def target(data, folder):
        import damage

        damage.check(
            random.Random(data[0]), format, damage.FIRST[format] + b"\n" + data[1:], folder
        )

    return target


TARGETS = {
    "svmlight": text_target("svmlight"),
    "vw": text_target("vw"),
    "jsonl": text_target("jsonl"),
    "delimited": delimited,
    "decimals": decimals,
    "names": names,
    "examples": examples,
}


def seeds(name):
    """Write the first inputs of a target."""
    import damage

    corpus = FOLDER / name
    corpus.mkdir(parents=True, exist_ok=True)
    for seed in range(20):
        r = random.Random(seed)
        text = bytes([seed])
        if name in damage.LINES:
            text += damage.text_of(r, name)
        elif name == "delimited":
            text += b'a,b\n1,"x, ""y"""\n-2.5e-3,z\n,\n'
        elif name == "examples":
            text = b',"b":"x","c":true},"label":"spam","weight":%d.5}' % seed
        else:
            text += repr(r.uniform(-1, 1) * 10.0 ** r.randrange(-320, 308)).encode()
        Path(corpus, f"seed{seed}").write_bytes(text)


def child(name, seconds):
    """Fuzz one target in this process, whose libraries :func:`main` loaded."""
    import ctypes

    import atheris
    from atheris import core_with_libfuzzer

    import rosenblatt._core

    core = ctypes.CDLL(rosenblatt._core.__file__)
    fuzzer = ctypes.CDLL(core_with_libfuzzer.__file__)
    table = (ctypes.c_uint8 * 2**16).in_dll(core, "branch_counters")
    start = ctypes.addressof(table)
    fuzzer.__sanitizer_cov_8bit_counters_init(
        ctypes.c_void_p(start), ctypes.c_void_p(start + 2**16)
    )
    seeds(name)
    with tempfile.TemporaryDirectory() as folder:

        def test_one(data):
            if data:
                TARGETS[name](data, folder)

        arguments = [f"-max_total_time={seconds}", "-max_len=512", "-timeout=20", "-rss_limit_mb=0"]
        arguments += [f"-artifact_prefix={FOLDER}/{name}-", str(FOLDER / name)]
        atheris.Setup([sys.argv[0], *arguments], test_one, enable_python_coverage=False)
        atheris.Fuzz()


def main():
    """Build the core with counters, and fuzz each target for its time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", default=list(TARGETS), metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options.targets[0], options.seconds)
    first = sanitize.runtimes()
    sanitize.BUILD = FOLDER / "core"
    sanitize.PACKAGE = FOLDER / "package"
    sanitize.build("-DCOUNT_BRANCHES=ON")
    sanitize.link()
    environment = os.environ | sanitize.STOPS
    environment |= {"LD_PRELOAD": first, "PYTHONPATH": str(sanitize.PACKAGE)}
    failed = []
    for name in options.targets:
        command = [sys.executable, __file__, name, "--child", "--seconds", str(options.seconds)]
        if subprocess.run(command, env=environment).returncode:
            failed.append(name)
    print(f"Found something in: {', '.join(failed)}." if failed else "Nothing was found.")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
