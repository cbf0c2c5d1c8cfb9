# `make test` and `make reproduce` set up everything they need in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
# worksteal: a worker that is done takes over what waits for the other
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: help test test-long coverage mutation reproduce prove prove-mutants docs lint format lock licences wheel clean
.DEFAULT_GOAL := help

help:
	@echo 'make test        everything that must hold: lint, types, tests'
	@echo 'make reproduce   every table, figure and claim again, compared with what is committed'
	@echo 'make prove       the machine-checked proofs, by Coq (Debian: apt install coq)'
	@echo 'make prove-mutants  whether Coq refuses every false variant of the statements (ten minutes)'
	@echo 'make test-long   the slow checks and the long property-based search'
	@echo 'make coverage    which lines the tests run'
	@echo 'make docs        the site, into docs/_build/html/ (minutes)'
	@echo 'make mutation    whether the tests notice every small change to the algorithms (half an hour)'
	@echo 'make format      format the sources'
	@echo 'make lock        renew requirements.lock from pyproject.toml, and say what changed'
	@echo 'make licences    docs/licences.md, from what the packages of the lock say of themselves'
	@echo 'make wheel       the wheel, into dist/, built by what the lock names and nothing else'

# The lock is complete: pip installs its lines and resolves nothing, so no newer release is looked at.
# Wheels only: to build a package pip would get the newest tools, which no line of the lock names.
# The stamp names the folder and the Python: in a copy, or after an upgrade, all is installed anew.
PLACE := "$$(pwd -P) $$($(BIN)/python -V 2>&1)"
ifneq ($(shell test "$$(cat $(VENV)/.locked 2>&1)" = $(PLACE) && echo same),same)
.PHONY: $(VENV)/.locked
endif

$(VENV)/.locked: requirements.lock
	@rm -rf $(VENV)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'Python 3.11 or newer is needed; say make PYTHON=/path/to/python3.11'; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --no-deps --only-binary :all: --require-hashes -r requirements.lock
	@echo $(PLACE) > $@

$(VENV)/.installed: $(VENV)/.locked pyproject.toml
	$(PIP) install --quiet --no-index --no-deps --no-build-isolation -e .
	$(PIP) check
	@touch $@

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	$(PYTEST) -m 'not slow'

test-long: lint
	$(PYTEST) --hypothesis-profile=long

# Counting lines makes Python code twice as slow, and decides nothing: not a part of `make test`.
coverage: $(VENV)/.installed
	$(PYTEST) -m 'not slow' --cov --cov-report=term

mutation: $(VENV)/.installed
	$(BIN)/python tests/mutation/run.py
	$(BIN)/python tests/mutation/golden_mutants.py
	$(BIN)/python tests/mutation/phase_mutants.py

reproduce: $(VENV)/.installed
	$(BIN)/abacoc reproduce

# Coq and Python's standard library: no environment is set up. PROVE=--help says what else it can do.
prove:
	@$(PYTHON) theory/coq/prove.py $(PROVE)

prove-mutants:
	@$(PYTHON) theory/coq/prove.py --quick --mutants

docs: $(VENV)/.installed
	$(BIN)/python docs/build.py

format: $(VENV)/.installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# A universal lock: one file for every Python and platform, with hashes and without package hosts.
lock: $(VENV)/.locked
	@cp requirements.lock $(VENV)/before.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --extra all --generate-hashes \
	  --no-emit-index-url --no-annotate --upgrade --custom-compile-command 'make lock' \
	  -o requirements.lock pyproject.toml
	@$(BIN)/python .ci/lock_changes.py $(VENV)/before.lock requirements.lock
	@$(MAKE) --no-print-directory licences

licences: $(VENV)/.installed
	$(BIN)/python .ci/licences.py

wheel: $(VENV)/.installed
	$(BIN)/python -m build --no-isolation --wheel --outdir dist

clean:
	rm -rf $(VENV) docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
