# Needs Python 3.11 or newer and GNU make, nothing else: everything is installed into .venv.

PYTHON ?= python3
VENV := .venv
OTHERS := .venv-others
RUN := $(VENV)/bin/python -m
PIP := $(RUN) pip install --quiet --disable-pip-version-check

# BLAS threads only get in each other's way on matrices of this size, and results depend on their number.
export OMP_NUM_THREADS ?= 1

# Kernels of OpenBLAS that round differently: no test of the numeric rooms may depend on the processor.
PROCESSORS := Haswell Nehalem

.DEFAULT_GOAL := help
.PHONY: help test test-all test-others lint docs exactness figures reproduce compare bench dist clean

help:
	@echo "make test        check style, types and imports, run the tests (6 minutes)"
	@echo "make test-all    the same with every test: browsers, services, pages, research, other processors"
	@echo "make test-others watch and replace the solvers of BoTorch, Ax, BayBE, Optuna and others, in .venv-others"
	@echo "make lint        check style, types and imports only"
	@echo "make reproduce   a quick version of the paper's experiment, with figures and a report (3 minutes)"
	@echo "make compare     a quick comparison with the other optimizers that are installed (minutes)"
	@echo "make exactness   how exactly BoTorch, Optuna and others maximize their acquisitions, a small study (5 minutes)"
	@echo "make docs        build the documentation site into build/docs, offline"
	@echo "make figures     make every figure and table of the documentation again that takes minutes and not hours"
	@echo "make bench       list the benchmarks; make bench NAME=<name> runs one"
	@echo "make dist        build what is released, twice, and compare the bytes"
	@echo "make clean       remove .venv, caches and built files"
	@echo "The interpreter is $(PYTHON); choose another with make PYTHON=<path> ..."

test: lint
	$(RUN) pytest --hypothesis-profile=ci

test-all: lint
	$(RUN) pytest --hypothesis-profile=ci -m ""
	for core in $(PROCESSORS); do \
		OPENBLAS_CORETYPE=$$core NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL" $(RUN) pytest --hypothesis-profile=ci -q \
			tests/gp tests/acquisition tests/solvers tests/accuracy tests/pareto tests/study || exit 1; done
	$(MAKE) test-others

test-others: $(OTHERS)/.others
	$(OTHERS)/bin/python -m pytest -q tests/exactness

lint: $(VENV)/.dev
	$(RUN) ruff check
	$(RUN) ruff format --check
	$(RUN) mypy
	$(VENV)/bin/lint-imports --no-logo

reproduce: $(VENV)/.reproduce
	$(VENV)/bin/suffice reproduce main --quick

compare: $(VENV)/.reproduce
	$(RUN) research.compare $(or $(WORDS),--quick)

docs: $(VENV)/.docs
	$(RUN) sphinx --fail-on-warning --keep-going --quiet docs build/docs
	@echo "The documentation is in build/docs/index.html"

figures: $(VENV)/.dev
	$(RUN) research.benchmarks.figures

# Five minutes; PLAN=full takes hours, and resumes where it stopped.
exactness: $(OTHERS)/.others
	$(OTHERS)/bin/python -m research.exactness $(or $(PLAN),small)

bench: $(VENV)/.core
ifdef NAME
	$(RUN) research.benchmarks.$(NAME)
else
	@echo "Run one of these with: make bench NAME=<name>"
	@for file in $$(grep -l __main__ research/benchmarks/*.py); do basename "$$file" .py; done
endif

# The clone has other paths, other times and nothing that is not committed.
dist: export SOURCE_DATE_EPOCH = $(shell git log -1 --format=%ct)
dist: $(VENV)/.dist
	rm -rf dist build/again build/clone
	git clone --quiet . build/clone
	$(RUN) build --outdir dist .
	$(RUN) build --outdir build/again build/clone
	cd dist && sha256sum suffice-* > SHA256SUMS
	cd build/again && sha256sum --check ../../dist/SHA256SUMS
	$(RUN) twine check --strict dist/suffice-*

clean:
	rm -rf $(VENV) $(OTHERS) dist build .nox .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests research -type d -name __pycache__ -prune -exec rm -rf {} +

# The stamps say that the dependencies of this pyproject.toml are installed; the sources themselves are linked.
$(VENV)/.core: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "suffice needs Python 3.11 or newer, but $(PYTHON) is: $$($(PYTHON) --version 2>&1)."; \
		echo "Name another interpreter, for example: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
		echo "$(PYTHON) cannot make a virtual environment; on Debian and Ubuntu: apt install python3-venv"; exit 1; }
	@echo "Installing suffice into $(VENV)"
	@$(PIP) --upgrade 'pip>=25.1' # an older one knows no dependency groups
	@$(PIP) --editable .
	@touch $@

$(VENV)/.reproduce: $(VENV)/.core
	@echo "Installing what draws the figures into $(VENV)"
	@$(PIP) --editable '.[plot,cli]'
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	@echo "Installing the development tools into $(VENV)"
	@$(PIP) --editable '.[all]' --group dev
	@touch $@

# Large, so that only these tests have it. Without a GPU torch's CPU build is enough: install it there first.
$(OTHERS)/.others: pyproject.toml
	@test -x $(OTHERS)/bin/python || $(PYTHON) -m venv $(OTHERS)
	@echo "Installing the libraries whose solves are watched into $(OTHERS)"
	@$(OTHERS)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	@$(OTHERS)/bin/python -m pip install --quiet --editable . --group exactness
	@touch $@

$(VENV)/.dist: $(VENV)/.core
	@echo "Installing what builds a release into $(VENV)"
	@$(PIP) --group dist
	@touch $@

$(VENV)/.docs: $(VENV)/.core
	@echo "Installing what builds the documentation into $(VENV)"
	@$(PIP) --editable '.[all]' --group docs
	@touch $@
