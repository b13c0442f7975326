# SPDX-License-Identifier: Apache-2.0
"""Upstream's source, brought by the ordinary clients of package registries or by the user, checked against the pinned hash, kept in the cache."""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
import threading
import tomllib
from collections.abc import Callable
from pathlib import Path

from cipherstone.build.archives import unpack
from cipherstone.build.cache import digest_of, publish, scratch_beside
from cipherstone.build.checkout import packed_commit
from cipherstone.build.debian import fetch_debian
from cipherstone.build.seals import check_private, copy_differs, is_sealed
from cipherstone.build.toolchain import run_tool
from cipherstone.catalogue.builds import BuildSpec, OwnBuild
from cipherstone.catalogue.sources import Archive, Crate, DebianSource
from cipherstone.model.errors import BuildError

CARGO = "cargo"
_ONE_AT_A_TIME = threading.Lock()  # two builds of one library want the same package
Announce = Callable[[str], None]


def archives(build: BuildSpec) -> tuple[Archive, ...]:
    """What has to be fetched for a build from upstream's source: upstream's own unless the user brought it, then what else it needs."""
    if build.source is None:
        return ()
    first = () if build.own is not None or build.source.tarball else (build.source.archive,)
    return (*first, *build.source.also.values())


def source_folder(archive: Archive, cache: Path) -> Path:
    """Where the source lies, or will lie: named by its content."""
    origin = archive.origin
    if isinstance(origin, Crate):
        return cache / "sources" / f"{origin.name}-{origin.version}-{origin.sha256[:16]}"
    return cache / "sources" / f"debian-{origin.package}-{origin.version.replace(':', '_')}-{origin.sha256[:16]}"


def is_here(folder: Path) -> bool:
    """Whether a fetched source is in the cache; it is compared with its seal when it is laid out."""
    return folder.is_dir() and is_sealed(folder)


def is_fetched(build: BuildSpec, cache: Path) -> bool:
    """Whether everything that is fetched for it is here."""
    return all(is_here(source_folder(archive, cache)) for archive in archives(build))


def missing_client(build: BuildSpec, cache: Path) -> str:
    """The client that would have to fetch something, and is not here; "" if none."""
    for archive in archives(build):
        client = CARGO if archive.crate is not None else "apt-get"
        if not is_here(source_folder(archive, cache)) and shutil.which(client) is None:
            return client
    return ""


def fetch_source(name: str, archive: Archive, cache: Path, announce: Announce) -> Path:
    """The unpacked archive; from the cache, without a network, after the first time. `name` is the build's, for messages.

    Raises BuildError: in the client's own words if it cannot or may not bring the package, in ours if the checksum is another.
    """
    target = source_folder(archive, cache)
    with _ONE_AT_A_TIME:
        if is_here(target):
            return target
        announce(f"fetching the source of {name}: {archive.origin.said}")
        with scratch_beside(target.parent) as scratch:
            if isinstance(archive.origin, Crate):
                publish(_crate(name, archive.origin, scratch), target)
            else:
                publish(_debian(name, archive.origin, cache, scratch), target)
    return target


def lay_out(fetched: Path, archive: Archive, tree: Path) -> Path:
    """A copy of what was fetched in `tree`, times of files kept (generated files are made anew if theirs look older); upstream's folder in it."""
    check_private(fetched.parent)
    shutil.copytree(fetched, tree, symlinks=True)
    # The copy, which no other user can change.
    if found := copy_differs(tree, fetched):
        raise BuildError(
            f"source cache: {fetched}: {found}",
            f"nothing of it was built; it is fetched anew after: rm -r {shlex.quote(str(fetched))}",
        )
    inner = tree / archive.folder if archive.folder else tree
    if inner.is_file():
        inner = unpacked(inner, tree / "unpacked")
    if not inner.is_dir():
        raise BuildError(f"{archive.origin.said}: has no folder {archive.folder}", "see [[source]] of library.toml")
    return inner


def unpacked(file: Path, folder: Path) -> Path:
    """Unpacks an archive into a new folder; the one folder that is in it, or `folder`. Raises BuildError."""
    unpack(file, folder)
    found = list(folder.iterdir())
    return found[0] if len(found) == 1 and found[0].is_dir() and not found[0].is_symlink() else folder


def own_key(own: OwnBuild) -> str:
    """What names the content of a checkout's commit, or of an archive, that the user brought. Raises BuildError."""
    if own.commit:
        return own.commit
    try:
        with Path(own.path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise BuildError(f"{own.path}: {error.strerror}", "name an archive of upstream's source") from None


def lay_out_own(own: OwnBuild, tree: Path) -> Path:
    """The user's commit or archive, unpacked. Raises BuildError."""
    if not own.commit:
        return unpacked(Path(own.path), tree)
    tree.parent.mkdir(parents=True, exist_ok=True)
    packed = packed_commit(own.path, own.commit, tree.parent)
    unpack(packed, tree)
    packed.unlink()
    return tree


def content_key(build: BuildSpec) -> str:
    """Names all sources of a build by their content."""
    words = [own_key(build.own)] if build.own is not None else []
    for archive in archives(build):
        words += [archive.origin.said, archive.origin.sha256, archive.folder]
    return digest_of([], words)


def _crate(name: str, crate: Crate, scratch: Path) -> Path:
    _write_manifest(scratch, crate)
    what = crate.said
    # The lock file tells the checksum before anything of the package is here.
    run_tool([CARGO, "generate-lockfile"], f"{name}: {what}", folder=scratch)
    check_hash(f"{name}: {what}", crate.sha256, _locked_checksum(scratch / "Cargo.lock", crate))
    run_tool([CARGO, "vendor", "--locked", "--versioned-dirs", "vendor"], f"{name}: {what}", folder=scratch)
    unpacked = scratch / "vendor" / f"{crate.name}-{crate.version}"
    check_hash(f"{name}: {what}", crate.sha256, _unpacked_checksum(unpacked))
    return unpacked


def _debian(name: str, source: DebianSource, cache: Path, scratch: Path) -> Path:
    file = fetch_debian(f"{name}: {source.said}", source, cache / "apt" / source.suite, scratch)
    with file.open("rb") as content:
        check_hash(f"{name}: {source.said}", source.sha256, hashlib.file_digest(content, "sha256").hexdigest())
    return unpacked(file, scratch / "unpacked")


def _write_manifest(folder: Path, crate: Crate) -> None:
    """A package that needs this one alone. What follows `+` in a version is not part of what one can ask for."""
    (folder / "lib.rs").touch()
    (folder / "Cargo.toml").write_text(
        '[package]\nname = "source-of-a-build"\nversion = "0.0.0"\nedition = "2018"\npublish = false\n\n'
        '[lib]\npath = "lib.rs"\n\n[workspace]\n\n'
        f'[dependencies.{crate.name}]\nversion = "={crate.version.partition("+")[0]}"\ndefault-features = false\n',
        encoding="utf-8",
    )


def _locked_checksum(path: Path, crate: Crate) -> str | None:
    try:
        packages = tomllib.loads(path.read_text(encoding="utf-8")).get("package", [])
        named = {(one.get("name"), one.get("version")): one.get("checksum") for one in reversed(packages)}
    except (OSError, ValueError, RecursionError, AttributeError, TypeError):
        return None
    return named.get((crate.name, crate.version))


def _unpacked_checksum(folder: Path) -> str | None:
    try:
        checksum = json.loads((folder / ".cargo-checksum.json").read_text(encoding="utf-8")).get("package")
    except (OSError, ValueError, RecursionError, AttributeError):
        return None
    return checksum if isinstance(checksum, str) else None


def check_hash(what: str, wanted: str, seen: str | None) -> None:
    """Raises BuildError if another hash was seen."""
    if seen != wanted:
        raise BuildError(
            f"{what}: its checksum is {seen or 'not told'}, library.toml says {wanted}",
            "nothing of it was built: find out which of the two is right",
        )
