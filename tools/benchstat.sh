#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The real benchstat into folder $1, so that the tests can give it what `export --as benchfmt` writes. Without Go, or without an answer
# from its modules, those two tests are skipped with the reason.
set -eu
[ -x "$1/benchstat" ] && exit 0
command -v go >/dev/null 2>&1 || exit 0
bin=$(cd "$1" && pwd)
GOBIN=$bin GOFLAGS=-mod=mod timeout 120 go install golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da >/dev/null 2>&1 ||
    echo "without benchstat: its two tests are skipped" >&2
