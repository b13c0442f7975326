# SPDX-License-Identifier: Apache-2.0
"""Builds that are put together when asked for: a source, then words (compiler, optimisation, options of the source), then masks of processor features.

`4.0+clang16+Os~noavx512` is upstream's 4.0 by clang 16 for size, told not to use AVX-512; `~noavx512` the system's library, told the same.
"""

from __future__ import annotations

import re

import msgspec

from cipherstone.catalogue.builds import BuildSpec, of_source
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.sources import Packages
from cipherstone.model.errors import UsageError, nearest
from cipherstone.model.ids import DISTRIBUTION_BUILD

_COMPILER = re.compile(r"(?P<kind>gcc|clang)-?(?P<version>[0-9]+(\.[0-9]+)?)?\Z")
# `zig cc`, as one command each; cli/zig.py has them.
ZIG, ZIG_CC, ZIG_CXX = "zig", "cipherstone-zig-cc", "cipherstone-zig-cxx"
_OPTIMISATION = re.compile(r"O[0-3sz]\Z")
# Words that mean flags of the compiler, beside the level of optimisation.
FLAG_WORDS = {
    "lto": ("-flto",),
    "native": ("-march=native",),
    "v2": ("-march=x86-64-v2",),
    "v3": ("-march=x86-64-v3",),
    "v4": ("-march=x86-64-v4",),
    # The kernel's headers serve both; the package that would say so to the compiler is the one that conflicts.
    "i386": ("-m32", "-idirafter/usr/include/x86_64-linux-gnu"),
}
MULTILIB = "gcc-12-multilib"  # with a number: the one without conflicts with the cross compilers
WORDS = "a compiler (gcc12, clang16, zig), -O level (O2, O3, Os), lto, native, v3, i386, or an option of the source"


def composed(library: Library, text: str) -> BuildSpec:
    """The build of `library` that `text` stands for, `[SOURCE][+WORD...][~MASK...]`; its variant is `text` with its words in one order. Raises UsageError.

    A written-out build is meant by its name, also as the beginning of a longer text.
    """
    body, *masks = text.split("~")
    first, *words = body.split("+") if body else ("",)
    build = _beginning(library, text, first)
    for word in words:
        build = _with_word(library, text, build, word)
    if words:
        build = _named(_with_libraries(build), first, words)
    return _masked(library, text, build, masks)


def _beginning(library: Library, text: str, first: str) -> BuildSpec:
    known = {build.name: build for build in library.builds}
    known |= {source.version: of_source(source) for source in library.upstream if source.version not in known}
    if first in known:
        return known[first]
    if not first and DISTRIBUTION_BUILD in known:
        return known[DISTRIBUTION_BUILD]
    raise UsageError(
        f"--build: {library.id} has no build '{first or DISTRIBUTION_BUILD}' (in '{text}')",
        f"{nearest(first, tuple(known))}; see `cipherstone list --builds`",
    )


def _with_word(library: Library, text: str, build: BuildSpec, word: str) -> BuildSpec:
    if build.source is None and not (library.lab and build.variant):
        raise UsageError(
            f"--build: {library.id}: '{word}' (in '{text}') needs a source to build: the system's library is compiled already",
            f"for example {library.id}@{library.upstream[0].name}+{word}"
            if library.upstream
            else "it has no [[source]]",
        )
    replace = msgspec.structs.replace
    if word == ZIG:
        return replace(build, cc=ZIG_CC, cxx=ZIG_CXX)
    if match := _COMPILER.match(word):
        suffix = f"-{match['version']}" if match["version"] else ""
        plus = "g++" if match["kind"] == "gcc" else "clang++"
        compiler = Packages(debian=(f"{match['kind']}{suffix}", *((f"g++{suffix}",) if plus == "g++" else ())))
        return replace(
            build, cc=f"{match['kind']}{suffix}", cxx=f"{plus}{suffix}", packages=build.packages.and_those_of(compiler)
        )
    if _OPTIMISATION.match(word):
        rest = tuple(flag for flag in build.flags if not re.match(r"-O", flag))
        return replace(build, flags=(f"-{word}", *rest))
    if word in FLAG_WORDS:
        return replace(build, flags=(*build.flags, *FLAG_WORDS[word]))
    options = build.source.options if build.source is not None else {}
    if word in options:
        return replace(build, options=(*(one for one in options if one in {*build.options, word}),))
    near = nearest(word, (*options, *FLAG_WORDS))
    raise UsageError(f"--build: {library.id}: unknown word '{word}' in '{text}'", f"{near}; {WORDS}")


def _with_libraries(build: BuildSpec) -> BuildSpec:
    """Code of 32 bits needs the C library and the compiler's own for it."""
    if not {*FLAG_WORDS["i386"]} <= {*build.flags}:
        return build
    match = _COMPILER.match(build.cc)
    named = match is not None and match["kind"] == "gcc" and match["version"]
    multilib = Packages(debian=(f"{build.cc}-multilib" if named else MULTILIB,))
    return msgspec.structs.replace(build, packages=build.packages.and_those_of(multilib))


def _named(build: BuildSpec, first: str, words: list[str]) -> BuildSpec:
    """Under a name that says what it is, whatever the order of the words was; of two compilers, or two levels, the last holds."""
    source = build.source
    begins = source.name if source is not None and first == source.version else first
    last = {_kind(word): word.replace("-", "") if _COMPILER.match(word) else word for word in words}
    ordered = [last[kind] for kind in sorted(last)]
    what = ", ".join(ordered)
    title = next((one for one in (build.title, source.title if source else "") if one), begins)
    return msgspec.structs.replace(
        build,
        variant="+".join((begins, *ordered)),
        title=f"{title}, {what}",
        why=f"{begins} with {what}",
        default=False,
    )


def _kind(word: str) -> tuple[int, str]:
    """Where a word stands in a name, and which other it takes the place of."""
    if word == ZIG or _COMPILER.match(word):
        return (0, "")
    if _OPTIMISATION.match(word):
        return (1, "")
    return (2, word) if word in FLAG_WORDS else (3, word)


def _masked(library: Library, text: str, build: BuildSpec, masks: list[str]) -> BuildSpec:
    if not masks:
        return build
    env = dict(build.env)
    for mask in masks:
        if mask not in library.masks:
            raise UsageError(
                f"--build: {library.id} has no mask '{mask}' (in '{text}')",
                nearest(mask, tuple(library.masks)) if library.masks else "it has no switch that we know of",
            )
        having = library.masks[mask].builds
        if having and build.variant.partition("+")[0] not in having:
            raise UsageError(
                f"--build: {library.id}: '{build.variant}' has no switch for '{mask}' (in '{text}')",
                f"those that have: {', '.join(having)}",
            )
        for name, value in library.masks[mask].env.items():
            if env.get(name, value) != value:
                raise UsageError(
                    f"--build: {library.id}: masks {' and '.join(masks)} set {name} differently", "one run for each"
                )
            env[name] = value
    ordered = [name for name in library.masks if name in masks]
    title = f"{build.title or build.variant or 'as the system ships it'}, {', '.join(ordered)}"
    return msgspec.structs.replace(
        build,
        variant=build.variant + "".join(f"~{name}" for name in ordered),
        title=title,
        why="; ".join(library.masks[name].why for name in ordered),
        env=env,
        masks=tuple(ordered),
        default=False,
    )
