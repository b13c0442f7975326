# SPDX-License-Identifier: Apache-2.0
# libbotan-3.a from upstream's source by its configure.py: all modules, unless `cut`, which takes those that the other words ask for (`tls`: a client of TLS 1.3 on
# P-256 with ECDSA; `rsa`: signatures of RSA; the rest a program each) and what upstream needs below them, compiled as one file (--amalgamation). `noasm`: without
# modules for particular processors, without assembly, and without the protection of the stack that upstream turns on.
set -eu
options=
modules=
parts=
for word in $OPTIONS; do
    case $word in
    cut) options="$options --minimized-build --amalgamation" ;;
    noasm) options="$options --disable-asm --without-stack-protector" ;;
    tls) modules="$modules,tls13,ecdh,ecdsa,aes,gcm,ghash,sha2_32,sha2_64,pcurves_secp256r1,system_rng" ;;
    rsa) modules="$modules,rsa,emsa_pssr,emsa_pkcs1,sha2_32" ;;
    hash) modules="$modules,sha2_32" ;;
    aead) modules="$modules,aes,gcm,ghash" ;;
    verify) modules="$modules,ecdsa,sha2_32,pcurves_secp256r1" ;;
    agree) modules="$modules,x25519,system_rng" ;;
    kem) modules="$modules,ml_kem,keccak_perm,system_rng" ;;
    esac
done
# A module is a folder; those below it are its implementations for particular processors.
case " $OPTIONS " in
*" noasm "*) ;;
*" cut "*)
    for module in $(printf %s "$modules" | tr , ' '); do
        folder=$(find src/lib -type d -name "$module" -exec test -e {}/info.txt ';' -print)
        for part in "$folder"/*/info.txt; do
            [ ! -e "$part" ] || parts="$parts,$(basename "$(dirname "$part")")"
        done
    done
    ;;
esac
# For another machine, configure.py gets its name.
target=$($CXX -dumpmachine)
case $target in
"$(uname -m)"-*) ;;
aarch64-linux-*) options="$options --cpu=arm64" ;;
arm-linux-*) options="$options --cpu=arm32" ;;
arm-none-*)
    # Without a system: random bytes are the program's.
    options="$options --cpu=arm32 --os=none"
    modules=$(printf %s "$modules" | sed 's/,system_rng//g')
    ;;
*-linux-*) options="$options --cpu=${target%%-*}" ;;
esac
case $CXX in
*clang*) kind=clang ;;
*) kind=gcc ;;
esac
# shellcheck disable=SC2086 - words
python3 configure.py --disable-shared-library --build-targets=static --without-documentation \
    --cc="$kind" --cc-bin="$CXX" --cxxflags="$CXXFLAGS" --ar-command="${AR:-ar}" --prefix="$PREFIX" \
    $options --enable-modules="${modules#,}$parts"
make -j"$JOBS" libs
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp -RL build/include/public/botan "$PREFIX/include/"
cp libbotan-3.a "$PREFIX/lib/"
