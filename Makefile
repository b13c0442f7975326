# SPDX-License-Identifier: Apache-2.0
# The two commands: `make bench` and `make test`. Both set up what they need, both may be called again.
#   INSTALL=no    never install system packages; print the line that would
#   RUN=...       options for the default run, e.g. make bench RUN="--quick"
# `cipherstone run` ends with 4 if a library computed something wrong; the comparison says which, and `make bench` has then done its work.
#   LOCK=requirements-core.lock   what measures alone, without what reports: docs/guides/systems.md
#   PYTHON=...    the Python (3.11 or later) that the environment is made with
# Day to day: `make fmt`, `make check`; docs/guides/work-on-it.md.
#   JOBS=...      tests side by side; by default as many as there are CPUs, and of all tests two more
#   PYTEST=...    which tests, e.g. make test PYTEST=tests/unit
#   CS_KEEP=no    compute anew what tests keep of the last call (tests/kept.py)

VENV := .venv
CIPHERSTONE := $(VENV)/bin/cipherstone
RUN :=
LOCK := requirements.lock
REPORT := $(if $(findstring core,$(LOCK)),,--report)
CPUS := $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
# An image may forbid bytecode, for the size of its layers: then every command of every test would compile the program anew.
unexport PYTHONDONTWRITEBYTECODE
# The environment's own tools first; a file of tests stays in one process, so that its fixtures are made once, and the files with most to do begin first (tests/conftest.py).
PYTESTS := PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(VENV)/bin/python -m pytest --dist loadfile --no-loadscope-reorder
TESTS := $(PYTESTS) -n $(or $(JOBS),$(CPUS))
# Of the slow ones some wait, for time limits and for signals: two processes more keep the CPUs busy.
ALL_TESTS := $(PYTESTS) -n $(or $(JOBS),$(shell expr $(CPUS) + 2))

.PHONY: bench bench-all test bare check fast fmt lint golden costs mutants fuzz bundle-mutants kills selfcheck setup docs lock zig clean

bench: setup
	@$(CIPHERSTONE) run $(REPORT) $(RUN) || { status=$$?; [ $$status -eq 4 ] || exit $$status; }

# Every pinned source built first (once; some 50 minutes of processor time), then all builds side by side; 45 minutes of measuring at most.
bench-all: setup
	@$(CIPHERSTONE) setup --builds
	@$(CIPHERSTONE) build || true
	@$(CIPHERSTONE) run $(REPORT) --build sources --max-time 45min $(RUN) || { status=$$?; [ $$status -eq 4 ] || exit $$status; }

setup: $(VENV)/.ready
	@$(CIPHERSTONE) setup

# No system package is asked for before the tests that need none have passed.
test: $(VENV)/.ready-dev
	@$(MAKE) --no-print-directory -j2 lint bare
	@tools/test_packages.sh $(PYTEST)
	@tools/benchstat.sh $(VENV)/bin
	@$(CIPHERSTONE) setup
	@$(ALL_TESTS) -m packages $(PYTEST) || [ $$? -eq 5 ]

bare: $(VENV)/.ready-dev
	@$(ALL_TESTS) -m "not packages" $(PYTEST) || [ $$? -eq 5 ]

# Before every commit: about 75 seconds of processor time, measured with two processes.
check: $(VENV)/.ready-dev
	@$(MAKE) --no-print-directory -j2 lint fast

fast: $(VENV)/.ready-dev
	@$(TESTS) -m "not slow" $(PYTEST)

fmt: $(VENV)/.ready-dev
	@tools/format.sh $(VENV)

# After a change of what a report says: the golden outputs anew. The diff is the change that readers see.
golden: $(VENV)/.ready-dev
	@$(VENV)/bin/python tests/golden/fixed_run.py
	@$(VENV)/bin/python tests/golden/golden_texts.py

# After tests were added or became slower: which are fast, measured. Twice: without the slow tests of a file, another test pays for the fixtures that they share.
costs: $(VENV)/.ready-dev
	@CS_KEEP=no $(TESTS) --costs tests/costs.txt $(PYTEST)
	@CS_KEEP=no $(TESTS) -m "not slow" --costs tests/costs.txt $(PYTEST) || [ $$? -eq 5 ]

# Plausible slips, one at a time: which does a test notice? MUTANTS="--count 300 --seed 1"
mutants: $(VENV)/.ready-dev
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(VENV)/bin/python -m tools.mutants $(MUTANTS)

# What parses foreign bytes, N inputs each; `make test` has a bounded part. FUZZ="manifest c-worker --seed 7"
fuzz: $(VENV)/.ready-dev
	@$(VENV)/bin/python tests/fuzz/campaign.py --inputs $(or $(N),1000000) $(FUZZ)

# Damaged runs, read by every command that reads runs; runs that are killed and resumed. `make test` has a part of both.
bundle-mutants: $(VENV)/.ready-dev
	@$(VENV)/bin/python tests/fault/bundle_mutants.py $(or $(N),2000)

kills: $(VENV)/.ready-dev
	@$(VENV)/bin/python tests/fault/kills.py $(or $(N),1000)

# One more compiler for builds: `--build openssl@4.0+zig`.
zig: $(VENV)/.ready
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-zig.lock

lint: $(VENV)/.ready-dev
	@tools/lint.sh $(VENV)

selfcheck: setup
	@tools/test_packages.sh bench/selfcheck
	@$(VENV)/bin/python -m bench.selfcheck

docs: $(VENV)/.ready-dev
	@$(VENV)/bin/python tools/reference.py --write

# The environment comes from the lock file alone; a change of the lock makes it anew.
$(VENV)/.ready: $(LOCK) pyproject.toml tools/environment.sh
	@tools/environment.sh $(VENV) $(LOCK)
	@touch $@

$(VENV)/.ready-dev: requirements-dev.lock pyproject.toml tools/environment.sh
	@tools/environment.sh $(VENV) requirements-dev.lock
	@touch $(VENV)/.ready $@

# After a change of the dependencies in pyproject.toml. The lock files pin by hash and record no address.
lock: $(VENV)/.ready-dev
	@tools/lock.sh $(VENV)

clean:
	rm -rf $(VENV)
