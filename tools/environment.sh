#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the virtual environment $1 from the lock file $2: every package pinned by hash, nothing else.
set -eu
venv=$1 lock=$2

find_python() {
    for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
        if command -v "$candidate" >/dev/null 2>&1 &&
            "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

python=$(find_python) || {
    echo "cipherstone: error: no Python 3.11 or later (PYTHON=path names one)" >&2
    exit 1
}
if [ ! -x "$venv/bin/python" ]; then
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        # Debian and Ubuntu keep this part of Python in a package of its own.
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        if [ "${INSTALL:-yes}" != no ] && command -v apt-get >/dev/null 2>&1 && as_root true 2>/dev/null; then
            echo "installing: python$version-venv" >&2
            as_root apt-get update -qq >&2
            as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "python$version-venv" >/dev/null
        else
            echo "cipherstone: error: this Python cannot make virtual environments" >&2
            echo "hint: install your system's package for it, e.g. sudo apt-get install python$version-venv" >&2
            exit 1
        fi
    fi
    echo "making the Python environment in $venv" >&2
    "$python" -m venv "$venv"
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --requirement "$lock"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
# An editable package is not compiled by its installation, and never where the environment forbids bytecode (PYTHONDONTWRITEBYTECODE): every command would do it anew.
"$venv/bin/python" -m compileall -q src || true
