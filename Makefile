# make demo and make test do everything from a clean clone.
PYTHON ?= python3
# Options for pip, such as --extra-index-url for an index that has torch's CPU build.
PIP_OPTIONS ?=
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint types contracts check clean clean-compiled

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "ArborLink needs Python 3.11 or later; say which with: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing ArborLink and its dependencies into $(VENV) (a few minutes the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PIP_OPTIONS) -c constraints.txt -e '.[dev]'
	@$(BIN)/python tools/compile_kernels.py
	@touch $@

demo: $(READY)
	@$(BIN)/arborlink demo

# One thread in each process: many small matrices are quicker so, and processes do not get into each other's way.
test: $(READY)
	@$(BIN)/python tools/install_chromium.py
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --maxprocesses 4

lint: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(READY)
	@$(BIN)/mypy

contracts: $(READY)
	@$(BIN)/lint-imports

check: lint types contracts test

clean:
	@rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# numba does not notice edits in a module that compiled code calls.
clean-compiled:
	@find src -name '*.nb[ic]' -delete
