# SPDX-License-Identifier: Apache-2.0
# libs2n.a by upstream's CMake files, on the system's libcrypto.
set -eu
cmake -G 'Unix Makefiles' -S . -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE='-DNDEBUG -g0' \
    -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF
cmake --build build --parallel "$JOBS" --target s2n
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp build/lib/libs2n.a "$PREFIX/lib/"
cp -R api/. "$PREFIX/include/"
