"""Damage one bit, sector or file of a store, start it, and say what became of it.

Run: python tests/support/attack_store.py [--rounds N] [--seed S] [--only DAMAGE]

A round ends as "refused" (a StoreError at the start), "found when read" (a StoreError later), or
"no effect" (all answers and weights are those of the whole store). Everything else is a fault:
another answer is silently wrong, and another exception is a bug. ``rosenblatt check`` must find
what a start refuses, and must change nothing.
"""

import argparse
import random
import shutil
import tempfile
import traceback
from collections import Counter
from pathlib import Path

import apsw
from service_runs import learn_rows, run_apart

from rosenblatt.learning.models import files
from rosenblatt.serve import changes
from rosenblatt.serve.erasure import deletion
from rosenblatt.serve.errors import StoreError, explain
from rosenblatt.serve.schema import NewModel, Shadow
from rosenblatt.serve.served import Key
from rosenblatt.serve.service import Service
from rosenblatt.serve.store.check import check_store
from rosenblatt.serve.store.database import Database
from rosenblatt.serve.store.log import LAST
from rosenblatt.serve.store.search import find_records

FILES = {"store.db": 8, "store.db-wal": 8, "head": 2, "store.db-shm": 1, "lock": 1}
"""Names, and how often they are damaged."""
DAMAGES = {"bit": 12, "zeros": 2, "zero page": 2, "noise": 2, "truncated": 2, "deleted": 1}
KEYS = [f"key {j}" for j in range(0, 60, 7)]
LONG = "a long text " * 900  # of several pages


class RefusedStartError(Exception):
    """A damaged store was not started."""


class SilentlyWrongError(Exception):
    """A damaged store gave another answer, and said nothing."""


def text(j):
    """A text of few words."""
    return f"word{j % 11} word{j * 7 % 13} text {j}"


async def build(folder, killed):
    """Fill a store with everything that a store may have, and copy it: stopped, and as killed."""
    database = Database(folder)
    service = Service(database)
    service.restore()
    await service.start()
    for name, rule in {"mail": "pa1", "rows": "arow", "gone": "perceptron"}.items():
        await service.create(NewModel(name, {"rule": rule}))
    mail, rows, gone = (service.model(name) for name in ("mail", "rows", "gone"))
    for j in range(60):
        key = Key(f"key {j}", b"digest") if f"key {j}" in KEYS else None
        await learn_rows(service, mail, [(text(j), ("ham", "spam")[j % 3 == 0], 1.0)], key)
        if j % 25 == 20:
            await changes.take_snapshot(service, mail)
    await learn_rows(service, rows, [([j % 7, -1.0 * j], j % 2 == 0, 1.0) for j in range(30)])
    await learn_rows(service, gone, [({"a": 1.0}, "x", 1.0), ({"b": 1.0}, "y", 1.0)])
    await deletion.delete(service, "gone")
    for name in ("one", "two"):
        await changes.add_shadow(service, mail, Shadow(name, {"rule": "arow"}))
    await changes.promote_shadow(service, mail, "two")
    await learn_rows(service, mail, [(text(j), "spam", 1.0) for j in range(60, 70)])
    ids = [service.predict(mail, row).id for row in ("a text", {"a": 1.0, "b": "red"}, LONG)]
    await changes.erase(service, mail, 5)
    await changes.roll_back(service, mail, 40)
    await changes.take_snapshot(service, rows)
    database.journal.empty_journal()
    await learn_rows(service, mail, [(LONG, "ham", 1.0)], Key("long", b"digest"))
    for j in range(70, 90):  # these are in the journal alone
        await learn_rows(service, mail, [(text(j), ("ham", "spam")[j % 3 == 0], 1.0)])
        await learn_rows(
            service, rows, [([1.0 * j, 2.0], j % 2 == 0, 1.0)], Key(f"row {j}", b"digest")
        )
    ids += [service.predict(mail, text(j)).id for j in range(5)]
    await service.writer.barrier()
    shutil.copytree(folder, killed)
    await service.stop()
    database.close()
    return ids


async def answers(folder, ids):
    """Return all that a service answers, and what it has learned after one more example.

    Raises
    ------
    RefusedStartError
        The store is damaged: it says so at the start.
    StoreError
        It says so later.
    """
    try:
        database = Database(folder)
        service = Service(database)
        service.restore()
    except StoreError as error:
        raise RefusedStartError from error
    try:
        await service.start()
        try:
            return await _answers(service, ids)
        finally:
            await service.stop()
    except apsw.Error as error:  # an answer over HTTP says the same
        if (message := explain(error)) is None:
            raise
        raise StoreError(message) from error
    finally:
        database.close()


async def _answers(service, ids):
    await changes.start_shadows(service)
    found = {"ids": service.kept_rows.ids}
    for name, model in service.models.items():
        about = service.about(model)
        log = model.log(service.reader)
        found[name] = [about, list(log.read()), *states(model), log.head(about.version)]
        found[name] += [service.versions(model), model.live.progress.snapshot()]
        for version in {1, 2, about.version // 2, about.version}:
            live = await service.compute(model, version)
            found[name].append(files.to_bytes(live.model) if live.model.classes_ else None)
    mail, rows = service.models["mail"], service.models["rows"]
    found["features"] = [service.features_of(mail, prediction) for prediction in ids]
    found["found"] = find_records(mail.log(service.reader), "word3", LAST, 100)
    for model, keys in ((mail, [*KEYS, "long"]), (rows, [f"row {j}" for j in range(70, 90)])):
        for key in keys:
            row = (text(1), "ham", 1.0) if model is mail else ([0.0, 1.0], True, 1.0)
            found[key] = await learn_rows(service, model, [row], Key(key, b"digest"))
        await learn_rows(service, model, [row])
        found[model.name] += states(model)
    return found


def states(model):
    """Return the weights of a model and of its shadows."""
    lives = {"": model.live, **model.shadows}
    return [(name, files.to_bytes(live.model)) for name, live in lives.items()]


def damage(folder, rng, only=None):
    """Damage a file of a folder; return what was done, in words. ``only`` is the one damage."""
    names = [name for name in FILES if (folder / name).exists()]
    name = rng.choices(names, [FILES[name] for name in names])[0]
    kind = only or rng.choices(list(DAMAGES), DAMAGES.values())[0]
    path = folder / name
    data = bytearray(path.read_bytes())
    at = rng.randrange(len(data)) if data else 0
    if kind == "deleted" or not data:
        path.unlink()
    elif kind == "truncated":
        path.write_bytes(data[:at])
    else:
        size = {"bit": 1, "zeros": 512, "zero page": 4096, "noise": 512}[kind]
        if kind == "zero page" and name == "store.db-wal":
            at = 32 + max(0, at - 32) // 4120 * 4120 + 24
        elif kind != "bit":
            at -= at % size
        part = data[at : at + size]
        if kind == "bit":
            part[0] ^= 1 << rng.randrange(8)
        else:
            part = rng.randbytes(len(part)) if kind == "noise" else bytes(len(part))
        data[at : at + size] = part
        path.write_bytes(data)
    return f"{name}: {kind} at {at:,}"


class Attack:
    """A whole store, stopped and killed, and what it answers.

    Parameters
    ----------
    folder : path
        Where copies may be made.
    """

    def __init__(self, folder):
        self.folder = folder
        self.ids = run_apart(build(folder / "stopped", folder / "killed"))
        self.expected = {}
        for state in ("stopped", "killed"):
            copy = self.copy(state)
            assert check_store(copy).faults == []
            self.expected[state] = run_apart(answers(copy, self.ids))

    def copy(self, state):
        """Return a copy of a store."""
        copy = self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.folder / state, copy)
        return copy

    def run(self, rng, only=None):
        """Damage a copy; return what became of it.

        Raises
        ------
        SilentlyWrongError
            With what was done.
        """
        state = rng.choice(["stopped", "killed", "killed"])
        copy = self.copy(state)
        what = f"{state}, {damage(copy, rng, only)}"
        before = {path: path.read_bytes() for path in copy.iterdir()}
        try:
            faults = check_store(copy).faults
        except StoreError as error:
            faults = [str(error)]
        if {path: path.read_bytes() for path in copy.iterdir()} != before:
            raise SilentlyWrongError(f"{what}: check changed the store")
        try:
            found = run_apart(answers(copy, self.ids))
        except (RefusedStartError, StoreError) as error:
            if not faults:
                raise SilentlyWrongError(f"{what}: check does not find {error!r}") from error
            return "found when read" if isinstance(error, StoreError) else "refused"
        if found != self.expected[state]:
            raise SilentlyWrongError(what)
        return "no effect, found by check" if faults else "no effect"


def attack(rounds, seed, say=lambda text: None, only=None):
    """Damage a store many times; return how often each thing came of it, and the faults."""
    rng, counts, faults = random.Random(seed), Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        target = Attack(Path(folder))
        for turn in range(rounds):
            try:
                counts[target.run(rng, only)] += 1
            except SilentlyWrongError as error:
                counts["SILENT"] += 1
                faults.append(f"round {turn}: {error}")
                say(faults[-1])
            except Exception as error:
                counts["BUG"] += 1
                faults.append(f"round {turn}: {''.join(traceback.format_exception(error))}")
                say(faults[-1])
            if turn % 100 == 99:
                say(f"{turn + 1} rounds: {dict(counts)}")
    return counts, faults


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=DAMAGES, help="do this damage alone")
    options = parser.parse_args()
    counts, faults = attack(options.rounds, options.seed, print, options.only)
    print(dict(counts))
    raise SystemExit(bool(faults))
