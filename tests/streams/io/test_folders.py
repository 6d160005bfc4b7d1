"""Folders of tables: which files are read, in which order, and what stays a folder of texts."""

import os
from pathlib import Path

import pytest

from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.io.paths import expand_paths, list_files

TABLE = "x,y\n1,a\n"


@pytest.fixture
def put(tmp_path, monkeypatch):
    """Write files into the folder where the test works; their names, or texts by name."""
    monkeypatch.chdir(tmp_path)

    def put(*names, **texts):
        for name, text in [*((name, TABLE) for name in names), *texts.items()]:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text)

    return put


def test_tables_at_any_depth_in_sorted_order(put):
    put("pq/b.csv", "pq/a/c.csv", "pq/a/d/e.csv", "pq/a.csv")
    expected = ["pq/a.csv", "pq/a/c.csv", "pq/a/d/e.csv", "pq/b.csv"]
    for name in ("pq", "pq/", "./pq", Path("pq")):
        assert [os.path.normpath(path) for path in expand_paths(name)] == expected
    assert expand_paths(["pq/a", "pq/b.csv"]) == [*expected[1:3], "pq/b.csv"]
    assert len(open_stream("pq").read()[1]) == 4


def test_marks_hidden_and_empty_files_are_no_tables(put):
    put("pq/a.csv", "pq/_SUCCESS", "pq/_metadata", "pq/_committed_7", "pq/.a.csv.crc")
    put("pq/_temporary/b.csv", "pq/.hidden/c.csv", "pq/_day=1/d.csv")
    put(**{"pq/empty.csv": ""})
    assert expand_paths("pq") == ["pq/_day=1/d.csv", "pq/a.csv"]


def test_compressed_tables_and_folders_with_a_suffix(put):
    put("pq.csv/a.csv.gz", "pq.csv/b.csv")
    assert expand_paths("pq.csv") == ["pq.csv/a.csv.gz", "pq.csv/b.csv"]


def test_links_are_followed_but_not_in_circles(put):
    put("pq/a/a.csv", "elsewhere/b.csv")
    os.symlink("../../pq", "pq/a/loop")
    os.symlink("../elsewhere", "pq/linked")
    os.symlink("nowhere.csv", "pq/broken.csv")
    assert expand_paths("pq") == ["pq/a/a.csv", "pq/linked/b.csv"]


def test_a_pattern_of_folders_stands_for_their_tables(put):
    put("pq/day=1/a.csv", "pq/day=2/b.csv", "pq/day=3/c.csv")
    files = list_files("pq/day=[12]")
    assert [file.name for file in files] == ["pq/day=1/a.csv", "pq/day=2/b.csv"]
    assert [file.folder for file in files] == ["pq/day=1", "pq/day=2"]
    assert len(expand_paths("pq/**")) == 3  # each once


def test_the_tables_have_one_format(put):
    put("pq/a.csv", **{"pq/b.svm": "1 1:1\n"})
    with pytest.raises(DataError, match=r"is svmlight, but pq/a\.csv is csv: read them separately"):
        open_stream("pq")


def test_a_format_makes_all_files_tables(put):
    put("pq/part-00000", "pq/part-00001", "pq/_SUCCESS")
    assert expand_paths("pq") == ["pq"]
    assert open_stream("pq", format="csv").read()[1].tolist() == ["a", "a"]


def test_a_folder_of_texts_stays_one(put):
    put("mail/ham/1.txt", "mail/spam/2.txt", "mail/labels.csv")
    assert expand_paths("mail") == ["mail"]
    assert sorted(open_stream("mail").read()[1].tolist()) == ["ham", "spam"]


def test_tables_beside_other_files_are_refused_with_what_is_there(put):
    put("mail/ham/1.txt", "mail/ham/2.csv", "mail/spam/3.csv")
    found = r"has 2 tables, such as ham/2.csv, and 1 other file, such as ham/1.txt: take these away"
    with pytest.raises(DataError, match=found):
        open_stream("mail")
    assert open_stream("mail", format="folder").read()[1].tolist().count("ham") == 2


@pytest.mark.parametrize("names", [[], ["pq/README.md"], ["pq/_SUCCESS"]])
def test_a_folder_of_neither_is_refused(put, names):
    os.mkdir("pq")
    put(*names)
    with pytest.raises(
        DataError, match=r"has no folders in it: .* or a folder of tables, by their suffixes"
    ):
        open_stream("pq")


def test_a_folder_of_empty_tables_has_no_rows(put):
    put(**{"pq/a.csv": "", "pq/b.csv": ""})
    with pytest.raises(DataError, match="pq: no rows: 2 tables, and nothing in them"):
        open_stream("pq")


def test_tables_without_rows_are_left_out(put):
    put("pq/b.csv", **{"pq/a.csv": "x,y\n", "pq/c.csv": "x,y\n"})
    stream = open_stream("pq")
    assert [stream.read()[1].tolist() for _ in range(2)] == [["a"], ["a"]]
    os.remove("pq/b.csv")
    with pytest.raises(DataError, match="no rows"):
        open_stream("pq").read()


def test_tables_with_other_columns_are_refused_with_both_names(put):
    put("pq/a.csv", **{"pq/b.csv": "z,y\n1,a\n"})
    with pytest.raises(DataError, match=r"pq/b.csv.*no column 'x'|pq/b.csv.*pq/a.csv"):
        open_stream("pq").read()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_cannot_be_listed_is_named(put):
    put("pq/a/b.csv")
    os.chmod("pq/a", 0)
    with pytest.raises(DataError, match="pq/a: cannot be read: Permission denied"):
        expand_paths("pq")


ROWS_OF_JSON = '{"x": 1, "y": "a"}\n{"x": 2, "y": "b"}\n'


@pytest.mark.parametrize("suffix", [".json", ".ndjson"])
@pytest.mark.parametrize("folder", ["", "day=1/"])
def test_files_of_json_are_rows_as_spark_writes_them(put, folder, suffix):
    put("pq/_SUCCESS", **{f"pq/{folder}part-0{suffix}": ROWS_OF_JSON})
    stream = open_stream("pq")
    assert (stream.format, stream.read()[1].tolist()) == ("jsonl", ["a", "b"])


def test_files_of_json_in_folders_of_labels_are_texts(put):
    put(**{"mail/ham/1.json": ROWS_OF_JSON, "mail/spam/2.json": ROWS_OF_JSON})
    assert sorted(open_stream("mail").read()[1].tolist()) == ["ham", "spam"]
    put(**{"mail/labels.json": ROWS_OF_JSON})
    assert open_stream("mail").format == "folder"


def test_files_of_json_beside_tables_are_no_tables(put):
    put("pq/a.csv", **{"pq/schema.json": ROWS_OF_JSON})
    with pytest.raises(
        DataError, match=r"has 1 table, such as a\.csv, and 1 other file, such as sc"
    ):
        open_stream("pq")
