# SPDX-License-Identifier: Apache-2.0
# All of library/ as one archive, with upstream's own configuration, which is installed so that the adapter sees the same.
set -eu
mkdir objects
cd library
find . -name '*.c' -print0 |
    xargs -0 -n 1 -P "$JOBS" sh -c '$CC -std=c99 -D_POSIX_C_SOURCE=200809L $CFLAGS -I../include -I. -c "$0" -o "../objects/${0%.c}.o"'
cd ..
mkdir -p "$PREFIX/include" "$PREFIX/lib"
(cd objects && LC_ALL=C ar rcs "$PREFIX/lib/libmbedtls.a" *.o)
cp -R include/mbedtls include/psa "$PREFIX/include/"
