# SPDX-License-Identifier: Apache-2.0
# libnettle.a and libhogweed.a by upstream's own configure with mini-gmp, which Hogweed then contains, in the place of GMP. Where Nettle chooses by the processor
# when it runs, it holds the code for all of them, as distributions do it; for a machine without an operating system it is C alone, and configure's own tests link with stubs.
set -eu
target=$($CC -dumpmachine)
assembly=--enable-fat more=
case $target in
*-none-*)
    assembly=--disable-assembler
    export LDFLAGS=--specs=nosys.specs
    ;;
esac
case $OPTIONS in
noasm) assembly=--disable-assembler ;;
esac
# For another machine, configure gets its name. The program that makes the tables of the curves is built for this machine.
case $target in
"$(uname -m)"-*) ;;
*) more="--host=$target" ;;
esac
# shellcheck disable=SC2086 - no option is no word
./configure --prefix="$PREFIX" --libdir="$PREFIX/lib" --disable-shared --enable-static --disable-documentation --disable-openssl --enable-mini-gmp $assembly $more
make -j"$JOBS" libnettle.a libhogweed.a
make install-headers install-static
