# Needs Python 3.11 or later and Node 20 or later; brings everything else.
PORT ?= 5000
PYTHON ?= python3
BIN := .venv/bin

# Tests and benches start hundreds of processes, which would compile all modules each time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup setup-dev run test test-long lint bench bench-quick screenshots clean

setup:
	@sh tools/setup.sh $(PYTHON)

setup-dev:
	@sh tools/setup.sh $(PYTHON) dev

run: setup
	@$(BIN)/python app.py demo --port $(PORT)

test: setup-dev lint
	@node --test --test-reporter=dot $$(find tests/js -name '*.test.mjs')
	@$(BIN)/python -m pytest -q -n auto --dist loadfile --no-loadscope-reorder $(ARGS)

# What takes minutes: the same checks with many more examples.
test-long: setup-dev
	@$(BIN)/python -m pytest -q -n auto -m long $(ARGS)

lint: setup-dev
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy --no-error-summary
	@node_modules/.bin/tsc

bench: setup-dev
	@$(BIN)/python -m bench run $(ARGS)

bench-quick: setup-dev
	@$(BIN)/python -m bench quick

screenshots: setup-dev
	@$(BIN)/python -m tools.screenshots $(ARGS)

clean:
	rm -rf .venv .setup node_modules static/vendor instance build
