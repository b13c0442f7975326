# SPDX-License-Identifier: Apache-2.0
"""Published reports: every line has its place, nothing published as 0.000 becomes a figure, known errors stand beside the figures.

The figures are of lelegard/cryptobench (BSD-2-Clause), reports 245-imac-m3-macos and 550-core-i7-8565U-qemu-s390x-linux, and mult_graviton3_neoverse_v1.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherstone.catalogue.machines import PublishedMachine, PublishedMachines, load_published_machines
from cipherstone.imports.bundles import manifest_of, read_publication, records_of, write_bundle
from cipherstone.imports.cryptobench import parse_report
from cipherstone.imports.figures import ImportedFigure, Publication
from cipherstone.imports.sequences import parse_sequences
from cipherstone.model.errors import DataError, UsageError
from cipherstone.model.ids import Case, Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import ForeignRecord, OutcomeRecord
from cipherstone.report.render.foreign import foreign_lines, machines_lines
from cipherstone.store.bundle import Bundle
from cipherstone.store.summary_tables import result_tables
from cipherstone.views.foreign import foreign_cells, published_machine, shipped_machines
from cipherstone.views.run.summarise import summarise

ROOT = Path(__file__).resolve().parents[2]
M3 = """system: arch: arm64
system: cpu: Apple M3
system: cpu-index: Apple M3
system: machine: Apple iMac M3
system: frequency: 4.00
system: os: macOS
system: distro: macOS 14.4.1 23E224
system: date: 2024-04-06

make: Entering directory 'cryptobench/src'
openssl: version=3.2.1 (CPUINFO: OPENSSL_armcap=0x87d)
mbedtls: version=Mbed TLS 3.6.0
gnutls: version=3.8.4
arm64: version=aes-instructions-present

reference: iterations=2,058: usec-total=5,002,264: usec/iter=2,431

openssl: rsa-2048: generate-key-usec=14,273
openssl: rsa-2048: auto-test-passed
openssl: rsa-2048: sign: iterations=12,832: usec-total=5,003,000: usec/iter=389: score=160
mbedtls: rsa-2048: encrypt: iterations=34,656: usec-total=5,000,022: usec/iter=144: score=59
mbedtls: rsa-2048: decrypt-rekey/encrypt-rekey-ratio=7.7
mbedtls: rsa-2048: sign: iterations=4,537: usec-total=5,004,000: usec/iter=1,103: score=453
gnutls: rsa-2048: load-public: iterations=3,048,780: usec-total=5,000,000: usec/iter=1.6: score=0.67
openssl: aes-128: encrypt=1,000,000: iterations=11,826: usec-total=5,002,398: usec/iter=423: score=174
math: mod-2048: div-reciprocal: iterations=10: usec-total=0: usec/iter=0.000: score=0.000
math: mod-2048: exp-private: iterations=4,480: usec-total=5,001,000: usec/iter=1,116: score=459
math: mod-2048: exp-private-montgomery-word: iterations=4,550: usec-total=5,001,000: usec/iter=1,099: score=452
"""
V1 = """nop:                 0.000 ns/inst
adcs:                0.337 ns/inst
mul umulh:           0.144 ns/inst
ossl seq with adcs:  0.130 ns/inst
"""


def report(text: str = M3) -> Publication:
    return parse_report("245-imac-m3-macos", text)


def figure(case: str, library: str) -> ImportedFigure:
    (one,) = (f for f in report().figures if f.case == case and Lane.parse(f.lane).library == library)
    return one


def test_facts_versions_and_reference() -> None:
    found = report()
    assert (found.machine, found.ghz, found.emulated) == ("Apple M3", 4.0, False)
    assert found.reference_us == pytest.approx(5_002_264 / 2058)
    assert {f.lane.partition(":")[0] for f in found.figures} == {"openssl@3.2.1", "mbedtls@3.6.0", "gnutls@3.8.4"}
    for one in found.figures:
        assert Case.parse(one.case).id == one.case and Lane.parse(one.lane).id == one.lane


def test_times_come_from_the_totals_which_have_more_digits() -> None:
    assert figure("rsa-2048/sign", "openssl").ns == pytest.approx(5_003_000e3 / 12_832)
    assert figure("rsa-2048-public/import-key", "gnutls").ns == pytest.approx(1640.0, rel=1e-4)
    assert figure("rsa-2048/keygen", "openssl").ns == 14_273e3
    assert figure("aes-128-cbc/encrypt/bytes=1000000", "openssl").ns == pytest.approx(423_000, rel=1e-3)


def test_what_was_published_as_nothing_is_missing_never_zero() -> None:
    one = figure("bignum/div-mod/bits=2048,dividend=short", "openssl")
    assert one.ns is None and "0.000" in one.missing and "nothing is divided" in one.note
    records = records_of(report())
    gone = [record for record in records if isinstance(record, OutcomeRecord)]
    assert [(record.case, record.outcome) for record in gone] == [(one.case, Outcome.UNAVAILABLE)]
    assert all(record.ns > 0 for record in records if isinstance(record, ForeignRecord))


@pytest.mark.parametrize(
    ("case", "library", "said"),
    [
        ("rsa-2048/encrypt", "mbedtls", "issue 9232"),
        ("rsa-2048/sign", "mbedtls", "PKCS#1 v1.5"),
        ("aes-128-cbc/encrypt/bytes=1000000", "openssl", "key schedule"),
        ("modexp/private/bits=2048,crt=no", "openssl", "without CRT"),
        ("modexp-word/private/bits=2048", "openssl", "123456"),
        ("rsa-2048/keygen", "openssl", "one key generation"),
    ],
)
def test_known_errors_stand_beside_the_figures(case: str, library: str, said: str) -> None:
    assert said in figure(case, library).note


def test_a_sound_figure_has_no_note_and_another_version_no_excuse() -> None:
    assert figure("rsa-2048/sign", "openssl").note == ""
    older = report(M3.replace("3.6.0", "3.4.1"))
    assert not any("9232" in one.note for one in older.figures)


def test_versions_with_words_and_without_numbers() -> None:
    found = report(
        M3.replace("version=3.2.1 (CPUINFO: OPENSSL_armcap=0x87d)", "version=OpenSSL 1.1.1k  FIPS 25 Mar 2021")
    )
    assert "openssl@1.1.1k" in {f.lane for f in found.figures}
    lane = "arm64: aes-128: encrypt=1,000,000: iterations=10: usec-total=7,170: usec/iter=717: score=1\n"
    assert "arm64@unknown" in {f.lane for f in report(M3 + lane).figures}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (M3 + "hello\n", "line 29: 'hello' is not a line of a cryptobench report"),
        (M3 + "openssl: rsa-2048: frobnicate: iterations=1: usec-total=1: usec/iter=1\n", "no operation that is known"),
        (M3.replace("usec-total=5,002,264", "usec-total=?"), "line 16: 'reference: iterations=2,058: usec-total=?"),
        (M3.replace("iterations=12,832", "iterations=0"), "iterations=0 is not positive"),
        ("\n".join(line for line in M3.splitlines() if "reference" not in line), "no line `reference:`"),
    ],
)
def test_a_damaged_report_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(DataError) as error:
        report(text)
    assert said in error.value.message and "\n" not in error.value.message


def test_sequences() -> None:
    found = parse_sequences("mult_graviton3_neoverse_v1", V1)
    by_case = {one.case: one for one in found.figures}
    assert by_case["aarch64.seq-nop/sequence"].ns is None
    assert by_case["aarch64.seq-mul-umulh/sequence"].ns == 0.144
    machine = published_machine(manifest_of(found, ""), records_of(found))
    assert machine.name.startswith("Neoverse V1") and machine.sequence_cycles["adcs"] == pytest.approx(0.337 * 2.6)
    assert "nop" not in machine.sequence_ns
    assert parse_sequences("elsewhere", V1).ghz is None
    with pytest.raises(DataError, match="line 5: 'div"):
        parse_sequences("x", V1 + "div: 1.000 ns/inst\n")


@pytest.mark.parametrize("content", [b"", b"hello\n", b"\xff\xfe\x00", b"reference: iterations=\n"])
def test_files_that_are_no_reports(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(content)
    with pytest.raises(DataError) as error:
        read_publication(path)
    assert "x" in error.value.message and "\n" not in error.value.message


def test_no_file_and_no_such_program(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is no file"):
        read_publication(tmp_path / "none.txt")
    with pytest.raises(UsageError, match="'supercap' is no program"):
        read_publication(tmp_path / "none.txt", "supercap")


def test_a_bundle_says_that_it_is_foreign(tmp_path: Path) -> None:
    publication = report()
    with write_bundle(tmp_path, publication, "cipherstone import") as writer:
        writer.finish(result_tables(summarise(writer.manifest, records_of(publication))))
    bundle = Bundle.open(writer.path)
    assert bundle.finished and bundle.verify() == []
    manifest = bundle.manifest
    assert manifest.foreign == "cryptobench report 245-imac-m3-macos, lelegard/cryptobench, BSD-2-Clause"
    assert manifest.created.startswith("2024-04-06") and manifest.method == "foreign"
    assert manifest.spectrum is not None and manifest.spectrum.classic_us == pytest.approx(2430.64, rel=1e-5)
    assert list(bundle.records()) == records_of(publication)
    with pytest.raises(DataError, match="already"):
        write_bundle(tmp_path, publication, "")


def test_tables_fit_and_rank_nothing() -> None:
    publication = report()
    manifest, records = manifest_of(publication, ""), records_of(publication)
    sequences = parse_sequences("mult_graviton3_neoverse_v1", V1)
    machines = [
        published_machine(manifest, records),
        published_machine(manifest_of(sequences, ""), records_of(sequences)),
    ]
    for width in (60, 80):
        lines = [*foreign_lines(manifest, foreign_cells(records), width), *machines_lines(machines, width)]
        assert max(map(len, lines)) <= width
    text = " ".join(" ".join(foreign_lines(manifest, foreign_cells(records), 80)).split())
    assert text.startswith("FOREIGN:") and "not ranked" in text and "0.000" in text and "1.0x" not in text
    assert machines[0].ratio("rsa-2048/sign", "aes-128-cbc/encrypt") == pytest.approx(0.922, rel=1e-2)
    assert machines[0].library_ratio("rsa-2048/sign", "mbedtls") == pytest.approx(2.83, rel=1e-2)
    assert machines[0].library_ratio("rsa-2048/sign", "nettle") is None


def test_the_published_machines_that_come_along() -> None:
    machines = shipped_machines(load_published_machines(ROOT))
    assert all(one.published for one in machines)
    by_run = {one.run_id: one for one in machines}
    assert len([one for one in machines if one.classic_us]) == 17 and len(by_run) == 23
    # One processor, two reference times: why the classic score compares nothing.
    times = {run: by_run[run].classic_us for run in by_run if run.startswith(("110-", "111-", "240-", "241-"))}
    assert [round(time or 0) for time in times.values()] == [3519, 5251, 2893, 5308]
    assert by_run["550-core-i7-8565U-qemu-s390x-linux"].emulated
    assert "nop" not in by_run["mult_graviton3_neoverse_v1"].sequence_ns
    m1 = by_run["240-macbook-m1-macos"].ratio("rsa-2048/sign", "aes-128-cbc/encrypt")
    assert m1 == pytest.approx(0.863, rel=1e-2)
    told = load_published_machines(ROOT)
    for one in told.machine:  # microseconds in the file, nanoseconds in a table
        assert by_run[one.report].ns == {name: {"openssl": pytest.approx(1000 * us)} for name, us in one.us.items()}
        assert (by_run[one.report].classic_us, by_run[one.report].emulated) == (one.reference_us, one.emulated)
    for core in told.core:
        found = by_run[core.report]
        assert found.sequence_ns == core.ns and found.isa == "aarch64" and found.ghz == core.ghz
        assert found.sequence_cycles == {name: pytest.approx(ns * core.ghz) for name, ns in core.ns.items()}
    one = PublishedMachine("r", "n", 2.0, {"a": 1.5}, 3.25, True)
    (found,) = shipped_machines(PublishedMachines((one,), ()))
    assert (found.name, found.run_id, found.classic_us, found.ghz, found.emulated) == ("n", "r", 2.0, 3.25, True)
    lines = machines_lines(machines, 80)
    assert max(map(len, lines)) <= 80 and any(line.startswith("ossl adcs") for line in lines)
