# SPDX-License-Identifier: Apache-2.0
# libgcrypt.a by upstream's own configure, on upstream's Libgpg-error ($WITH_GPG_ERROR), which is built first.
set -eu
option=
case $OPTIONS in
noasm) option=--disable-asm ;;
esac
here=$PWD
cd "$WITH_GPG_ERROR"
./configure --prefix="$PREFIX" --libdir="$PREFIX/lib" --disable-shared --enable-static --disable-doc --disable-nls --disable-tests --disable-languages \
    --enable-install-gpg-error-config
make -j"$JOBS"
make install
cd "$here"
# shellcheck disable=SC2086 - no option is no word
./configure --prefix="$PREFIX" --libdir="$PREFIX/lib" --disable-shared --enable-static --disable-doc --with-libgpg-error-prefix="$PREFIX" $option
for folder in compat mpi cipher random src; do
    make -j"$JOBS" -C "$folder"
done
make -C src install
