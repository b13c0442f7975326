# SPDX-License-Identifier: Apache-2.0
# libippcp.a from upstream's source by its CMake files: the merged library, which chooses among its variants at run time, with the flags of library.toml in the
# place of its -O3. Left out: the multi-buffer library, the shared library, the variants for SSSE3 and for AVX without AVX2 (those processors get the one below),
# and functions that are not measured here. Warnings stay warnings: those of another compiler than upstream's must not end the build.
set -eu
case $($CC -dumpmachine) in
x86_64-*) ;;
*)
    echo "error: the library is for x86-64 alone"
    exit 1
    ;;
esac
in_place() {
    grep -q "$1" "$3"
    sed "s/$1/$2/" "$3" >"$3.new"
    mv "$3.new" "$3"
}
in_place 'm7 n8 y8 e9 l9 k0 k1' 'm7 y8 l9 k0 k1' sources/ippcp/CMakeLists.txt
in_place 'LIB_M7=0, LIB_N8=1, LIB_Y8=2, LIB_E9=3, LIB_L9=4, LIB_K0=5, LIB_K1=6' 'LIB_M7=0, LIB_N8=0, LIB_Y8=1, LIB_E9=1, LIB_L9=2, LIB_K0=3, LIB_K1=4' \
    sources/include/dispatcher.h
# What all variants share was part of the one for AVX.
in_place '_IPP32E == _IPP32E_E9)' '_IPP32E == _IPP32E_Y8)' sources/include/asmdefs.inc
for compiler in GNU8.2.0 Clang9.0.0; do
    in_place '" -O3 -DNDEBUG -Werror"' '" -DNDEBUG"' sources/cmake/linux/$compiler.cmake
done
# SM2, SM3, RC4, other modes of AES, SM4 and 3DES, generation of domain parameters, signatures by hashes, primes, pairings; the older
# functions for curves, for a hash each, for HMAC, and for RSA with a hash by its number or made already.
cd sources/ippcp
rm pcpsms4*ccm*.c pcpsms4*cbc*.c pcpsms4*cfb*.c pcpsms4*ofb*.c pcpsms4*cryptecb.c pcpsms4decryptctr.c pcpsms4_ecb_gfni.c pcpsms4ecb_a*.c \
    pcpsms4ecbl*.c sm2/sm2_*.c pcpgfpec*sm2.c pcpgfpec*nr.c pcpsm3*.c pcparcfour*.c pcpdlpgenerated*.c pcpdlpvalidated*.c \
    pcpaes_xts*direct.c pcpaes_s*.c pcpaes*cfb*.c pcpaes*ofb*.c pcpaes_cbc*_cs?.c aes_cfb*.c pcptdes*cfb*.c \
    pcprsa*hash*.c pcprsa*_oaep.c pcprsa*_pss.c pcprsa*[ny]_pkcs1v15.c xmss/*.c lms/*.c pcpprimegen*.c pcpprimeget.c pcpprimeget_bn.c pcpprimegset*.c pcpgfpxmethod*.c pcpeccp[a-rt-z]*.c pcpeccps[ei]*.c \
    pcpmd5*.c pcpsha1*.c pcpsha224*.c pcpsha384*.c pcpsha256[dfgimpu]*.c pcpsha512[dfgimpu]*.c pcphash*methodset_*.c pcphmac_*.c
cat >>CMakeLists.txt <<'END'
# The headers of intrinsics are most of what a compiler reads for each of some 2500 files.
foreach(opt ${PLATFORM_LIST})
  target_precompile_headers(${TARGET_NAME}_s_${opt} PRIVATE <x86intrin.h>)
endforeach()
END
cd ../..
# The assembly does not say that it needs no executable stack; upstream tells the linker of its shared library instead.
printf 'section .note.GNU-stack noalloc noexec nowrite progbits\nsection .text\n' >stack.inc
archiver=
if [ -n "${AR:-}" ]; then
    archiver="-DCMAKE_AR=$(command -v "$AR") -DCMAKE_RANLIB=$(command -v "$RANLIB")"
fi
# shellcheck disable=SC2086 - no archiver is no word
cmake -G 'Unix Makefiles' -S . -B build -DCMAKE_BUILD_TYPE=Release -DARCH=intel64 -DNO_CRYPTO_MB=TRUE $archiver
NASMENV="|-P$PWD/stack.inc" cmake --build build --parallel "$JOBS" --target ippcp_s
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp include/ippcp.h include/ippcpdefs.h include/ippversion.h "$PREFIX/include/"
cp build/.build/RELEASE/lib/libippcp.a "$PREFIX/lib/"
