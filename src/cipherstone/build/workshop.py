# SPDX-License-Identifier: Apache-2.0
"""What a command stands on: the folders, compilers and packaging system of this machine."""

from __future__ import annotations

from pathlib import Path

import msgspec

from cipherstone.build.installed import Installation
from cipherstone.build.systems import System, this_system
from cipherstone.build.toolchain import Toolchain, find_toolchain
from cipherstone.build.upstream import is_built
from cipherstone.build.workers import WorkerJob
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import Library


class Workshop(msgspec.Struct, frozen=True):
    """Where things are: the checkout, the cache, the compilers, the packaging system."""

    root: Path
    cache: Path
    toolchain: Toolchain
    system: System | None

    @staticmethod
    def find(root: Path, cache: Path, cc: str | None = None, cxx: str | None = None) -> Workshop:
        """With the compilers named, or those of the system."""
        return Workshop(root, cache, find_toolchain(cc, cxx), this_system())

    def has_built(self, library: Library, build: BuildSpec) -> bool:
        """Whether a build from upstream's source is made already."""
        return is_built(library, build, self.toolchain, self.cache)

    def job(self, library: Library, installation: Installation, build: BuildSpec | None = None) -> WorkerJob:
        """A worker of a build (the library's first, if None) that is to be made here."""
        return WorkerJob(library, installation, self.toolchain, self.root, self.cache, build)
