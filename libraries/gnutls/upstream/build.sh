# SPDX-License-Identifier: Apache-2.0
# libgnutls.a by upstream's own configure, on upstream's Nettle ($WITH_NETTLE), which is built first, and the system's GMP. Unmeasured parts are left out:
# programs, tests, C++, and parts of other libraries that handshakes and certificates would use.
set -eu
nettle=--enable-fat
gnutls=
case $OPTIONS in
noasm)
    nettle=--disable-assembler
    gnutls=--disable-hardware-acceleration
    ;;
esac
here=$PWD
cd "$WITH_NETTLE"
./configure --prefix="$PREFIX" --libdir="$PREFIX/lib" --disable-shared --enable-static --enable-pic --disable-documentation --disable-openssl $nettle
make -j"$JOBS" libnettle.a libhogweed.a
make install-headers install-static install-pkgconfig
cd "$here"
export PKG_CONFIG_PATH="$PREFIX/lib/pkgconfig"
# shellcheck disable=SC2086 - no option is no word
./configure --prefix="$PREFIX" --libdir="$PREFIX/lib" --disable-shared --enable-static --with-pic $gnutls \
    --disable-doc --disable-manpages --disable-tools --disable-tests --disable-cxx --disable-nls --disable-libdane --disable-gcc-warnings \
    --with-included-libtasn1 --with-included-unistring --without-idn --without-p11-kit --without-tpm --without-tpm2 \
    --without-zlib --without-brotli --without-zstd
make -C gl -j"$JOBS"
make -C lib -j"$JOBS"
make -C lib install
