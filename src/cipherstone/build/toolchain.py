# SPDX-License-Identifier: Apache-2.0
"""The compilers that workers are built with, and running them."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from cipherstone.build import zig
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.composed import FLAG_WORDS, ZIG_CC, ZIG_CXX
from cipherstone.model.errors import BuildError

# What distributions build their own packages with, less what only hardening needs: the adapter is a thin shell around library calls.
OPTIMISATION = ("-O2", "-g0")
COMPILE_TIMEOUT_S = 1200  # a whole library optimised while it is linked takes minutes, more beside other work
_UNDEFINED = re.compile(r"undefined (?:reference to|symbol:) [`']?(\w+)")


class Toolchain(msgspec.Struct, frozen=True):
    """Compiler commands, with the first line of their `--version`; None where there is no such compiler."""

    cc: str
    cxx: str
    cc_version: str | None
    cxx_version: str | None


def find_toolchain(cc: str | None = None, cxx: str | None = None) -> Toolchain:
    """The compilers named, else cc/gcc/clang and c++/g++/clang++ in this order."""
    chosen_cc = cc or next((name for name in ("gcc", "cc", "clang") if shutil.which(name)), "cc")
    chosen_cxx = cxx or next((name for name in ("g++", "c++", "clang++") if shutil.which(name)), "c++")
    return Toolchain(chosen_cc, chosen_cxx, program_version(chosen_cc), program_version(chosen_cxx))


def toolchain_of(build: BuildSpec, toolchain: Toolchain) -> Toolchain:
    """`toolchain` with the compilers that the build names instead."""
    if not build.cc and not build.cxx:
        return toolchain
    return find_toolchain(_command(build.cc) or toolchain.cc, _command(build.cxx) or toolchain.cxx)


def _command(name: str) -> str:
    """Zig's commands are beside this program, wherever that is."""
    return zig.compiler(name) if is_zig(name) else name


# What tells Clang that it compiles for another machine.
CROSS = "--target="


def linker_of(own: Toolchain, toolchain: Toolchain, cxx: bool, flags: Sequence[str] = ()) -> str:
    """What links a worker that `own` compiled with `flags`: the same compiler, but for zig, whose linker does not tell which files it takes, and for Clang on another machine, which has none there."""
    if is_zig(own.cc) or any(flag.startswith(CROSS) for flag in flags):
        return toolchain.cc
    return own.cxx if cxx else own.cc


def is_clang(command: str) -> bool:
    """Whether a compiler is Clang, by its name."""
    return re.match(r"clang(-[0-9.]+)?\Z", Path(command).name) is not None


def is_zig(command: str) -> bool:
    """Whether a compiler is zig's."""
    return Path(command).name in (ZIG_CC, ZIG_CXX)


def binutils_of(toolchain: Toolchain) -> dict[str, str]:
    """The archiver and its kin that understand what the compiler writes, which with -flto is not machine code; the system's own for another compiler, nothing where there are none."""
    match = re.search(r"(?P<target>[a-z0-9_-]+-)?(?P<kind>gcc|clang)(?P<version>-[0-9.]+)?\Z", Path(toolchain.cc).name)
    if match is None:
        prefix, suffix = "", ""
    else:
        # A compiler for another machine has binutils of its own.
        own = f"{match['target'] or ''}gcc-"
        prefix, suffix = own if match["kind"] == "gcc" else "llvm-", match["version"] or ""
    named = {name.upper(): f"{prefix}{name}{suffix}" for name in ("ar", "ranlib", "nm")}
    return {name: program for name, program in named.items() if shutil.which(program)}


def target_machine(command: str) -> str:
    """The machine that a compiler compiles for, such as `x86_64` or `aarch64`; "" if it does not say."""
    try:
        done = subprocess.run([command, "-dumpmachine"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip().partition("-")[0] if done.returncode == 0 else ""


# What the sources of the SDK get beside the measured ones' own word for 32 bits: numbers of files may have 64 here too.
NARROW = FLAG_WORDS["i386"][0]
NARROW_SDK = (*FLAG_WORDS["i386"], "-D_FILE_OFFSET_BITS=64")


@lru_cache(maxsize=16)
def narrow_problem(command: str, language: str = "c") -> str:
    """One line if a compiler makes no programs of 32 bits that run here; "" if it does."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        words = [command, *NARROW_SDK, "-x", language, "-o", str(program), "-"]
        text = "#include <errno.h>\n#include <stdio.h>\nint main(void) { return 0; }\n"
        try:
            made = subprocess.run(words, input=text, capture_output=True, text=True, timeout=60, check=False)
            if made.returncode != 0:
                return (
                    f"'{command}' makes no programs of 32 bits here: it needs their libraries (Debian: gcc-12-multilib)"
                )
            ran = subprocess.run([program], capture_output=True, timeout=20, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return "programs of 32 bits do not run here"
    return "" if ran.returncode == 0 else "programs of 32 bits do not run here"


@lru_cache(maxsize=16)
def has_cxx_library(command: str, flags: tuple[str, ...] = ()) -> bool:
    """Whether a C++ compiler finds the headers of its library: for another machine they may be a package apart."""
    words = [command, *flags, "-x", "c++", "-fsyntax-only", "-"]
    try:
        done = subprocess.run(
            words, input="#include <memory>\n", capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def program_version(command: str) -> str | None:
    """The first line of a program's `--version`; None if there is no such program, or it does not say."""
    try:
        done = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.splitlines()[0].strip() if done.returncode == 0 and done.stdout else None


def run_tool(
    command: Sequence[str],
    what: str,
    hint: str = "",
    folder: Path | None = None,
    settings: Sequence[str] = (),
) -> str:
    """Runs a compiler, linker or another program (in `folder`, if given); its standard output. `settings`: words of `env` that change what it sees of the environment. Raises BuildError with the tool's own last lines."""
    try:
        done = subprocess.run(
            [*(("env", *settings) if settings else ()), *command],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=COMPILE_TIMEOUT_S,
            check=False,
            cwd=folder,
        )
    except FileNotFoundError:
        raise BuildError(
            f"{what}: no program '{command[0]}'", hint or "install a C compiler, or name one with CC="
        ) from None
    except subprocess.TimeoutExpired:
        raise BuildError(f"{what}: '{command[0]}' did not end within {COMPILE_TIMEOUT_S} s", hint) from None
    except OSError as error:
        raise BuildError(f"{what}: '{command[0]}': {error.strerror}", hint) from None
    if done.returncode != 0:
        lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        first = telling(lines)
        raise BuildError(
            f"{what}: {command[0]} ended with status {done.returncode}: {first[:200]}", hint, "\n".join(lines[-20:])
        )
    return done.stdout


def telling(lines: Sequence[str]) -> str:
    """The line that says what is wrong: what a library lacks, else the first that speaks of an error, else the first."""
    lacking = dict.fromkeys(match[1] for match in map(_UNDEFINED.search, lines) if match)
    if lacking:
        more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
        return f"the library has no {next(iter(lacking))}{more}"
    return next(
        (line.strip() for line in lines if "error" in line.lower()), lines[0].strip() if lines else "no message"
    )
