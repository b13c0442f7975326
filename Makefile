# SPDX-License-Identifier: Apache-2.0
# The two commands: `make bench` and `make test`. Both set up what they need, both may be called again.
#   INSTALL=no    never install system packages; print the line that would
#   RUN=...       options for the default run, e.g. make bench RUN="--quick"
# `cipherstone run` ends with 4 if a library computed something wrong; the comparison says which, and `make bench` has then done its work.
#   PYTHON=...    the Python (3.11 or later) that the environment is made with

VENV := .venv
CIPHERSTONE := $(VENV)/bin/cipherstone
RUN :=

.PHONY: bench test lint selfcheck setup docs lock clean

bench: setup
	@$(CIPHERSTONE) run --report $(RUN) || { status=$$?; [ $$status -eq 4 ] || exit $$status; }

setup: $(VENV)/.ready
	@$(CIPHERSTONE) setup

test: $(VENV)/.ready-dev
	@tools/test_packages.sh
	@tools/benchstat.sh $(VENV)/bin
	@$(CIPHERSTONE) setup
	@$(MAKE) --no-print-directory lint
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(VENV)/bin/python -m pytest $(PYTEST)

lint: $(VENV)/.ready-dev
	@tools/lint.sh $(VENV)

selfcheck: setup
	@$(VENV)/bin/python -m bench.selfcheck

docs: $(VENV)/.ready-dev
	@$(VENV)/bin/python tools/reference.py --write

# The environment comes from the lock file alone; a change of the lock makes it anew.
$(VENV)/.ready: requirements.lock pyproject.toml tools/environment.sh
	@tools/environment.sh $(VENV) requirements.lock
	@touch $@

$(VENV)/.ready-dev: requirements-dev.lock pyproject.toml tools/environment.sh
	@tools/environment.sh $(VENV) requirements-dev.lock
	@touch $(VENV)/.ready $@

# After a change of the dependencies in pyproject.toml. The lock files pin by hash and record no address.
lock: $(VENV)/.ready-dev
	@tools/lock.sh $(VENV)

clean:
	rm -rf $(VENV)
