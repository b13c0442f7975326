#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# System packages that only tests need, for the tests that are named (files or folders; all of them without a name), each asked for by who uses it:
#   tests/browser           a browser; axe-core, which npm brings where it is installed
#   tests/contract, sdk     the AArch64 cross compiler and an emulator; sdk also the libraries for programs of 32 bits on x86-64
#   tests/cli               a client of Cargo's registry and a second compiler, for libraries from source; strace, nginx and the emulator, to see what commands touch; PRoot, for the whole program on an emulated AArch64
#   tests/labs              valgrind, the AArch64 cross compiler and an emulator, those of Cortex-M, Go for the reference peer, nginx and HAProxy to be loaded with handshakes, and the compilers of the laboratories' builds, whose machine code is looked at
#   tests/fuzz              clang with libFuzzer
#   bench/selfcheck         Botan's own speed program
# Elsewhere than on Debian with root the tests that need them are skipped, with the reason.
set -eu
wanted=""
need() { # the package $2 unless $1 is true
    eval "$1" >/dev/null 2>&1 || wanted="$wanted $2"
}
serves() { # whether a test of folder $1 is among the named ones
    [ -n "$named" ] || return 0
    case $named in *tests/"$1"*) return 0 ;; *"tests "*) return 0 ;; *) return 1 ;; esac
}
named=${*:+"$* "}
need "command -v objdump" binutils
if serves browser; then
    need "command -v chromium" chromium
    [ -z "${CS_REQUIRE_BROWSER:-}" ] || need "command -v npm" npm
fi
if serves contract || serves sdk || serves labs || serves cli; then
    need "command -v qemu-aarch64" qemu-user
fi
if serves contract || serves sdk || serves labs; then
    need "command -v aarch64-linux-gnu-gcc" gcc-aarch64-linux-gnu
    need "[ -e /usr/aarch64-linux-gnu/include/stdio.h ]" libc6-dev-arm64-cross
fi
if serves sdk && [ "$(uname -m)" = x86_64 ]; then # gcc-multilib, without a number, conflicts with the cross compiler
    need "[ -e /usr/include/i386-linux-gnu -o -e /usr/lib32/libc.so ]" gcc-12-multilib
fi
if serves cli; then
    need "command -v cargo" cargo
    need "command -v strace" strace
    [ "$(uname -m)" != x86_64 ] || need "command -v proot" proot
    need "[ -e /usr/sbin/nginx ] || command -v nginx" nginx
    [ "$(uname -m)" != x86_64 ] || need "command -v clang-14" clang-14
fi
if serves fuzz && [ "$(uname -m)" = x86_64 ]; then
    need "command -v clang-14" clang-14
    need "ls /usr/lib/llvm-14/lib/clang/*/lib/linux/libclang_rt.fuzzer-x86_64.a" libclang-rt-14-dev
fi
if serves labs; then
    need "command -v arm-none-eabi-gcc" gcc-arm-none-eabi
    need "[ -d /usr/lib/arm-none-eabi/lib ]" libnewlib-arm-none-eabi
    need "command -v qemu-system-arm" qemu-system-arm
    need "[ -e /usr/include/valgrind/memcheck.h ]" valgrind
    need "command -v go" golang-go
    need "[ -e /usr/sbin/nginx ] || command -v nginx" nginx
    need "[ -e /usr/sbin/haproxy ] || command -v haproxy" haproxy
    [ "$(uname -m)" != x86_64 ] || for compiler in gcc-11 clang-14 clang-16; do
        need "command -v $compiler" "$compiler"
    done
fi
case $named in *bench/selfcheck*) need "command -v botan" botan ;; esac
axe() { # what npm brings; without it the tests of accessibility are skipped, or fail where CS_REQUIRE_BROWSER is set
    ! serves browser || [ "${INSTALL:-yes}" = no ] || "$(dirname "$0")/axe.sh" >/dev/null || echo "axe-core cannot be fetched: is there npm?" >&2
}
[ -n "$wanted" ] || {
    axe
    exit 0
}
if [ "${INSTALL:-yes}" = no ] || ! command -v apt-get >/dev/null 2>&1 || [ "$(id -u)" != 0 ]; then
    echo "without these packages some tests or checks are left out:$wanted" >&2
    exit 0
fi
echo "installing for the tests:$wanted" >&2
apt-get update -qq >&2
# Servers are installed and not started: Debian asks this file.
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
    trap 'rm -f $policy' EXIT
    printf '#!/bin/sh\nexit 101\n' >$policy
    chmod +x $policy
fi
# shellcheck disable=SC2086 - a list of packages
DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends $wanted fonts-dejavu-core >/dev/null
axe
