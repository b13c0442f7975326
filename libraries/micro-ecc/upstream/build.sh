# SPDX-License-Identifier: Apache-2.0
# micro-ecc has no build system for libraries: its README says to compile uECC.c with the program. Its settings are macros, which come in $CFLAGS.
set -eu
# shellcheck disable=SC2086 - flags are words
$CC -std=c99 $CFLAGS -c uECC.c -o uECC.o
mkdir -p "$PREFIX/include" "$PREFIX/lib"
$AR rcs "$PREFIX/lib/libuecc.a" uECC.o
cp uECC.h types.h "$PREFIX/include/"
