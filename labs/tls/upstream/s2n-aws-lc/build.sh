# SPDX-License-Identifier: Apache-2.0
# libs2n.a by upstream's CMake files, on AWS-LC's libcrypto ($WITH_AWS_LC), which is built first as upstream/aws-lc builds it.
set -eu
here=$PWD
cd "$WITH_AWS_LC"
cmake -G 'Unix Makefiles' -S . -B build -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS_RELEASE='-DNDEBUG -g0' -DCMAKE_ASM_FLAGS_RELEASE=-DNDEBUG \
    -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DBUILD_TOOL=OFF -DBUILD_LIBSSL=OFF -DDISABLE_GO=ON -DDISABLE_PERL=ON \
    -DENABLE_SOURCE_MODIFICATION=OFF
cmake --build build --parallel "$JOBS" --target crypto
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp -R include/openssl "$PREFIX/include/"
cp build/crypto/libcrypto.a "$PREFIX/lib/"
cd "$here"
cmake -G 'Unix Makefiles' -S . -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE='-DNDEBUG -g0' \
    -DCMAKE_PREFIX_PATH="$PREFIX" -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF
cmake --build build --parallel "$JOBS" --target s2n
cp build/lib/libs2n.a "$PREFIX/lib/"
cp -R api/. "$PREFIX/include/"
