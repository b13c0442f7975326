# SPDX-License-Identifier: Apache-2.0
"""`cipherstone lab`: options narrow the suite, mistakes are one line before anything is built, and a run shows its laboratory's tables."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import msgspec
import pytest
from scripts import ROOT, CommandLine, opened

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.libraries import load_labs, load_libraries
from cipherstone.catalogue.suites import Suite, load_suite
from cipherstone.labs.modexp.names import LAB
from cipherstone.labs.modexp.options import BASE_ROW, Narrowing, base_of, bits_offered, narrowed, number_list
from cipherstone.measure.plan import cell_facts
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import Lane, base_lane
from cipherstone.model.records import FactsRecord
from cipherstone.store.writer import BundleWriter

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit"))
import modexp_example as example


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite(ROOT, LAB)


@pytest.fixture
def here(tmp_path: Path, worker_cache: Path) -> CommandLine:
    """The command line of this checkout."""
    return CommandLine(ROOT, tmp_path, worker_cache)


@pytest.mark.parametrize(
    ("arguments", "said", "hint"),
    [
        (("modexp", "--bits", "1000"), "bits: '1000' is not measured", "one of 512 1024 2048 3072 4096 8192"),
        (("modexp", "--bits", "2048,x"), "bits: 'x' is not measured", "one of 512"),
        (("modexp", "--bits", ""), "bits: '' is not measured", "one of 512"),
        (("modexp", "--window", "8"), "window: '8' is out of range", "one of 1 2 3 4 5 6 7"),
        (("modexp", "--window", "0"), "window: '0' is out of range", "one of 1 2 3 4 5 6 7"),
        (("modexp", "--limb", "16"), "limb: '16' is out of range", "one of 15 31 32 52 64"),
        (("modexp", "--reduction", "montgomery"), "reduction: 'montgomery' is not one of ours", "mont"),
        (("modexp", "--bits", "512", "--crt"), "the suite has no case of bits 512, with CRT", "moduli of 1024"),
        (("modexp", "--quick", "--bits", "4096"), "the rows of the published table", "2048 bits with CRT"),
        (("modexp", "--build", "gcc-O9"), "no library has a build 'gcc-O9'", "did you mean"),
        (("modexp", "--max-time", "soon"), "--max-time: 'soon' is not a time", "90s"),
        (("modexp", "--on", "cortex-m9"), "--on: there is no target 'cortex-m9'", "cortex-m7"),
        (("modexp", "--on", "cortex-m4", "--bits", "1024"), "at 2048 bits with crt", "--compilers"),
        (("instructions", "--isa", "x87"), "instruction set: 'x87' has no kernels", "x86-64"),
        (("instructions", "-f", "algorithm:x86-64.mulz"), "unknown algorithm 'x86-64.mulz'", "mul"),
        (("modex",), "no such command 'modex'", ""),
    ],
)
def test_mistakes_are_one_line(here: CommandLine, arguments: tuple[str, ...], said: str, hint: str) -> None:
    done = here.inside("lab", *arguments).no_trace()
    lines = done.err.strip().splitlines()
    assert done.code == 2 and done.out == ""
    assert lines[0].startswith("cipherstone: error: ") and said.lower() in lines[0].lower() and len(lines) == 2
    assert hint in lines[1]
    assert not here.runs.exists()


@pytest.mark.parametrize(("words", "shown"), [(("lab",), "modexp"), ((), "compare")])
def test_what_asks_for_nothing_shows_its_commands(here: CommandLine, words: tuple[str, ...], shown: str) -> None:
    done = here.inside(*words)
    assert done.code == 2 and f"\n  {shown} " in done.out and done.err == ""


def lanes(suite: Suite, names: list[str]) -> dict[str, set[str]]:
    """Case -> lanes that some section selects."""
    operations = load_catalogue(ROOT).operations
    found: dict[str, set[str]] = {}
    for section in suite.sections:
        for case in section.cases:
            for name in names:
                lane = Lane.parse(name)
                if section.selects(cell_facts(operations[case.operation], case, lane), alone=False):
                    found.setdefault(case.id, set()).add(name)
    return found


ROWS = [
    f"modexp@1.0+gcc-O3:{name}"
    for name in (
        "basic-64-fast", "basic-64-fw1", "mont-64-ladder", "mont-64-fw5", "mont-64-rm4", "mont-64-fw5.ct", "cios-32-fw5", "ifma-52-fw5", "default",
    )
]  # fmt: skip
OTHERS = ["modexp@1.0+clang14-O3:mont-64-fw5", "openssl@3.0.19", "openssl@3.0.19:BN_mod_exp_simple", "mbedtls@3.6.5+w4"]


def test_the_suite_takes_the_published_rows_and_more(suite: Suite) -> None:
    found = lanes(suite, ROWS + OTHERS)
    table = found[example.CRT]
    assert set(ROWS[:8]) | {"openssl@3.0.19", "openssl@3.0.19:BN_mod_exp_simple", "mbedtls@3.6.5+w4"} <= table
    assert "modexp@1.0+gcc-O3:default" not in table  # one of the rows again
    assert OTHERS[0] in table  # for the compilers, if that build is measured


def test_names_in_the_suite_exist(suite: Suite) -> None:
    labs = load_labs(ROOT)
    builds = {b.name for library in (load_libraries(ROOT) | labs).values() for b in library.builds}
    assert set(suite.builds) <= builds
    main = next(b for b in labs[LAB].builds if b.default)
    assert all(f"build:{main.name}" in s.lanes for s in suite.sections if s.id != "compilers")
    assert BASE_ROW in example.main_implementations()
    names = [f"modexp@1.0+{main.variant}:{BASE_ROW}", "modexp@1.0+gcc-Os:mont-64-rm5", "openssl@3.0.19"]
    assert base_lane(base_of(labs[LAB], BASE_ROW), names) == names[0]
    for case in suite.cases:
        if case.verb == "private":
            assert names[0] in lanes(suite, names)[case.id], f"{case.id} has no lane to repeat"


def test_options_narrow(suite: Suite) -> None:
    quick = narrowed(suite, Narrowing(quick=True))
    assert [c.id for c in quick.cases] == [example.CRT] and quick.builds == ()
    found = lanes(quick, ROWS + OTHERS)[example.CRT]
    assert found == {ROWS[0], ROWS[2], ROWS[3], ROWS[4]}
    plain = narrowed(suite, Narrowing(bits=(2048,), crt=False))
    assert [c.id for c in plain.cases] == ["modexp/private/bits=2048,crt=no"]
    alone = lanes(narrowed(suite, Narrowing(libraries=False)), ROWS + OTHERS)
    assert all(name.startswith("modexp@") for names in alone.values() for name in names)
    some = lanes(narrowed(suite, Narrowing(windows=(4,), reductions=("mont", "basic"), limbs=(64,))), ROWS + OTHERS)
    assert some[example.CRT] == {ROWS[0], ROWS[2], ROWS[4], *OTHERS[1:]}
    products = lanes(narrowed(suite, Narrowing(reductions=("mont",))), ["modexp@1.0+gcc-O3:mont-64", "modexp@1.0+gcc-O3:cios-64"])  # fmt: skip
    assert products["bignum/montmul/bits=2048"] == {"modexp@1.0+gcc-O3:mont-64"}


def test_numbers_are_read_once_each(suite: Suite) -> None:
    assert number_list("bits", "4096,2048,4096", bits_offered(suite), "x") == (4096, 2048)
    assert number_list("bits", None, bits_offered(suite), "x") == ()
    with pytest.raises(UsageError, match="bits: '99999999999' is x"):
        number_list("bits", "99999999999", bits_offered(suite), "x")


def test_a_stored_run_shows_the_tables_of_its_laboratory(here: CommandLine) -> None:
    """A bundle without passes: the tables are there, by the facts that rows told, and say that nothing was measured."""
    run = example.modexp_run()
    writer = BundleWriter.create(here.runs, msgspec.structs.replace(run.manifest, status="interrupted"))
    for cell in next(c for c in run.cases if c.case == example.CRT).cells:
        if cell.facts:
            writer.append(FactsRecord(cell.case, cell.lane, dict(cell.facts)))
    writer.close()
    shown = here.inside("show", "latest").no_trace()
    assert shown.code == 0 and "Which exponentiation is fastest here" not in shown.out  # no answer, no question
    assert shown.out.index("Basic, 2b, FW") < shown.out.index("Cost relative to the best")
    assert max(map(len, shown.out.splitlines())) <= 80
    page = here.home / "r.html"
    assert here.inside("report", "latest", "--output", page).no_trace().code == 0
    assert "<h1>Which exponentiation" in page.read_text()
    tables = json.loads(here.inside("export", "latest", "--as", "json").no_trace().out)["lab"]
    assert len(tables["published"]["lines"]) == 36


@pytest.mark.parametrize(
    ("suite_name", "asked", "said", "right"),
    [
        ("instructions", ("run",), "a run of the laboratory instructions", "lab instructions"),
        (LAB, ("run",), f"a run of the laboratory {LAB}", f"lab {LAB}"),
        (LAB, ("lab", "instructions"), f"a run of the laboratory {LAB}", f"lab {LAB}"),
        ("quick", ("lab", "instructions"), "not a run of the laboratory instructions", "run"),
        ("quick", ("lab", LAB), f"not a run of the laboratory {LAB}", "run"),
    ],
)
def test_a_run_is_resumed_by_the_command_that_began_it(
    here: CommandLine, suite_name: str, asked: tuple[str, ...], said: str, right: str
) -> None:
    """Another command has another catalogue: it would say that nothing of the run is installed any more."""
    manifest = msgspec.structs.replace(example.modexp_run().manifest, status="interrupted", suite=suite_name)
    BundleWriter.create(here.runs, manifest).close()
    done = here.inside(*asked, "--resume", "latest").no_trace()
    assert done.code == 2 and done.out == ""
    assert done.err.splitlines() == [
        f"cipherstone: error: --resume latest: {said}",
        f"hint: resume it: cipherstone {right} --resume latest",
    ]


def test_a_run_of_a_laboratory_has_a_name_that_means_it_alone(here: CommandLine) -> None:
    for name in ("modexp", "instructions"):
        done = here.inside("lab", name, "--name", "openssl").no_trace()
        assert done.code == 2 and "openssl" in done.err.splitlines()[0], done.err
    assert not here.runs.exists()


@pytest.mark.libraries
def test_a_short_run_of_the_laboratory(here: CommandLine) -> None:
    """Real rows, in one pass, of which there is no interval and so no figure; whether this machine is quiet is not what is asked."""
    done = opened(here)(
        "lab", "modexp", "--bits", "2048", "--no-crt", "--no-libraries", "--reduction", "mont,basic", "--limb", "64", "--window", "5", "--passes", "1",
        "--max-time", "30m", "--no-memory", "--seed", "1", "--name", "short", "--cache", here.cache, "--format", "json",
    )  # fmt: skip
    # Where the only pass was disturbed, the line says so in place of the number of passes.
    assert done.code == 1 and re.search(r"no figure: (only )?0 of 5 cells have a figure: \w", done.err), done.err
    run = done.no_trace().json()
    assert run["manifest"]["name"] == "short"
    (case,) = run["cases"]
    cells = {c["lane"].partition(":")[2]: c for c in case["cells"] if not c["lane"].endswith("#2")}
    assert set(cells) == {"basic-64-fw5", "basic-64-rm5", "mont-64-fw5", "mont-64-fw5.ct", "mont-64-rm5"}
    assert all(c["outcome"] == "ok" for c in cells.values()), cells
    facts = cells["mont-64-rm5"]["facts"]
    assert facts["mul"] > 300 and facts["sqr"] > 2000 and facts["code_bytes"] > 200
    assert 256 < facts["arena_bytes"] < cells["mont-64-fw5"]["facts"]["arena_bytes"]
    rows = {r["lane"].partition(":")[2]: r for r in run["lab"]["modexp"]["modexp/private/bits=2048,crt=no"]}
    assert rows["mont-64-rm5"]["memory_kind"] == "arena" and rows["mont-64-rm5"]["code_bytes"] == facts["code_bytes"]
