# Everything is installed into .venv with pip, which honours its own environment settings
# (PIP_INDEX_URL, PIP_EXTRA_INDEX_URL, PIP_FIND_LINKS, ...).
PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := help
.PHONY: help setup run serve page reproduce quick docs test test-long audit clean-clone bench clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/installed  ## make .venv and install visarith into it

.venv/installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'visarith needs Python 3.11 or newer; name one: make $(MAKECMDGOALS) PYTHON=python3.12' >&2; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

run: setup  ## learn to add from pictures as in the paper, and test it
	@$(BIN)/visarith train add --tesseract 2000 --resume

serve: setup  ## open the page: calculate, paint and watch networks in the browser
	@$(BIN)/visarith serve

page: setup  ## write the page as files that need no server, into site
	@$(BIN)/visarith page

reproduce: setup  ## run the paper's experiments and write the report (about 90 minutes on two cores)
	@$(BIN)/visarith reproduce

quick: setup  ## run every experiment and study at a size that proves nothing (about 3 minutes)
	@$(BIN)/visarith reproduce --quick

docs: setup  ## write the tables of README and docs, docs/commands.md and docs/report
	@$(BIN)/python scripts/documents.py

test: setup  ## run lint, types and tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@$(BIN)/python scripts/chromium.py
	$(BIN)/pytest --numprocesses auto --dist loadfile

test-long: setup  ## run the tests that take minutes
	$(BIN)/pytest -m long

audit: setup  ## look up known security holes of the packages in requirements.lock
	@$(BIN)/python scripts/audit.py

clean-clone: setup  ## clone this commit and run the README's commands there (about 15 minutes)
	$(BIN)/python scripts/clean_clone.py

bench: setup  ## print speed and memory beside plain PyTorch
	$(BIN)/python benchmarks/speed.py

clean:  ## remove .venv and caches, but no run
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
