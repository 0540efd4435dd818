# One command each. `make demo` and `make test` set up everything they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Whole files, because their tests share servers and prepared studies. Three at a time even on two cores: tests wait for
# browsers and servers.
SIDE_BY_SIDE := --numprocesses 3 --dist loadfile --no-loadscope-reorder

# Files with tests of a mark: three workers that each collect ten thousand tests take longer than some of the few.
marked = $(shell grep -rl --include='test_*.py' 'mark\.$(1)' tests)

.DEFAULT_GOAL := help
.PHONY: help setup torch demo web test slow thorough check audit fix bench docs screenshots clean

help: ## Print this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev,postgres,dask]'
	@touch $(READY)

setup: $(READY) ## Make the virtual environment with pinned versions

torch: $(READY) ## Add torch, which trains the models of studies
	$(BIN)/pip install --quiet --constraint constraints.txt torch

demo: $(READY) web ## Show a ready study in the browser: take part, watch simulated people, read the report
	@rm -rf runs/demo
	@$(BIN)/understudy demo --out runs/demo

web: $(READY) ## Build the front end into the package
	@$(BIN)/python frontend/generate_schema.py
	@$(BIN)/python frontend/with_node.py build

test: $(READY) web ## Run the tests, all but the slow ones that repeat a chance event hundreds of times
	$(BIN)/python frontend/with_node.py test
	$(BIN)/pytest $(SIDE_BY_SIDE) -m 'not slow and not thorough'

slow: $(READY) web ## Run the slow tests that make test leaves out
	$(BIN)/pytest $(SIDE_BY_SIDE) -m slow $(call marked,slow)

thorough: $(READY) web ## Run tests again with more kills, codes, seeds and pictures, before a release
	$(BIN)/pytest $(SIDE_BY_SIDE) -m thorough $(call marked,thorough)

check: $(READY) audit ## Format, lint, types, import contracts and known vulnerabilities
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python frontend/with_node.py check

audit: $(READY) ## Look every dependency up in the advisory databases, where they can be reached
	$(BIN)/python tests/house/dependency_audit.py

fix: $(READY) ## Fix what a machine can fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python frontend/with_node.py fix

bench: $(READY) ## Measure every performance figure next to its peer, into docs/benchmarks.md
	$(BIN)/python bench/run.py

docs: $(READY) web ## Write the generated pages of the reference and build the documentation site into .site/html
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/trained_models.py
	$(BIN)/python docs/hive_models.py
	$(BIN)/python docs/simulatability_models.py
	$(BIN)/python docs/concept_results.py
	$(BIN)/python docs/intensity_variations.py
	$(BIN)/python docs/compared_numbers.py
	$(BIN)/python docs/build_site.py

screenshots: $(READY) web ## Photograph every screen of running servers, into docs/screens.md
	$(BIN)/python docs/screenshots.py

clean: ## Remove what the other targets made
	rm -rf $(VENV) .bench .site runs frontend/node_modules src/understudy/_web .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
