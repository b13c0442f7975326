# SPDX-License-Identifier: Apache-2.0
"""`cipherstone setup`: the packages of the libraries."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from typing import Annotated

import typer

from cipherstone.build.installed import packages_for
from cipherstone.catalogue.libraries import load_labs, load_libraries
from cipherstone.cli import environment as env
from cipherstone.cli.builds import problem_of

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
    """Look for the libraries' packages and install the missing ones (INSTALL=no: only name them)."""
    workshop = env.workshop()
    libraries = load_libraries(workshop.root) | load_labs(workshop.root)
    system = workshop.system
    missing: list[str] = []
    blind = workshop.toolchain.cc_version is None or workshop.toolchain.cxx_version is None
    if blind:
        missing += system.toolchain if system else ()
    for library in libraries.values():
        for build in library.builds if builds else library.default_builds:
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
