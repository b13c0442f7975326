# SPDX-License-Identifier: Apache-2.0
# liboqs.a by upstream's CMake: ML-KEM and ML-DSA, or with `one` ML-KEM-768 alone. OQS_DIST_BUILD builds every implementation and chooses by the processor when it
# runs, as upstream's releases do; `portable` is C alone. For another machine, CMake gets its name. Without an operating system, random bytes come only from the program.
set -eu
dist=ON kinds="KEM_ml_kem_512;KEM_ml_kem_768;KEM_ml_kem_1024;SIG_ml_dsa_44;SIG_ml_dsa_65;SIG_ml_dsa_87"
for word in $OPTIONS; do
    case $word in
    portable) dist=OFF ;;
    one) kinds=KEM_ml_kem_768 ;;
    esac
done
machine=
target=$($CC -dumpmachine)
case $target in
*-none-*) machine="-DCMAKE_SYSTEM_NAME=Generic -DCMAKE_SYSTEM_PROCESSOR=none -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY -DOQS_PERMIT_UNSUPPORTED_ARCHITECTURE=ON -DOQS_EMBEDDED_BUILD=ON" ;;
arm-linux-*) machine="-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=armv7l" ;;
"$(uname -m)"-*) ;;
*-linux-*) machine="-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=${target%%-*}" ;;
esac
[ "$dist" = ON ] || machine="$machine -DOQS_OPT_TARGET=generic"
# shellcheck disable=SC2086 - no option is no word
cmake -S . -B build -G "Unix Makefiles" -DCMAKE_C_COMPILER="$CC" -DCMAKE_AR="$(command -v "$AR")" -DCMAKE_RANLIB="$(command -v "$RANLIB")" -DCMAKE_C_FLAGS="$CFLAGS" -DCMAKE_BUILD_TYPE= \
    -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF -DOQS_BUILD_ONLY_LIB=ON -DOQS_USE_OPENSSL=OFF \
    -DOQS_DIST_BUILD=$dist -DOQS_MINIMAL_BUILD="$kinds" $machine
cmake --build build --parallel "$JOBS"
cmake --install build
