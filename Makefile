# `make eval` and `make test` set up whatever is missing, then run.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
# The versions to install; `CONSTRAINTS=/dev/null` takes the newest that pyproject.toml allows.
CONSTRAINTS ?= constraints.txt
# Another Python, which `make python` compares with the one above.
OTHER_PYTHON ?= python3.13

# One worker more than there are processors: tests wait for browsers, servers and processes.
WORKERS := $(shell expr $$(nproc 2>/dev/null || echo 2) + 1)

# Packages are compiled when first imported: to compile all of each at once takes longer and 200 MB more.
unexport PYTHONDONTWRITEBYTECODE
INSTALL := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-compile --constraint $(CONSTRAINTS)

.PHONY: setup dev lock browser database scienceworld wheel python eval test test-fast test-slow docs check clean

# Installs Debian packages where it may, or says how.
APT = if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	then apt-get update --quiet=2 && apt-get install --yes --quiet=2 $(1); \
	else echo "Run: sudo apt-get install $(1)"; exit 1; fi

# What evaluations need; compiles the physics and the renderer once, so that no later command waits for that.
setup: $(VENV)/.installed
	@echo "Checking that arenas can be played and drawn; compiles the physics and the renderer, once."
	@$(BIN)/arena-llm doctor > $(VENV)/doctor.txt || { cat $(VENV)/doctor.txt; exit 1; }

# The same with all extras, and what tests, checks and the site of docs/ need.
dev: setup $(VENV)/.installed-dev

$(VENV)/.installed: pyproject.toml $(CONSTRAINTS)
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) was not found: install Python 3.11 with venv, or name another: make PYTHON=python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip --quiet --quiet uninstall --yes setuptools  # 9 MB that nothing needs
	$(INSTALL) --editable '.[eval]'
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(INSTALL) --editable '.[dev]'
	@touch $@

# Writes constraints.txt from what is installed. For newer versions, first: make clean test CONSTRAINTS=/dev/null
lock: $(VENV)/.installed-dev
	@{ sed '/^#/!d' constraints.txt; \
	$(BIN)/python -m pip list --format=freeze --exclude-editable --exclude pip | sed 's/+.*//'; } > $(VENV)/constraints.txt
	@mv $(VENV)/constraints.txt constraints.txt

# For the test that opens a report; without it, that test is skipped.
browser: setup
	@which chromium chromium-browser google-chrome google-chrome-stable | grep -q . || { $(call APT,chromium); }

# For the tests of people's data on PostgreSQL; without it, those are skipped.
database: setup
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || { $(call APT,postgresql); }

# What the suite ScienceWorld needs: its package, and Java.
scienceworld: setup
	$(INSTALL) --editable '.[eval,scienceworld]'
	@command -v java >/dev/null || { $(call APT,default-jre-headless); }

# Wheel and source distribution in dist/, built twice with the same bytes.
wheel: setup
	$(INSTALL) build
	rm -rf dist
	$(BIN)/python -m build --outdir dist . >/dev/null
	$(BIN)/python -m build --outdir dist/again . >/dev/null
	@for each in dist/again/*; do cmp "$$each" "dist/$${each##*/}" || exit 1; done
	@rm -r dist/again && sha256sum dist/*

# Installs the wheel plainly with another Python, where it must play the README's examples with the same bits.
python: setup
	@$(BIN)/python -m tests.other_python $(OTHER_PYTHON)

eval: setup
	$(BIN)/arena-llm eval --model arena/pixels --tasks short-form --levels 1-3 --icl

test: dev
	$(BIN)/python -m pytest --numprocesses=$(WORKERS) --dist=worksteal

# For every commit: all but the slow ones and those that start a command, server, browser or a whole evaluation.
test-fast: dev
	$(BIN)/python -m pytest --numprocesses=$(WORKERS) --dist=worksteal -m 'not slow and not e2e'

test-slow: dev
	$(BIN)/python -m pytest -m slow --numprocesses=$(WORKERS) --dist=worksteal
	$(BIN)/python -m tests.other_machine
	$(BIN)/python -m tests.other_python python3.12 eval
	$(BIN)/python -m pytest --hypothesis-profile=long --timeout=0 tests/arena

# What the pages take from the code is made anew, then the site in site/, without a network.
docs: dev
	$(BIN)/python -m docs._generate docs
	$(BIN)/python -m zensical build --strict --clean

check: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) site .cache .mypy_cache .ruff_cache .pytest_cache
