# SPDX-License-Identifier: Apache-2.0
# libtommath.a by upstream's own Makefile, with the flags of library.toml, which are its own, in the place of its own (IGNORE_SPEED: it adds none).
set -eu
make -j"$JOBS" IGNORE_SPEED=1 CC="$CC" AR="${AR:-ar}" RANLIB="${RANLIB:-ranlib}" libtommath.a
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp tommath.h "$PREFIX/include/"
cp libtommath.a "$PREFIX/lib/"
