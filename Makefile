# `make eval` and `make test` set up whatever is missing, then run.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup browser database eval test test-slow docs check clean

setup: $(VENV)/.installed
	@$(BIN)/python -m arena_llm.system

$(VENV)/.installed: pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) was not found: install Python 3.11 with venv, or name another: make PYTHON=python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

# For the test that opens a report; without it, that test is skipped.
browser: setup
	@$(BIN)/python -m arena_llm.system browser

# For the tests of people's data on PostgreSQL; without it, those are skipped.
database: setup
	@$(BIN)/python -m arena_llm.system database

eval: setup
	$(BIN)/arena-llm eval --model arena/pixels --tasks children --levels 1-3 --icl

test: setup
	$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal

test-slow: setup
	$(BIN)/python -m pytest -m slow
	$(BIN)/python -m pytest --hypothesis-profile=long tests/arena

# What the pages take from the code is made anew, then the site in site/, without a network.
docs: setup
	$(BIN)/python -m docs._generate docs
	$(BIN)/python -m zensical build --strict --clean

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) site .cache .mypy_cache .ruff_cache .pytest_cache
