# SPDX-License-Identifier: Apache-2.0
# libbearssl.a by upstream's own Makefile; without flags of a step with upstream's own, which are -Os.
set -eu
case " $OPTIONS " in
*" own-flags "*) flags="-Os" ;;
*) flags=$CFLAGS ;;
esac
make -j"$JOBS" CC="$CC" AR="${AR:-ar}" CFLAGS="-W -Wall -fPIC $flags" lib
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp inc/*.h "$PREFIX/include/"
cp build/libbearssl.a "$PREFIX/lib/"
