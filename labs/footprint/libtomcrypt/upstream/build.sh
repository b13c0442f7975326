# SPDX-License-Identifier: Apache-2.0
# libtomcrypt.a and libtommath.a ($WITH_TOMMATH, its provider of numbers) by upstream's own Makefiles, with the flags of the step in the place of theirs (IGNORE_SPEED:
# they add none), among which are upstream's switches for what is in it.
set -eu
here=$PWD
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cd "$WITH_TOMMATH"
make -j"$JOBS" IGNORE_SPEED=1 CC="$CC" AR="${AR:-ar}" RANLIB="${RANLIB:-ranlib}" libtommath.a
cp tommath.h libtommath.a "$here"
cd "$here"
# In the environment: their Makefile puts its own words before them, which it does not on the command line.
export CFLAGS="$CFLAGS -I$here"
make -j"$JOBS" IGNORE_SPEED=1 CC="$CC" AR="${AR:-ar}" RANLIB="${RANLIB:-ranlib}" libtomcrypt.a
cp tommath.h src/headers/*.h "$PREFIX/include/"
cp libtommath.a libtomcrypt.a "$PREFIX/lib/"
