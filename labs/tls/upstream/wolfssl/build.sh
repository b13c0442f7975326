# SPDX-License-Identifier: Apache-2.0
# libwolfssl.a from upstream's source by upstream's configure, which the package leaves to be made: TLS 1.2 and 1.3 with what a handshake here needs beside
# upstream's own choice, assembly for this machine, and single precision arithmetic (with assembly) for the usual sizes of RSA and for P-256.
set -eu
asm=
case $($CC -dumpmachine) in
x86_64-*) asm="--enable-intelasm --enable-sp-asm" ;;
aarch64-*) asm="--enable-armasm --enable-sp-asm" ;;
esac
./autogen.sh
# shellcheck disable=SC2086 - no option is no word
./configure --prefix=/nonexistent --enable-static --disable-shared --disable-examples --disable-crypttests --disable-benchmark \
    --enable-opensslextra --enable-tls13 --enable-sni --enable-session-ticket --enable-supportedcurves --enable-hkdf \
    --enable-sessioncerts --enable-ecc --enable-ed25519 --enable-curve25519 --enable-aesgcm --enable-mldsa --enable-sp=yes,4096 --enable-sp-math-all $asm
make -j"$JOBS" src/libwolfssl.la
make DESTDIR="$PWD/out" install-libLTLIBRARIES install-nobase_includeHEADERS
mkdir -p "$PREFIX/lib"
cp out/nonexistent/lib/libwolfssl.a "$PREFIX/lib/"
cp -R out/nonexistent/include "$PREFIX/"
