# Needs Python 3.11 or later and Node 20 or later; brings everything else.
PORT ?= 5000
PYTHON ?= python3
BIN := .venv/bin

# Tests and benches start hundreds of processes, which would compile all modules each time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup setup-dev run test test-all test-js lint bench bench-quick judges screenshots clean

setup:
	@sh tools/setup.sh $(PYTHON)

setup-dev:
	@sh tools/setup.sh $(PYTHON) dev

run: setup
	@$(BIN)/python app.py demo --port $(PORT)

# The gate, in minutes; docs/testing.md says which tests it takes.
test: setup-dev
	@$(MAKE) --no-print-directory -j2 -O lint test-js
	@$(BIN)/python -m tools.testing gate $(ARGS)

# Everything, in about an hour and a half; a run that was cut off goes on where it was.
test-all: setup-dev lint test-js
	@code=0; $(BIN)/python -m tools.testing all $(ARGS) || code=1; \
	$(BIN)/python -m bench quick || code=1; exit $$code

test-js: setup-dev
	@node --test --test-reporter=dot $$(find tests/js -name '*.test.mjs')

lint: setup-dev
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy --no-error-summary
	@MYPYPATH=clients/python $(BIN)/mypy --no-error-summary --strict --package lineup_client
	@node_modules/.bin/tsc

bench: setup-dev
	@$(BIN)/python -m bench run $(ARGS)

bench-quick: setup-dev
	@$(BIN)/python -m bench quick

# Other people's test suites, against a running Lineup; a quarter of an hour.
judges: setup-dev
	@sh tools/setup.sh $(PYTHON) judges
	@$(BIN)/python -m bench.judges $(ARGS)

screenshots: setup-dev
	@$(BIN)/python -m tools.screenshots $(ARGS)

# What the setup made; instance/ with the database and the files stays.
clean:
	rm -rf .venv .setup node_modules static/vendor build
