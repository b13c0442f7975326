# SPDX-License-Identifier: Apache-2.0
"""Which builds are one and the same, and what is refused for it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from test_footprint import row
from test_views_passes import manifest, pass_record

from cipherstone.build.installed import Installation
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.builds import BuildSpec, OwnBuild
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.catalogue.paths import data_root
from cipherstone.cli.count import count
from cipherstone.cli.requests import refuse_doubles
from cipherstone.execute.survey import Found, _systems_file
from cipherstone.labs.footprint.command import diff
from cipherstone.labs.footprint.results import Footprint, shared_images
from cipherstone.labs.footprint.tables import changes_text
from cipherstone.model.counts import Count, CountedTarget, Counting, Counts
from cipherstone.model.errors import CipherstoneError, UsageError
from cipherstone.model.identity import same_code
from cipherstone.model.records import Build, CodeObject
from cipherstone.model.summary import RunSummary
from cipherstone.views.compare import compare_lanes, compare_runs
from cipherstone.views.run.summarise import summarise

CASE = "sha-256/hash/bytes=8192"
SHARED = CodeObject("/usr/lib/libtoy.so.1", "library", "ab" * 32)
COPY = CodeObject("/opt/lib/libtoy.so.1", "library", "ab" * 32)
OTHER = CodeObject("/opt/lib/libtoy.so.1", "library", "cd" * 32)
ARCHIVE = CodeObject("/opt/lib/libtoy.a", "archive", "ef" * 32)


def build(name: str, *objects: CodeObject, worker: str = "11", flags: str = "-O2 -I/a", **more: object) -> Build:
    return Build("toy", name, "1.0", "library", "Toy", "MIT", "gcc 12", flags, None, worker, objects=objects, **more)  # type: ignore[arg-type]  # fmt: skip


ONE = build("1.0+before", SHARED)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (build("1.0+after", COPY, worker="22", flags="-O2 -I/b"), True),  # another folder, told to linker and compiler
        (build("1.0+after", OTHER), False),
        (build("1.0+after", COPY, environment={"TOY": "0"}), False),  # a mask
        (build("1.0+after", COPY, worker="22", flags="-O3 -I/a"), False),
        (build("1.0+after", COPY, worker="22", flags="-O2 -DTOY"), False),  # an adapter that calls something else
        (build("1.0+after"), False),  # does not tell
        (build("1.0+after", CodeObject("/x/libtoy.so.1", "library", "")), False),
    ],
)
def test_the_same_code(other: Build, same: bool) -> None:
    assert bool(same_code(ONE, other)) is bool(same_code(other, ONE)) is same
    assert not same or same_code(ONE, other) == "libtoy.so.1 abababababab"


def test_workers_of_others_are_the_same_only_if_the_executable_is() -> None:
    """Two programs above one library may call different things in it."""
    mine = msgspec.structs.replace(ONE, library="mine", worker_hash="33")
    assert not same_code(ONE, mine) and same_code(ONE, msgspec.structs.replace(mine, worker_hash="11"))
    static = build("1.0", ARCHIVE)
    assert same_code(static, build("1.0+own", msgspec.structs.replace(ARCHIVE, path="/x/libtoy.a"), worker="9"))
    assert not same_code(build("1.0"), build("1.0+own"))


def run(*builds: Build, ns: float = 1300.0) -> RunSummary:
    lanes = [f"toy@{one.build}" for one in builds]
    cost = {"openssl@3.0": 1000.0, **dict.fromkeys(lanes, ns)}
    made = manifest({CASE: tuple(cost)})
    anchor = [one for one in made.builds if one.library == "openssl"]
    made = msgspec.structs.replace(made, builds=(*anchor, *builds))
    return summarise(made, [pass_record(CASE, p, cost) for p in range(9)])


def test_lanes_of_the_same_code_are_refused() -> None:
    twice = run(ONE, build("1.0+after", COPY, worker="22"))
    found = compare_lanes(twice, "toy@before", "toy@after")
    assert found.rows == () and found.refused == (
        "toy@before and toy@after are the same code (libtoy.so.1 abababababab): nothing to compare"
    )
    apart = compare_lanes(run(ONE, build("1.0+after", OTHER)), "toy@before", "toy@after")
    assert apart.refused == "" and len(apart.rows) == 1


def test_two_runs_of_the_same_code_are_refused_unless_forced() -> None:
    a, b = run(build("1.0", SHARED)), run(build("1.0", COPY), ns=1400.0)
    found = compare_runs(a, b, anchor="openssl")
    assert found.rows == () and "both runs are of the same code (libtoy.so.1 abababababab): nothing to" in found.refused
    forced = compare_runs(a, b, anchor="openssl", force=True)
    assert len(forced.rows) == 1 and any("what no difference looks like" in one for one in forced.warnings)
    assert compare_runs(a, run(build("1.0", OTHER)), anchor="openssl").refused == ""


def test_a_run_of_one_build_under_two_names_is_not_begun() -> None:
    def ready(one: Build, variant: str) -> Found:
        return Found("toy", "Toy", "ready", build=one, variant=variant)

    first = ready(ONE, "before")
    with pytest.raises(UsageError, match=r"toy@before and toy@after are the same code \(libtoy") as refused:
        refuse_doubles([first, ready(build("1.0+after", COPY), "after")])
    assert "--library NAME@before=PREFIX" in refused.value.hint
    refuse_doubles([first, ready(build("1.0+after", OTHER), "after")])


def test_an_own_build_that_runs_the_systems_library_is_refused() -> None:
    bearssl = load_libraries(data_root(), load_catalogue(data_root()))["bearssl"]
    own = BuildSpec(variant="after", title="after", why="", default=True, own=OwnBuild("/opt/build"))
    built = Installation("0.6", libs=("/opt/build/libbearssl.a",), origin="/opt/build")
    systems = CodeObject("/usr/lib/libbearssl.so.0", "library", "ab" * 32)
    told = _systems_file(bearssl, own, built, [systems])
    assert told == "its worker runs the system's /usr/lib/libbearssl.so.0, not what was built from /opt/build"
    mine = Installation("0.6", libs=("/opt/build/libbearssl.so.0",), mapped=("/opt/build/libbearssl.so.0",))
    assert not _systems_file(bearssl, own, mine, [CodeObject("/opt/build/libbearssl.so.0", "library", "cd" * 32)])
    assert not _systems_file(bearssl, bearssl.builds[0], Installation("0.6", libs=("-lbearssl",)), [systems])
    assert not _systems_file(bearssl, own, built, [CodeObject("/usr/lib/libc.so.6", "runtime", "cd" * 32)])


def test_the_same_image_is_no_difference() -> None:
    """By the hash of the file that was measured; a file of before there was one is not known to be the same."""
    old, lto = row(image="aa11"), row("lto", 60_000, image="bb22")
    before, now = Footprint((old, lto, row("odd", None))), Footprint((old, lto, row("odd", None)))
    assert shared_images(before, now).refused == (
        "mbedtls tls-client default: image aa11; mbedtls tls-client lto: image bb22"
    )
    other = shared_images(before, Footprint((old, row("lto", 60_000, image="cc33"))))
    assert (other.same, other.other, other.refused) == (("mbedtls tls-client default: image aa11",), 1, "")
    assert shared_images(Footprint((row(),)), Footprint((row(),))).same == ()
    assert "the same code in both: mbedtls tls-client default: image aa11" in changes_text(
        [], ((), ()), 5, 90, other.same
    )
    many = [f"mbedtls sha256 step{number}: image {number}" for number in range(5)]
    assert changes_text([], ((), ()), 5, 200, many).endswith("step2: image 2; and 2 more")


def test_a_difference_of_the_same_images_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = tmp_path / "before.json", tmp_path / "now.json"
    one.write_bytes(msgspec.json.encode(Footprint((row(image="aa11"),))))
    other.write_bytes(one.read_bytes())
    with pytest.raises(CipherstoneError) as refused:
        diff(one, other)
    told = f"{one} and {other} are the same code (mbedtls tls-client default: image aa11)"
    assert refused.value.message == f"{told}: nothing to compare" and refused.value.exit_code == 1
    assert refused.value.hint.startswith("--force ")
    diff(one, other, force=True)
    said = capsys.readouterr()
    assert said.out.strip() == "nothing changed" and said.err.startswith(f"warning: {told}: what follows is")
    other.write_bytes(msgspec.json.encode(Footprint((row(size=99_000, image="bb22"),))))
    diff(one, other)
    assert "99,000" in capsys.readouterr().out


def counted(instructions: int = 100, worker: str = "00ff", lane: str = "bearssl@0.6+0.6:aes_ct") -> Counts:
    told = CountedTarget("aarch64", lane.partition(":")[0], worker_hash=worker, archives=f"libbearssl.a {worker}")
    case = "aes-128-cbc/encrypt/bytes=16384"
    return Counts((told,), (Count(target="aarch64", case=case, lane=lane, outcome=Counting.COUNTED, instructions=instructions),))  # fmt: skip


SAME = "what is counted now are the same code (bearssl@0.6 on aarch64: libbearssl.a 00ff)"


@pytest.mark.parametrize(
    ("now", "force", "code", "said"),
    [
        (counted(), False, 1, f"{SAME}: nothing to compare"),
        (counted(), True, 0, f"{SAME}: what follows is what no difference looks like"),
        (
            counted(101),
            False,
            3,
            "though the code is the same (bearssl@0.6 on aarch64: libbearssl.a 00ff): emulator or",
        ),
        (counted(worker="11"), False, 0, ""),  # a change that costs nothing
        (counted(101, worker="11"), False, 3, "1 count of"),
        (counted(lane="bearssl@0.6+0.6:aes_big"), False, 1, "no case is counted there that is counted now"),
    ],
)
def test_a_count_against_the_same_code_is_refused(
    now: Counts, force: bool, code: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    before = tmp_path / "before.json"
    before.write_bytes(msgspec.json.encode(counted()))
    monkeypatch.setattr("cipherstone.cli.count.count_everything", lambda *rest: now)
    ended, told = 0, ""
    try:
        count(on=["aarch64"], library=["bearssl"], against=before, force=force, cache=tmp_path)
    except CipherstoneError as error:
        ended, told = error.exit_code, error.message
    except SystemExit as done:
        ended = done.code
    printed = capsys.readouterr()
    assert ended == code and said in told + printed.err and "aes-128-cbc/encrypt" in printed.out, told + printed.err
    assert said or printed.err == "counting 1 build, each on a machine\n"


def test_two_builds_that_are_one_are_not_counted_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = counted(), counted(lane="bearssl@0.6+after:aes_ct")
    both = Counts((*one.targets, *other.targets), (*one.counts, *other.counts))
    monkeypatch.setattr("cipherstone.cli.count.count_everything", lambda *rest: both)
    with pytest.raises(UsageError, match=r"bearssl@0.6 and bearssl@after are the same code \(aarch64: libbearssl.a"):
        count(on=["aarch64"], library=["bearssl"], cache=tmp_path)
