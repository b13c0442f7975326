# SPDX-License-Identifier: Apache-2.0
"""A folder with AArch64 packages of Debian, where programs and their children run under emulation.

APT fetches the packages with a private configuration, so this machine's packages stay as they are. No maintainer script runs. PRoot runs the programs, and starts the emulator for each of their children:
the kernel needs no registered emulator (binfmt_misc).
"""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import os
import platform
import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import kept
import pytest

PACKAGES = ("coreutils", "dash", "gcc", "libc6-dev", "libsodium-dev", "nettle-dev", "python3-venv")
TOOLS = ("apt-get", "dpkg-deb", "proot", "qemu-aarch64", "tar")
LEFT_OUT = ("doc", "info", "locale", "man")
# A wheel names the oldest C library that it works with; Debian 12 has 2.36.
WHEELS = ("manylinux2014_aarch64", *(f"manylinux_2_{minor}_aarch64" for minor in (17, 24, 26, 27, 28, 31, 34)))
APT = """APT::Architecture "arm64";
APT::Architectures {{ "arm64"; }};
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::IndexTargets::deb::Translations::DefaultEnabled "false";
Acquire::Retries "3";
Debug::NoLocking "true";
Dir::State "{folder}";
Dir::State::status "{folder}/status";
Dir::Cache "{folder}";
"""

# Calls whose paths PRoot 5.1 does not translate, so that they look at this machine's files: statx, openat2, faccessat2, fchmodat2, by their numbers on x86-64.
UNKNOWN_CALLS = (332, 437, 439, 452)
X86_64, ENOSYS = 0xC000003E, 38
ALLOW, FAIL = 0x7FFF0000, 0x00050000 | ENOSYS
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2


def skip_or_fail(reason: str) -> None:
    """Skips; CS_REQUIRE_AARCH64=1 makes that a failure."""
    if os.environ.get("CS_REQUIRE_AARCH64") == "1":
        pytest.fail(f"CS_REQUIRE_AARCH64=1 and {reason}")
    pytest.skip(reason)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def without_unknown_calls() -> None:
    """The kernel answers `UNKNOWN_CALLS` of this process and its children with ENOSYS from here on; the C library then uses older calls. Raises OSError."""
    count = len(UNKNOWN_CALLS)
    program = [(_LOAD, 0, 0, 4), (_IF_EQUAL, 0, count + 1, X86_64), (_LOAD, 0, 0, 0)]
    program += [(_IF_EQUAL, count - at, 0, number) for at, number in enumerate(UNKNOWN_CALLS)]
    program += [(_RETURN, 0, 0, ALLOW), (_RETURN, 0, 0, FAIL)]
    packed = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in program))
    given = _Program(len(program), ctypes.cast(packed, ctypes.c_void_p))
    libc = ctypes.CDLL(None, use_errno=True)
    for words in ((_NO_NEW_PRIVILEGES, 1, 0, 0, 0), (_SECCOMP, _FILTER, ctypes.byref(given), 0, 0)):
        if libc.prctl(*words) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


@dataclass(frozen=True)
class Debian:
    """`root`: the files of its packages. `wheels`: a folder with Python packages. `home`: the folder that its programs see as /home."""

    root: Path
    wheels: Path
    home: Path

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Starts a program in /home. `words`: its path in this Debian and its arguments. The process is PRoot's; the program is its child."""
        temporary = self.home / "tmp"
        temporary.mkdir(exist_ok=True)
        binds = ((self.home, "/home"), (self.wheels, "/wheels"), (temporary, "/tmp"), ("/proc", ""), ("/dev", ""))
        proot = ["proot", "-q", "qemu-aarch64", "-r", str(self.root), "-w", "/home"]
        for here, there in binds:
            proot += ["-b", f"{here}:{there}" if there else str(here)]
        environment = {
            "PATH": f"/home/source/.venv/bin:{os.environ['PATH']}:/usr/bin",
            "HOME": "/home",
            "LC_ALL": "C.UTF-8",
            "TMPDIR": "/tmp",
            "PROOT_TMP_DIR": str(temporary),
            "CIPHERSTONE_LOCKS": "/home/tmp",
            "XDG_CACHE_HOME": "/home/cache",
            "INSTALL": "no",
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": "/wheels",
        }
        return subprocess.Popen(
            [*proot, *words],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=without_unknown_calls,
        )

    def __call__(self, *words: str, code: int = 0) -> tuple[str, str]:
        """Standard output and standard error of a program that ends with `code`."""
        process = self.start(*words)
        out, err = process.communicate()
        assert process.returncode == code, f"{words}: {process.returncode}\n{err}\n{out}"
        assert "Traceback" not in err, err
        return out, err


def debian_with(lock: Path, home: Path) -> Debian:
    """Debian's packages, and the AArch64 wheels of the lock file `lock`. The same packages and wheels are fetched once. Skips where something is missing."""
    if platform.machine() != "x86_64":
        pytest.skip("this test emulates AArch64 on x86-64 only")
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        skip_or_fail(f"not installed: {', '.join(missing)}")
    place = kept.FOLDER / "aarch64-debian" if kept.WANTED else home.parent / "aarch64-debian"
    place.mkdir(parents=True, exist_ok=True)
    with (place / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        found = _prepared(place, lock)
    debian = Debian(found / "root", found / "wheels", home)
    home.mkdir()
    process = debian.start("/usr/bin/uname", "-m")
    said, err = process.communicate()
    if said != "aarch64\n":
        skip_or_fail(f"no program of AArch64 runs here: {err.strip()}")
    return debian


def _prepared(place: Path, lock: Path) -> Path:
    """The folder of packages and wheels. Its name is a hash of the addresses of the packages, the lock file and this module."""
    apt = place / "apt"
    for name in ("lists/partial", "archives/partial"):
        (apt / name).mkdir(parents=True, exist_ok=True)
    (apt / "status").touch()
    (apt / "apt.conf").write_text(APT.format(folder=apt))
    environment = {**os.environ, "APT_CONFIG": str(apt / "apt.conf"), "DEBIAN_FRONTEND": "noninteractive"}
    # Without a network the package lists of an earlier call are used.
    subprocess.run(["apt-get", "-qq", "update"], env=environment, capture_output=True, check=False)
    install = ["apt-get", "-qq", "-y", "--download-only", "install", *PACKAGES]
    listed = subprocess.run([*install, "--print-uris"], env=environment, capture_output=True, text=True, check=False)
    if listed.returncode != 0 or "arm64.deb" not in listed.stdout:
        skip_or_fail(f"no packages of Debian for AArch64: {listed.stderr.strip()}")
    names = [line.split()[1] for line in listed.stdout.splitlines()]
    digest = hashlib.sha256(Path(__file__).read_bytes() + lock.read_bytes())
    digest.update("\n".join(sorted(line.split("'")[1] for line in listed.stdout.splitlines())).encode())
    found = place / digest.hexdigest()[:24]
    if not found.is_dir():
        part = place / f".part-{os.getpid()}"
        shutil.rmtree(part, ignore_errors=True)
        subprocess.run(install, env=environment, check=True, stdout=subprocess.DEVNULL)
        _unpack([apt / "archives" / name for name in names], part / "root")
        _fetch_wheels(lock, part)
        part.rename(found)
        shutil.rmtree(apt / "archives")
    os.utime(found)
    os.utime(apt)
    kept.tidy(place)
    return found


def _unpack(packages: list[Path], root: Path) -> None:
    """Unpacks packages without their documentation, translations and maintainer scripts."""
    for name in ("usr/bin", "usr/lib", "usr/sbin", "etc", "home", "tmp", "proc", "dev", "wheels"):
        (root / name).mkdir(parents=True)
    for name in ("bin", "lib", "sbin"):
        (root / name).symlink_to(f"usr/{name}")
    leave = [f"--exclude=./usr/share/{name}" for name in LEFT_OUT]
    for package in packages:
        files = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], check=True, capture_output=True).stdout
        # Some packages have files in /lib, which is a link here.
        unpack = ["tar", "-x", "-C", str(root), "--keep-directory-symlink", "--no-same-owner", *leave]
        subprocess.run(unpack, input=files, check=True)


def _fetch_wheels(lock: Path, part: Path) -> None:
    """This machine's pip fetches them for the unpacked Python and checks their hashes."""
    version = (part / "root/usr/bin/python3").readlink().name.removeprefix("python")
    platforms = [word for name in WHEELS for word in ("--platform", name)]
    wanted = ["--python-version", version, "--implementation", "cp", "--only-binary=:all:", *platforms]
    words = ["download", "--quiet", "--disable-pip-version-check", "--require-hashes", "-r", str(lock)]
    subprocess.run([sys.executable, "-m", "pip", *words, *wanted, "--dest", str(part / "wheels")], check=True)
