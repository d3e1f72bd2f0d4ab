# `make demo` and `make test` work on a fresh machine: each sets up .venv by itself.
PYTHON ?= python3
BIN := .venv/bin
.PHONY: demo test lint types layers pytest reliability docs clean

demo: .venv/ready
	$(BIN)/nsac-demo --out runs/demo

test: lint types layers pytest

lint: .venv/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready-dev
	$(BIN)/mypy
	$(BIN)/mypy tests benchmarks

layers: .venv/ready-dev
	$(BIN)/lint-imports

pytest: .venv/ready-dev
	$(BIN)/pytest -n 2 --dist loadgroup

reliability: .venv/ready-dev
	$(BIN)/python -m tests.reliability.kills --kills 50

docs: .venv/ready-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo site/index.html

.venv/bin/pip:
	$(PYTHON) -m venv .venv

.venv/ready: pyproject.toml | .venv/bin/pip
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	touch $@

.venv/ready-dev: pyproject.toml | .venv/bin/pip
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ .venv/ready

clean:
	rm -rf .venv runs site dist .mypy_cache .pytest_cache .ruff_cache
