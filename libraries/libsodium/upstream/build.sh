# SPDX-License-Identifier: Apache-2.0
# libsodium.a by upstream's own configure; which implementations a processor can run is found out at run time, as in a distribution's.
set -eu
option=
case $OPTIONS in
noasm) option=--disable-asm ;;
esac
# For another machine, configure gets its name; it runs no program that it builds.
target=$($CC -dumpmachine)
case $target in
*-none-*) option="$option --host=$target LDFLAGS=--specs=nosys.specs" ;;
"$(uname -m)"-*) ;;
*) option="$option --host=$target" ;;
esac
# shellcheck disable=SC2086 - no option is no word
./configure --prefix="$PREFIX" --libdir="$PREFIX/lib" --disable-shared --enable-static --disable-dependency-tracking $option
make -j"$JOBS" -C src
make -C src install
