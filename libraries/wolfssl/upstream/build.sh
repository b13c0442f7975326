# SPDX-License-Identifier: Apache-2.0
# libwolfssl.a from upstream's source by upstream's configure, which the package leaves to be made. Beside upstream's own choice: assembly for this machine, single
# precision arithmetic (with assembly) for the usual sizes of RSA and for P-256, and the algorithms that upstream leaves out of a plain build; all extensions
# of certificates, and the functions that are called as OpenSSL's, among which paths are verified. Numbers of the public arithmetic may have 8192 bits.
# For a machine without an operating system there are no sockets, files or threads, and the replacement for a system gives the seed; configure's own tests
# link with stubs.
set -eu
asm= more= bare=
target=$($CC -dumpmachine)
# For another machine, configure gets its name; it runs no program that it builds.
# shellcheck disable=SC2086 - flags are words
if $CC $CFLAGS -dM -E -x c /dev/null | grep -q '__i386__ 1$'; then target=i686-linux-gnu; fi # a compiler for 64 bits, told otherwise
case $target in
"$(uname -m)"-*) ;;
*) more="--host=$target" ;;
esac
case $target in
*-none-*)
    more="$more --enable-singlethreaded --disable-threadlocal --disable-filesystem LDFLAGS=--specs=nosys.specs"
    # Addresses in certificates are read by a function of sockets: without it none is one.
    printf '#define WOLFSSL_IP4 2\n#define WOLFSSL_IP6 10\n#define XINET_PTON(a, b, c) 0\nint getentropy(void *to, unsigned size);\n' >bare.h
    bare="-include $PWD/bare.h -DWOLFSSL_NO_SOCK -DWOLFSSL_USER_IO -DNO_WRITEV -DCUSTOM_RAND_GENERATE_SEED=getentropy"
    ;;
esac
case $target in
x86_64-*) asm="--enable-intelasm --enable-sp-asm" ;;
aarch64-*) asm="--enable-armasm --enable-sp-asm" ;;
esac
# Assembly for 32-bit Arm is for processors with long multiplication, which ARMv6-M is not.
# shellcheck disable=SC2086 - flags are words
case $target in
arm*) if $CC $CFLAGS -dM -E -x c /dev/null | grep -q '__ARM_ARCH_ISA_THUMB 1$'; then asm="--disable-asm --disable-sp-asm"; fi ;;
esac
for word in $OPTIONS; do
    case $word in
    noasm) asm="--disable-asm --disable-sp-asm" ;;
    esac
done
./autogen.sh
# shellcheck disable=SC2086 - no option is no word
./configure --prefix=/nonexistent --enable-static --disable-shared --disable-examples --disable-crypttests --disable-benchmark \
    --enable-keygen --enable-certgen --enable-certext --enable-opensslextra --enable-dsa --enable-ecc --enable-ecccustcurves --enable-brainpool --enable-ed25519 --enable-curve25519 --enable-ed448 --enable-curve448 --enable-mlkem --enable-mldsa --enable-slhdsa=sha2-128s,sha2-128f \
    --enable-sha224 --enable-sha3 --enable-shake128 --enable-shake256 --enable-blake2 --enable-blake2s --enable-md5 --enable-ripemd --enable-siphash --enable-des3 --enable-camellia \
    --enable-aesctr --enable-aesccm --enable-aeseax --enable-aesgcm-siv --enable-aesxts --enable-aeskeywrap --enable-cmac --enable-chacha --enable-xchacha --enable-poly1305 --enable-scrypt \
    --enable-cryptocb --enable-sp=yes,4096 --enable-sp-math-all $asm $more \
    CPPFLAGS="$bare -DWOLFSSL_PUBLIC_MP -DWOLFSSL_ALT_NAMES -DWOLFSSL_ECDSA_DETERMINISTIC_K -DSP_INT_BITS=8192 -DHAVE_ECC_KOBLITZ"
make -j"$JOBS" src/libwolfssl.la
make DESTDIR="$PWD/out" install-libLTLIBRARIES install-nobase_includeHEADERS
mkdir -p "$PREFIX/lib"
cp out/nonexistent/lib/libwolfssl.a "$PREFIX/lib/"
cp -R out/nonexistent/include "$PREFIX/"
