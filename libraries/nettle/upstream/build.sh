# SPDX-License-Identifier: Apache-2.0
# libnettle.a and libhogweed.a by upstream's own configure, on upstream's GMP ($WITH_GMP), which is built first. As distributions do it both hold the code
# for every processor and choose at run time; for `noasm` both are of C alone.
set -eu
gmp=--enable-fat
nettle=--enable-fat
case $OPTIONS in
noasm)
    gmp=--disable-assembly
    nettle=--disable-assembler
    ;;
esac
here=$PWD
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cd "$WITH_GMP"
./configure --prefix="$PREFIX" --libdir="$PREFIX/lib" --disable-shared --enable-static --with-pic $gmp MAKEINFO=true
make -j"$JOBS" MAKEINFO=true
cp gmp.h "$PREFIX/include/"
cp .libs/libgmp.a "$PREFIX/lib/"
cd "$here"
./configure --prefix="$PREFIX" --libdir="$PREFIX/lib" --disable-shared --enable-static --disable-documentation --disable-openssl $nettle \
    --with-include-path="$PREFIX/include" --with-lib-path="$PREFIX/lib"
make -j"$JOBS" libnettle.a libhogweed.a
make install-headers install-static
