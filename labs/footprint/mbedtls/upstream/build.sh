# SPDX-License-Identifier: Apache-2.0
# All of library/ as one archive. `default`: with upstream's own configuration; other words: with config.h beside this script, which asks for each as CONFIG_WORD.
# `no-tls13` beside `default`: without that version.
# A machine without an operating system has no files, network, clock or entropy of its own: upstream's configuration is without them there, and programs bring time and entropy.
# The configuration is installed, so that the programs see the same.
set -eu
here=$(dirname "$0")
config=include/mbedtls/mbedtls_config.h
case " $OPTIONS " in
*" default "*)
    case $($CC -dumpmachine) in
    *-none-*)
        sed -E 's,^#define (MBEDTLS_(FS_IO|NET_C|TIMING_C|PSA_ITS_FILE_C|PSA_CRYPTO_STORAGE_C))$,/* \1 */,
            s,^//(#define MBEDTLS_(NO_PLATFORM_ENTROPY|ENTROPY_HARDWARE_ALT|PLATFORM_MS_TIME_ALT))$,\1,' "$config" >"$config.new"
        mv "$config.new" "$config"
        ;;
    esac
    case " $OPTIONS " in
    *" no-tls13 "*)
        grep -q '^#define MBEDTLS_SSL_PROTO_TLS1_3$' "$config"
        sed -E 's,^#define (MBEDTLS_SSL_PROTO_TLS1_3)$,/* \1 */,' "$config" >"$config.new"
        mv "$config.new" "$config"
        ;;
    esac
    ;;
*)
    for word in $OPTIONS; do
        echo "#define CONFIG_$(echo "$word" | tr a-z- A-Z_) 1"
    done >"$config.new"
    cat "$here/config.h" >>"$config.new"
    mv "$config.new" "$config"
    ;;
esac
mkdir objects
cd library
find . -name '*.c' -print0 |
    xargs -0 -n 1 -P "$JOBS" sh -c '$CC -std=c99 -D_POSIX_C_SOURCE=200809L $CFLAGS -I../include -I. -c "$0" -o "../objects/${0%.c}.o"'
cd ..
case " $OPTIONS " in
*" micro-ecc "*)
    only="-DuECC_SUPPORTS_secp160r1=0 -DuECC_SUPPORTS_secp192r1=0 -DuECC_SUPPORTS_secp224r1=0 -DuECC_SUPPORTS_secp256k1=0 -DuECC_SUPPORT_COMPRESSED_POINT=0"
    # shellcheck disable=SC2086 - flags are words
    $CC -std=c99 $CFLAGS $only -DuECC_OPTIMIZATION_LEVEL=0 -c "$WITH_MICRO_ECC/uECC.c" -o objects/uECC.o
    # shellcheck disable=SC2086 - flags are words
    $CC -std=c99 $CFLAGS -Iinclude -I"$WITH_MICRO_ECC" -c "$here/ecc_alt.c" -o objects/ecc_alt.o
    ;;
esac
mkdir -p "$PREFIX/include" "$PREFIX/lib"
(cd objects && LC_ALL=C "${AR:-ar}" rcs "$PREFIX/lib/libmbedtls.a" *.o)
cp -R include/mbedtls include/psa "$PREFIX/include/"
