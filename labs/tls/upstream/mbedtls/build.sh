# SPDX-License-Identifier: Apache-2.0
# All of library/ as one archive, with upstream's own configuration, which is installed so that the adapter sees the same; for `noasm` with assembly and processor
# extensions switched off in it, for `buffers4k` with room for records of 4 KiB in each direction.
set -eu
config=include/mbedtls/mbedtls_config.h
# A line that begins with $1 becomes $2.
change() {
    grep -q "^$1" "$config"
    sed "s|^$1.*|$2|" "$config" >"$config.new"
    mv "$config.new" "$config"
}
for option in $OPTIONS; do
    case $option in
    noasm)
        for word in MBEDTLS_HAVE_ASM MBEDTLS_AESNI_C MBEDTLS_AESCE_C MBEDTLS_PADLOCK_C; do
            change "#define $word" "//#define $word"
        done
        ;;
    buffers4k)
        for word in MBEDTLS_SSL_IN_CONTENT_LEN MBEDTLS_SSL_OUT_CONTENT_LEN; do
            change "//#define $word " "#define $word 4096"
        done
        ;;
    esac
done
mkdir objects
cd library
find . -name '*.c' -print0 |
    xargs -0 -n 1 -P "$JOBS" sh -c '$CC -std=c99 -D_POSIX_C_SOURCE=200809L $CFLAGS -I../include -I. -c "$0" -o "../objects/${0%.c}.o"'
cd ..
mkdir -p "$PREFIX/include" "$PREFIX/lib"
(cd objects && LC_ALL=C ar rcs "$PREFIX/lib/libmbedtls.a" *.o)
cp -R include/mbedtls include/psa "$PREFIX/include/"
