# SPDX-License-Identifier: Apache-2.0
# libssl.a and libcrypto.a from upstream's source by its CMake files: `small` with OPENSSL_SMALL, `noasm` with OPENSSL_NO_ASM. Warnings stay warnings: those of
# another compiler than upstream's must not end the build. Messages name source files: without the folders that they were built in, sizes do not depend on the cache's.
set -eu
export CFLAGS="$CFLAGS -ffile-prefix-map=$PWD=." CXXFLAGS="$CXXFLAGS -ffile-prefix-map=$PWD=."
options=
for word in $OPTIONS; do
    case $word in
    small) options="$options -DOPENSSL_SMALL=1" ;;
    noasm) options="$options -DOPENSSL_NO_ASM=1" ;;
    esac
done
grep -q 'C_CXX_WARNINGS -Werror ' CMakeLists.txt
sed 's/C_CXX_WARNINGS -Werror /C_CXX_WARNINGS /' CMakeLists.txt >CMakeLists.new
mv CMakeLists.new CMakeLists.txt
# shellcheck disable=SC2086 - no option is no word
cmake -G 'Unix Makefiles' -S . -B build -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS_RELEASE='-DNDEBUG -g0' -DCMAKE_CXX_FLAGS_RELEASE='-DNDEBUG -g0' -DCMAKE_ASM_FLAGS_RELEASE=-DNDEBUG \
    -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF $options
cmake --build build --parallel "$JOBS" --target crypto --target ssl
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp -R include/openssl "$PREFIX/include/"
cp build/libcrypto.a build/libssl.a "$PREFIX/lib/"
