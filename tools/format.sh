#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Formats everything that tools/lint.sh looks at, and mends what the linter can mend safely.
set -eu
bin=$1/bin
"$bin/ruff" check --quiet --fix . || true # what is left, lint says
"$bin/ruff" format --quiet .
find sdk libraries labs tests bench \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) -print0 | xargs -0 "$bin/clang-format" -i
