#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# System packages that only the tests need: a browser, the AArch64 cross compiler and its emulator, valgrind, and the compilers of the laboratories'
# builds, whose machine code is looked at. Elsewhere than on Debian with root the tests
# that need them are skipped, with the reason.
set -eu
wanted=""
command -v chromium >/dev/null 2>&1 || wanted="$wanted chromium"
command -v qemu-aarch64 >/dev/null 2>&1 || wanted="$wanted qemu-user"
command -v aarch64-linux-gnu-gcc >/dev/null 2>&1 || wanted="$wanted gcc-aarch64-linux-gnu"
[ -e /usr/aarch64-linux-gnu/include/stdio.h ] || wanted="$wanted libc6-dev-arm64-cross"
command -v objdump >/dev/null 2>&1 || wanted="$wanted binutils"
[ -e /usr/include/valgrind/memcheck.h ] || wanted="$wanted valgrind"
[ "$(uname -m)" != x86_64 ] || for compiler in gcc-11 clang-14 clang-16; do
    command -v "$compiler" >/dev/null 2>&1 || wanted="$wanted $compiler"
done
[ -n "$wanted" ] || exit 0
if [ "${INSTALL:-yes}" = no ] || ! command -v apt-get >/dev/null 2>&1 || [ "$(id -u)" != 0 ]; then
    echo "without these packages some tests are skipped:$wanted" >&2
    exit 0
fi
echo "installing for the tests:$wanted" >&2
apt-get update -qq >&2
# shellcheck disable=SC2086 - a list of packages
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $wanted fonts-dejavu-core >/dev/null
