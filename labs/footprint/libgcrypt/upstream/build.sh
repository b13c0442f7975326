# SPDX-License-Identifier: Apache-2.0
# libgcrypt.a from upstream's source by its configure, on upstream's Libgpg-error ($WITH_GPG_ERROR), which is built first. `cut`: the algorithms of the six programs
# and of what they need (random bytes: SHA-1 and AES; ML-KEM: SHA-3, and the file of key derivation, which names SHA-512 and BLAKE2) in the place of all; `noasm`: C alone, without code for particular processors.
set -eu
options=
for word in $OPTIONS; do
    case $word in
    cut)
        options="$options --disable-jent-support --disable-padlock-support"
        set -- "--enable-ciphers=aes" "--enable-pubkey-ciphers=rsa ecc kyber" "--enable-digests=sha1 sha256 sha512 sha3 blake2" "--enable-kdfs=pkdf2"
        ;;
    noasm)
        options="$options --disable-asm"
        for what in aesni shaext pclmul sse41 drng avx avx2 avx512 gfni; do options="$options --disable-$what-support"; done
        ;;
    esac
done
# For another machine, configure gets its name.
target=$($CC -dumpmachine)
host=
case $target in
"$(uname -m)"-*) ;;
*) host="--host=$target" ;;
esac
here=$PWD
cd "$WITH_GPG_ERROR"
# shellcheck disable=SC2086 - no option is no word
./configure --prefix="$PREFIX" --libdir="$PREFIX/lib" --disable-shared --enable-static --disable-doc --disable-nls --disable-tests --disable-languages \
    --enable-install-gpg-error-config $host
make -j"$JOBS"
make install
cd "$here"
# shellcheck disable=SC2086
./configure --prefix="$PREFIX" --libdir="$PREFIX/lib" --disable-shared --enable-static --disable-doc --with-libgpg-error-prefix="$PREFIX" $options $host "$@"
for folder in compat mpi cipher random; do
    make -j"$JOBS" -C "$folder"
done
# The library alone, without upstream's own small programs.
make -j"$JOBS" -C src libgcrypt.la
make -C src install-libLTLIBRARIES install-nodist_includeHEADERS
