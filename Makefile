# Needs Python 3.11 or later and Node 20 or later; brings everything else.
PORT ?= 5000
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup setup-dev run test lint bench bench-quick screenshots clean

setup:
	@sh tools/setup.sh $(PYTHON)

setup-dev: setup
	@sh tools/setup.sh $(PYTHON) dev

run: setup
	@$(BIN)/python app.py demo --port $(PORT)

test: setup-dev lint
	@node --test --test-reporter=dot tests/js/*.test.mjs
	@$(BIN)/python -m pytest -q -n auto --dist loadfile --no-loadscope-reorder $(ARGS)

lint: setup-dev
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy --no-error-summary

bench: setup-dev
	@$(BIN)/python -m bench run $(ARGS)

bench-quick: setup-dev
	@$(BIN)/python -m bench quick

screenshots: setup-dev
	@$(BIN)/python -m tools.screenshots $(ARGS)

clean:
	rm -rf .venv .setup node_modules static/vendor instance build
