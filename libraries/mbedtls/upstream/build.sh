# SPDX-License-Identifier: Apache-2.0
# libmbedcrypto.a from upstream's source, in the folder of the Cargo package: the cryptographic half of library/ and certificates, without TLS, with upstream's
# own configuration; for `noasm` with assembly and processor extensions switched off in it. For a machine without an operating system files, network, clock and the
# system's entropy are off, as upstream's documents say; entropy comes from the adapter. The configuration is installed, so that the adapter sees the same.
set -eu
config=include/mbedtls/mbedtls_config.h
# Each of the words becomes ($2) what it was not ($1).
switch() {
    from=$1 to=$2
    shift 2
    for word in "$@"; do
        grep -q "^$from$word\$" "$config"
        sed "s|^$from$word\$|$to$word|" "$config" >"$config.new"
        mv "$config.new" "$config"
    done
}
case $OPTIONS in
noasm)
    switch '#define ' '//#define ' MBEDTLS_HAVE_ASM MBEDTLS_AESNI_C MBEDTLS_AESCE_C MBEDTLS_PADLOCK_C
    ;;
esac
case $($CC -dumpmachine) in
*-none-*)
    switch '#define ' '//#define ' MBEDTLS_FS_IO MBEDTLS_NET_C MBEDTLS_TIMING_C MBEDTLS_PSA_ITS_FILE_C MBEDTLS_PSA_CRYPTO_STORAGE_C
    switch '//#define ' '#define ' MBEDTLS_NO_PLATFORM_ENTROPY MBEDTLS_ENTROPY_HARDWARE_ALT MBEDTLS_PLATFORM_MS_TIME_ALT
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
