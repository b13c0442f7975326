# SPDX-License-Identifier: Apache-2.0
"""Upstream's archive out of a Debian source package of any suite, by the ordinary client in a root of its own: the system's own lists and packages stay as they are."""

from __future__ import annotations

import fcntl
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cipherstone.build.seals import make_folder
from cipherstone.build.toolchain import run_tool
from cipherstone.catalogue.sources import DebianSource
from cipherstone.model.errors import BuildError

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
CLIENT, INDEX = "apt-get", "apt-cache"
FETCH_TIMEOUT_S = 600


def fetch_debian(what: str, source: DebianSource, root: Path, folder: Path) -> Path:
    """The file of upstream's archive, brought into `folder`. `root`: where the client keeps the lists of the suite. Raises BuildError in the client's own words.

    An archive that came although other files of the package did not is good: its hash is checked by who asked. So is one of another revision of
    the distribution's, where the suite has gone on: upstream's archive in it is the same.
    """
    with _alone(root):
        options = _prepare(what, source.suite, root)
        run_tool([CLIENT, *options, "update"], f"{what}: lists of {source.suite}", "is there a network?")
        command = [CLIENT, *options, "source", "--download-only", "--only-source"]
        said = _download(what, [*command, f"{source.package}={source.version}"], folder)
        other = _same_upstream(what, options, source) if not _archives(folder) else ""
        if other:
            said = _download(what, [*command, f"{source.package}={other}"], folder)
    found = _archives(folder)
    if len(found) == 1:
        return found[0]
    raise BuildError(f"{what}: {said or f'{len(found)} archives came'}", f"does {source.suite} have another version?")


def _archives(folder: Path) -> list[Path]:
    """Upstream's: not the distribution's changes, not signatures."""
    return sorted(path for path in folder.glob("*.orig.tar.*") if path.suffix not in (".asc", ".sig"))


def _download(what: str, command: list[str], folder: Path) -> str:
    """What the client complains of, "" if of nothing."""
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=FETCH_TIMEOUT_S, check=False, errors="replace"
        )
    except subprocess.TimeoutExpired:
        raise BuildError(f"{what}: '{CLIENT}' did not end within {FETCH_TIMEOUT_S} s", "is there a network?") from None
    lines = [line.strip() for line in done.stderr.splitlines() if line.startswith("E:")]
    return lines[0] if lines else f"{CLIENT} ended with status {done.returncode}" if done.returncode else ""


def _same_upstream(what: str, options: list[str], source: DebianSource) -> str:
    """Another revision of the package with the same version of upstream's, "" if the suite has none."""
    try:
        told = run_tool([INDEX, *options, "showsrc", "--only-source", source.package], what)
    except BuildError:
        return ""
    versions = re.findall(r"^Version: (\S+)$", told, re.MULTILINE)
    wanted = source.version.rpartition("-")[0]
    return next((one for one in versions if one.rpartition("-")[0] == wanted != ""), "")


@contextmanager
def _alone(root: Path) -> Iterator[None]:
    """One client at a time in a root: a second one refuses to wait."""
    make_folder(root)
    with (root / "in-use").open("w", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def _prepare(what: str, suite: str, root: Path) -> list[str]:
    """The client's options for a root that knows one suite alone."""
    if not KEYRING.is_file():
        raise BuildError(f"{what}: no {KEYRING.name}, which signs Debian's lists", "install debian-archive-keyring")
    for name in ("lists/partial", "archives/partial", "parts"):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "status").touch()
    (root / "parts" / "suite.sources").write_text(
        f"Types: deb-src\nURIs: {_mirror(what)}\nSuites: {suite}\nComponents: main\nSigned-By: {KEYRING}\n",
        encoding="utf-8",
    )
    settings = {
        "Dir::Etc::sourcelist": root / "none",
        "Dir::Etc::sourceparts": root / "parts",
        "Dir::State::Lists": root / "lists",
        "Dir::State::status": root / "status",
        "Dir::Cache": root,
        "Dir::Cache::archives": root / "archives",
        "APT::Sandbox::User": "root",
    }
    return ["-qq", *(word for key, value in settings.items() for word in ("-o", f"{key}={value}"))]


def _mirror(what: str) -> str:
    """Where this system has Debian's packages from."""
    told = run_tool([CLIENT, "indextargets", "--format", "$(ORIGIN)|$(COMPONENT)|$(REPO_URI)|$(SUITE)"], what)
    rows = [line.split("|") for line in told.splitlines()]
    found = [
        row[2] for row in rows if len(row) == 4 and row[0] == "Debian" and row[1] == "main" and "security" not in row[3]
    ]
    if not found:
        raise BuildError(
            f"{what}: this system has no archive of Debian's", "its sources are had where Debian's lists are"
        )
    return found[0]
