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
# For another machine, CMake gets its name.
target=$($CC -dumpmachine)
case $target in
*-none-*)
    options="$options -DCMAKE_SYSTEM_NAME=Generic -DCMAKE_SYSTEM_PROCESSOR=arm -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY"
    # Switches of upstream's for systems without these. Programs must see the same: they stand before the headers that are installed, too.
    for word in NO_FILESYSTEM NO_POSIX_IO NO_SOCK NO_THREADS_CORRUPT_MEMORY_AND_LEAK_SECRETS_IF_THREADED STATIC_ARMCAP; do
        printf '#define OPENSSL_%s\n' "$word"
    done | cat - include/openssl/target.h >target.new
    mv target.new include/openssl/target.h
    # newlib has no sockets, whose header one file asks for and does not use; and its uint32_t is a long, of which this compiler's C++ takes no pointer for one to int.
    mkdir -p without/sys
    : >without/sys/socket.h
    # Exceptions, which upstream's code does not throw, would bring the unwinder in.
    export CXXFLAGS="$CXXFLAGS -fpermissive -fno-exceptions -fno-rtti -I$PWD/without"
    ;;
"$(uname -m)"-*) ;;
arm-linux-*) options="$options -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=armv7-a" ;;
*-linux-*) options="$options -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=${target%%-*}" ;;
esac
if [ -n "${AR:-}" ]; then
    options="$options -DCMAKE_AR=$(command -v "$AR") -DCMAKE_RANLIB=$(command -v "$RANLIB")"
fi
# shellcheck disable=SC2086 - no option is no word
cmake -G 'Unix Makefiles' -S . -B build -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS_RELEASE='-DNDEBUG -g0' -DCMAKE_CXX_FLAGS_RELEASE='-DNDEBUG -g0' -DCMAKE_ASM_FLAGS_RELEASE=-DNDEBUG \
    -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF $options
cmake --build build --parallel "$JOBS" --target crypto --target ssl
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp -R include/openssl "$PREFIX/include/"
cp build/libcrypto.a build/libssl.a "$PREFIX/lib/"
