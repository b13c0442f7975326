# SPDX-License-Identifier: Apache-2.0
# libbearssl.a by upstream's own Makefile.
set -eu
case $OPTIONS in
cortexm) CFLAGS="$CFLAGS -DBR_ARMEL_CORTEXM_GCC=1" ;;
esac
make -j"$JOBS" CC="$CC" AR="${AR:-ar}" CFLAGS="-W -Wall -fPIC $CFLAGS" lib
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp inc/*.h "$PREFIX/include/"
cp build/libbearssl.a "$PREFIX/lib/"
