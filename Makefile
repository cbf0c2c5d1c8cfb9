# `make test` and `make reproduce` set up everything they need in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest -n 2

.PHONY: help test test-long mutation reproduce measure docs lint format lock clean
.DEFAULT_GOAL := help

help:
	@echo 'make test        everything that must hold: lint, types, tests'
	@echo 'make reproduce   tables, figures, claims and the report, into paper_results/'
	@echo 'make test-long   the slow checks and the long property-based search'
	@echo 'make docs        the pages of the API, into docs/api/'
	@echo 'make measure     what the first two take, in a fresh clone; writes the table in the README'
	@echo 'make mutation    whether the tests notice every small change to the algorithms (half an hour)'
	@echo 'make format      format the sources'
	@echo 'make lock        renew requirements.lock from pyproject.toml'

$(VENV)/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'Python 3.11 or newer is needed; say make PYTHON=/path/to/python3.11'; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	$(PYTEST) -m 'not slow' --cov --cov-report=term

test-long: lint
	$(PYTEST) --hypothesis-profile=long

mutation: $(VENV)/.installed
	$(BIN)/python tests/mutation/run.py
	$(BIN)/python tests/mutation/golden_mutants.py

reproduce: $(VENV)/.installed
	$(BIN)/abacoc reproduce

docs: $(VENV)/.installed
	$(BIN)/python docs/build.py

measure: $(VENV)/.installed
	$(BIN)/python -m abacoc.bench.commands

format: $(VENV)/.installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# A universal lock: one file for every Python and platform, with hashes and without package hosts.
lock:
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --extra all --generate-hashes \
	  --no-emit-index-url --no-annotate --upgrade --custom-compile-command 'make lock' \
	  -o requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
