# SPDX-License-Identifier: Apache-2.0
# Shows what a script is given. No test fetches its package, whose checksum is wrong on purpose.
set -eu
mkdir -p "$PREFIX/include" "$PREFIX/lib"
echo "$CC $CFLAGS $OPTIONS" >"$PREFIX/lib/libnothing.a"
