"""A start imports no more than it uses: scikit-learn and pandas are for estimators and tables."""

import subprocess
import sys

import pytest

HEAVY = {"sklearn", "pandas", "polars", "pyarrow", "matplotlib", "joblib", "scipy.stats", "numba"}
ROWS = "".join(f"{(-1) ** i} 1:{i % 7} 2:{(-1) ** i * 0.5}\n" for i in range(200))
COMMANDS = {
    "help": ["--help"],
    "train": ["train", "rows.svm", "-m", "new.safetensors"],
    "predict": ["predict", "model.safetensors", "rows.svm"],
    "evaluate": ["evaluate", "model.safetensors", "rows.svm"],
    "inspect": ["inspect", "model.safetensors"],
    "validate": ["validate", "rows.svm"],
    "certify": ["certify", "rows.svm"],
    "CSV": ["train", "rows.csv", "-m", "new.safetensors"],
    "mail": ["train", "mail.csv", "-m", "new.safetensors"],
    "kernel": ["train", "rows.svm", "-m", "new.safetensors", "--kernel", "rbf"],
}
RUN = """
import sys
from rosenblatt.cli.main import main
try:
    main()
finally:
    print(*sys.modules, file=open("modules.txt", "w"))
"""
PROGRAMS = {
    "online": "rosenblatt.OnlinePerceptron().learn_one({'a': 1}, 'x').predict_one({'a': 2})",
    "certify": "rosenblatt.certify([[0.0], [1.0]], [0, 1])",
    "streams": "rosenblatt.streams.open_stream('rows.svm').read()",
    "texts": "rosenblatt.OnlinePerceptron().learn_many(['a text', 'another'], [0, 1])",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("start")
    (folder / "rows.svm").write_text(ROWS)
    (folder / "rows.csv").write_text(
        "a,b,label\n" + "".join(f"{i % 7},{i % 2},{'xy'[i % 2]}\n" for i in range(200))
    )
    texts = [f"see you at lunch {i},1,y\nwin a prize now {i},2,x\n" for i in range(100)]
    (folder / "mail.csv").write_text("text,links,label\n" + "".join(texts))
    (folder / "run.py").write_text(RUN)
    run = [sys.executable, "run.py", "train", "rows.svm", "-m", "model.safetensors", "-q"]
    subprocess.run(run, cwd=folder, check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_import_no_more_than_they_use(folder, name):
    run = [sys.executable, "run.py", *COMMANDS[name]]
    subprocess.run(run, cwd=folder, check=True, capture_output=True)
    modules = set((folder / "modules.txt").read_text().split())
    assert not modules & HEAVY
    if name not in {"certify", "kernel", "validate"}:  # validate learns with any model
        assert "scipy.sparse" not in modules, "the core reads and learns sparse rows"
    if name in {"help", "predict"}:
        assert "rich" not in modules
    if name in {"train", "predict", "CSV", "mail"}:
        assert not modules & {"scipy", "numpy.ma", "numpy.random", "tarfile"}
        assert not modules & {f"rosenblatt.learning.{kind}" for kind in ("kernel", "online")}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_import_no_more_than_they_use(folder, name):
    program = f"import rosenblatt, sys; {PROGRAMS[name]}; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, check=True, capture_output=True, text=True
    )
    modules = set(run.stdout.split())
    assert not modules & HEAVY
