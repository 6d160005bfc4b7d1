"""Ids: which columns are, which only look like it."""

import hashlib
import random
import uuid

import pytest
from real_data import real_data

from rosenblatt.streams import open_stream
from rosenblatt.streams.features.ids import id_fault, is_named_id

RANDOM = random.Random(35)
SHUFFLED = RANDOM.sample(range(10**6), 100)
COUNTED = [str(k + 1) for k in range(100)]
NUMBERS = list(map(str, SHUFFLED))
UUIDS = [str(uuid.UUID(int=RANDOM.getrandbits(128))) for _ in range(100)]
DIGESTS = [hashlib.sha1(str(k).encode()).hexdigest()[:16] for k in range(100)]
CODES = [f"CUST-{k:06}" for k in SHUFFLED]
WORDS = ["".join(RANDOM.choices("abcdefghij", k=9)) for _ in range(100)]

IDS = [
    ("id", "number", NUMBERS),
    ("customer_id", "number", COUNTED),
    ("PassengerId", "number", COUNTED),
    ("patientid", "number", NUMBERS),
    ("Sample code number", "number", [NUMBERS[max(k, 7)] for k in range(100)]),
    ("index", "number", ["0", *COUNTED[:99]]),
    ("Unnamed: 0", "number", COUNTED),
    ("c1", "number", COUNTED),
    ("patient", "number", COUNTED),
    ("#", "number", COUNTED),
    ("hash", "number", ["12345678", *(d[:8] for d in DIGESTS)]),
    ("token", "category", UUIDS),
    ("checksum", "category", DIGESTS),
    ("who", "category", CODES[:20]),
    ("key", "category", WORDS[:20]),
    ("surname", "category", WORDS),
]
NO_IDS = [
    ("area", "number", COUNTED),
    ("area", "number", NUMBERS),
    ("year", "number", [str(1900 + k) for k in range(100)]),
    ("x", "number", COUNTED),
    ("t", "number", COUNTED),
    ("customer", "number", NUMBERS),
    ("id", "number", COUNTED[:19]),
    ("id", "number", [cell + ".5" for cell in COUNTED]),
    ("id", "number", [str(k % 30) for k in range(100)]),
    ("id", "text", [f"the words of row {k}" for k in range(100)]),
    ("body_mass_index", "number", NUMBERS),
    ("acid", "number", NUMBERS),
    ("who", "category", WORDS[:49]),
    ("who", "category", [WORDS[max(k, 9)] for k in range(100)]),
    ("colour", "category", ["red", "green"] * 50),
    ("id", "category", ["", "?"] * 50),
]


@pytest.mark.parametrize(("name", "kind", "cells"), IDS)
def test_ids(name, kind, cells):
    assert id_fault(name, kind, cells, ["", "?"]).endswith("as ids do")


@pytest.mark.parametrize(("name", "kind", "cells"), NO_IDS)
def test_measurements_categories_and_few_rows_are_no_ids(name, kind, cells):
    assert id_fault(name, kind, cells, ["", "?"]) is None


@pytest.mark.parametrize("name", ["pid", "solid", "humid", "number of children", "heat index", ""])
def test_names_that_only_end_alike(name):
    assert not is_named_id(name)


def test_missing_cells_do_not_count():
    cells = [cell for code in CODES for cell in (code, "")]
    assert id_fault("mid", "category", cells, [""]) is not None
    assert id_fault("mid", "category", ["?"] * 90 + CODES[:10], ["?"]) is None


TABLES = [
    *(("tables", f"{name}.csv.xz", {}) for name in ("soybean", "hypothyroid", "kr.vs.kp")),
    *(
        ("uci_small", f"{name}.csv", {"header": False})
        for name in (
            "banknote_authentication",
            "breast-cancer-wisconsin",
            "glass",
            "haberman",
            "ionosphere",
            "iris",
            "pima-indians-diabetes",
            "sonar",
            "wheat-seeds",
            "wine",
        )
    ),
    ("banana", "banana.csv.xz", {"header": False}),
    ("spambase", "spam.data.xz", {"format": "tsv", "separator": " ", "header": False}),
    ("separation", "endometrial.csv", {}),
]


@pytest.mark.parametrize(("folder", "name", "options"), TABLES)
def test_no_column_of_the_real_tables_is_taken_for_ids_or_dates(folder, name, options):
    stream = open_stream(real_data(folder, name), **options)
    assert stream.left_out == ()
    assert set(stream.schema.values()) <= {"number", "category"}
