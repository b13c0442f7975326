# SPDX-License-Identifier: Apache-2.0
# libbotan-3.a with TLS 1.2 and 1.3 by upstream's own configure.py: what a handshake here needs, with every implementation of it for particular processors,
# and what a full build has below it (the pool of locked memory, RFC 6979, pcurves). Whatever is not for this machine's kind of processor it leaves out itself.
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
sha1 sha2_32 sha2_64 hmac aes ctr gcm ghash chacha poly1305 chacha20poly1305 hkdf
x25519 ecdsa ecdh rfc6979 pcurves_secp256r1 pcurves_secp384r1 rsa emsa_pssr ml_kem keccak_perm
auto_rng system_rng locking_allocator
MODULES
)
# The modules of TLS and of certificates without what is below them: other transports, databases, stores of other systems.
python3 configure.py --minimized-build --disable-shared-library --build-targets=static --without-documentation \
    --cc="$kind" --cc-bin="$CXX" --cxxflags="$CXXFLAGS" --ar-command="${AR:-ar}" --prefix="$PREFIX" \
    --enable-modules="$(printf %s "$modules" | tr '\n' ,),x509,tls12,tls13,tls13_pqc"
make -j"$JOBS" libs
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp -RL build/include/public/botan "$PREFIX/include/"
cp libbotan-3.a "$PREFIX/lib/"
