# SPDX-License-Identifier: Apache-2.0
"""`cipherstone setup`: the packages of the libraries, and the few sources that the first screen needs."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from typing import Annotated

import typer

from cipherstone.build.installed import packages_for
from cipherstone.build.upstream import is_built
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import Library
from cipherstone.cli import environment as env
from cipherstone.cli.build import make_build
from cipherstone.cli.builds import problem_of
from cipherstone.cli.known_libraries import known_libraries, known_with_labs

# Another installation that goes on, of the system's own daily one, is waited for, ten minutes at most.
_WAITING = ("-o", "DPkg::Lock::Timeout=600")


def setup(
    install: Annotated[
        bool, typer.Option("--install/--no-install", help="Install what is missing, when allowed to.")
    ] = True,
    builds: Annotated[
        bool, typer.Option("--builds", help="Also what the builds need that are made on request (list --builds).")
    ] = False,
) -> None:
    """Look for the libraries' packages, install the missing ones (INSTALL=no: only name them), and build what a plain run measures from source."""
    _install_packages(install=install, builds=builds)
    _build_sources()


def _install_packages(*, install: bool, builds: bool) -> None:
    workshop = env.workshop()
    libraries = known_with_labs(workshop.root)
    system = workshop.system
    missing: list[str] = []
    blind = workshop.toolchain.cc_version is None or workshop.toolchain.cxx_version is None
    if blind:
        missing += system.toolchain if system else ()
    for library in libraries.values():
        for build in library.builds if builds else _builds_of_setup(library):
            problem = problem_of(workshop, library, build)
            packages = packages_for(library, system, build)
            if not problem and blind and library.distribution is not None:
                missing += packages  # without a compiler it is not known whether its headers are there
            if not problem or "too old" in problem:
                continue
            if not packages and build.variant:
                env.say(f"without {library.title}, {build.variant}: {problem}")
            elif not packages:
                env.say(f"without {library.title}: this system has no package of it that cipherstone knows")
            missing += packages
    missing = list(dict.fromkeys(missing))
    if not missing:
        return
    if system is None:
        env.say("missing libraries, and this system's package manager is not known: see `cipherstone list`")
        return
    command = [*system.install, *missing]
    root = os.geteuid() == 0 or system.key == "macos"
    if (
        not root
        and shutil.which("sudo")
        and subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0
    ):
        command, root = ["sudo", "-n", *command], True
    line = shlex.join(command)
    if not (install and env.may_install()) or not root or shutil.which(system.install[0]) is None:
        env.say(f"missing packages: {' '.join(missing)}")
        env.say(f"install them with: {line if root else 'sudo ' + line}")
        env.say("going on with the libraries that are there")
        return
    env.say(f"installing: {' '.join(missing)}")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    if system.key == "debian":
        at = command.index("apt-get") + 1
        subprocess.run([*command[:at], "update", "-qq"], env=quiet, stdout=sys.stderr, check=False)
        command[at:at] = _WAITING
    if subprocess.run(command, env=quiet, stdout=subprocess.DEVNULL, check=False).returncode != 0:
        env.say(f"the installation failed; by hand: {line}")
        env.say("going on with the libraries that are there")


def _builds_of_setup(library: Library) -> tuple[BuildSpec, ...]:
    """The builds that a plain run measures, and the sources that setup builds."""
    return tuple(build for build in library.builds if build.default or _is_for_setup(build))


def _is_for_setup(build: BuildSpec) -> bool:
    return build.source is not None and build.source.setup and build.variant == build.source.name


def _build_sources() -> None:
    """Builds the sources of setup that are not built yet. One that fails is left out: everything else is measured without it."""
    workshop = env.workshop()
    for library in known_libraries(workshop.root).values():
        for build in filter(_is_for_setup, library.builds):
            if is_built(library, build, workshop.toolchain, workshop.cache) or problem_of(workshop, library, build):
                continue
            made = make_build(workshop, library, build)
            if made.problem:
                env.say(f"going on without {library.title}: {made.problem}")
