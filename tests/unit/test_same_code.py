# SPDX-License-Identifier: Apache-2.0
"""Which builds are one and the same, and what is refused for it."""

from __future__ import annotations

import msgspec
import pytest
from test_views_passes import manifest, pass_record

from cipherstone.build.installed import Installation
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.builds import BuildSpec, OwnBuild
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.catalogue.paths import data_root
from cipherstone.cli.run import refuse_doubles
from cipherstone.fleet.survey import Found, _systems_own
from cipherstone.model.errors import UsageError
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
    found = compare_lanes(twice, "toy+before", "toy+after")
    assert found.rows == () and found.refused == (
        "toy+before and toy+after are the same code (libtoy.so.1 abababababab): nothing to compare"
    )
    apart = compare_lanes(run(ONE, build("1.0+after", OTHER)), "toy+before", "toy+after")
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
    with pytest.raises(UsageError, match=r"toy\+before and toy\+after are the same code \(libtoy") as refused:
        refuse_doubles([first, ready(build("1.0+after", COPY), "after")])
    assert "--library NAME+before=PREFIX" in refused.value.hint
    refuse_doubles([first, ready(build("1.0+after", OTHER), "after")])


def test_an_own_build_that_runs_the_systems_library_is_refused() -> None:
    bearssl = load_libraries(data_root(), load_catalogue(data_root()))["bearssl"]
    own = BuildSpec(variant="after", title="after", why="", default=True, own=OwnBuild("/opt/build"))
    built = Installation("0.6", libs=("/opt/build/libbearssl.a",), origin="/opt/build")
    systems = CodeObject("/usr/lib/libbearssl.so.0", "library", "ab" * 32)
    told = _systems_own(bearssl, own, built, [systems])
    assert told == "its worker runs the system's /usr/lib/libbearssl.so.0, not what was built from /opt/build"
    mine = Installation("0.6", libs=("/opt/build/libbearssl.so.0",), mapped=("/opt/build/libbearssl.so.0",))
    assert not _systems_own(bearssl, own, mine, [CodeObject("/opt/build/libbearssl.so.0", "library", "cd" * 32)])
    assert not _systems_own(bearssl, bearssl.builds[0], Installation("0.6", libs=("-lbearssl",)), [systems])
    assert not _systems_own(bearssl, own, built, [CodeObject("/usr/lib/libc.so.6", "runtime", "cd" * 32)])
