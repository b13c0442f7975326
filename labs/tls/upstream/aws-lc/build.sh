# SPDX-License-Identifier: Apache-2.0
# libssl.a and libcrypto.a from upstream's source by its CMake files, as libraries/aws-lc builds libcrypto.a alone.
set -eu
cmake -G 'Unix Makefiles' -S . -B build -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS_RELEASE='-DNDEBUG -g0' -DCMAKE_ASM_FLAGS_RELEASE=-DNDEBUG \
    -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DBUILD_TOOL=OFF -DDISABLE_GO=ON -DDISABLE_PERL=ON \
    -DENABLE_SOURCE_MODIFICATION=OFF
cmake --build build --parallel "$JOBS" --target crypto --target ssl
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp -R include/openssl "$PREFIX/include/"
cp build/crypto/libcrypto.a build/ssl/libssl.a "$PREFIX/lib/"
