# SPDX-License-Identifier: Apache-2.0
# libmonocypher.a by upstream's makefile, with the flags of the step in the place of its own -O3 -march=native.
set -eu
make -j"$JOBS" static-library CC="$CC" AR="${AR:-ar}" CFLAGS="-std=c99 $CFLAGS"
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp src/monocypher.h src/optional/monocypher-ed25519.h "$PREFIX/include/"
cp lib/libmonocypher.a "$PREFIX/lib/"
