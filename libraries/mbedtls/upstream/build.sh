# SPDX-License-Identifier: Apache-2.0
# libmbedcrypto.a from upstream's source, in the folder of the Cargo package: the cryptographic half of library/ and certificates, without TLS, with upstream's
# own configuration; for `noasm` with assembly and processor extensions switched off in it. The configuration is installed, so that the adapter sees the same.
set -eu
case $OPTIONS in
noasm)
    config=include/mbedtls/mbedtls_config.h
    for word in MBEDTLS_HAVE_ASM MBEDTLS_AESNI_C MBEDTLS_AESCE_C MBEDTLS_PADLOCK_C; do
        grep -q "^#define $word\$" "$config"
        sed "s|^#define $word\$|/* #undef $word */|" "$config" >"$config.new"
        mv "$config.new" "$config"
    done
    ;;
esac
mkdir objects
cd library
# shellcheck disable=SC2086 - flags are words
find . -name '*.c' ! -name 'ssl_*' ! -name 'mps_*' ! -name net_sockets.c ! -name debug.c ! -name pkcs7.c -print0 |
    xargs -0 -n 1 -P "$JOBS" sh -c '$CC -std=c99 $CFLAGS -I../include -I. -c "$0" -o "../objects/${0%.c}.o"'
cd ..
mkdir -p "$PREFIX/include" "$PREFIX/lib"
(cd objects && LC_ALL=C ar rcs "$PREFIX/lib/libmbedcrypto.a" *.o)
cp -R include/mbedtls include/psa "$PREFIX/include/"
