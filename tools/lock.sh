#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the lock files from pyproject.toml, with an environment of its own for the tool that does it.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$1/bin/python" -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet pip-tools
options="--quiet --generate-hashes --allow-unsafe --strip-extras --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-header"
# shellcheck disable=SC2086 - the options are words
"$scratch/venv/bin/pip-compile" $options --extra build --extra report -o requirements.lock pyproject.toml
# A part of it, of the same versions: what measures, without what reports.
cp requirements.lock requirements-core.lock
# shellcheck disable=SC2086
"$scratch/venv/bin/pip-compile" $options --extra build -o requirements-core.lock pyproject.toml
# shellcheck disable=SC2086
"$scratch/venv/bin/pip-compile" $options --extra build --extra report --extra dev -o requirements-dev.lock pyproject.toml
# The compiler of locks leaves out a condition that stands in an extra: where atheris has no wheel, it is not asked for.
sed -i "s/^atheris==[^ ;]*/& ; sys_platform == 'linux' and platform_machine == 'x86_64' and python_version < '3.14'/" requirements-dev.lock
# Zig alone, for whoever asks for it, beside what the environment has already.
echo "ziglang>=0.17,<0.18" >"$scratch/zig.in"
# shellcheck disable=SC2086
"$scratch/venv/bin/pip-compile" $options --no-annotate -o requirements-zig.lock "$scratch/zig.in"
