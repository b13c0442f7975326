# SPDX-License-Identifier: Apache-2.0
# libsodium.a by upstream's own configure: `minimal` with --enable-minimal, `noasm` with --disable-asm, `nossp` with --disable-ssp.
set -eu
options=
for word in $OPTIONS; do
    case $word in
    minimal) options="$options --enable-minimal" ;;
    noasm) options="$options --disable-asm" ;;
    nossp) options="$options --disable-ssp" ;;
    esac
done
# For another machine, configure gets its name; it runs no program that it builds. Without an operating system, random bytes come only from the program.
target=$($CC -dumpmachine)
case $target in
*-none-*)
    options="$options --host=$target LDFLAGS=--specs=nosys.specs"
    export CFLAGS="$CFLAGS -DRANDOMBYTES_CUSTOM_IMPLEMENTATION -DRANDOMBYTES_DEFAULT_IMPLEMENTATION=NULL"
    ;;
"$(uname -m)"-*) ;;
*) options="$options --host=$target" ;;
esac
# shellcheck disable=SC2086 - no option is no word
./configure --prefix="$PREFIX" --libdir="$PREFIX/lib" --disable-shared --enable-static --disable-dependency-tracking $options
make -j"$JOBS" -C src
make -C src install
