# make demo · test · docs · sanitize · torture · bench · bench-peers · bench-scale: each sets up what it needs
# in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2

# What CI installs is pinned, build tools included (newer pip reads the second variable for those).
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_BUILD_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

NATIVE := $(wildcard native/*/*.?pp)
SOURCES := pyproject.toml constraints.txt CMakeLists.txt $(NATIVE) native/kernels.def \
	$(shell find src -name '*.py' -o -name '*.pyi')

.PHONY: demo test docs lint unit sanitize torture bench bench-peers bench-scale bench-quick clean

demo: $(VENV)/run.stamp
	$(BIN)/blocklda demo bars
	$(BIN)/blocklda demo stdlib

# Linters, then benchmarks, beside the tests, which leave a core idle now and then.
test: $(VENV)/dev.stamp
	$(MAKE) --no-print-directory -j 2 unit lint bench-quick
	$(MAKE) --no-print-directory docs

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(NATIVE)
	$(BIN)/codespell

unit: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

# The site, in build/site: without network, warnings as errors.
docs: export NO_MKDOCS_2_WARNING := 1
docs: export OPENBLAS_NUM_THREADS := 1
docs: $(VENV)/dev.stamp
	$(BIN)/python -m mkdocs build --quiet

# Every kernel in a program of its own, under the sanitizers: addresses, undefined behaviour, threads.
sanitize:
	$(MAKE) -j $(JOBS) -C native/sanitize all

# Bad days at full length; `make test` has a few of each. Fuzzing guided by coverage needs the extra.
torture: export OPENBLAS_NUM_THREADS := 1
torture: $(VENV)/torture.stamp
	$(BIN)/python -m torture

bench: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks.sweeps
	$(BIN)/python -m benchmarks.convolution
	$(BIN)/python -m benchmarks.starts
	$(BIN)/python -m benchmarks.moves
	$(BIN)/python -m benchmarks.mixture
	$(BIN)/python -m benchmarks.priors
	$(BIN)/python -m benchmarks.seed_words
	$(BIN)/python -m benchmarks.choose_k
	$(BIN)/python -m benchmarks.stability
	$(BIN)/python -m benchmarks.text
	$(BIN)/python -m benchmarks.report
	$(BIN)/python -m benchmarks.threads
	$(BIN)/python -m benchmarks.approximate
	$(BIN)/python -m benchmarks.fit_memory
	$(BIN)/python -m benchmarks.around_sampling

# One thread for all: linear algebra libraries take more unless told not to.
bench-peers bench-scale bench-quick: export OPENBLAS_NUM_THREADS := 1
bench-peers bench-scale bench-quick: export OMP_NUM_THREADS := 1

bench-peers: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks.peers
	$(BIN)/python -m benchmarks.infer
	$(BIN)/python -m benchmarks.certified
	$(BIN)/python -m benchmarks.nonparametric

bench-scale: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks.scale
	$(BIN)/python -m benchmarks.shards

# At toy size, to see that they run.
bench-quick: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks

$(VENV)/pyvenv.cfg:
	$(PYTHON) -m venv $(VENV)

# The package alone, as a user would install it.
$(VENV)/run.stamp: $(VENV)/pyvenv.cfg $(SOURCES)
	$(BIN)/python -m pip install --quiet .
	touch $@

# What checks and compares it, beside the package that is there: it is not built again.
$(VENV)/dev.stamp: $(VENV)/run.stamp
	$(BIN)/python -m pip install --quiet 'blocklda[test,lint,docs,peers]'
	touch $@

$(VENV)/torture.stamp: $(VENV)/dev.stamp
	$(BIN)/python -m pip install --quiet 'blocklda[fuzz]'
	touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
