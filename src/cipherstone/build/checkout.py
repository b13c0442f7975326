# SPDX-License-Identifier: Apache-2.0
"""Asking git about a checkout that may not be one's own: nothing that its settings name is started."""

from __future__ import annotations

import os
from pathlib import Path

from cipherstone.build.toolchain import run_tool

# Settings that start a program, or ask another machine: none that is set anywhere counts.
_NO_PROGRAMS = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.pager=cat", "log.showSignature=false")
_KEPT = ("PATH", "HOME", "XDG_CONFIG_HOME")  # in the home stands which folders of others are trusted
_SET = ("LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")


def asked(folder: str | Path, *words: str) -> str:
    """What git says of the checkout in `folder`, of names and commits alone. Raises BuildError."""
    settings = [word for one in _NO_PROGRAMS for word in ("-c", one)]
    kept = [f"{name}={os.environ[name]}" for name in _KEPT if name in os.environ]
    return run_tool(["git", *settings, "-C", str(folder), *words], str(folder), settings=("-i", *kept, *_SET))


def packed_commit(folder: str, commit: str, scratch: Path) -> Path:
    """A tar archive of a commit, by a repository of our own that borrows the objects: no setting of the checkout's, of the user's or of the system's is read, so that no filter is known that attributes could name. Raises BuildError."""
    what = f"git:{folder}@{commit}"
    objects = asked(folder, "rev-parse", "--path-format=absolute", "--git-path", "objects").removesuffix("\n")
    own, packed = scratch / "borrowed.git", scratch / "commit.tar"
    plain = (
        "-i",
        f"PATH={os.environ.get('PATH', os.defpath)}",
        f"HOME={scratch / 'home'}",
        "GIT_CONFIG_GLOBAL=/dev/null",
        "GIT_ATTR_NOSYSTEM=1",
        *_SET,
    )
    kind = "sha256" if len(commit) == 64 else "sha1"
    run_tool(["git", "init", "--quiet", "--bare", "--template=", f"--object-format={kind}", str(own)], what, settings=plain)  # fmt: skip
    (own / "objects" / "info").mkdir(exist_ok=True)
    (own / "objects" / "info" / "alternates").write_text(objects + "\n", encoding="utf-8", errors="surrogateescape")
    command = ["git", "-c", "core.attributesFile=/dev/null", f"--git-dir={own}", "archive", "--format=tar"]
    run_tool([*command, f"--output={packed}", commit], what, settings=plain)
    return packed
