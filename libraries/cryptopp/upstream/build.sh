# SPDX-License-Identifier: Apache-2.0
# libcryptopp.a by upstream's own makefile, which adds to each file the flags for the instructions that it is there for.
set -eu
export CXXFLAGS="-DNDEBUG $CXXFLAGS"
make -j"$JOBS" libcryptopp.a
mkdir -p "$PREFIX/include/cryptopp" "$PREFIX/lib"
cp ./*.h "$PREFIX/include/cryptopp/"
cp libcryptopp.a "$PREFIX/lib/"
