"""Opening of sources: formats, and names that cannot be opened."""

import subprocess
import sys

from stream_rows import SVM, refused


def test_sources_that_cannot_be_opened(tmp_path, write, monkeypatch):
    refused(tmp_path / "none.svm", "cannot be read: No such file or directory")
    refused(tmp_path, "has no folders in it")
    refused(tmp_path, "is a directory", format="csv")
    refused(write("a.svm", b""), "no rows: it is empty")
    refused(
        write("a.txt", b"hello\n"),
        "its format is not clear: set format to one of svmlight, vw, csv",
    )

    def denied(*args):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("rosenblatt.streams.io.files.open", denied, raising=False)
    refused(write("b.svm", SVM), "cannot be read: Permission denied")


def test_importing_loads_neither_numba_nor_scikit_learn():
    code = "import sys, rosenblatt.streams; print({'numba', 'sklearn', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.strip() == b"set()"
