# SPDX-License-Identifier: Apache-2.0
"""`--library openssl=/opt/foo`: a library of the user's own, as a build beside the system's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from cipherstone.build.checkout import asked
from cipherstone.build.user_library import is_library_file
from cipherstone.catalogue.builds import BuildSpec, OwnBuild
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.sources import VERSION, Source
from cipherstone.model.errors import BuildError, UsageError, nearest
from cipherstone.model.ids import build_label

DEFAULT_NAME = "own"
_WORD = re.compile(r"(?P<library>[a-z0-9_-]+)(@(?P<at>[^+=]+))?(\+(?P<name>[^=]+))?=(?P<where>.+)\Z", re.DOTALL)
_ARCHIVE = re.compile(r".*\.(tar(\.[a-z0-9]+)?|tgz|tbz2|txz)\Z")


def with_brought(
    words: Sequence[str] | None, libraries: Mapping[str, Library]
) -> tuple[list[str] | None, dict[str, Library]]:
    """(the words of `--library` as names alone, the libraries with what `NAME[@CALLED]=WHERE` brings).

    CALLED: the name of the build, `own` by default. `NAME@SOURCE` names a recipe of the library, and `NAME@SOURCE+CALLED` both; `NAME+CALLED` is read as `NAME@CALLED`.
    WHERE: a prefix, a build tree, a shared library or archive of objects; `git:DIR[@COMMIT]`, a checkout, or an archive of upstream's source, which the
    recipe SOURCE (the first of the library) builds. Raises UsageError.
    """
    if words is None:
        return None, dict(libraries)
    changed, names = dict(libraries), []
    for word in words:
        if "=" not in word:
            names.append(word)
            continue
        match = _WORD.match(word)
        if match is None:
            raise UsageError(f"--library {word}: is not NAME[@CALLED]=WHERE", "for example openssl=~/openssl")
        name = match["library"]
        if name not in changed:
            raise UsageError(f"--library {word}: no library '{name}'", nearest(name, tuple(changed)))
        library = changed[name]
        source, called = _source_and_name(library, match["at"], match["name"])
        build = _brought(word, library, source, called, match["where"])
        if build.name in {one.name for one in library.builds}:
            raise UsageError(
                f"--library {word}: {name} has a build '{build.name}' already",
                f"call it otherwise: {build_label(name, 'mine')}={match['where']}",
            )
        changed[name] = msgspec.structs.replace(library, builds=(*library.builds, build))
        names.append(name)
    return names, changed


def _source_and_name(library: Library, at: str | None, name: str | None) -> tuple[str | None, str]:
    """(the recipe, the name of the build) of what stands after `@` and after `+`. What begins with a digit after `@` is a recipe, so that a mistyped version is no name."""
    named = at is not None and not at[0].isdigit() and at not in {source.name for source in library.upstream}
    if name is None and named:
        return None, at or DEFAULT_NAME
    return at, name or DEFAULT_NAME


def _brought(word: str, library: Library, source: str | None, name: str, where: str) -> BuildSpec:
    if not VERSION.match(name) or "~" in name:
        raise UsageError(f"--library {word}: '{name}' is not a name for a build", "letters, digits, . _ and -")
    plain = BuildSpec(variant=name, title=name, why=f"of your own: {where}", default=True)
    if (own := own_source(word, where)) is not None:
        return _by_recipe(word, library, source, plain, own)
    path = Path(where).expanduser()
    if not path.exists():
        raise UsageError(
            f"--library {word}: {path} is not there", "a prefix, a build tree, a library, an archive, git:DIR@COMMIT"
        )
    own = OwnBuild(str(path.resolve()))
    if path.is_file() and not is_library_file(path):
        raise UsageError(
            f"--library {word}: {path.name} is neither a library nor an archive of source", "lib*.so, lib*.a, *.tar.*"
        )
    return msgspec.structs.replace(plain, own=own, env=library.distribution.env if library.distribution else {})


def own_source(word: str, where: str) -> OwnBuild | None:
    """A commit (`git:DIR[@COMMIT]`) or an archive of source that WHERE names; None for anything else. Raises UsageError."""
    if where.startswith("git:"):
        folder, _, commit = where.removeprefix("git:").partition("@")
        at = commit_of(f"--library {word}", folder, commit or "HEAD")
        return OwnBuild(str(Path(folder).expanduser().resolve()), at)
    path = Path(where).expanduser()
    return OwnBuild(str(path.resolve())) if path.is_file() and _ARCHIVE.match(path.name) else None


def own_version(own: OwnBuild) -> str:
    """What a build of it is called."""
    return own.commit[:12] or "own"


def _by_recipe(word: str, library: Library, name: str | None, plain: BuildSpec, own: OwnBuild) -> BuildSpec:
    recipe = _recipe(word, library, name)
    return msgspec.structs.replace(
        plain,
        own=own,
        source=recipe,
        flags=recipe.flags,
        defines=recipe.defines,
        sources=recipe.sources,
        packages=recipe.packages,
        version=own_version(own),
    )


def _recipe(word: str, library: Library, name: str | None) -> Source:
    known = {source.name: source for source in library.upstream}
    if not known:
        raise UsageError(
            f"--library {word}: {library.id} has no [[source]] that says how it is built", "name a prefix instead"
        )
    if name is not None and name not in known:
        raise UsageError(f"--library {word}: {library.id} has no source '{name}'", nearest(name, tuple(known)))
    return known[name] if name is not None else library.upstream[0]


def commit_of(what: str, folder: str, name: str) -> str:
    """The commit that a name means in a checkout, 40 digits. Raises UsageError."""
    try:
        return asked(
            Path(folder).expanduser(), "rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}"
        ).strip()
    except BuildError:
        raise UsageError(f"{what}: no commit '{name}' in {folder}", "git:DIR@COMMIT, DIR a checkout") from None
