# SPDX-License-Identifier: Apache-2.0
# libbotan-3.a by upstream's own configure.py: the modules that the adapter calls, with every implementation of them for particular processors, and what a
# full build has below them (GHASH and Keccak, the pool of locked memory, RFC 6979, pcurves). Whatever is not for this machine's kind of processor it leaves out itself.
set -eu
case $CXX in
*clang*) kind=clang ;;
*) kind=gcc ;;
esac
# A module is a folder; those below it are its implementations for particular processors.
modules=$(while read -r line; do
    for module in $line; do
        folder=$(find src/lib -type d -name "$module" -exec test -e {}/info.txt ';' -print)
        [ -n "$folder" ] || { echo "error: this version has no module $module" >&2 && exit 1; }
        # shellcheck disable=SC2086 - a folder has no blank in its name
        find $folder -name info.txt | sed 's|/info.txt$||; s|.*/||'
    done
done <<'MODULES'
md5 sha1 sha2_32 sha2_64 sha3 shake keccak_perm blake2 blake2s rmd160 sm3
hmac cmac poly1305 siphash
aes des camellia aria sm4
cbc ctr chacha gcm ghash ccm eax ocb xts nist_keywrap chacha20poly1305
hkdf pbkdf2 scrypt argon2
x25519 x448 ed25519 ed448
ecdsa ecdh rfc6979
pcurves_secp256r1 pcurves_secp384r1 pcurves_secp521r1 pcurves_secp256k1 pcurves_brainpool256r1
dh dsa rsa eme_oaep eme_pkcs1 emsa_pkcs1 emsa_pssr
ml_kem ml_dsa slh_dsa_sha2
auto_rng system_rng locking_allocator
MODULES
)
# Certificates without what is below that module: stores of other systems and of databases.
python3 configure.py --minimized-build --disable-shared-library --build-targets=static --without-documentation \
    --cc="$kind" --cc-bin="$CXX" --cxxflags="$CXXFLAGS" --ar-command="${AR:-ar}" --prefix="$PREFIX" \
    --enable-modules="$(printf %s "$modules" | tr '\n' ,),x509"
make -j"$JOBS" libs
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp -RL build/include/public/botan "$PREFIX/include/"
cp libbotan-3.a "$PREFIX/lib/"
