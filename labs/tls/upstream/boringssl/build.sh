# SPDX-License-Identifier: Apache-2.0
# libssl.a and libcrypto.a from upstream's source by its CMake files, as libraries/boringssl builds libcrypto.a alone. Warnings stay warnings: those of
# another compiler than upstream's must not end the build.
set -eu
grep -q 'C_CXX_WARNINGS -Werror ' CMakeLists.txt
sed 's/C_CXX_WARNINGS -Werror /C_CXX_WARNINGS /' CMakeLists.txt >CMakeLists.new
mv CMakeLists.new CMakeLists.txt
cmake -G 'Unix Makefiles' -S . -B build -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS_RELEASE='-DNDEBUG -g0' -DCMAKE_CXX_FLAGS_RELEASE='-DNDEBUG -g0' -DCMAKE_ASM_FLAGS_RELEASE=-DNDEBUG \
    -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF
cmake --build build --parallel "$JOBS" --target crypto --target ssl
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp -R include/openssl "$PREFIX/include/"
cp build/libcrypto.a build/libssl.a "$PREFIX/lib/"
