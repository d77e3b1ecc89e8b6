# Every target sets up what it needs. `make` alone lists them.

# The first of these that is 3.11 or newer and can make an environment; `make PYTHON=...` names another.
PYTHON ?= $(shell for each in python3.13 python3.12 python3.11 python3; do \
	"$$each" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo "$$each"; break; }; done)
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --require-hashes
EDITABLE := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --no-deps --no-build-isolation --editable .

.PHONY: help demo test check bench matrix torture golden format lock clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

demo: $(VENV)/.runtime ## judge a hundred questions offline, interrupted and resumed, and show the result
	$(BIN)/gavel demo

test: $(VENV)/.develop ## run all tests
	$(BIN)/python -m pytest -n 2 $(TESTS)

check: $(VENV)/.develop ## lint, format, types, import contracts, docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest tests/test_docs.py tests/test_house_rules.py tests/test_import_contracts.py

bench: $(VENV)/.develop ## run the benchmarks and print their tables
	$(BIN)/python -m benchmarks

matrix: ## run all tests on every Python of this machine that gavelkit supports
	@for each in 3.11 3.12 3.13; do \
	  if python$$each -c 'import venv, ensurepip' >/dev/null 2>&1; then \
	    echo "== Python $$each"; $(MAKE) --no-print-directory VENV=.venv-$$each PYTHON=python$$each test || exit 1; \
	  else echo "== Python $$each is not here"; fi; \
	done

torture: $(VENV)/.develop ## kill runs at random moments, again and again, and hold them against their promises
	for seed in 1 2 3; do $(BIN)/python -m benchmarks.kills --rows 2000 --kills 20 --seed $$seed || exit 1; done

golden: $(VENV)/.develop ## write the golden files of the reports again
	GAVEL_GOLDEN=1 $(BIN)/python -m pytest tests/reports

format: $(VENV)/.develop ## format the code
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format --quiet .

lock: ## lock the requirements again (needs uv)
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate requirements/runtime.in requirements/build.in --output-file requirements/runtime.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate requirements/develop.in --output-file requirements/develop.txt

clean: ## remove the environment and what tools left
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage*

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "gavelkit needs Python 3.11 or newer with venv: install python3 and python3-venv (on macOS: brew install python)" >&2; exit 1; }
	"$(PYTHON)" -m venv $(VENV)

$(VENV)/.runtime: requirements/runtime.txt pyproject.toml | $(BIN)/python
	$(PIP) -r requirements/runtime.txt
	$(EDITABLE)
	@touch $@

$(VENV)/.develop: requirements/develop.txt pyproject.toml | $(BIN)/python
	$(PIP) -r requirements/develop.txt
	$(EDITABLE)
	@touch $@ $(VENV)/.runtime
