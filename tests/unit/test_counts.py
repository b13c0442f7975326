# SPDX-License-Identifier: Apache-2.0
"""Counts: classes of instructions by their names, what the counter wrote, targets that cannot be reached, what differs, what does not repeat."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from cipherstone.build import targets
from cipherstone.build.counter import Tally, Watching, plugin_words, tallies
from cipherstone.build.targets import TARGETS, chosen_targets, emulator_of, on_target, toolchain_for
from cipherstone.build.toolchain import Toolchain, binutils_of, linker_of
from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.paths import data_root
from cipherstone.execute.counting.cell import Known
from cipherstone.execute.counting.jobs import _forks
from cipherstone.isa.mnemonics import class_of
from cipherstone.model.counts import Count, Counting, differences
from cipherstone.model.errors import BuildError, UsageError
from cipherstone.operations.vectors import vectors_of

ELSEWHERE = TARGETS["ppc64le"]


@pytest.mark.parametrize(
    ("isa", "kind", "names"),
    [
        ("x86-64", "branch", "jmp je jne jae call ret"),
        ("x86-64", "multiply", "mul imul mulx pmuludq vpmuludq pclmulqdq vpclmulqdq mulsd"),
        ("x86-64", "divide", "div idiv divsd"),
        ("x86-64", "", "add mov lea movaps pshufd rep_stosq adcx aesenc"),
        ("i386", "branch", "jmp call ret jb"),
        ("i386", "", "add jcx_not_a_name_9"),
        ("arm", "branch", "b bl blx bx bne blt bls bleq bxne cbz cbnz tbb pop/pc ldr/pc b.w bne.w"),
        ("arm", "multiply", "mul muls mla mls umull smull umlal umaal smulbb mulne vmull.u32 vmul.i32"),
        ("arm", "divide", "udiv sdiv"),
        ("arm", "", "add bic bfi bics ldr pop push mov ubfx"),
        ("aarch64", "branch", "b b.ne b.lo bl blr br ret cbz cbnz tbz tbnz"),
        ("aarch64", "multiply", "mul madd msub mneg umulh smulh umull smull umaddl smaddl pmull pmull2 umull2 mla"),
        ("aarch64", "divide", "udiv sdiv"),
        ("aarch64", "", "add bic bfi bfxil brk adds eor aese"),
        ("ppc64le", "branch", "b bl blr bctr bctrl bdnz beq bne bne- beqlr bgt bc"),
        ("ppc64le", "multiply", "mulld mulhdu mulhd mullw mulhwu mulli maddld maddhdu vpmsumd vmulouw"),
        ("ppc64le", "divide", "divd divdu divw divwu modsd"),
        ("ppc64le", "", "add rldicl brd bpermd std vxor vcipher"),
        ("riscv64", "branch", "beq bne blt bgeu beqz bnez bgez j jal jr jalr ret c.j c.bnez"),
        ("riscv64", "multiply", "mul mulh mulhu mulhsu mulw"),
        ("riscv64", "divide", "div divu divw divuw rem remu remw remuw"),
        ("riscv64", "", "add addi sd ld sll lui mv"),
    ],
)
def test_classes_by_names(isa: str, kind: str, names: str) -> None:
    assert {name: class_of(isa, name) for name in names.split()} == dict.fromkeys(names.split(), kind)


def test_every_target_has_classes() -> None:
    assert all(class_of(target.isa, "add") == "" for target in TARGETS.values())


def test_what_the_counter_wrote(tmp_path: Path) -> None:
    """A line for each call; what is not whole is an error and no count."""
    out = tmp_path / "calls"
    out.write_text("3 2 7 mul=4 b=5 add=6 ?=1\n0 0 0 ret=1\n")
    first, second = tallies(out, "aarch64")
    assert first == Tally(16, {"load": 3, "store": 2, "branch": 5, "multiply": 4, "divide": 0}, True)
    assert not second.watched
    assert first.without(second) == Tally(15, {"load": 3, "store": 2, "branch": 4, "multiply": 4, "divide": 0}, True)
    for text in ("3\n", "3 2\n", "3 2 0 mul\n", "3 2 0 mul=x\n", "3 2 mul=1\n"):
        out.write_text(text)
        with pytest.raises(BuildError):
            tallies(out, "aarch64")


def test_a_path_with_a_comma_is_one_argument() -> None:
    words = plugin_words(Path("/a,b/counter.so"), (0x10, 0x20), Path("/c/calls"))
    assert words == ("-plugin", "/a,,b/counter.so,begin=10,end=20,out=/c/calls")
    *_, told = plugin_words(Path("/counter.so"), (0x10, 0x20), Path("/calls"), Watching(((0x30, 4), (0x50, 8))))
    assert told == "/counter.so,begin=10,end=20,out=/calls,watch=30+4,watch=50+8"


def test_targets_by_name() -> None:
    assert [one.id for one in chosen_targets(["riscv64", "i386", "i386"])] == ["i386", "riscv64"]
    with pytest.raises(UsageError) as error:
        chosen_targets(["aarch46"])
    assert "aarch46" in error.value.message and "aarch64" in error.value.hint


def test_a_target_without_compiler_or_emulator_says_what_brings_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    none = Toolchain("cc", "c++", None, None)
    for ask in (lambda: toolchain_for(ELSEWHERE, none), lambda: emulator_of(ELSEWHERE)):
        with pytest.raises(BuildError) as error:
            ask()
        assert error.value.message.startswith("ppc64le: no ")
        assert "apt-get install gcc-powerpc64le-linux-gnu" in error.value.hint and "qemu-user" in error.value.hint
    assert targets.missing(ELSEWHERE, none).startswith("ppc64le: no compiler")


@pytest.mark.parametrize("said", ["qemu-ppc64le version 10.0.2 (Debian)", "qemu-ppc64le version 4.1.0", "nothing"])
def test_an_emulator_of_another_version_is_refused(said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its plugins have another interface: one line that names the version."""
    program = tmp_path / ELSEWHERE.emulator
    program.write_text(f"#!/bin/sh\necho '{said}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(BuildError) as error:
        emulator_of(ELSEWHERE)
    assert said in error.value.message and "\n" not in error.value.message and "7.2" in error.value.hint


def test_a_build_on_a_target() -> None:
    """Flags of the target behind those of the build; no mask of another processor; Clang compiles for every target and does not link, another compiler of its own makes nothing for another machine."""
    build = BuildSpec(variant="1+Os~plain", flags=("-Os",), masks=("plain",), env={"X": "1"})
    made = on_target(build, TARGETS["armv7a"])
    assert (made.flags, made.masks, made.env) == (("-Os", "-marm", "-mfpu=neon-vfpv4"), (), {})
    assert on_target(build, TARGETS["armv7a~noneon"]).flags == ("-Os", "-marm")
    assert on_target(BuildSpec(), TARGETS["riscv64"]).flags == ("-O2", "-g0")
    with pytest.raises(BuildError, match="gcc-11"):
        on_target(BuildSpec(variant="1+gcc11", cc="gcc-11"), ELSEWHERE)
    clang = on_target(BuildSpec(variant="1+clang14", cc="clang-14"), ELSEWHERE)
    assert (clang.cc, clang.flags[-1]) == ("clang-14", "--target=powerpc64le-linux-gnu")
    cross = Toolchain("cross-gcc", "cross-g++", "13", "13")
    own = Toolchain("clang-14", "clang++-14", "14", "14")
    assert linker_of(own, cross, False, clang.flags) == "cross-gcc" and linker_of(own, cross, False) == "clang-14"


def test_a_board_has_no_system() -> None:
    """What runs on it, what it is linked with, what it needs; code of no other kind is made for it."""
    board = TARGETS["cortex-m33"]
    words = board.words("qemu-system-arm", "./worker", ("-plugin", "x"))
    assert words[:3] == ("qemu-system-arm", "-M", "mps2-an505") and words[-4:] == (
        "-plugin",
        "x",
        "-kernel",
        "./worker",
    )
    assert board.board is not None and "-Wl,--defsym=cs_rom=0x10000000" in board.board.link_words
    assert (board.isa, board.linking, board.is_native) == ("arm", (), False)
    assert "gcc-arm-none-eabi" in board.said and board.said.endswith("qemu-system-arm")
    assert on_target(BuildSpec(), board).flags[:4] == ("-O2", "-g0", "-mcpu=cortex-m33", "-mthumb")
    masked = TARGETS["aarch64~nocrypto"]
    assert (masked.plain, masked.isa, masked.word_bits, masked.architecture) == ("aarch64", "aarch64", 64, "aarch64")
    assert TARGETS["x86-64~noaes"].architecture == "x86_64" and TARGETS["armv7a~noneon"].isa == "arm"
    hosted = TARGETS["aarch64"]
    assert hosted.words("qemu-aarch64", "./worker") == ("qemu-aarch64", "-cpu", "max", "./worker")
    assert hosted.linking == ("-static",)


def test_a_cross_compiler_has_binutils_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    cross = binutils_of(Toolchain("/opt/bin/aarch64-linux-gnu-gcc-12", "c++", "1", None))
    assert cross == {name.upper(): f"aarch64-linux-gnu-gcc-{name}-12" for name in ("ar", "ranlib", "nm")}
    assert binutils_of(Toolchain("gcc-11", "c++", "1", None))["AR"] == "gcc-ar-11"
    assert binutils_of(Toolchain("clang-14", "c++", "1", None))["AR"] == "llvm-ar-14"
    assert binutils_of(Toolchain("icx", "c++", "1", None))["AR"] == "ar"


def made(lane: str, instructions: int | None, target: str = "aarch64") -> Count:
    outcome = Counting.COUNTED if instructions is not None else Counting.VARIES
    return Count(target=target, case="md5/hash/bytes=64", lane=lane, outcome=outcome, instructions=instructions)


def test_differences_have_no_tolerance() -> None:
    """Of what both looked at; a version is no part of what is compared."""
    before = [made("a@1:x", 1000), made("a@1", 50), made("b@1", 7), made("c@1", 9), made("a@1", 50, "riscv64")]
    now = [made("a@2:x", 1001), made("a@2", 50), made("d@1", 7), made("c@1", None)]
    found = differences(before, now)
    assert [(one.lane, one.before, one.now) for one in found] == [("a:x", 1000, 1001), ("c", 9, None)]
    assert found[0].share == pytest.approx(0.001) and found[1].share is None


def test_what_a_fork_proves_is_known() -> None:
    """A board has no second process; what is proven without one is counted there."""
    root = data_root()
    assert _forks(vectors_of(root, "random"), "fetch")
    assert not _forks(vectors_of(root, "sha-256"), "hash")


def test_a_board_is_asked_one_known_answer_of_each_kind_where_one_takes_as_long_as_a_count() -> None:
    """Of what is dear, one to be met and one to be refused; of everything else all brief ones, and all of all where they are asked for."""
    root = data_root()
    known = Known(root, catalogue_at(root))

    def kinds(algorithm: str, verb: str, *, brief: bool = True, board: bool = True) -> list[str]:
        return [one.expect for one in known.once(algorithm, brief, board) if one.verb == verb]

    assert sorted(kinds("p-521", "derive")) == ["bad-key", "ok"] and len(kinds("p-521", "derive", board=False)) == 6
    assert kinds("p-256", "multiply-base") == ["ok"]
    private = [dict(one.params) for one in known.once("modexp", True, True) if one.verb == "private"]
    assert {"bits": "2048", "crt": "yes"} in private and len(private) == len(
        {tuple(sorted(p.items())) for p in private}
    )
    for algorithm in ("sha-256", "ecdsa-p256-sha256", "ml-kem-768", "hkdf-sha-256", "bignum"):
        assert [one.id for one in known.once(algorithm, True, True)] == [one.id for one in known.once(algorithm, True)]
    assert len(known.once("p-521", False, True)) == len(vectors_of(root, "p-521"))
    assert not any(one.brief for one in known.once("p-521", True, True))  # asked once, not twice in a context
