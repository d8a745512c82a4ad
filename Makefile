# Everything is installed into .venv with pip, which honours its own environment settings
# (PIP_INDEX_URL, PIP_EXTRA_INDEX_URL, PIP_FIND_LINKS, ...).
PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := help
.PHONY: help setup run serve page reproduce quick docs test test-long bench clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/installed  ## make .venv and install visarith into it

.venv/installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'visarith needs Python 3.11 or newer; name one: make $(MAKECMDGOALS) PYTHON=python3.12' >&2; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

run: setup  ## learn to add from pictures as in the paper, and judge it
	@$(BIN)/visarith train add --tesseract 2000 --resume

serve: setup  ## open the page: calculate, paint and watch networks in the browser
	@$(BIN)/visarith serve

page: setup  ## write the page as files that need no server, into site
	@$(BIN)/visarith page

reproduce: setup  ## every experiment of the paper, and the report (about 80 minutes)
	@$(BIN)/visarith reproduce

quick: setup  ## the same at a size that proves nothing, in under 3 minutes
	@$(BIN)/visarith reproduce --quick

docs: setup  ## write the tables of README and docs/paper.md, and docs/report, from results
	@$(BIN)/python benchmarks/documents.py

test: setup  ## lint, types and tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@$(BIN)/python benchmarks/chromium.py
	$(BIN)/pytest --numprocesses auto --dist loadfile

test-long: setup  ## the tests that take minutes
	$(BIN)/pytest -m long

bench: setup  ## print every bar of speed and memory
	$(BIN)/python benchmarks/speed.py

clean:  ## remove .venv and caches, but no run
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
