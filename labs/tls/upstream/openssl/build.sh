# SPDX-License-Identifier: Apache-2.0
# libssl.a and libcrypto.a from upstream's source, as libraries/openssl builds libcrypto.a alone. Left out is what no handshake here needs: programs, QUIC,
# DTLS, message formats, and ciphers that are legacy even to upstream.
set -eu
options=
# Curves of NIST by 128-bit products of the compiler, for processors without assembly for them: upstream leaves them off by default, distributions turn them on.
case $($CC -dumpmachine) in
x86_64-* | aarch64-*) options=enable-ec_nistp_64_gcc_128 ;;
esac
perl Configure no-shared no-module no-tests no-docs no-apps no-makedepend \
    no-dtls no-quic no-dso no-engine no-ui-console no-comp no-legacy \
    no-cmp no-cms no-ct no-ts no-srp \
    no-bf no-cast no-gost no-idea no-md4 no-mdc2 no-rc2 no-rc4 no-seed no-sm2 no-whirlpool \
    --prefix=/nonexistent --libdir=lib --openssldir=/nonexistent $options
make -j"$JOBS" build_generated
make -j"$JOBS" libcrypto.a libssl.a
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp -R include/openssl "$PREFIX/include/"
cp libcrypto.a libssl.a "$PREFIX/lib/"
