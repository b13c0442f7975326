#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Formatters and linters: Python (ruff, mypy --strict), words (tools/prose.py), C and C++ (clang-format; compiler warnings are errors in tests/unit/test_sources.py).
set -eu
bin=$1/bin
"$bin/ruff" format --check --quiet . || {
    echo "hint: $bin/ruff format ." >&2
    exit 1
}
"$bin/ruff" check --quiet .
"$bin/mypy"
"$bin/python" -m tools.prose || {
    echo "hint: docs/style.md" >&2
    exit 1
}
find sdk libraries labs tests bench \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) -print0 |
    xargs -0 -n 40 -P "$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)" "$bin/clang-format" --dry-run --Werror || {
    echo "hint: find sdk libraries labs tests bench -name '*.[ch]' -o -name '*.cpp' | xargs $bin/clang-format -i" >&2
    exit 1
}
echo "lint: clean"
