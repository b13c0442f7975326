# SPDX-License-Identifier: Apache-2.0
# libsecp256k1.a by upstream's own CMake files, with upstream's own choice of tables, modules and assembly. The Cargo package gives every name a prefix and takes
# out what allocates; it carries the patches that it applied. Both are undone here, in the opposite order, which leaves upstream's files as they were.
set -eu
prefix=$(sed -n 's/.*\(rustsecp256k1_v[0-9_]*_\)context_create.*/\1/p' secp256k1/include/secp256k1.h | head -n 1)
[ -n "$prefix" ]
find secp256k1 -type f -exec sed -i "s/${prefix}ecdsa_signature_parse_der_lax/ecdsa_signature_parse_der_lax/g; s/$prefix/secp256k1_/g" {} +
for file in include/secp256k1.h src/secp256k1.c src/scratch.h src/scratch_impl.h src/util.h contrib/lax_der_parsing.c; do
    patch --reverse --fuzz=0 "secp256k1/$file" "${file##*/}.patch"
done
assembly=AUTO
for word in $OPTIONS; do
    case $word in
    noasm) assembly=OFF ;;
    esac
done
cmake -G 'Unix Makefiles' -S secp256k1 -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-g0 -DSECP256K1_ASM=$assembly \
    -DCMAKE_AR="$(command -v "$AR")" -DCMAKE_RANLIB="$(command -v "$RANLIB")" -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
    -DBUILD_SHARED_LIBS=OFF -DSECP256K1_VALGRIND=OFF -DSECP256K1_BUILD_BENCHMARK=OFF -DSECP256K1_BUILD_TESTS=OFF \
    -DSECP256K1_BUILD_EXHAUSTIVE_TESTS=OFF -DSECP256K1_BUILD_CTIME_TESTS=OFF -DSECP256K1_BUILD_EXAMPLES=OFF
cmake --build build --parallel "$JOBS"
cmake --install build
