# SPDX-License-Identifier: Apache-2.0
"""Which packaging system this is, what it calls installing, and which version of a package it has. The package names are data in library.toml."""

from __future__ import annotations

import platform
import re
import subprocess
from pathlib import Path

import msgspec


class System(msgspec.Struct, frozen=True):
    """A packaging system. `key`: the word used in library.toml; `install`: the command that installs packages; `query`: prints a package's version."""

    key: str
    install: tuple[str, ...]
    query: tuple[str, ...]
    toolchain: tuple[str, ...]


SYSTEMS = {
    system.key: system
    for system in (
        System(
            "debian",
            ("apt-get", "install", "-y", "--no-install-recommends"),
            ("dpkg-query", "-W", "-f", "${Version}"),
            ("gcc", "g++", "libc6-dev", "make", "pkg-config", "python3-venv"),
        ),
        System(
            "fedora",
            ("dnf", "install", "-y"),
            ("rpm", "-q", "--qf", "%{VERSION}"),
            ("gcc", "gcc-c++", "make", "pkgconf-pkg-config"),
        ),
        System("arch", ("pacman", "-S", "--noconfirm", "--needed"), ("pacman", "-Q"), ("gcc", "make", "pkgconf")),
        System("alpine", ("apk", "add"), ("apk", "info", "-e", "-v"), ("build-base", "pkgconf")),
        System("macos", ("brew", "install"), ("brew", "list", "--versions"), ("pkg-config",)),
    )
}


def this_system(os_release: Path = Path("/etc/os-release")) -> System | None:
    """The packaging system of this machine, or None if it is none of those that library.toml speaks of."""
    if platform.system() == "Darwin":
        return SYSTEMS["macos"]
    try:
        text = os_release.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    values = dict(re.findall(r'^(ID|ID_LIKE)="?([^"\n]*)"?$', text, re.MULTILINE))
    for word in (values.get("ID", "") + " " + values.get("ID_LIKE", "")).split():
        key = {"ubuntu": "debian", "rhel": "fedora", "centos": "fedora", "manjaro": "arch"}.get(word, word)
        if key in SYSTEMS:
            return SYSTEMS[key]
    return None


def package_version(system: System | None, package: str) -> str | None:
    """The upstream part of an installed package's version (`0.6` of `0.6+dfsg.1-3`), or None if it is not installed."""
    if system is None:
        return None
    try:
        done = subprocess.run([*system.query, package], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = done.stdout.strip()
    if done.returncode != 0 or not text:
        return None
    if system.key in ("arch", "macos"):
        text = text.split()[-1]
    if system.key == "alpine":
        text = text.removeprefix(package + "-")
    return re.split(r"[-+~]", text.rpartition(":")[2])[0]
