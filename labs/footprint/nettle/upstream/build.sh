# SPDX-License-Identifier: Apache-2.0
# libnettle.a and libhogweed.a by upstream's own configure with mini-gmp, which Hogweed then contains, in the place of GMP: `noasm` with --disable-assembler.
set -eu
target=$($CC -dumpmachine)
more=
case $OPTIONS in
*noasm*) more=--disable-assembler ;;
esac
# Without a system configure's own tests link with stubs, and an image has no table for code that is independent of its place.
case $target in
*-none-*)
    export LDFLAGS=--specs=nosys.specs
    more="$more --disable-pic"
    ;;
esac
# For another machine, configure gets its name. The program that makes the tables of the curves is built for this machine.
case $target in
"$(uname -m)"-*) ;;
*) more="$more --host=$target" ;;
esac
# shellcheck disable=SC2086 - no option is no word
./configure --prefix="$PREFIX" --libdir="$PREFIX/lib" --disable-shared --enable-static --disable-documentation --disable-openssl --enable-mini-gmp $more
make -j"$JOBS" libnettle.a libhogweed.a
make install-headers install-static
