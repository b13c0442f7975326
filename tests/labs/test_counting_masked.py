# SPDX-License-Identifier: Apache-2.0
"""Machines without something: a processor without NEON or AES, and AArch64 without its cryptographic extensions, which every processor of the emulator has. Libraries do not see what is lacking, and who executes it all the same is ended with the reason."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from counted import TOOLCHAIN, need
from scripts import ROOT, CommandLine

from cipherstone.build.counter import counting_plugin
from cipherstone.build.processors import hiding_words, refusing_words, telling_words
from cipherstone.build.systems import this_system
from cipherstone.build.targets import TARGETS, emulator_of, on_target, toolchain_for
from cipherstone.build.upstream import is_built
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.filter import parse_filter
from cipherstone.catalogue.libraries import load_library
from cipherstone.cli.countjobs import targets_here
from cipherstone.cli.environment import cache_folder
from cipherstone.execute.counting.jobs import CountRequest, Job, count_everything
from cipherstone.labs.footprint.machine import machines
from cipherstone.model.counts import Count, Counting
from cipherstone.model.outcomes import Outcome

LAB = "own-aes"
AES = "aes-128-cbc/encrypt"
ASKS = "(getauxval(AT_HWCAP) & HWCAP_OF_AES) != 0"
# One of each: what the line on stderr must name, and the instruction.
CRYPTO = {
    "aese": "aese v0.16b, v1.16b",
    "aesd": "aesd v0.16b, v1.16b",
    "aesmc": "aesmc v0.16b, v1.16b",
    "aesimc": "aesimc v0.16b, v1.16b",
    "pmull": "pmull v0.1q, v1.1d, v2.1d",
    "pmull2": "pmull2 v0.1q, v1.2d, v2.2d",
    "sha1c": "sha1c q0, s1, v2.4s",
    "sha1p": "sha1p q0, s1, v2.4s",
    "sha1m": "sha1m q0, s1, v2.4s",
    "sha1h": "sha1h s0, s1",
    "sha1su0": "sha1su0 v0.4s, v1.4s, v2.4s",
    "sha1su1": "sha1su1 v0.4s, v1.4s",
    "sha256h": "sha256h q0, q1, v2.4s",
    "sha256h2": "sha256h2 q0, q1, v2.4s",
    "sha256su0": "sha256su0 v0.4s, v1.4s",
    "sha256su1": "sha256su1 v0.4s, v1.4s, v2.4s",
    "sha512h": "sha512h q0, q1, v2.2d",
    "sha512h2": "sha512h2 q0, q1, v2.2d",
    "sha512su0": "sha512su0 v0.2d, v1.2d",
    "sha512su1": "sha512su1 v0.2d, v1.2d, v2.2d",
    "eor3": "eor3 v0.16b, v1.16b, v2.16b, v3.16b",
    "rax1": "rax1 v0.2d, v1.2d, v2.2d",
    "xar": "xar v0.2d, v1.2d, v2.2d, #3",
    "bcax": "bcax v0.16b, v1.16b, v2.16b, v3.16b",
    "sm3": "sm3tt2b v0.4s, v1.4s, v2.s[1]",
    "sm4": "sm4ekey v0.4s, v1.4s, v2.4s",
    "aesimc of SVE": "aesmc z0.b, z0.b",
    "aesd of SVE": "aese z0.b, z0.b, z1.b",
    "sm4e of SVE": "sm4e z0.s, z0.s, z1.s",
    "sm4ekey of SVE": "sm4ekey z0.s, z1.s, z2.s",
    "rax1 of SVE": "rax1 z0.d, z1.d, z2.d",
    "pmull to .q of SVE": "pmullt z0.q, z1.d, z2.d",
}
# Their neighbours in the code space, which every AArch64 has (the last two: with SVE2).
OTHERS = (
    "pmull v0.8h, v1.8b, v2.8b",
    "eor v0.16b, v1.16b, v2.16b",
    "dup s0, v1.s[1]",
    "mul v0.4s, v1.4s, v2.4s",
    "eor3 z0.d, z0.d, z1.d, z2.d",
    "pmullb z0.h, z1.b, z2.b",
)
# Bits of 32-bit Arm, as the kernel calls them in /proc/cpuinfo.
NAMES = "swp half thumb 26bit fastmult fpa vfp edsp java iwmmxt crunch thumbee neon vfpv3 vfpv3d16 tls vfpv4 idiva idivt vfpd32 lpae evtstrm".split()
EXECUTES = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
int main(int count, char **words)
{
    char line[512];
    printf("%%lx %%lx\\n", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
    for (FILE *file = fopen("/proc/cpuinfo", "r"); file != NULL && fgets(line, sizeof line, file) != NULL;)
        if (strncmp(line, "Features", 8) == 0)
            fputs(line, stdout);
    fflush(stdout);
    for (int k = count > 2 ? atoi(words[1]) : 0; count > 2 && k < atoi(words[2]); k++)
        switch (k) {
%s
        }
    puts("done");
    return 0;
}
"""


@pytest.fixture
def cli(new_cli: Callable[..., CommandLine]) -> CommandLine:
    """Of this checkout."""
    return new_cli(root=ROOT)


def program(target: str, lines: tuple[str, ...], folder: Path, before: str = "") -> Path:
    """One that tells what its system says of the processor, then executes the lines that are asked for; linked as a worker of the target is."""
    need(target)
    one = TARGETS[target]
    toolchain, source, made = toolchain_for(one, TOOLCHAIN), folder / "executes.c", folder / "executes"
    cases = "".join(f'case {k}: __asm__ volatile("{before}{line}"); break;\n' for k, line in enumerate(lines))
    source.write_text(EXECUTES % cases)
    hidden = hiding_words(toolchain, ROOT, folder, one.flags) if one.lacks else []
    words = [toolchain.cc, "-O1", *one.flags, "-static", *hidden, str(source), "-o", str(made)]
    subprocess.run(words, check=True)
    return made


def executed(target: str, made: Path, cache: Path, lines: range = range(0)) -> subprocess.CompletedProcess[str]:
    """As a process of the target that is not counted."""
    one = TARGETS[target]
    uncounted = (*telling_words(one, cache), *refusing_words(counting_plugin(TOOLCHAIN, ROOT, cache), one.lacks))
    words = [*one.words(emulator_of(one)[0], str(made), uncounted), str(lines.start), str(lines.stop)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_who_executes_what_the_machine_lacks_is_ended(worker_cache: Path, tmp_path: Path) -> None:
    """Every instruction of the extensions, by name, on AArch64 without them; on AArch64 all of them run, and their neighbours on both."""
    lines = (*CRYPTO.values(), *OTHERS)
    extensions = r".arch armv8.5-a+crypto+sha3+sm4+sve2+sve2-aes+sve2-sha3+sve2-sm4\n"
    ran = executed("aarch64", program("aarch64", lines, tmp_path, extensions), worker_cache, range(len(lines)))
    assert (ran.returncode, ran.stdout[-5:], ran.stderr) == (0, "done\n", "")
    made = program("aarch64~nocrypto", lines, tmp_path, extensions)
    ran = executed("aarch64~nocrypto", made, worker_cache, range(len(CRYPTO), len(lines)))
    assert (ran.returncode, ran.stdout[-5:], ran.stderr) == (0, "done\n", "")
    for number, named in enumerate(CRYPTO):
        done = executed("aarch64~nocrypto", made, worker_cache, range(number, number + 1))
        assert done.returncode == -signal.SIGILL and "done" not in done.stdout, named
        (said,) = done.stderr.splitlines()
        assert said.startswith("counter: this machine does not have: ") and named in said


def test_the_system_does_not_tell_of_what_the_machine_lacks(worker_cache: Path, tmp_path: Path) -> None:
    """Bits of the kernel's interface: AES, PMULL, SHA-1, SHA-2, SHA-3, SM3, SM4, SHA-512, and their SVE2; no other one is hidden."""
    told = {}
    for target in ("aarch64", "aarch64~nocrypto"):
        done = executed(target, program(target, (), tmp_path), worker_cache)
        told[target] = [int(word, 16) for word in done.stdout.split()[:2]]
    hidden = [with_ ^ without for with_, without in zip(told["aarch64"], told["aarch64~nocrypto"], strict=True)]
    crypto = sum(1 << bit for bit in (3, 4, 5, 6, 17, 18, 19, 21)), sum(1 << bit for bit in (2, 3, 5, 6))
    assert all(told["aarch64"][k] & crypto[k] == hidden[k] and hidden[k] & ~crypto[k] == 0 for k in (0, 1))
    assert hidden[0] & 0b1111000 == 0b1111000  # AES, PMULL, SHA-1, SHA-2


@pytest.mark.parametrize("plain", ["armv7a", "armv7a-thumb"])
def test_neon_is_there_or_not(plain: str, worker_cache: Path, tmp_path: Path) -> None:
    """For the compiler, in what the system tells (the auxiliary vector, and /proc/cpuinfo, whose words are its bits), and where one of its instructions is executed."""
    for target, has in ((plain, True), (f"{plain}~noneon", False)):
        made = program(target, ("vadd.i32 q0, q0, q0",), tmp_path, r".fpu neon\n")
        done = executed(target, made, worker_cache, range(1))
        bits, features = int(done.stdout.split()[0], 16), done.stdout.splitlines()[1].partition(":")[2].split()
        assert bits >> NAMES.index("neon") & 1 == has
        assert features == [name for number, name in enumerate(NAMES) if bits >> number & 1]
        assert ("done" in done.stdout, done.returncode) == ((True, 0) if has else (False, -signal.SIGILL))
        words = [toolchain_for(TARGETS[target], TOOLCHAIN).cc, *TARGETS[target].flags, "-dM", "-E", "-xc", "/dev/null"]
        macros = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\n")
        assert ("#define __ARM_NEON 1" in macros) == has and "#define __ARM_PCS_VFP 1" in macros


def of(counts: tuple[Count, ...], target: str) -> list[Count]:
    return [one for one in counts if one.target == target]


@pytest.mark.parametrize(("plain", "masked"), [("aarch64", "aarch64~nocrypto"), ("x86-64", "x86-64~noaes")])
def test_code_that_asks_is_not_there(plain: str, masked: str, worker_cache: Path) -> None:
    """AES of our own, made of the processor's instructions alone, says that there are none."""
    need(plain)
    catalogue = load_catalogue(ROOT)
    library = load_library(ROOT / "labs" / LAB, catalogue)
    workshop = Workshop(ROOT, worker_cache, TOOLCHAIN, this_system())
    jobs = [Job(TARGETS[name], library, library.builds[0]) for name in (plain, masked)]
    found = count_everything(workshop, jobs, catalogue, CountRequest(parse_filter(f"op:{AES}", {"op": ()})), print)
    assert [one.problem for one in found.targets] == ["", ""]
    assert [one.outcome for one in of(found.counts, plain)] == [Counting.COUNTED] * 2
    without = of(found.counts, masked)
    assert [one.outcome for one in without] == [Counting.UNAVAILABLE] * 2
    assert all("no AES" in one.reason for one in without), without[0].reason
    title, processor = found.targets[1].title, found.targets[1].processor
    assert "without" in title and (processor.endswith(("-aes,-pclmulqdq", "max without crypto")))


def test_code_that_does_not_ask_has_no_count_and_the_reason(worker_cache: Path, tmp_path: Path) -> None:
    """The same with the question taken out: proven and counted on AArch64, ended by its first AES instruction without the extensions."""
    need("aarch64")
    folder = tmp_path / "labs" / LAB
    shutil.copytree(ROOT / "labs" / LAB, folder)
    source = folder / "aes_aarch64.c"
    text = source.read_text()
    assert text.count(ASKS) == 1
    source.write_text(text.replace(ASKS, "getauxval(AT_HWCAP) != HWCAP_OF_AES"))
    catalogue = load_catalogue(ROOT)
    library = load_library(folder, catalogue)
    workshop = Workshop(ROOT, worker_cache, TOOLCHAIN, this_system())
    jobs = [Job(TARGETS[name], library, library.builds[0]) for name in ("aarch64", "aarch64~nocrypto")]
    found = count_everything(workshop, jobs, catalogue, CountRequest(parse_filter(f"op:{AES}", {"op": ()})), print)
    assert {one.outcome for one in of(found.counts, "aarch64")} == {Counting.COUNTED}
    without = of(found.counts, "aarch64~nocrypto")
    assert {one.outcome for one in without} == {Counting.CRASHED} and all(one.instructions is None for one in without)
    assert all("SIGILL" in one.reason and "this machine does not have: aese" in one.reason for one in without)


@pytest.mark.parametrize(
    ("name", "operation", "plain", "masked", "least"),
    [
        ("mbedtls@3.6", "aes-128-gcm/seal", "aarch64", "aarch64~nocrypto", 4.0),
        ("nettle@3.10-minigmp", "sha-256/hash", "aarch64", "aarch64~nocrypto", 8.0),
        ("nettle@3.10-minigmp", "chacha20-poly1305/seal", "armv7a", "armv7a~noneon", 2.0),
    ],
)
def test_a_library_takes_another_path_there(name: str, operation: str, plain: str, masked: str, least: float) -> None:
    """Both proven, and what is masked counts `least` times as much at least; where the library was built before."""
    need(plain)
    catalogue = load_catalogue(ROOT)
    library_id, _, variant = name.partition("@")
    library = load_library(ROOT / "libraries" / library_id, catalogue)
    build = next(one for one in library.builds if one.variant == variant)
    targets = [TARGETS[one] for one in (plain, masked)]
    for one in targets:
        if not is_built(library, on_target(build, one), toolchain_for(one, TOOLCHAIN), cache_folder()):
            pytest.skip(f"{name} was not built for {one.id} here")
    workshop = Workshop(ROOT, cache_folder(), TOOLCHAIN, this_system())
    selection = parse_filter(f"op:{operation}", {"op": ()})
    found = count_everything(
        workshop, [Job(one, library, build) for one in targets], catalogue, CountRequest(selection), print
    )
    counts = [one for one in found.counts if ":" not in one.lane]
    assert [(one.target, one.outcome, one.proof) for one in counts] == [
        (one.id, Counting.COUNTED, Outcome.OK) for one in targets
    ]
    with_, without = (one.instructions for one in counts)
    assert with_ is not None and without is not None and without > least * with_


def test_masked_machines_are_counted_on_where_they_are_named(cli: CommandLine, worker_cache: Path) -> None:
    """Without --on the plain ones alone; the footprint has no machine whose programs would have what it lacks."""
    need("x86-64")
    workshop = Workshop(ROOT, worker_cache, TOOLCHAIN, this_system())
    usual = targets_here([], workshop)
    assert TARGETS["x86-64"] in usual and not any(target.is_masked for target in usual)
    assert [target.id for target in targets_here(["armv7a~noneon"], workshop)] == ["armv7a~noneon"]
    refused = cli("footprint", "--on", "aarch64~nocrypto", "-l", "bearssl").no_trace()
    assert refused.code == 2 and "has what it lacks" in refused.err and "--on aarch64 " in refused.err


def test_a_footprint_may_be_without_neon(worker_cache: Path) -> None:
    """It is compiled so, and its programs run on a processor that has none."""
    need("armv7a~noneon")
    [(machine, _)] = machines(["armv7a~noneon"], Workshop(ROOT, worker_cache, TOOLCHAIN, this_system()))
    assert machine.flags == ("-marm",) and "cortex-a15,neon=off" in machine.emulator
