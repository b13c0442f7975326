# SPDX-License-Identifier: Apache-2.0
"""Upstream's source out of a Cargo package, brought by the ordinary client, checked against the checksum in library.toml, kept in the cache."""

from __future__ import annotations

import json
import shutil
import threading
import tomllib
from collections.abc import Callable
from pathlib import Path

from cipherstone.build.store import publish, scratch_beside
from cipherstone.build.toolchain import run_tool
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.model.errors import BuildError

CLIENT = "cargo"
_ONE_AT_A_TIME = threading.Lock()  # two builds of one library want the same package


def source_folder(build: BuildSpec, cache: Path) -> Path:
    """Where the source of a build lies, or will lie: named by its content."""
    return cache / "sources" / f"{build.crate}-{build.crate_version}-{build.crate_sha256[:16]}"


def fetch_source(name: str, build: BuildSpec, cache: Path, announce: Callable[[str], None]) -> Path:
    """The unpacked package of a build; from the cache, without a network, after the first time. `name` is the build's, for messages.

    Raises BuildError: in the client's own words if it cannot or may not bring the package, in ours if the checksum is another.
    """
    target = source_folder(build, cache)
    with _ONE_AT_A_TIME:
        if target.is_dir():
            return target
        what = f"crate {build.crate} {build.crate_version}"
        announce(f"fetching the source of {name}: {what}")
        with scratch_beside(target.parent) as scratch:
            _write_manifest(scratch, build)
            # The lock file tells the checksum before anything of the package is here.
            run_tool([CLIENT, "generate-lockfile"], f"{name}: {what}", folder=scratch)
            _check(name, what, build, _locked_checksum(scratch / "Cargo.lock", build))
            run_tool([CLIENT, "vendor", "--locked", "--versioned-dirs", "vendor"], f"{name}: {what}", folder=scratch)
            unpacked = scratch / "vendor" / f"{build.crate}-{build.crate_version}"
            _check(name, what, build, _unpacked_checksum(unpacked))
            publish(unpacked, target)
    return target


def client_is_here() -> bool:
    """Whether the client that brings packages can be started."""
    return shutil.which(CLIENT) is not None


def _write_manifest(folder: Path, build: BuildSpec) -> None:
    """A package that needs this one alone. What follows `+` in a version is not part of what one can ask for."""
    (folder / "lib.rs").touch()
    (folder / "Cargo.toml").write_text(
        '[package]\nname = "source-of-a-build"\nversion = "0.0.0"\nedition = "2018"\npublish = false\n\n'
        '[lib]\npath = "lib.rs"\n\n[workspace]\n\n'
        f'[dependencies.{build.crate}]\nversion = "={build.crate_version.partition("+")[0]}"\ndefault-features = false\n',
        encoding="utf-8",
    )


def _locked_checksum(path: Path, build: BuildSpec) -> str | None:
    try:
        packages = tomllib.loads(path.read_text(encoding="utf-8")).get("package", [])
    except (OSError, ValueError):
        return None
    wanted = (build.crate, build.crate_version)
    return next((one.get("checksum") for one in packages if (one.get("name"), one.get("version")) == wanted), None)


def _unpacked_checksum(folder: Path) -> str | None:
    try:
        checksum = json.loads((folder / ".cargo-checksum.json").read_text(encoding="utf-8")).get("package")
    except (OSError, ValueError):
        return None
    return checksum if isinstance(checksum, str) else None


def _check(name: str, what: str, build: BuildSpec, seen: str | None) -> None:
    if seen != build.crate_sha256:
        raise BuildError(
            f"{name}: {what}: its checksum is {seen or 'not told'}, library.toml says {build.crate_sha256}",
            "nothing of it was built: find out which of the two is right",
        )
