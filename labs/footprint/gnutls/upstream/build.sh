# SPDX-License-Identifier: Apache-2.0
# libgnutls.a from upstream's source by its configure, on upstream's Nettle ($WITH_NETTLE) and GMP ($WITH_GMP), which are built first; what upstream carries itself
# of other libraries is taken from there (libtasn1, libunistring), and what it would take from the system is left out, so that all of it is in the archives. `cut`: without
# what a client of TLS 1.3 and 1.2 with certificates does not need and upstream can leave out; `noasm`: C alone; `mini`: Nettle's own mini-gmp in the place of GMP.
set -eu
here=$PWD
gmp= nettle= gnutls= mini=
for word in $OPTIONS; do
    case $word in
    cut)
        gnutls="$gnutls --disable-ssl2-support --disable-dtls-srtp-support --disable-alpn-support --disable-anon-authentication --disable-psk-authentication
            --disable-dhe --disable-gost --disable-ocsp --disable-dsa --disable-non-suiteb-curves --disable-padlock"
        ;;
    noasm) gmp=--disable-assembly nettle="$nettle --disable-assembler" gnutls="$gnutls --disable-hardware-acceleration" ;;
    mini) mini=yes nettle="$nettle --enable-mini-gmp" gnutls="$gnutls --with-nettle-mini" ;;
    esac
done
# For another machine, configure gets its name. The program that makes the tables of the curves is built for this machine.
target=$($CC -dumpmachine)
host=
case $target in
"$(uname -m)"-*) ;;
*) host="--host=$target" ;;
esac
mkdir -p "$PREFIX/lib"
# shellcheck disable=SC2086 - words
if [ -z "$mini" ]; then
    cd "$WITH_GMP"
    ./configure --prefix="$PREFIX" --libdir="$PREFIX/lib" --disable-shared --enable-static --with-pic $gmp $host MAKEINFO=true
    make -j"$JOBS" MAKEINFO=true
    make install MAKEINFO=true
else
    "${AR:-ar}" cr "$PREFIX/lib/libgmp.a"
fi
cd "$WITH_NETTLE"
# shellcheck disable=SC2086
./configure --prefix="$PREFIX" --libdir="$PREFIX/lib" --disable-shared --enable-static --enable-pic --disable-documentation --disable-openssl $nettle $host \
    --with-include-path="$PREFIX/include" --with-lib-path="$PREFIX/lib"
make -j"$JOBS" libnettle.a libhogweed.a
make install-headers install-static install-pkgconfig
cd "$here"
export PKG_CONFIG_PATH="$PREFIX/lib/pkgconfig"
# shellcheck disable=SC2086
GMP_CFLAGS="-I$PREFIX/include" GMP_LIBS="-L$PREFIX/lib -lgmp" \
    ./configure --prefix="$PREFIX" --libdir="$PREFIX/lib" --disable-shared --enable-static --with-pic $gnutls $host \
    --disable-doc --disable-manpages --disable-tools --disable-tests --disable-cxx --disable-nls --disable-libdane --disable-gcc-warnings \
    --with-included-libtasn1 --with-included-unistring --without-idn --without-p11-kit --without-tpm --without-tpm2 \
    --without-zlib --without-brotli --without-zstd
make -C gl -j"$JOBS"
make -C lib -j"$JOBS"
make -C lib install
