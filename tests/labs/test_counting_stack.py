# SPDX-License-Identifier: Apache-2.0
"""The stack that a count tells is painted; the lowest store that the plugin sees says the same: of every call, less one number that is the same for all of a target."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from counted import BARE, TOOLCHAIN, need, toy_for
from scripts import ROOT

from cipherstone.build.counter import PAINTER, Watching, counting_plugin, markers, plugin_words, stretches, tallies
from cipherstone.build.systems import this_system
from cipherstone.build.targets import TARGETS, emulator_of, on_target, toolchain_for
from cipherstone.build.upstream import is_built
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.libraries import load_library
from cipherstone.cli.environment import cache_folder
from cipherstone.execute.counting.cell import PATIENCE
from cipherstone.execute.counting.jobs import Job, reach
from cipherstone.measure.plan import all_cases
from cipherstone.measure.proof import Expectations
from cipherstone.worker import WorkerProcess

HOSTED = ["x86-64", "i386", "aarch64", "armv7a"]
# Every implementation of each is called; whatever takes longer uses the same code.
OPERATIONS = frozenset(
    """
    3des-cbc/decrypt 3des-cbc/encrypt aes-128-cbc/decrypt aes-128-cbc/encrypt aes-128-ctr/encrypt aes-256-ctr/encrypt
    aes-128-ccm/seal aes-128-gcm/open aes-128-gcm/seal chacha20/encrypt chacha20-poly1305/seal ghash/mac poly1305-framed/mac
    md5/hash sha-1/hash sha-256/hash sha-384/hash sha-512/hash hmac-sha-256/mac hkdf-sha-256/derive
    p-256/derive x25519/derive ecdsa-p256-sha256/verify modexp/public/bits=2048 rsa-2048-pkcs1-sha256/verify
    """.split()
)
# Below the frame of a call that does nothing, and to a word: a call that needs less reads 0 (sdk/c/src/memory.c).
NOT_PAINTED = 256 + 8

Told = tuple[str, int, int | None]


def bearssl_on(target: str, out: Path) -> Iterator[Told]:
    """(operation and implementation, painted bytes, bytes from the lowest of the stack to the lowest word that was stored to)."""
    catalogue, cache = load_catalogue(ROOT), cache_folder()
    library = load_library(ROOT / "libraries/bearssl", catalogue)
    build = next(one for one in library.builds if one.variant == "0.6")
    there, toolchain = on_target(build, TARGETS[target]), toolchain_for(TARGETS[target], TOOLCHAIN)
    if not is_built(library, there, toolchain, cache):
        pytest.skip(f"bearssl@0.6 was not built for {target} here")
    reached = reach(Workshop(ROOT, cache, TOOLCHAIN, this_system()), Job(TARGETS[target], library, build), print)
    assert reached.found.launch is not None
    _, _, folder, *_, program = reached.found.launch.command
    (painter,) = stretches(Path(folder, program), (PAINTER,))
    expectations = Expectations()
    words = reached.counting(plugin_words(reached.plugin, reached.between, out, Watching(painter=painter)))
    with WorkerProcess(words, padding_bytes=0, patience=PATIENCE) as worker:
        worker.hello()
        for (base_id, implementation), capability in reached.found.offer(catalogue).capabilities.items():
            case = all_cases(catalogue.operations[base_id], None)[0]
            if case.operation in OPERATIONS:
                texts = expectations.of(case, capability.form).texts
                worker.prepare(0, case.listed, implementation, texts)
                stack = worker.memory(0).stack_bytes
                assert stack is not None
                yield f"{case.operation}:{implementation}", stack, unstored(target, out)


def unstored(target: str, out: Path) -> int | None:
    """By the latest call."""
    lowest, word = tallies(out, TARGETS[target].isa)[-1].unstored, TARGETS[target].word_bits // 8
    return None if lowest is None else lowest // word * word


def held(found: list[Told]) -> None:
    """Painted and unstored bytes together are the same of all; what reads 0 needs less than what is not painted."""
    known = [stack + lowest for _, stack, lowest in found if stack and lowest is not None]
    assert len(known) == sum(stack > 0 for _, stack, _ in found) and len({*known}) == 1, found
    for name, stack, lowest in found:
        assert stack or lowest is None or known[0] - lowest < NOT_PAINTED, name


@pytest.mark.parametrize("target", [*BARE, *HOSTED])
def test_painted_stack_is_what_the_lowest_store_says(target: str, tmp_path: Path) -> None:
    """Of BearSSL's operations, in every implementation."""
    need(target)
    found = list(bearssl_on(target, tmp_path / "calls"))
    assert len(found) > 80 and {name.partition(":")[0] for name, _, _ in found} == OPERATIONS
    held(found)


FRAMES = (300, 1000, 5000)
ADAPTER = """
#include "cipherstone.h"
static int setup(cs_case *c)
{
    c->out_len = 0;
    return CS_OK;
}
#define FRAME(name, bytes, first, more) \\
    static int name(cs_case *c) \\
    { \\
        _Alignas(sizeof(uintptr_t)) volatile uint8_t frame[bytes]; \\
        for (size_t i = 0; i < bytes; i++) \\
            frame[i] = i == 0 ? first : i < 32 ? more : 1; \\
        c->out_len = 0; \\
        return CS_OK; \\
    }
#define OP(named, called) {.id = "toy-sum/hash", .impl = named, .name = named, .setup = setup, .call = called}
FRAME(least, 300, 1, 1)
FRAME(middle, 1000, 1, 1)
FRAME(most, 5000, 1, 1)
FRAME(above, 1000, 1, 0xa7)
FRAME(below, 1000, 0xa7, 1)
FRAME(same, 1000, 0xa7, 0xa7)
static const cs_op ops[] = {OP("300", least), OP("1000", middle), OP("5000", most), OP("above", above), OP("below", below), OP("same", same)};
static const char *version(void)
{
    return "1";
}
static const cs_library library = {.abi = CS_ABI, .id = "toy", .version = version, .version_from = "library", .tables = CS_ROWS(ops)};
CS_WORKER_MAIN(library)
"""


@pytest.mark.parametrize("target", [*BARE, *HOSTED])
def test_the_lowest_store_is_seen(target: str, tmp_path: Path, worker_cache: Path) -> None:
    """Frames of known sizes; the lowest byte alone as the paint is not, or as it is; and where 32 bytes are written as the paint is, painting misses exactly those, and the store does not."""
    need(target)
    (tmp_path / "toy.c").write_text(ADAPTER)
    toy = toy_for(target, tmp_path, worker_cache, tmp_path / "toy.c")
    emulator, _ = emulator_of(TARGETS[target])
    out, (painter,) = tmp_path / "calls", stretches(toy, (PAINTER,))
    plugin = plugin_words(counting_plugin(TOOLCHAIN, ROOT, worker_cache), markers(toy), out, Watching(painter=painter))
    found: dict[str, Told] = {}
    with WorkerProcess(TARGETS[target].words(emulator, str(toy), plugin), padding_bytes=0, patience=PATIENCE) as worker:
        for number, name in enumerate((*map(str, FRAMES), "above", "below", "same")):
            worker.prepare(number, "toy-sum/hash", name, {"msg": "hex:00"})
            stack = worker.memory(number).stack_bytes
            assert stack is not None
            found[name] = name, stack, unstored(target, out)
            assert worker.compute(number).result == "ok"
            assert unstored(target, out) is None  # of a stack that nobody painted
    *_, same = found.values()
    held([one for one in found.values() if one is not same])
    for low, high in pairwise(FRAMES):
        assert abs(found[str(high)][1] - found[str(low)][1] - (high - low)) < 16
    _, stack, lowest = found["above"]
    assert lowest is not None and same[2] is not None and same[1] + same[2] == stack + lowest - 32
