# SPDX-License-Identifier: Apache-2.0
# liboqs.a with ML-KEM and ML-DSA alone, by upstream's CMake. OQS_DIST_BUILD builds every implementation and chooses by the processor when it runs, as upstream's releases do.
# For another machine CMake gets its name. Without an operating system it is C alone, and random bytes come from the adapter.
set -eu
dist=ON
for word in $OPTIONS; do
    case $word in
    portable) dist=OFF ;;
    esac
done
machine=
target=$($CC -dumpmachine)
# shellcheck disable=SC2086 - flags are words
if $CC $CFLAGS -dM -E -x c /dev/null | grep -q '__i386__ 1$'; then target=i686-linux-gnu; fi # a compiler for 64 bits, told otherwise
case $target in
*-none-*)
    dist=OFF
    machine="-DCMAKE_SYSTEM_NAME=Generic -DCMAKE_SYSTEM_PROCESSOR=none -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY -DOQS_PERMIT_UNSUPPORTED_ARCHITECTURE=ON -DOQS_EMBEDDED_BUILD=ON"
    ;;
arm-linux-*) machine="-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=armv7l" ;;
"$(uname -m)"-*) ;;
*-linux-*) machine="-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=${target%%-*}" ;;
esac
[ "$dist" = ON ] || machine="$machine -DOQS_OPT_TARGET=generic"
# shellcheck disable=SC2086 - no option is no word
cmake -S . -B build -G "Unix Makefiles" -DCMAKE_C_COMPILER="$CC" -DCMAKE_AR="$(command -v "$AR")" -DCMAKE_C_FLAGS="$CFLAGS" -DCMAKE_BUILD_TYPE= \
    -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF -DOQS_BUILD_ONLY_LIB=ON -DOQS_USE_OPENSSL=OFF \
    -DOQS_DIST_BUILD=$dist -DOQS_MINIMAL_BUILD="KEM_ml_kem_512;KEM_ml_kem_768;KEM_ml_kem_1024;SIG_ml_dsa_44;SIG_ml_dsa_65;SIG_ml_dsa_87" $machine
cmake --build build --parallel "$JOBS"
cmake --install build
