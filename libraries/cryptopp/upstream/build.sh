# SPDX-License-Identifier: Apache-2.0
# libcryptopp.a by upstream's own makefile, which adds to each file the flags for the instructions that it is there for. The headers say what was built:
# who compiles against them sees classes of the same form.
set -eu
case $OPTIONS in
noasm) sed 's|^// #define CRYPTOPP_DISABLE_ASM 1$|#define CRYPTOPP_DISABLE_ASM 1|' config_asm.h >config_asm.new ;;
*) cp config_asm.h config_asm.new ;;
esac
mv config_asm.new config_asm.h
if [ "$OPTIONS" = noasm ]; then
    grep -q '^#define CRYPTOPP_DISABLE_ASM 1$' config_asm.h
    CXXFLAGS="$CXXFLAGS -DCRYPTOPP_DISABLE_ASM"
fi
export CXXFLAGS="-DNDEBUG $CXXFLAGS"
make -j"$JOBS" libcryptopp.a
mkdir -p "$PREFIX/include/cryptopp" "$PREFIX/lib"
cp ./*.h "$PREFIX/include/cryptopp/"
cp libcryptopp.a "$PREFIX/lib/"
