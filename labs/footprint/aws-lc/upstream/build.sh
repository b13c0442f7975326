# SPDX-License-Identifier: Apache-2.0
# libssl.a and libcrypto.a from upstream's source by its CMake files: `small` with OPENSSL_SMALL, `noasm` with OPENSSL_NO_ASM. Assembly is the one that upstream
# generated (it is in the source). Messages name source files: without the folders that they were built in, sizes do not depend on the cache's.
set -eu
export CFLAGS="$CFLAGS -ffile-prefix-map=$PWD=."
options=
for word in $OPTIONS; do
    case $word in
    small) options="$options -DOPENSSL_SMALL=1" ;;
    noasm) options="$options -DOPENSSL_NO_ASM=1" ;;
    esac
done
# shellcheck disable=SC2086 - no option is no word
cmake -G 'Unix Makefiles' -S . -B build -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS_RELEASE='-DNDEBUG -g0' -DCMAKE_ASM_FLAGS_RELEASE=-DNDEBUG \
    -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DBUILD_TOOL=OFF -DDISABLE_GO=ON -DDISABLE_PERL=ON \
    -DENABLE_SOURCE_MODIFICATION=OFF $options
cmake --build build --parallel "$JOBS" --target crypto --target ssl
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp -R include/openssl "$PREFIX/include/"
cp build/crypto/libcrypto.a build/ssl/libssl.a "$PREFIX/lib/"
