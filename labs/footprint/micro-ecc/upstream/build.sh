# SPDX-License-Identifier: Apache-2.0
# micro-ecc has no build system for libraries: its README says to compile uECC.c with the program. Its settings are macros, which come in $CFLAGS.
# libsha256.a is BearSSL's ($WITH_BEARSSL): the function and what it reads and writes words with.
set -eu
mkdir -p "$PREFIX/include" "$PREFIX/lib"
# shellcheck disable=SC2086 - flags are words
$CC -std=c99 $CFLAGS -c uECC.c -o uECC.o
$AR rcs "$PREFIX/lib/libuecc.a" uECC.o
cp uECC.h types.h "$PREFIX/include/"
for unit in hash/sha2small codec/dec32be codec/enc32be; do
    # shellcheck disable=SC2086 - flags are words
    $CC $CFLAGS -I"$WITH_BEARSSL/inc" -I"$WITH_BEARSSL/src" -c "$WITH_BEARSSL/src/$unit.c" -o "${unit##*/}.o"
done
$AR rcs "$PREFIX/lib/libsha256.a" sha2small.o dec32be.o enc32be.o
cp "$WITH_BEARSSL"/inc/*.h "$PREFIX/include/"
