# SPDX-License-Identifier: Apache-2.0
set -eu
case $OPTIONS in
slow) CFLAGS="$CFLAGS -O0" ;;
esac
# shellcheck disable=SC2086 - flags are words
$CC $CFLAGS -c ownhash.c
mkdir -p "$PREFIX/include" "$PREFIX/lib"
ar rcs "$PREFIX/lib/libownhash.a" ownhash.o
cp ownhash.h "$PREFIX/include/"
