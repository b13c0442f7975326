#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# axe-core, which tests of pages run inside them (tests/browser/test_accessibility.py): npm brings the pinned version into build/axe and checks it against the hash in tests/browser/axe/package-lock.json.
# It prints the path of the file. Exit code 3: there is no npm.
set -eu
cd "$(dirname "$0")/.."
wanted=tests/browser/axe here=build/axe
file=$here/node_modules/axe-core/axe.min.js
if ! { [ -e $file ] && cmp -s $wanted/package-lock.json $here/package-lock.json; }; then
    command -v npm >/dev/null 2>&1 || exit 3
    mkdir -p $here
    cp $wanted/package.json $wanted/package-lock.json $wanted/.npmrc $here/
    (cd $here && npm ci --silent >&2)
fi
echo $file
