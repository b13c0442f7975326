# SPDX-License-Identifier: Apache-2.0
# libcrypto.a from upstream's source. Unmeasured parts are left out: the programs, TLS, message formats, and ciphers
# that are legacy even to upstream. The rest is compiled as upstream does, with the flags of library.toml in the place of its own -O3.
set -eu
options=
for word in $OPTIONS; do
    case $word in
    noasm) options="$options no-asm" ;;
    int128) int128=yes ;;
    esac
done
if [ "${int128:-no}" = yes ]; then
    header=crypto/bn/bn_local.h
    condition='^#if !defined(OPENSSL_NO_ASM) && !defined(OPENSSL_NO_INLINE_ASM) && !defined(PEDANTIC)$'
    [ "$(grep -c "$condition" "$header")" = 1 ]
    sed "s/$condition/#if defined(__SIZEOF_INT128__)/" "$header" >"$header.new"
    mv "$header.new" "$header"
fi
# Curves of NIST by 128-bit products of the compiler, for processors without assembly for them: upstream leaves them off by default, distributions turn them on.
case $($CC -dumpmachine):$options:${int128:-no} in
x86_64-*:*no-asm*:no | aarch64-*:*no-asm*:no) ;;
x86_64-* | aarch64-*) options="$options enable-ec_nistp_64_gcc_128" ;;
esac
# shellcheck disable=SC2086 - no option is no word
perl Configure no-shared no-module no-tests no-docs no-apps no-makedepend \
    no-ssl no-tls no-dtls no-quic no-sock no-dso no-engine no-ui-console no-comp no-legacy \
    no-cmp no-cms no-ct no-ocsp no-ts no-srp no-http \
    no-bf no-cast no-gost no-idea no-md4 no-mdc2 no-rc2 no-rc4 no-seed no-sm2 no-whirlpool \
    --prefix=/nonexistent --libdir=lib --openssldir=/nonexistent $options
make -j"$JOBS" build_generated
make -j"$JOBS" libcrypto.a
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp -R include/openssl "$PREFIX/include/"
cp libcrypto.a "$PREFIX/lib/"
