# SPDX-License-Identifier: Apache-2.0
# libs2n.a from upstream's source by its CMake files, on AWS-LC's libcrypto ($WITH_AWS_LC), which is built first as the ladder of that library builds it: `small`
# with OPENSSL_SMALL, `noasm` with OPENSSL_NO_ASM; `cut` leaves out what records where an error came from. Messages name source files: without the folders
# that they were built in, sizes do not depend on the cache's.
set -eu
here=$PWD
crypto=
own=
for word in $OPTIONS; do
    case $word in
    cut) own="$own -DS2N_STACKTRACE=OFF" ;;
    small) crypto="$crypto -DOPENSSL_SMALL=1" ;;
    noasm) crypto="$crypto -DOPENSSL_NO_ASM=1" ;;
    esac
done
# For another machine, CMake gets its name.
target=$($CC -dumpmachine)
machine=
case $target in
"$(uname -m)"-*) ;;
arm-linux-*) machine="-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=armv7-a" ;;
*-linux-*) machine="-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=${target%%-*}" ;;
esac
if [ -n "${AR:-}" ]; then
    machine="$machine -DCMAKE_AR=$(command -v "$AR") -DCMAKE_RANLIB=$(command -v "$RANLIB")"
fi
export CFLAGS="$CFLAGS -ffile-prefix-map=$WITH_AWS_LC=. -ffile-prefix-map=$here=." CXXFLAGS="$CXXFLAGS -ffile-prefix-map=$WITH_AWS_LC=."
cd "$WITH_AWS_LC"
# shellcheck disable=SC2086 - no option is no word
cmake -G 'Unix Makefiles' -S . -B build -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS_RELEASE='-DNDEBUG -g0' -DCMAKE_CXX_FLAGS_RELEASE='-DNDEBUG -g0' -DCMAKE_ASM_FLAGS_RELEASE=-DNDEBUG \
    -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DBUILD_TOOL=OFF -DBUILD_LIBSSL=OFF -DDISABLE_GO=ON -DDISABLE_PERL=ON \
    -DENABLE_SOURCE_MODIFICATION=OFF $crypto $machine
cmake --build build --parallel "$JOBS" --target crypto
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp -R include/openssl "$PREFIX/include/"
cp build/crypto/libcrypto.a "$PREFIX/lib/"
cd "$here"
# shellcheck disable=SC2086
cmake -G 'Unix Makefiles' -S . -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE='-DNDEBUG -g0' \
    -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_FIND_ROOT_PATH="$PREFIX" -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF $own $machine
cmake --build build --parallel "$JOBS" --target s2n
cp build/lib/libs2n.a "$PREFIX/lib/"
cp -R api/. "$PREFIX/include/"
