# Every target sets up what it needs: `make demo` on a bare machine with Python 3.11+ is enough.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# Processes of `make test`, and what it runs: `make test TESTS=tests/graphs` for one folder.
JOBS ?= 2
TESTS ?= tests src

.PHONY: env demo test test-oldest test-newest fuzz fuzz-signals attack soak mutants lint bench site pictures dist clean
.DELETE_ON_ERROR:

env: $(VENV)/.dev  ## the development environment

# A new environment comes with a pip that may be too old for dependency groups.
$(VENV)/.run: pyproject.toml constraints.txt
	@test -x $(BIN)/python || { echo "setting up $(VENV) (a few minutes, once)"; $(PYTHON) -m venv $(VENV); }
	$(PIP) --upgrade pip
	$(PIP) --editable ".[learn]"
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	$(PIP) --editable ".[all]" --group dev
	@touch $@

$(VENV)/.docs: $(VENV)/.run
	$(PIP) --editable ".[all]" --group docs
	@touch $@

demo: $(VENV)/.run  ## label a random graph, LCN beside GCN; prints a table, writes a page
	$(BIN)/lovasz demo

test: $(VENV)/.dev  ## all tests, in random order
	$(BIN)/python -m pytest -n $(JOBS) $(TESTS)

# The bounds of pyproject.toml, each in an environment of its own. uv chooses the versions; torch
# stays that of constraints.txt, for other releases bring gigabytes of CUDA libraries.
RESOLUTION_oldest = lowest-direct
RESOLUTION_newest = highest
test-oldest test-newest: test-%:  ## the oldest versions that pyproject.toml allows, or the newest
	test -x $(VENV)-$*/bin/python || $(PYTHON) -m venv $(VENV)-$*
	$(VENV)-$*/bin/python -m pip install --quiet --upgrade pip uv
	grep "^torch==" constraints.txt > $(VENV)-$*/torch.txt
	$(VENV)-$*/bin/uv pip compile --quiet --resolution $(RESOLUTION_$*) --all-extras --group test \
	  --constraint $(VENV)-$*/torch.txt pyproject.toml --output-file $(VENV)-$*/versions.txt > /dev/null
	$(VENV)-$*/bin/python -m pip install --quiet --constraint $(VENV)-$*/versions.txt --editable ".[all]" --group test
	NUMBA_CACHE_DIR=$(VENV)-$*/numba $(VENV)-$*/bin/python -m pytest -n $(JOBS) -m "not slow" \
	  -p no:cacheprovider -W ignore::DeprecationWarning $(TESTS)

# Cases and seed of `make fuzz`.
N ?= 2000
SEED ?= 0
fuzz: $(VENV)/.dev  ## mutated files through every reader; findings go to fuzz-findings/
	$(BIN)/python -m tests.fuzz.harness $(N) --seed $(SEED)

fuzz-signals: $(VENV)/.dev  ## Ctrl-C at random times of theta; fails if one escapes
	$(BIN)/python -m tests.fuzz.signals $(N) --seed $(SEED)

# The whole attack; what it said last is in tests/fuzz/REPORT.txt.
attack: $(VENV)/.dev  ## 65,000 mutated files, 3,000 models, 300 killed saves, killed workers, 120 signals
	$(BIN)/python -m tests.fuzz.harness 65000 --seed $(SEED)
	$(BIN)/python -m tests.fuzz.harness 3000 --seed $(SEED) --only models
	$(BIN)/python -m tests.fuzz.kills 300 --seed $(SEED)
	$(BIN)/python -m tests.fuzz.signals 120 --seed $(SEED)

soak: $(VENV)/.dev  ## intervals of 100,000 random graphs against laws; goes on where it ended
	$(BIN)/python benchmarks/soak.py 100000 --jobs $(JOBS)

mutants: $(VENV)/.dev  ## small errors put into the source one by one; fails if the tests miss one
	$(BIN)/python -m tests.mutants

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

dist: $(VENV)/.dev  ## wheel and sdist into dist/, checked, and tried in an empty environment
	$(BIN)/python .ci/check_package.py

clean:
	rm -rf $(VENV) .venv-* lovasz-demo docs/_build docs/gallery docs/api .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
