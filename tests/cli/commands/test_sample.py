"""``rosenblatt sample``: files of the package, and the commands that the list shows."""

import shlex
from importlib import resources
from pathlib import Path

import pytest

from rosenblatt.cli.commands.sample import SAMPLES

MOST_BYTES = 100_000


def test_the_samples_are_the_files_of_the_package():
    folder = resources.files("rosenblatt") / "samples"
    files = {file.name: file.read_bytes() for file in folder.iterdir() if file.name != "README.md"}
    assert sorted(files) == sorted(sample.file for sample in SAMPLES)
    assert sum(map(len, files.values())) < MOST_BYTES
    licences = (folder / "README.md").read_text()
    assert all(name in licences for name in files)


def test_the_list_has_a_command_for_each_sample(call):
    status, out, err = call("sample")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert max(len(line) for line in lines if not line.startswith("    rosenblatt ")) <= 80
    for sample in SAMPLES:
        assert f"\n    rosenblatt {sample.command}\n" in out


def test_the_commands_of_the_list_run_in_their_order(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    for sample in SAMPLES:
        status, out, err = call("sample", sample.name)
        assert (status, out) == (0, "")
        assert f"next      rosenblatt {sample.command}\n" in err
        assert Path(sample.file).read_bytes() == sample.read()
        status, out, err = call(*shlex.split(sample.command))
        assert status == 0, err
        notes = [line for line in err.splitlines() if line.startswith("note:")]
        assert all("missing cells" in note for note in notes)


def test_a_file_that_exists_is_replaced_by_force_only(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    Path("flowers.csv").write_text("mine")
    status, out, err = call("sample", "flowers")
    assert (status, out) == (1, "")
    assert (
        err == "error: flowers.csv: exists: give --output another file, or --force to replace it.\n"
    )
    assert Path("flowers.csv").read_text() == "mine"
    assert call("sample", "flowers", "--force")[0] == 0
    assert Path("flowers.csv").read_bytes() == SAMPLES[0].read()


def test_another_file_and_standard_output(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    assert "train mine.csv -m" in call("sample", "flowers", "-o", "mine.csv")[2]
    assert "train './-my $(x).csv' -m" in call("sample", "flowers", "-o", "-my $(x).csv")[2]
    status, out, err = call("sample", "flowers", "-o", "-")
    assert (status, out.encode(), err) == (0, Path("mine.csv").read_bytes(), "")
    assert call("sample", "flowers", "-o", "none/mine.csv")[0] == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["flower"], "'flower' is not one of 'flowers'"),
        (["--force"], "--force needs a NAME"),
        (["-o", "a.csv"], "--output needs a NAME"),
    ],
)
def test_usage_errors(call, args, message):
    status, out, err = call("sample", *args)
    assert (status, out) == (2, "")
    assert message in err
