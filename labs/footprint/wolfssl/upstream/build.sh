# SPDX-License-Identifier: Apache-2.0
# `default`: libwolfssl.a by upstream's configure, which the package leaves to be made, with X25519 beside upstream's own choice. Other words: all sources with
# settings.h beside this script, which asks for each as CONFIG_WORD; it is installed, so that the programs see the same.
set -eu
here=$(dirname "$0")
mkdir -p "$PREFIX/include" "$PREFIX/lib"
case " $OPTIONS " in
*" default "*)
    ./autogen.sh
    ./configure --host="$($CC -dumpmachine)" --prefix=/nonexistent --enable-static --disable-shared --disable-examples --disable-crypttests --disable-benchmark --enable-curve25519
    make -j"$JOBS" src/libwolfssl.la
    make DESTDIR="$PWD/out" install-libLTLIBRARIES install-nobase_includeHEADERS
    cp out/nonexistent/lib/libwolfssl.a "$PREFIX/lib/"
    cp -R out/nonexistent/include "$PREFIX/"
    exit
    ;;
esac
mkdir own objects
for word in $OPTIONS; do
    echo "#define CONFIG_$(echo "$word" | tr a-z- A-Z_) 1"
done >own/user_settings.h
cat "$here/settings.h" >>own/user_settings.h
# What ssl.c and evp.c take in is no source of its own.
ls src/crl.c src/internal.c src/keys.c src/ocsp.c src/ssl.c src/tls.c src/tls13.c src/wolfio.c wolfcrypt/src/*.c |
    grep -v -e /evp -e /misc.c -e asn_orig.c -e asn_tsp.c |
    xargs -n 1 -P "$JOBS" sh -c '$CC $CFLAGS -w -DWOLFSSL_USER_SETTINGS -Iown -I. -c "$0" -o "objects/$(basename "$0" .c).o"'
(cd objects && LC_ALL=C "${AR:-ar}" rcs "$PREFIX/lib/libwolfssl.a" *.o)
cp own/user_settings.h "$PREFIX/include/"
cp -R wolfssl "$PREFIX/include/"
# A header of the same name as configure's, so that the programs include the same in both cases.
mkdir -p "$PREFIX/include/wolfssl"
printf '%s\n' '#include <user_settings.h>' >"$PREFIX/include/wolfssl/options.h"
