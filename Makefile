# Everything starts here: `make demo` and `make test` create what they need in .venv.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
GALLERY ?= 1# 0: the site without running the gallery's scripts
DATA := $(wildcard ../shared/data)

.DELETE_ON_ERROR:
.PHONY: demo test check format lint types bench tables docs pictures clean

demo: .venv/core
	@$(BIN)/rosenblatt demo

# Bytecode is kept even where the environment forbids it: the tests start many processes.
test: .venv/dev
	PYTHONDONTWRITEBYTECODE= $(if $(DATA),ROSENBLATT_REQUIRE_DATA=1) $(BIN)/python -m pytest -n 3 --dist loadfile

check: lint types test docs

format: .venv/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: .venv/dev
	$(BIN)/mypy

bench: .venv/bench
	$(BIN)/python bench/run.py

tables: .venv/bench
	$(BIN)/python bench/run_tables.py --write

docs: .venv/docs
	$(BIN)/sphinx-build --jobs 2 -q -W --keep-going -D plot_gallery=$(GALLERY) docs docs/_build/html
	@! grep -rlE '<(script|img|iframe)[^>]* src="(https?:)?//|<link[^>]* href="(https?:)?//' \
		--include='*.html' docs/_build/html || { echo "These pages fetch from elsewhere." >&2; exit 1; }
	@$(BIN)/python docs/widths.py
	@echo "Open docs/_build/html/index.html."

pictures: .venv/docs
	$(BIN)/python docs/pictures.py

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache
	rm -rf docs/_build docs/api docs/gallery docs/lectures.md docs/options.md
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; set PYTHON=…" >&2; exit 1; }
	$(PYTHON) -m venv .venv

.venv/core: .venv/bin/python pyproject.toml
	@echo "Installing into .venv, once."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@echo "Compiling the demo's loops, once."
	@$(BIN)/rosenblatt demo --folder .venv --json >.venv/core

.venv/dev: .venv/bin/python pyproject.toml
	@echo "Installing into .venv, with what the tests need, once."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

.venv/docs: .venv/bin/python pyproject.toml
	@echo "Installing into .venv, with what the site needs, once."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

.venv/bench: .venv/bin/python pyproject.toml
	@echo "Installing into .venv, with the peers of the benchmarks, once."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,bench]' || { \
		echo "Not all peers can be installed here: their lines will say so."; \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'; }
	@touch $@
