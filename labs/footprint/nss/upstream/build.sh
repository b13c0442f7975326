# SPDX-License-Identifier: Apache-2.0
# libnss3.a from upstream's source by its makefiles as libraries/nss builds it, with libssl: the software token inside of it (NSS_STATIC_SOFTOKEN) in the place of
# a library that is loaded at run time, and upstream's NSPR ($WITH_NSPR), which is built first. Left out: S/MIME, the old database, programs, tests. `cut`:
# also the second verifier of paths (libpkix), ChaCha20-Poly1305, RC2, SEED, and code for AVX2 and SSE, which is all that upstream has words for.
set -eu
here=$PWD
wide=
case $($CC -dumpmachine) in
*64*) wide=--enable-64bit ;;
esac
words=
for word in $OPTIONS; do
    case $word in
    cut)
        words="NSS_DISABLE_LIBPKIX=1 NSS_DISABLE_CHACHAPOLY=1 NSS_DISABLE_DEPRECATED_RC2=1 NSS_DISABLE_DEPRECATED_SEED=1
            NSS_DISABLE_AVX2=1 NSS_DISABLE_SSE3=1 NSS_DISABLE_SSE4_1=1 NSS_DISABLE_SSE4_2=1"
        ;;
    esac
done
cd "$WITH_NSPR/nspr"
./configure --prefix="$PREFIX" --libdir="$PREFIX/lib" --includedir="$PREFIX/include" --disable-debug --enable-optimize="$CFLAGS" $wide
make -j"$JOBS"
make install
cd "$here"
# In the place of the linker of shared libraries, whose objects are archived below.
cat >no-linker <<'END'
while [ "$1" != -o ]; do shift; done
: >"$2"
END
build() {
    folder=$1
    shift
    # shellcheck disable=SC2086 - no word is no word
    make -C "nss/$folder" ${wide:+USE_64=1} BUILD_OPT=1 NSS_DISABLE_DBM=1 NSS_ENABLE_WERROR=0 FREEBL_NO_DEPEND=0 $words \
        CC="$CC" CCC="$CXX" OPTIMIZER="$CFLAGS" XCFLAGS=-DNSS_STATIC_SOFTOKEN MKSHLIB="sh $here/no-linker" \
        NSPR_INCLUDE_DIR="$PREFIX/include" NSPR_LIB_DIR="$PREFIX/lib" "$@"
}
build coreconf/nsinstall
for folder in lib cmd/lib; do
    build $folder export private_export
done
case " $OPTIONS " in
*" cut "*) pkix= ;;
*) pkix=libpkix ;;
esac
for folder in util sqlite freebl softoken base dev pki certdb certhigh pk11wrap cryptohi $pkix ssl; do
    build lib/$folder -j"$JOBS" libs
done
build lib/nss SHARED_LIBRARY= libs
mkdir -p "$PREFIX/include"
cp dist/public/nss/*.h "$PREFIX/include/"
# What loads the token's own library is in it no more than the token is.
find nss/lib -name '*.o' ! -name loader.o | sort | xargs "${AR:-ar}" qcs "$PREFIX/lib/libnss3.a"
