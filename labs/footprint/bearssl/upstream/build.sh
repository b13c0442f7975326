# SPDX-License-Identifier: Apache-2.0
# libbearssl.a by upstream's own Makefile, with the flags of the step in the place of its own, which are -Os.
set -eu
make -j"$JOBS" CC="$CC" AR="${AR:-ar}" CFLAGS="-W -Wall -fPIC $CFLAGS" lib
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp inc/*.h "$PREFIX/include/"
cp build/libbearssl.a "$PREFIX/lib/"
