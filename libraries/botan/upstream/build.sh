# SPDX-License-Identifier: Apache-2.0
# libbotan-3.a by upstream's own configure.py: the modules that the adapter calls, with every implementation of them for particular processors, and what a
# full build has below them (the pool of locked memory, RFC 6979, pcurves). Whatever is not for this machine's kind of processor it leaves out itself.
set -eu
case $CXX in
*clang*) kind=clang ;;
*) kind=gcc ;;
esac
python3 configure.py --minimized-build --disable-shared-library --build-targets=static --without-documentation \
    --cc="$kind" --cc-bin="$CXX" --cxxflags="$CXXFLAGS" --ar-command="${AR:-ar}" --prefix="$PREFIX" --enable-modules="$(tr '\n' , <<'MODULES'
md5
sha1,sha1_simd,sha1_avx2,sha1_x86,sha1_armv8
sha2_32,sha2_32_simd,sha2_32_avx2,sha2_32_x86,sha2_32_armv8
sha2_64,sha2_64_avx2,sha2_64_avx512,sha2_64_x86,sha2_64_armv8
sha3,keccak_perm_bmi2,keccak_perm_avx512
blake2
hmac,cmac
poly1305,poly1305_avx2,poly1305_avx512
aes,aes_ni,aes_vaes,aes_vperm,aes_armv8
des
cbc
ctr,ctr_simd32,ctr_avx2
chacha,chacha_simd32,chacha_avx2,chacha_avx512
gcm,ghash_cpu,ghash_vperm,ghash_avx512_clmul
chacha20poly1305
x25519,ed25519
ecdsa,rfc6979,pcurves_secp256r1
rsa
ml_kem
auto_rng,system_rng
locking_allocator
MODULES
)"
make -j"$JOBS" libs
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp -RL build/include/public/botan "$PREFIX/include/"
cp libbotan-3.a "$PREFIX/lib/"
