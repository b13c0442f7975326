# SPDX-License-Identifier: Apache-2.0
"""The laboratory of footprints without a compiler: ladders, linker maps, budgets, differences, tables and the page."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from footprints import footprint_text
from scripts import ROOT

from cipherstone.build.sources import content_key
from cipherstone.catalogue.builds import OwnBuild
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.labs.footprint.elf import Sizes
from cipherstone.labs.footprint.ladder import (
    EXTRAS,
    INSTEAD,
    PROGRAMS,
    load_ladder,
    load_ladders,
    load_published,
    program_file,
)
from cipherstone.labs.footprint.linkmap import read_map
from cipherstone.labs.footprint.machine import TargetMachine
from cipherstone.labs.footprint.page import footprint_html
from cipherstone.labs.footprint.results import (
    Footprint,
    PeakMemory,
    Row,
    StepOutcome,
    alone,
    bytes_of,
    changes,
    largest,
    over,
    read_footprint,
)
from cipherstone.labs.footprint.tables import changes_text, largest_text, notes_of, smallest_table
from cipherstone.labs.footprint.user_source import with_own
from cipherstone.model.errors import DataError, UsageError
from cipherstone.report.charts.waterfall import Fall, waterfall

LIBRARIES = load_libraries(ROOT)
MAP = """Archive member included to satisfy reference by file (symbol)

Discarded input sections

 .text          0x0000000000000000        0x0 /usr/lib/crti.o
 .text.unused   0x0000000000000000       0x40 /cache/lib/libx.a(one.o)
 .rodata.a_very_long_name_of_a_table
                0x0000000000000000      0x100 /cache/lib/libx.a(two.o)
 .comment       0x0000000000000000       0x28 /cache/lib/libx.a(two.o)

Memory Configuration

Name             Origin             Length             Attributes
*default*        0x0000000000000000 0xffffffffffffffff

Linker script and memory map

LOAD /usr/lib/crti.o
.text           0x0000000000001060      0x5f1
 *(.text.unlikely .text.*_unlikely .text.unlikely.*)
 .text.hash     0x0000000000001060      0x200 /cache/lib/libx.a(one.o)
                0x0000000000001060                hash
 *fill*         0x0000000000001260        0xf
 .text.compress_with_a_long_name
                0x0000000000001270       0x11 /cache/lib/libx.a(one.o)
 .text          0x0000000000001281       0x20 /tmp/ccAbCd.ltrans0.ltrans.o
.bss            0x0000000000004000       0x80
 COMMON         0x0000000000004000       0x80 /cache/lib/libx.a(two.o)
 .debug_info    0x0000000000000000      0x999 /cache/lib/libx.a(two.o)
"""


def row(step: str = "default", size: int | None = 100_000, **more: object) -> Row:
    sizes = None if size is None else Sizes(size, size // 2, size // 4, 100, 2000)
    fields = {
        "library": "mbedtls",
        "version": "3.6.6",
        "program": "tls-client",
        "step": step,
        "title": f"the step {step}",
        "outcome": StepOutcome.PROVEN if size is not None else StepOutcome.WRONG,
        "sizes": sizes,
        **more,
    }
    return Row(**fields)  # type: ignore[arg-type]


# Libraries without TLS, and what each has a program of.
WITHOUT_TLS = {
    "libsodium": {"sha256", "agree", "ml-kem", "chacha", "ed25519-verify", "sha512"},
    "libtomcrypt": {"sha256", "aead", "verify", "rsa-verify", "chacha"},
    "liboqs": {"ml-kem"},
    "micro-ecc": {"verify", "ecdh"},
    "monocypher": {"agree", "chacha", "ed25519-verify", "sha512"},
    "nettle": {"sha256", "aead", "verify", "rsa-verify", "agree", "chacha", "ed25519-verify"},
}


def test_libraries_without_tls_have_ladders_too() -> None:
    """What stands in the place of AES and of P-256 is there or has its reason, so that no table is silent about it."""
    ladders = load_ladders(ROOT, LIBRARIES)
    for library, programs in WITHOUT_TLS.items():
        assert set(ladders[library].programs) == programs
        assert set(INSTEAD) <= {*programs, *ladders[library].absent}
        assert "TLS" in ladders[library].absent["tls-client"] or library in ("liboqs", "micro-ecc")
        for program in programs:
            smallest = ladders[library].steps_of(program)[-1]
            assert (smallest.name, smallest.hosted) == ("smallest", "")


def test_a_configuration_of_libtomcrypt_has_numbers_only_where_a_program_needs_them() -> None:
    """Its table of LibTomMath's functions would take in what keys of another kind need."""
    for program, words in (
        ("sha256", {"-DLTC_NO_MATH"}),
        ("verify", {"-DLTM_DESC", "-DLTC_MECC"}),
        ("rsa-verify", {"-DLTM_DESC", "-DLTC_MRSA"}),
    ):
        for step in load_ladders(ROOT, LIBRARIES)["libtomcrypt"].steps_of(program)[2:]:
            of_numbers = {"-DLTC_NO_MATH", "-DLTM_DESC", "-DLTC_MECC", "-DLTC_MRSA"} & set(step.flags)
            assert of_numbers == words and "-DLTC_NOTHING" in step.flags


def test_the_ladders_of_the_checkout_are_sound() -> None:
    """Every library has each program or says why not, but for those that a published table alone asks for."""
    ladders = load_ladders(ROOT, LIBRARIES)
    assert {"bearssl", "mbedtls", "wolfssl"} <= set(ladders)
    for ladder in ladders.values():
        assert len({step.name for step in ladder.steps}) >= 5
        for program in PROGRAMS:
            steps = ladder.steps_of(program)
            assert bool(steps) == (program in ladder.programs), (ladder.library, program)
            assert bool(steps) != (program in ladder.absent) or program in (*INSTEAD, *EXTRAS), (
                ladder.library,
                program,
            )
            names = [step.name for step in steps]
            assert len(names) == len(set(names))
            assert not steps or ladder.before(program, steps[0]) is None
            assert all(ladder.before(program, step) is not None for step in steps[1:])
        assert ladder.build_of(ladder.steps[0]).source is not None
        assert not ladder.published or ladder.published in load_published(ROOT)


def test_a_step_may_be_compared_with_another_than_the_one_before() -> None:
    ladder = load_ladders(ROOT, LIBRARIES)["mbedtls"]
    steps = {step.name: step for step in ladder.steps_of("tls-client")}
    before = ladder.before("tls-client", steps["smallest"])
    assert before is steps["lto"] and steps["smallest"].after == "lto"


def test_what_a_step_configures_away_is_kept_for_the_program_that_needs_it() -> None:
    """OpenSSL's client has no use for ML-KEM; the program of it goes down the same steps."""
    ladder = load_ladders(ROOT, LIBRARIES)["openssl"]
    names = [step.name for step in ladder.steps_of("sha256")]
    assert names == [step.name for step in ladder.steps_of("ml-kem")] == [step.name for step in ladder.steps_of("tls-client")]  # fmt: skip
    for own, client in zip(ladder.steps_of("ml-kem"), ladder.steps_of("tls-client"), strict=True):
        assert (own.flags, own.link) == (client.flags, client.link)
        assert own.options == (*client.options, *(("mlkem",) if client.options else ()))


def test_a_step_on_a_board_is_compared_with_the_one_before_that_a_board_has() -> None:
    ladders = load_ladders(ROOT, LIBRARIES)
    for library in ("aws-lc", "boringssl"):
        ladder = ladders[library]
        steps = {step.name: step for step in ladder.steps_of("tls-client")}
        assert {name for name, step in steps.items() if step.hosted} == {"default", "sections", "small"}
        assert ladder.before("tls-client", steps["no-asm"]) is steps["small"]
        assert ladder.before("tls-client", steps["no-asm"], on_board=True) is None


def test_optimising_while_linked_is_there_with_and_without_sections() -> None:
    ladders = load_ladders(ROOT, LIBRARIES)
    for library in ("bearssl", "mbedtls", "wolfssl", *WITHOUT_TLS):
        for program in PROGRAMS:
            steps = {step.name: step for step in ladders[library].steps_of(program)}
            if not steps:
                continue
            both, alone = steps["lto"], steps["lto-alone"]
            assert [word for word in both.flags if "sections" not in word] == list(alone.flags)
            assert [word for word in both.link if "sections" not in word] == list(alone.link)
            assert both.options == alone.options and both.defines == alone.defines
            assert ladders[library].before(program, both) is ladders[library].before(program, alone)


def test_a_ladder_may_have_the_source_of_another_library_or_laboratory() -> None:
    """s2n-tls is a build of the TLS laboratory, on AWS-LC's libcrypto, and no library of the catalogue."""
    ladder = load_ladders(ROOT, LIBRARIES)["s2n"]
    assert "s2n" not in LIBRARIES and ladder.programs == ("tls-client",)
    assert ladder.source.archive.crate is not None and ladder.source.archive.crate.name == "s2n-tls-sys"
    assert set(ladder.source.also) == {"aws_lc"} and ladder.source.cxx


def test_a_program_may_be_in_cxx(tmp_path: Path) -> None:
    botan = load_ladders(ROOT, LIBRARIES)["botan"]
    assert botan.source.cxx and {program_file(botan.folder, name).suffix for name in botan.programs} == {".cpp"}
    assert program_file(tmp_path, "ml-kem").name == "ml_kem.c"
    (tmp_path / "ml_kem.cpp").write_text("")
    assert program_file(tmp_path, "ml-kem").name == "ml_kem.cpp"


def test_each_program_of_botan_has_the_modules_that_it_needs_alone() -> None:
    ladder = load_ladders(ROOT, LIBRARIES)["botan"]
    words = {program: {word for step in ladder.steps_of(program) for word in step.options} for program in PROGRAMS}
    own = [words[program] - {"cut", "noasm", "rsa"} for program in ladder.programs if program != "rsa-verify"]
    assert all(len(word) == 1 for word in own) and len(set.union(*own)) == len(own)
    assert words["rsa-verify"] == {"cut", "noasm", "rsa"}
    [no_rsa] = [step for step in ladder.steps_of("tls-client") if step.name == "no-rsa"]
    assert "rsa" not in no_rsa.options


def test_a_step_may_have_the_source_of_another_library_beside_it() -> None:
    ladder = load_ladders(ROOT, LIBRARIES)["mbedtls"]
    steps = {step.name: step for step in ladder.steps_of("tls-client")}
    source, plain = (ladder.build_of(steps[name]).source for name in ("micro-ecc", "lto"))
    assert source is not None and plain is not None and not plain.also
    [(part, archive)] = source.also.items()
    assert part == "micro_ecc" and archive.crate is not None and archive.crate.name == "micro-ecc-sys"


def test_a_source_of_ones_own_takes_the_place_of_the_pinned_one(tmp_path: Path) -> None:
    """By commit or archive, in every step, and under another key of the cache; what is no source is told in a line."""
    known = load_libraries(ROOT)
    ladders = load_ladders(ROOT, known)
    archive = tmp_path / "micro-ecc.tar.gz"
    archive.write_bytes(b"an archive")
    names, changed = with_own([f"micro-ecc={archive}", "bearssl"], ladders)
    assert names == ["micro-ecc", "bearssl"] and changed["bearssl"] == ladders["bearssl"]
    for step in changed["micro-ecc"].steps:
        own, pinned = (some["micro-ecc"].build_of(step) for some in (changed, ladders))
        assert (own.own, own.version, own.source and own.source.script) == (
            OwnBuild(str(archive)),
            "own",
            "upstream/build.sh",
        )
        assert pinned.own is None and content_key(own) != content_key(pinned)
    for word, said in (
        (f"micro-ecc={tmp_path}", "is no source"),
        (f"micro-ec={archive}", "no ladder has 'micro-ec'"),
        (f"micro-ecc=git:{tmp_path}@main", "no commit 'main'"),
    ):
        with pytest.raises(UsageError, match=re.escape(said)):
            with_own([word], ladders)
    with pytest.raises(UsageError, match="twice"):
        with_own([f"micro-ecc={archive}"] * 2, ladders)


LADDER = """library = "bearssl"
source = "0.6"
title = "BearSSL"
libs = ["lib/libbearssl.a"]
absent = { ml-kem = "none", aead = "none", verify = "none", rsa-verify = "none", agree = "none", tls-client = "none" }
[[step]]
name = "default"
title = "as it is"
flags = ["-Os"]
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"bearssl"', '"bearsl"', "library: 'bearsl' is not the folder's name, or no library"),
        ('"0.6"', '"0.7"', "source: bearssl has no source '0.7'"),
        ('"0.6"', '"tls@s2n"', "source: tls has no source 's2n'"),
        ("lib/libbearssl.a", "libbearssl.a", "libs[0]: 'libbearssl.a' is not an archive"),
        ('"default"', '"Default step"', "step[0]: 'Default step' is no name"),
        ('["-Os"]', '["-Os -g"]', "step[0].flags: '-Os -g' cannot stand here"),
        ('["-Os"]', '["-Os"]\nprograms = ["sha-256"]', "step[0].programs: 'sha-256' is not one"),
        ('["-Os"]', '["-Os"]\nalso = ["micro-ecc@9"]', "step default.also: there is no source 'micro-ecc@9'"),
        ('["-Os"]', '["-Os"]\nafter = "lto"', "step[0].after: no step 'lto'"),
        ('["-Os"]', '["-Os"]\ndefines = ["a b"]', "step[0].defines: 'a b' cannot stand here"),
        ('["-Os"]', '["-Os"]\ntls = { version = "1.1" }', "step[0].tls.version"),
        ('["-Os"]', '["-Os"]\ntls = { without = "rsa" }', "step[0].tls.without"),
        ('ml-kem = "none"', 'ml-kem = ""', "absent: 'ml-kem' is no program, or has no reason"),
        ('aead = "none", ', "", "aead: has a source and a reason why not, or neither"),
        ("title", "colour", "colour"),
    ],
)
def test_a_ladder_that_is_wrong_is_told_in_one_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    folder = tmp_path / "bearssl"
    (folder / "upstream").mkdir(parents=True)
    (folder / "upstream/build.sh").write_text("true\n")
    (folder / "sha256.c").write_text("int main(void) { return 0; }\n")
    (folder / "ladder.toml").write_text(LADDER)
    assert load_ladder(folder, LIBRARIES).steps_of("sha256")
    (folder / "ladder.toml").write_text(LADDER.replace(old, new, 1))
    with pytest.raises(DataError) as caught:
        load_ladder(folder, LIBRARIES)
    assert said in caught.value.message and "\n" not in caught.value.message
    assert caught.value.message.startswith("labs/footprint/bearssl/ladder.toml")


def test_a_map_tells_objects_and_what_was_left_out() -> None:
    found = read_map(MAP)
    assert found.objects == {"libx.a(one.o)": 0x211, "libx.a(two.o)": 0x80, "optimised while linked": 0x20}
    assert (found.removed, found.removed_sections) == (0x140, 2)


def test_a_map_of_nothing_is_empty() -> None:
    assert read_map("") == read_map("no map\n")
    assert read_map("").objects == {}


@pytest.mark.parametrize(
    ("text", "value"), [("129440", 129_440), ("130KiB", 133_120), ("1.5 MiB", 1_572_864), ("2kB", 2000), ("7B", 7)]
)
def test_a_budget_is_bytes(text: str, value: int) -> None:
    assert bytes_of("--max-text", text) == value


@pytest.mark.parametrize("text", ["", "-1", "130 Kb", "KiB", "1e3", "12KiB/s"])
def test_what_is_no_budget_is_told(text: str) -> None:
    with pytest.raises(UsageError, match=r"--max-text: .* is no number of bytes"):
        bytes_of("--max-text", text)


def test_what_is_past_a_budget_has_one_line() -> None:
    rows = [row(), row("lto", 60_000, memory=PeakMemory(9000, 3000)), row("odd", None, why="did not refuse")]
    assert over(rows, {"size": 100_000}) == [
        "mbedtls tls-client odd: size: no figure, at most 100,000 bytes: did not refuse"
    ]
    assert over(rows[:2], {"size": 99_999, "text": 30_000}) == [
        "mbedtls tls-client default: size: 100,000 bytes, 1 more than 99,999",
        "mbedtls tls-client default: text: 50,000 bytes, 20,000 more than 30,000",
    ]
    assert over(rows[1:2], {"heap": 8999, "stack": 3000}) == [
        "mbedtls tls-client lto: heap: 9,000 bytes, 1 more than 8,999"
    ]
    assert over(rows[:1], {"stack": 10}) == [
        "mbedtls tls-client default: stack: no figure, at most 10 bytes: not measured"
    ]


def test_the_smallest_leaves_nothing_to_who_uses_it() -> None:
    """What pins a key, looks at no dates or was not proven is not the smallest."""
    rows = (row(), row("lto", 60_000), row("pinned", 40_000, label="pinned key"), row("odd", None))
    assert Footprint(rows).smallest("") == {("tls-client", "mbedtls"): rows[1]}


def test_a_step_is_compared_with_its_own() -> None:
    rows = (row(), row("lto", 60_000, before="default"), row("odd", None, before="lto"))
    found = Footprint(rows)
    assert [found.delta(one) for one in rows] == [None, -40_000, None]


def test_a_difference_is_by_figure_and_symbol() -> None:
    before = Footprint((row(symbols={"a": 10, "b": 500, "c": 7}), row("lto", 60_000)))
    now = Footprint((row(size=100_100, symbols={"a": 10, "b": 400, "d": 300}), row("small", 50_000)))
    (only,) = changes(before, now)
    assert [(one.what, one.bytes) for one in only.symbols] == [("d", 300), ("b", -100), ("c", -7)]
    assert {one.what for one in only.figures} == {"size", "text", "rodata"}
    assert alone(before, now) == (["mbedtls tls-client lto"], ["mbedtls tls-client small"])
    text = changes_text([only], alone(before, now), 2, 80)
    assert "and 1 symbol more" in text and "only in the second: mbedtls tls-client small" in text
    assert re.search(r"d +- +300 +\+300", text)
    later = Footprint(tuple(msgspec.structs.replace(one, version="0123456789ab") for one in now.rows))
    (other,) = changes(before, later)
    assert (only.row, other.row) == (
        "mbedtls tls-client default",
        f"mbedtls tls-client default: {before.rows[0].version} and 0123456789ab",
    )
    assert changes(now, now) == [] and changes_text([], ((), ()), 5, 80) == "nothing changed"


def test_what_was_written_is_read(tmp_path: Path) -> None:
    found = Footprint((row(memory=PeakMemory(1, 2), symbols={"a": 1}),), published=tuple(load_published(ROOT).values()))
    path = tmp_path / "one.json"
    path.write_bytes(msgspec.json.encode(found))
    assert read_footprint(path) == found
    path.write_text("{}")
    with pytest.raises(DataError, match="is not what `footprint --json` writes"):
        read_footprint(path)
    with pytest.raises(UsageError, match="No such file"):
        read_footprint(tmp_path / "none.json")


def sample() -> Footprint:
    rows = (
        row(size=780_896, proven=("a handshake", "refuses another host"), agreed="TLS 1.3, X, P-256"),
        row(
            "sections", 502_256, before="default", removed=50_000, removed_sections=80, memory=PeakMemory(43_210, 5_432)
        ),
        row("cut", 129_440, before="sections", symbols={f"s{i}": 100 + i for i in range(20)}, objects={"o": 3}),
        row("pinned", 90_000, before="cut", label="pinned key"),
        row("odd", None, before="cut", why="another host: was not refused"),
        row("default", 14_560, program="sha256", library="bearssl", version="0.6"),
    )
    return Footprint(rows, {"": "gcc 12; GNU ld 2.40; x86_64"}, tuple(load_published(ROOT).values()))


def test_the_text_fits_a_terminal_and_says_what_there_is() -> None:
    found = sample()
    text = footprint_text(found, 80)
    assert max(map(len, text.splitlines())) <= 80
    assert re.search(r"^sections +502,256 +-278,640 ", text, re.MULTILINE)
    assert re.search(r"^odd +wrong +-", text, re.MULTILINE) and "odd: wrong: another host: was not refused" in text
    assert "pinned [pinned key]" in text
    assert re.search(r"^mbedtls +129,440 [a-z-]+ +-$", text, re.MULTILINE)
    assert re.search(r"^bearssl +- +14,560 [a-z-]+$", text, re.MULTILINE)
    assert "Mbed TLS 4ca9a457" in text and "BoringSSL eb7c3008" not in text
    more = "\n".join(largest_text(found.rows[2], 80))
    assert "s19 119, s18 118" in more and "s9 " not in more
    assert "left out by the linker: 50,000 bytes in 80 sections" in " ".join(
        " ".join(largest_text(found.rows[1], 80)).split()
    )


def test_one_reason_of_several_steps_is_told_once() -> None:
    gone = {"outcome": StepOutcome.UNBUILT, "why": "no cmake, which its build needs"}
    notes = notes_of([row(proven=("answers",)), row("lto", None, **gone), row("odd", None), row("small", None, **gone)])
    assert notes == [
        "Proven: answers.",
        "default: the step default",
        "lto, small: unbuilt: no cmake, which its build needs",
        "odd: wrong: ",
    ]


def test_the_smallest_of_many_programs_are_in_blocks_that_fit() -> None:
    names = list(PROGRAMS)
    found = Footprint(tuple(row(size=1_000_000 + at, program=name) for at, name in enumerate(names)))
    head, rows = smallest_table(found, "")
    assert head == names and rows == [["mbedtls", *(f"{1_000_000 + at:,} default" for at in range(len(names)))]]
    text = footprint_text(found, 80)
    assert max(map(len, text.splitlines())) <= 80
    shown = text[text.index("smallest proven") :]
    assert (
        all(word in shown for word in (*names, *rows[0]))
        and "of other builds" in " ".join(shown.split())
        and shown.count("library") > 1
    )


def test_an_emulator_hands_the_environment_on() -> None:
    """What it sees itself would be loaded into the emulator."""
    program, environment = Path("program"), {"LD_PRELOAD": "x.so"}
    assert TargetMachine().command(program, environment) == (["program"], environment)
    emulated = TargetMachine("aarch64", emulator=("qemu-aarch64", "-L", "/usr/x"))
    words = ["qemu-aarch64", "-L", "/usr/x", "-E", "LD_PRELOAD=x.so", "program"]
    assert emulated.command(program, environment) == (words, {})
    assert emulated.command(program) == (["qemu-aarch64", "-L", "/usr/x", "program"], {})


def test_machines_have_rows_and_sums_of_their_own() -> None:
    rows = (row(), row("lto", 60_000, before="default"), row(size=90_000, target="aarch64"))
    rows += (row("lto", 50_000, before="default", target="aarch64"),)
    found = Footprint(rows)
    assert [found.delta(one) for one in rows] == [None, -40_000, None, -40_000]
    assert found.smallest("aarch64") == {("tls-client", "mbedtls"): rows[3]}
    text = footprint_text(found, 80)
    assert (
        "mbedtls 3.6.6 on aarch64" in text
        and "smallest proven on aarch64, bytes, and the step" in text
        and "50,000 lto" in text
    )
    assert rows[3].name == "aarch64 mbedtls tls-client lto"
    page = footprint_html(found)
    assert 'id="aarch64-mbedtls-tls-client"' in page and "library on aarch64" in page


def test_largest_is_by_size_then_name() -> None:
    assert largest({"b": 2, "a": 2, "c": 3}, 2) == [("c", 3), ("a", 2)]


def test_the_page_has_a_waterfall_and_a_table_a_program() -> None:
    page = footprint_html(sample())
    assert page.count('class="chart waterfall"') == 4 - 1  # two programs, and the ladder that was published
    assert "<script" not in page and "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "another host: was not refused" in page and "pinned (pinned key)" in page
    assert 'download="footprint.csv"' in page


def test_a_hostile_name_is_no_markup() -> None:
    page = footprint_html(Footprint((row("<script>x", 5000, symbols={"<b>": 4}),)))
    assert "<script" not in page and "<b>4" not in page and "&lt;b&gt;" in page


def test_a_waterfall_shows_what_went() -> None:
    drawing = waterfall([Fall("one", (1000, 500), "1.5"), Fall("two", (700,), "0.7", 1500)], 0, "title")
    assert drawing.count("<rect") == 3 and drawing.count("stroke-dasharray") == 1
    assert waterfall([], 0, "title") == ""
