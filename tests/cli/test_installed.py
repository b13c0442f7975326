# SPDX-License-Identifier: Apache-2.0
"""Installed from the wheel, without a checkout: the data is there, and a run works from any folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from scripts import HASH, ROOT, cost, write_worker


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the wheel brings. The dependencies are this environment's: the wheel of this package alone is in question."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    source = folder / "source"
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in tracked.decode().rstrip("\0").split("\0"):
        needed = not name.startswith(("tests/", "docs/")) or name.endswith("cipherstone.1")
        if needed and (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    words = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source)]
    subprocess.run([*pip, *words], check=True, capture_output=True)
    (wheel,) = folder.glob("cipherstone-*.whl")
    target = folder / "site"
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--target", str(target), str(wheel)], check=True)
    return target


def test_a_run_from_another_folder(installed: Path, tmp_path: Path) -> None:
    home = tmp_path / "elsewhere"
    home.mkdir()
    # No faster than this machine can hash 16 KiB: a run on a quiet machine knows that bound, and refuses what is below it.
    workers = [
        write_worker(tmp_path, "alpha", {HASH: cost(40_000)}),
        write_worker(tmp_path, "beta", {HASH: cost(60_000)}),
    ]
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(installed),
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
        "CIPHERSTONE_LOCKS": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "INSTALL": "no",
    }

    def cipherstone(*words: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "cipherstone", *map(str, words)]
        return subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, timeout=600)

    where = [sys.executable, "-c", "from cipherstone.catalogue.paths import data_root; print(data_root())"]
    root = subprocess.run(where, cwd=home, env=environment, capture_output=True, text=True).stdout.strip()
    assert root == str(installed / "cipherstone" / "data")
    for name in (
        "sdk/c/src/loop.c",
        "libraries/openssl/adapter.c",
        "protocol/PROTOCOL.md",
        "roofline/aes.toml",
        "references/survey/tables.toml",
    ):
        assert (Path(root) / name).is_file(), name
    assert (installed / "share/man/man1/cipherstone.1").is_file()
    options = [word for path in workers for word in ("--worker", path)]
    selection = ["-f", f"op:{HASH} bytes:16384 library:(alpha OR beta)", "--base", "alpha"]
    ran = cipherstone(
        "run", *options, *selection, "--passes", 6, "--max-time", "none", "--no-memory", "--format", "json"
    )
    assert ran.returncode == 0, ran.stderr + ran.stdout
    cells = {cell["lane"]: cell for cell in json.loads(ran.stdout)["cases"][0]["cells"]}
    assert cells["alpha@1.0"]["ns"]["value"] == pytest.approx(40_000)
    assert cells["beta@1.0"]["ns"]["value"] == pytest.approx(60_000)
    assert len(list((home / "runs").iterdir())) >= 1
