# SPDX-License-Identifier: Apache-2.0
# libcrypto.a from upstream's source by its CMake files: the configuration of a release, with the flags of library.toml in the place of its -O3, and with the
# assembly that upstream generated (it is in the source). Left out: TLS, the program, the tests. Warnings stay warnings: those of another compiler than
# upstream's, or at another level of optimisation, must not end the build.
set -eu
options=
for word in $OPTIONS; do
    case $word in
    noasm) options="$options -DOPENSSL_NO_ASM=1" ;;
    esac
done
if [ -n "${AR:-}" ]; then
    options="$options -DCMAKE_AR=$(command -v "$AR") -DCMAKE_RANLIB=$(command -v "$RANLIB")"
fi
grep -q 'C_CXX_WARNINGS -Werror ' CMakeLists.txt
sed 's/C_CXX_WARNINGS -Werror /C_CXX_WARNINGS /' CMakeLists.txt >CMakeLists.new
mv CMakeLists.new CMakeLists.txt
# shellcheck disable=SC2086 - no option is no word
cmake -G 'Unix Makefiles' -S . -B build -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS_RELEASE='-DNDEBUG -g0' -DCMAKE_CXX_FLAGS_RELEASE='-DNDEBUG -g0' -DCMAKE_ASM_FLAGS_RELEASE=-DNDEBUG \
    -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF $options
cmake --build build --parallel "$JOBS" --target crypto
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp -R include/openssl "$PREFIX/include/"
cp build/libcrypto.a "$PREFIX/lib/"
