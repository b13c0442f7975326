# SPDX-License-Identifier: Apache-2.0
"""Upstream's archive out of a Debian source package of any suite, by the ordinary client in a root of its own: the system's own lists and packages stay as they are."""

from __future__ import annotations

import subprocess
from pathlib import Path

from cipherstone.build.toolchain import run_tool
from cipherstone.catalogue.sources import DebianSource
from cipherstone.model.errors import BuildError

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
CLIENT = "apt-get"
FETCH_TIMEOUT_S = 600


def fetch_debian(what: str, source: DebianSource, root: Path, folder: Path) -> Path:
    """The file of upstream's archive, brought into `folder`. `root`: where the client keeps the lists of the suite. Raises BuildError in the client's own words.

    An archive that came although other files of the package did not is good: its hash is checked by who asked.
    """
    options = _prepare(what, source.suite, root)
    run_tool([CLIENT, *options, "update"], f"{what}: lists of {source.suite}", "is there a network?")
    command = [CLIENT, *options, "source", "--download-only", "--only-source", f"{source.package}={source.version}"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=FETCH_TIMEOUT_S, check=False, errors="replace"
    )
    found = sorted(path for path in folder.glob("*.orig.tar.*") if path.suffix not in (".asc", ".sig"))
    if len(found) == 1:
        return found[0]
    lines = [line.strip() for line in done.stderr.splitlines() if line.startswith("E:")]
    said = lines[0] if lines else f"status {done.returncode}, {len(found)} archives"
    raise BuildError(f"{what}: {said}", f"does {source.suite} have another version now?")


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
