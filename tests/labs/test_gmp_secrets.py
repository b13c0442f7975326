# SPDX-License-Identifier: Apache-2.0
"""What GMP's lanes on limbs show of their inputs, held against the machine code of the installed library: valgrind's memcheck with an input undefined.

What memcheck does not see: a carry that went through the counter of an assembly loop counts as defined. The adapter hands such carries on as arguments only.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from scripts import ROOT

from cipherstone.build.toolchain import find_toolchain
from cipherstone.build.workers import C_STANDARD, WARNINGS
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.libraries import load_library

FOLDER = ROOT / "libraries" / "gmp"
SDK = ROOT / "sdk" / "c"
HARNESS = Path(__file__).parent / "gmp_secrets.c"
LIBRARY = load_library(FOLDER, load_catalogue(ROOT))
COMPILER = find_toolchain().cc
VALGRIND = shutil.which("valgrind") is not None and Path("/usr/include/valgrind/memcheck.h").exists()
pytestmark = pytest.mark.skipif(
    not VALGRIND or not any(Path("/usr").glob("include/**/gmp.h")),
    reason="no valgrind, or no GMP, with headers (Debian: valgrind, libgmp-dev)",
)
OPERATIONS = {"power": "modexp/private/bits=2048,crt=no", "crt": "modexp/private/bits=2048,crt=yes"}
Findings = Mapping[tuple[str, str], tuple[int, bool]]


def make(folder: Path, sources: Path = FOLDER) -> Path:
    """The harness with the adapter's own files, which a worker is made of; its `main` is another."""
    flags = [*C_STANDARD, *WARNINGS, "-O2", "-I", str(SDK / "include"), "-I", str(SDK / "src"), "-I", str(sources)]
    adapter, target = folder / "adapter.o", folder / "secrets"
    subprocess.run(
        [COMPILER, *flags, "-Dmain=adapter_main", "-c", str(sources / "adapter.c"), "-o", str(adapter)], check=True
    )
    parts = [str(path) for path in (*sorted(sources.glob("adapter_*.c")), *sorted((SDK / "src").glob("*.c")))]
    done = [COMPILER, *flags, str(HARNESS), str(adapter), *parts, "-lgmp", "-lpthread", "-ldl", "-o", str(target)]
    subprocess.run(done, check=True)
    return target


def run(harness: Path) -> Findings:
    """Jumps and addresses that depended on the secret, and whether the result did, by lane and secret."""
    command = ["valgrind", "-q", "--error-limit=no", f"--log-file={harness}.log", str(harness)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    return {(lane, secret): (int(count), reached == "HIDDEN") for lane, secret, count, reached in rows}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    return run(make(tmp_path_factory.mktemp("gmp")))


def test_what_was_marked_reaches_every_result(found: Findings) -> None:
    assert len(found) == 16 and all(reached for _, reached in found.values()), found


def test_side_channel_silent_functions_show_no_operand_and_no_exponent(found: Findings) -> None:
    silent = {key: count for key, (count, _) in found.items() if key[0].endswith("/mpn_sec") and key[1] != "primes"}
    assert len(silent) == 10 and set(silent.values()) == {0}, silent


def test_the_others_show_theirs(found: Findings) -> None:
    plain = {key: count for key, (count, _) in found.items() if key[0].endswith("/mpn")}
    assert len(plain) == 5 and all(plain.values()), plain


def test_what_is_said_of_the_lanes_is_what_was_found(found: Findings) -> None:
    for (lane, secret), (count, _) in found.items():
        name, _, implementation = lane.partition("/")
        operation = OPERATIONS.get(name, f"bignum/{name}/bits=2048")
        known = LIBRARY.about(operation, implementation)
        assert known is not None
        if count:
            assert known.constant_time == "no", (lane, secret)
        elif name != "crt":
            assert known.constant_time == "yes", (lane, secret)


def test_primes_show_where_crt_makes_them_secret(found: Findings) -> None:
    """GMP promises silence for operands; the modulus is normalised and inverted by table, and with CRT it is a prime."""
    count, _ = found["crt/mpn_sec", "primes"]
    known = LIBRARY.about(OPERATIONS["crt"], "mpn_sec")
    assert count > 0 and known is not None and known.tables


def test_a_branch_in_the_adapter_is_seen(tmp_path: Path) -> None:
    sources = tmp_path / "gmp"
    shutil.copytree(FOLDER, sources)
    text = (sources / "adapter_mpn_crt.c").read_text()
    before = "    mpn_copyi(s->m1, s->product, n);"
    assert before in text
    leaky = "    if (s->product[0] != 0)\n    " + before
    (sources / "adapter_mpn_crt.c").write_text(text.replace(before, leaky))
    found = run(make(tmp_path, sources))
    assert found["crt/mpn_sec", "exponents"][0] > 0
