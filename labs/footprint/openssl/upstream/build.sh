# SPDX-License-Identifier: Apache-2.0
# libssl.a and libcrypto.a from upstream's source by its Configure: `cut` without all that a client of TLS 1.3 with AES-GCM, ECDSA, RSA and curves of primes does
# not need and upstream can leave out, but `mlkem` has ML-KEM; `noasm` with no-asm and small tables. No modules: the package lacks what they are made with, and nothing here loads one.
set -eu
options=
case " $OPTIONS " in
*" mlkem "*) ;;
*" cut "*) options="no-ml-kem" ;;
esac
for word in $OPTIONS; do
    case $word in
    cut)
        options="$options no-dso no-engine no-dynamic-engine no-legacy no-deprecated no-err no-autoerrinit no-filenames
            no-comp no-ct no-cms no-cmp no-ts no-ocsp no-srp no-psk no-srtp no-dtls no-tls1 no-tls1_1 no-tls1_2 no-quic
            no-dsa no-dh no-ec2m no-chacha no-poly1305 no-ml-dsa no-slh-dsa no-lms no-http no-ui-console
            no-sslkeylog no-trace no-async no-thread-pool no-secure-memory no-autoload-config no-rfc3779
            no-aria no-bf no-blake2 no-camellia no-cast no-des no-gost no-idea no-md4 no-mdc2 no-ocb no-rc2 no-rc4 no-rmd160
            no-scrypt no-argon2 no-seed no-siphash no-siv no-sm2 no-sm3 no-sm4 no-whirlpool no-multiblock"
        ;;
    noasm) options="$options no-asm -DOPENSSL_SMALL_FOOTPRINT" ;;
    esac
done
# For another machine, Configure gets its name; for this machine it finds out.
target=$($CC -dumpmachine)
case $target in
*-none-*)
    # Upstream's words for systems without files, sockets and threads, and its macro for one without syslog. It has no word for folders: those are in port/. Its
    # seed comes from the system's getentropy, here from the program's.
    options="gcc no-threads no-sock no-stdio no-posix-io --with-rand-seed=getrandom $options"
    cp -R "$(dirname "$0")/port" .
    CFLAGS="$CFLAGS -DNO_SYSLOG -Iport"
    ;;
"$(uname -m)"-*) ;;
arm-linux-*) options="linux-armv4 $options" ;;
powerpc64le-linux-*) options="linux-ppc64le $options" ;;
riscv64-linux-*) options="linux64-riscv64 $options" ;;
*-linux-*) options="linux-${target%%-*} $options" ;;
esac
# shellcheck disable=SC2086 - words
perl Configure no-shared no-module no-tests no-docs no-apps no-makedepend --prefix=/nonexistent --libdir=lib --openssldir=/nonexistent $options
make -j"$JOBS" build_generated
make -j"$JOBS" libcrypto.a libssl.a
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp -R include/openssl "$PREFIX/include/"
cp libcrypto.a libssl.a "$PREFIX/lib/"
