# Every target sets up what it needs: `make demo` on a bare machine with Python 3.11+ is enough.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# Processes of `make test`.
JOBS ?= 2

.PHONY: env demo test fuzz lint bench site pictures clean
.DELETE_ON_ERROR:

env: $(VENV)/.dev  ## the development environment

# A new environment comes with a pip that may be too old for dependency groups.
$(VENV)/.run: pyproject.toml constraints.txt
	@test -x $(BIN)/python || { echo "setting up $(VENV) (a few minutes, once)"; $(PYTHON) -m venv $(VENV); }
	$(PIP) --upgrade pip
	$(PIP) --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	$(PIP) --editable . --group dev
	@touch $@

$(VENV)/.docs: $(VENV)/.run
	$(PIP) --editable . --group docs
	@touch $@

demo: $(VENV)/.run  ## label a random graph, LCN beside GCN; prints a table, writes a page
	$(BIN)/lovasz demo

test: $(VENV)/.dev  ## all tests, in random order
	$(BIN)/python -m pytest -n $(JOBS)

# Cases and seed of `make fuzz`.
N ?= 2000
SEED ?= 0
fuzz: $(VENV)/.dev  ## mutated files through every reader; findings go to fuzz-findings/
	$(BIN)/python -m tests.fuzz.harness $(N) --seed $(SEED)

lint: $(VENV)/.dev  ## style, types, layers, and what a repository is expected to have
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/repo-review . --show err

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/train.py
	$(BIN)/python benchmarks/scale.py

site: $(VENV)/.docs  ## the documentation into docs/_build/html, opened and checked page by page
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	$(BIN)/python docs/scripts/check_site.py docs/_build/html

pictures: $(VENV)/.dev  ## the pictures of the documentation, the README's numbers, the page of results/
	$(BIN)/python docs/scripts/card_pictures.py
	$(BIN)/python docs/scripts/theory_pictures.py
	$(BIN)/python docs/scripts/report_picture.py
	$(BIN)/lovasz reproduce all --page-only --out results
	$(BIN)/python docs/scripts/readme_numbers.py

clean:
	rm -rf $(VENV) lovasz-demo docs/_build docs/gallery .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
