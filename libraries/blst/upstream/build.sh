# SPDX-License-Identifier: Apache-2.0
# libblst.a as upstream's build.sh makes it, which the Cargo package leaves out: two files, one of C and one of assembly, with upstream's flags. On x86-64 it takes
# the multiplication that the processor at hand is best at; for `portable` that is found out at run time.
set -eu
more=
case $($CC -dumpmachine) in
x86_64-*)
    more=-mno-avx
    if [ "$OPTIONS" != portable ] && grep -qw adx /proc/cpuinfo; then
        more="$more -D__ADX__"
    fi
    ;;
esac
for word in $OPTIONS; do
    case $word in
    portable) more="$more -D__BLST_PORTABLE__" ;;
    esac
done
# shellcheck disable=SC2086 - flags are words
for file in src/server.c build/assembly.S; do
    $CC $CFLAGS -fno-builtin -fPIC $more -c "$file"
done
$AR rcs libblst.a server.o assembly.o
mkdir -p "$PREFIX/include" "$PREFIX/lib"
cp bindings/blst.h bindings/blst_aux.h "$PREFIX/include/"
cp libblst.a "$PREFIX/lib/"
