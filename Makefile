# make demo · test · docs · sanitize · torture · nightly · coverage · bench · bench-peers · bench-scale · wheel ·
# lowest · newest: each sets up what it needs in .venv. make vega brings the report's chart library up to date.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2
# Tests that wait for a browser or for workers leave room for one more process.
TEST_JOBS ?= 3

# What CI installs is pinned, build tools included (newer pip reads the second variable for those).
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_BUILD_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Some images of machines set this; then every process compiles all that it imports.
unexport PYTHONDONTWRITEBYTECODE

NATIVE := $(wildcard native/*/*.?pp)
SOURCES := pyproject.toml constraints.txt CMakeLists.txt README.md tools/wheel.py native/kernels.def \
	$(NATIVE) $(shell find src licenses -type f -not -name '*.so' -not -name '*.pyc')

.PHONY: demo test beside docs lint unit sanitize torture bench bench-peers bench-scale bench-quick vega wheel lowest newest nightly coverage clean

demo: $(VENV)/run.stamp
	$(BIN)/blocklda demo bars
	$(BIN)/blocklda demo stdlib

# Linters, the site and benchmarks one after the other, beside the tests, which leave a core idle now and then.
test: $(VENV)/dev.stamp
	$(MAKE) --no-print-directory -j 2 unit beside

beside:
	$(MAKE) --no-print-directory lint
	$(MAKE) --no-print-directory docs
	$(MAKE) --no-print-directory bench-quick

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(NATIVE)
	$(BIN)/codespell

unit: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -n $(TEST_JOBS) --dist loadgroup

# The site, in build/site: without network, warnings as errors.
docs: export NO_MKDOCS_2_WARNING := 1
docs: export OPENBLAS_NUM_THREADS := 1
docs: $(VENV)/dev.stamp
	$(BIN)/python -m mkdocs build --quiet

# Every kernel in a program of its own, under the sanitizers: addresses, undefined behaviour, threads.
sanitize:
	$(MAKE) -j $(JOBS) -C native/sanitize all

# Bad days at full length; `make test` has a few of each. Fuzzing guided by coverage has a group of its own.
torture: export OPENBLAS_NUM_THREADS := 1
torture: $(VENV)/torture.stamp
	$(BIN)/python -m torture

bench: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks.sweeps
	$(BIN)/python -m benchmarks.convolution
	$(BIN)/python -m benchmarks.starts
	$(BIN)/python -m benchmarks.start_fits
	$(BIN)/python -m benchmarks.moves
	$(BIN)/python -m benchmarks.move_fits
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
	$(BIN)/python -m benchmarks.start_up
	$(BIN)/python -m benchmarks.short_documents
	$(BIN)/python -m benchmarks.blocks_on_bars
	$(BIN)/python -m benchmarks.left_out_documents

# One thread for all: linear algebra libraries take more unless told not to.
bench-peers bench-scale bench-quick: export OPENBLAS_NUM_THREADS := 1
bench-peers bench-scale bench-quick: export OMP_NUM_THREADS := 1

bench-peers: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks.peers
	$(BIN)/python -m benchmarks.infer
	$(BIN)/python -m benchmarks.certified
	$(BIN)/python -m benchmarks.certified --fits
	$(BIN)/python -m benchmarks.auto
	$(BIN)/python -m benchmarks.nonparametric

bench-scale: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks.scale
	$(BIN)/python -m benchmarks.shards
	$(BIN)/python -m benchmarks.network

# At toy size, to see that they run.
bench-quick: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks

# The chart library of the report, from npm: `make vega`, or python -m tools.vega --vega-lite VERSION.
vega:
	$(PYTHON) -m tools.vega

# The source archive and the wheel, in build/dist.
wheel: build/wheel.stamp

# The lowest versions that pyproject.toml allows, in an environment of their own.
lowest: build/wheel.stamp
	$(BIN)/python -m tools.lowest

# The newest versions that there are, in another one.
newest: build/wheel.stamp
	$(BIN)/python -m tools.newest

# Which lines of Python and of C++ the tests run, in build/coverage/report.md.
COVERED_TESTS ?= -n $(TEST_JOBS) --dist loadgroup
coverage: $(VENV)/dev.stamp
	$(BIN)/python -m tools.coverage $(COVERED_TESTS)

# The long jobs in about an hour; all of them, then fail if one did. Tests that are slow or flaky
# are named in build/test-report.md, other results are in build/torture.
nightly: export OPENBLAS_NUM_THREADS := 1
nightly: $(VENV)/torture.stamp
	$(BIN)/python -m tools.nightly

# Bytecode of all that is installed takes longer than that of what is imported, which is made on the way.
PIP_INSTALL := $(BIN)/python -m pip install -qq --no-compile

# pip of a venv is as old as its Python; dependency groups need 25.1.
$(VENV)/build.stamp: constraints.txt
	test -e $(VENV)/pyvenv.cfg || $(PYTHON) -m venv $(VENV)
	$(PIP_INSTALL) --upgrade pip
	$(PIP_INSTALL) --group build
	touch $@

build/wheel.stamp: $(VENV)/build.stamp $(SOURCES)
	$(BIN)/python -m tools.wheel build
	touch $@

build/alone.stamp: build/wheel.stamp tools/try_installed.py
	$(BIN)/python -m tools.wheel try
	touch $@

# The package alone, as a user would install it.
$(VENV)/run.stamp: build/wheel.stamp
	$(BIN)/python -m pip uninstall -qq --yes blocklda
	$(PIP_INSTALL) build/dist/*.whl
	touch $@

$(VENV)/groups.stamp: $(VENV)/build.stamp pyproject.toml
	$(PIP_INSTALL) --group dev
	touch $@

$(VENV)/all.stamp: $(VENV)/run.stamp
	$(PIP_INSTALL) "$$(echo build/dist/*.whl)[all]"
	touch $@

# The tools are installed while the kernels are compiled; then, while the extras are installed, the
# wheel is tried out without them, in an environment of its own.
$(VENV)/dev.stamp: $(VENV)/build.stamp $(SOURCES)
	$(MAKE) --no-print-directory -j 2 build/wheel.stamp $(VENV)/groups.stamp
	$(MAKE) --no-print-directory -j 2 $(VENV)/all.stamp build/alone.stamp
	touch $@

$(VENV)/torture.stamp: $(VENV)/dev.stamp
	$(PIP_INSTALL) --group fuzz
	touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
