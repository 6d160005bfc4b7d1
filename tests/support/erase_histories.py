"""Erase a value after random histories: it is in no byte of the folder, or the answers name where.

Run: python tests/support/erase_histories.py [HISTORIES] [SEED]

A history learns, predicts, adds and promotes shadows, rolls back, takes snapshots, gets model files
and puts them, deletes, restores and purges models, and restarts, with a replica that
follows. Then every example that has the value is erased. What ``rosenblatt check --find`` finds
must be what the answers named; when the files that they named are erased, too, it finds nothing.
"""

import random
import sys
import tempfile
from pathlib import Path

from service_runs import learn_rows, run_apart

from rosenblatt.serve import changes
from rosenblatt.serve.erasure import deletion
from rosenblatt.serve.erasure.find import find_value
from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.schema import NewModel, Shadow
from rosenblatt.serve.served import Key
from rosenblatt.serve.service import Service
from rosenblatt.serve.shipping.replica import Replica
from rosenblatt.serve.store.check import check_store
from rosenblatt.serve.store.database import Database
from rosenblatt.serve.store.log import Kind, decode_row

SECRET = "kryptonite4711"
NAMES = ("a", "b", "c")
STEPS = 40


def secret_row(rng):
    """A row that has the value somewhere, and its label."""
    features, label = rng.choice(
        [
            (f"a text of {SECRET}", "ham"),
            (f"a text of {SECRET} " * 400, "spam"),  # of several pages
            ({SECRET: 1.0, "other": 2.0}, "ham"),
            ({"from": SECRET, "size": 3.0}, "spam"),
            ("a text", SECRET),
        ]
    )
    return features, label, 1.0


def turned(features):
    """The same row in another spelling."""
    if isinstance(features, str):
        return features.upper()
    return dict(reversed(features.items()))


class History:
    """A service, and what happens to it by chance."""

    def __init__(self, folder, rng):
        self.folder, self.rng, self.count = folder, rng, 0
        self.steps = [getattr(self, name) for name in dir(self) if name.startswith("do_")]
        self.steps += [self.do_learn] * 4
        self.done, self.remains = [], set()

    async def start(self):
        """Start the service and its replica."""
        self.service = Service(Database(self.folder))
        self.service.restore()
        await self.service.start()
        await changes.start_shadows(self.service)
        self.replica = Replica(Database(self.folder, readonly=True))
        self.replica.restore()
        await self.replica.start()

    async def stop(self):
        """Stop both."""
        await self.replica.stop()
        self.replica.reader.close()
        self.replica.database.close()
        await self.service.stop()
        self.service.database.close()

    def model(self):
        """A model that is not deleted; None if there is none."""
        models = list(self.service.models.values())
        return self.rng.choice(models) if models else None

    async def run(self):
        """Take all steps."""
        for _ in range(STEPS):
            step = self.rng.choice(self.steps)
            self.done.append(step.__name__[3:])
            try:
                await step()
            except RefusedError as error:
                self.done[-1] += f" ({error})"

    async def do_create(self):
        await self.service.create(NewModel(self.rng.choice(NAMES), {"rule": "pa1"}))

    async def do_learn(self):
        if model := self.model():
            self.count += 1
            rows = [(f"word{j} of {self.count}", "ham", 1.0) for j in range(3)]
            rows.append((f"another {self.count}", "spam", 1.0))
            if self.rng.random() < 0.5:
                rows.append(secret_row(self.rng))
            key = Key(str(self.count), b"digest") if self.rng.random() < 0.5 else None
            await learn_rows(self.service, model, rows, key)
            if rows[-1][1] != SECRET:
                self.service.predict(model, turned(rows[-1][0]))

    async def do_add_shadow(self):
        if model := self.model():
            name = self.rng.choice("st")
            await changes.add_shadow(self.service, model, Shadow(name, {"rule": "arow"}))

    async def do_promote(self):
        if model := self.model():
            await changes.promote_shadow(self.service, model, self.rng.choice("st"))

    async def do_roll_back(self):
        if model := self.model():
            version = self.rng.randrange(model.live.version + 1)
            await changes.roll_back(self.service, model, version)

    async def do_snapshot(self):
        if model := self.model():
            await changes.take_snapshot(self.service, model)

    async def do_put(self):
        if model := self.model():
            data, target = await changes.get_file(model), self.model()
            version = await changes.put_file(self.service, target, data)
            if SECRET.encode() in data and not secrets_of(self.service, model):
                self.remains.add((target.name, version))  # copied from a file that was named

    async def do_predict_earlier(self):
        if model := self.model():
            await self.service.at(model, self.rng.randrange(model.live.version + 1))

    async def do_delete(self):
        await deletion.delete(self.service, self.rng.choice(NAMES))

    async def do_restore(self):
        await deletion.bring_back(self.service, self.rng.choice(NAMES))

    async def do_purge(self):
        if model := self.model():
            for version in secrets_of(self.service, model):  # its files may be in other models
                await self.erase(model, version)
            await deletion.delete(self.service, model.name)
            await deletion.purge(self.service, model.name)

    async def do_erase(self):
        if (model := self.model()) and (versions := secrets_of(self.service, model)):
            await self.erase(model, self.rng.choice(versions))

    async def erase(self, model, version):
        """Erase a version, and note what the answer names."""
        for place in await changes.erase(self.service, model, version):
            self.remains.add((place.model, place.version))

    async def do_restart(self):
        await self.stop()
        await self.start()

    async def erase_all(self):
        """Erase all examples that have the value."""
        for name in list(self.service.deleted):
            await deletion.bring_back(self.service, name)
        for model in self.service.models.values():
            for version in secrets_of(self.service, model):
                await self.erase(model, version)


def secrets_of(service, model):
    """Versions of the examples of a model that have the value."""
    records = model.log(service.reader).read(model.log(service.reader).bounds()[0] - 1)
    return [
        record.version
        for record in records
        if record.kind == Kind.EXAMPLE and SECRET in repr(decode_row(record.body))
    ]


async def erase_after_a_history(folder, rng):
    """Run a history, erase the value, and check that it is gone.

    Return in how many places it was before the files that the answers named were erased, too.
    """
    history = History(folder, rng)
    await history.start()
    await history.run()
    try:
        return await _erase(history, folder)
    except BaseException:
        print(*history.done, sep="\n")
        raise


async def _erase(history, folder):
    await history.erase_all()
    remains = history.remains
    await history.stop()
    places = places_of(folder)
    for place in places:
        if "version" in place and place.startswith("table log"):
            named = any(f"model {m!r}, version {v}" in place for m, v in remains)
            assert named, f"{place} was not named: {remains}"
        elif not place.startswith(str(folder)):  # a snapshot or model that came of a file
            named = any(f"model {m!r}" in place for m, _ in remains)
            assert named, f"{place} was not named: {remains}"
    assert remains or not places
    await history.start()
    for name, model in history.service.models.items():
        for change in history.service.versions(model).changes:
            if (name, change.version) in remains and change.what == "file":
                await changes.erase(history.service, model, change.version)
    await history.stop()
    assert places_of(folder) == []
    assert check_store(folder).faults == []
    return len(places)


def places_of(folder):
    """Where the value is."""
    return find_value(folder, SECRET.encode()).places


def run_histories(count, seed):
    """Run histories; return in how many places the value was that the answers named."""
    rng, remained = random.Random(seed), 0
    for _ in range(count):
        with tempfile.TemporaryDirectory() as folder:
            remained += run_apart(erase_after_a_history(Path(folder), rng))
    return remained


if __name__ == "__main__":
    count, seed = [*map(int, sys.argv[1:]), *(100, 0)[len(sys.argv) - 1 :]]
    print(run_histories(count, seed), "places had the value, all named;", count, "histories")
