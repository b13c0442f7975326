# SPDX-License-Identifier: Apache-2.0
# libgmp.a by upstream's own configure. As distributions do it (--enable-fat) it holds the code for every processor and chooses at run time; for `nofat`
# it is made for the processor at hand, for `noasm` of C alone.
set -eu
choice=--enable-fat
case $OPTIONS in
nofat) choice= ;;
noasm) choice=--disable-assembly ;;
esac
# shellcheck disable=SC2086 - no choice is no word
./configure --prefix="$PREFIX" --libdir="$PREFIX/lib" --disable-shared --enable-static --with-pic $choice MAKEINFO=true
make -j"$JOBS" MAKEINFO=true
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp gmp.h "$PREFIX/include/"
cp .libs/libgmp.a "$PREFIX/lib/"
