# SPDX-License-Identifier: Apache-2.0
# libhacl_static.a from upstream's source by its CMake files: the configuration of a release, with the flags of library.toml in the place of its -O3; upstream adds
# -msse4.2 and -mavx2 to the files that have vectors. With `noasm` the assembly of Vale and that inside functions is left out. Not built: tests, benchmarks, the
# shared library. Headers lie as upstream installs them.
set -eu
options=
for word in $OPTIONS; do
    case $word in
    noasm) options="$options -DDISABLE_VALE=ON -DDISABLE_INLINE_ASM=ON" ;;
    esac
done
if [ -n "${AR:-}" ]; then
    options="$options -DCMAKE_AR=$(command -v "$AR") -DCMAKE_RANLIB=$(command -v "$RANLIB")"
fi
grep -q '<CONFIG:RELEASE>:-O3>' CMakeLists.txt
sed '/<CONFIG:RELEASE>:-O3>/d' CMakeLists.txt >CMakeLists.new
mv CMakeLists.new CMakeLists.txt
# shellcheck disable=SC2086 - no option is no word
cmake -G 'Unix Makefiles' -S . -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE='-DNDEBUG -g0' $options
cmake --build build --parallel "$JOBS" --target hacl_static
mkdir -p "$PREFIX/include/hacl" "$PREFIX/include/krml" "$PREFIX/lib"
cp include/*.h build/config.h "$PREFIX/include/hacl/"
cp -R karamel/include/krml/. karamel/krmllib/dist/minimal/. "$PREFIX/include/krml/"
cp build/libhacl_static.a "$PREFIX/lib/"
