# SPDX-License-Identifier: Apache-2.0
"""The speed lost at a step with a compiler: programs whose work is known, and one real library."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from scripts import ROOT, CommandLine, newest
from undisturbed import least

from cipherstone import METHOD_VERSION
from cipherstone.build.systems import this_system
from cipherstone.build.toolchain import find_toolchain, run_tool
from cipherstone.build.upstream import is_built
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.cli.environment import cache_folder
from cipherstone.labs.footprint import timing
from cipherstone.labs.footprint.ladder import Tls, load_ladders
from cipherstone.labs.footprint.machine import TargetMachine, machines
from cipherstone.labs.footprint.proof import Setting, run_program
from cipherstone.labs.footprint.questions import Drawn
from cipherstone.labs.footprint.results import Footprint, Row, StepOutcome, Timed
from cipherstone.labs.footprint.sizes import LadderSizes
from cipherstone.labs.footprint.speed import Bench, CallPlan, Runner, Site, counter, repeater
from cipherstone.labs.footprint.stored import footprint_of
from cipherstone.labs.footprint.timing import How, LadderTimes, Ready
from cipherstone.measure.turns import Turns
from cipherstone.model.errors import CipherstoneError
from cipherstone.model.outcomes import RunStatus
from cipherstone.model.records import BUNDLE_FORMAT, Manifest, Settings
from cipherstone.model.records import Machine as Record
from cipherstone.views.run.summarise import summarise

TOOLCHAIN = find_toolchain()
# Gives back what it was given, after work of a known length; BREAKS: not the second time.
SOURCE = """
#include "program.h"
int main(void)
{
    static int calls;
    volatile uint32_t x = 1;
    span all;
    if (!read_input())
        return BROKEN;
    all = rest();
    for (uint32_t i = 0; i < WORK; i++)
        x = x * 3 + i;
    if (++calls > 1 && BREAKS)
        all.data[0] ^= 1;
    return write_output(all.data, all.len);
}
"""


@pytest.fixture(scope="module")
def workshop(worker_cache: Path) -> Workshop:
    """This machine's."""
    return Workshop(ROOT, worker_cache, TOOLCHAIN, this_system())


@pytest.fixture(scope="module")
def bench(workshop: Workshop) -> Bench:
    """The programs below, as they are called."""
    return Bench("sha256", b"abcdef" * 100, b"abcdef" * 100, Site(TargetMachine(), repeater(workshop, TargetMachine())))


def runner(folder: Path, name: str, work: int, breaks: int = 0, cc: str = TOOLCHAIN.cc) -> Runner:
    source = folder / f"{name}.c"
    source.write_text(SOURCE)
    words = ["-std=c11", "-D_GNU_SOURCE", "-O1", f"-DWORK={work}", f"-DBREAKS={breaks}", "-I", str(ROOT / "labs/footprint")]  # fmt: skip
    run_tool([cc, *words, str(source), "-o", str(folder / name), "-s"], "test")
    return Runner(name, folder / name, Tls())


LADDER = load_ladders(ROOT, load_libraries(ROOT))["bearssl"]
MACHINE = Record("", "cpu", "x86_64", 2, (), None, None, "", "", None, None, None, None, "")


@pytest.fixture
def times(workshop: Workshop, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Timed]]:
    """times(programs, passes): of each step, from the turns of the instrument."""
    monkeypatch.setattr(timing, "bench_of", lambda task, ladder, program, site: bench._replace(site=site))
    monkeypatch.setattr(timing, "counter", lambda machine, workshop: None)

    def made(programs: list[Runner], passes: int) -> dict[str, Timed]:
        ready = Ready(TargetMachine(), workshop, LADDER, "sha256", tuple(programs))
        rows = [Row(library="bearssl", version="", program="sha256", step=one.step, title="", outcome=StepOutcome.PROVEN) for one in programs]  # fmt: skip
        instrument = LadderTimes([ready], How(passes, unprobed="not here"))
        sizes = LadderSizes(Footprint(tuple(rows)), instrument.counts)
        run = Manifest(BUNDLE_FORMAT, METHOD_VERSION, "", "run-1", "", "", "footprint", RunStatus.FINISHED, Settings(), MACHINE, (), (), instruments=(sizes.plan, instrument.plan))  # fmt: skip
        found = footprint_of(summarise(run, list(Turns(instrument, Settings(), None).run())))
        assert found is not None
        return {row.step: row.speed[0] for row in found.rows}

    return made


def test_twice_the_work_takes_twice_the_time(times: Callable[..., dict[str, Timed]], tmp_path: Path) -> None:
    """Turns in one process after another: what slows the machine down meets both."""
    programs = [runner(tmp_path, "default", 20_000), runner(tmp_path, "two", 40_000)]

    def off() -> float:
        over = times(programs, 9)["two"].over
        assert over is not None and over.low is not None and over.high is not None
        return abs(over.value / 2 - 1)

    least(lambda share: share < 0.2, off, at_least=1, at_most=10)


def test_what_is_right_only_once_is_no_time(
    bench: Bench, times: Callable[..., dict[str, Timed]], tmp_path: Path
) -> None:
    broken, good = runner(tmp_path, "broken", 10, breaks=1), runner(tmp_path, "good", 20_000)
    told = bench.run(broken, CallPlan(2, 0, 1))
    assert "a call was not right" in told.problem and told.wrong
    assert bench.run(broken, CallPlan(1, 0, 1)).problem == ""
    assert times([broken, good], 1)["broken"] == Timed("8192 bytes", why="a call was not right")
    default = broken._replace(step="default")
    found = times([default, good], 1)["good"]
    assert found.ns is not None and (found.over, found.why) == (None, "of its step default: a call was not right")


def test_one_file_with_default_is_not_compared(times: Callable[..., dict[str, Timed]], tmp_path: Path) -> None:
    default = runner(tmp_path, "default", 20_000)
    found = times([default, default._replace(step="lto"), runner(tmp_path, "cut", 30_000)], 2)
    assert re.fullmatch(r"the same code as default \(image [0-9a-f]{16}\): nothing to compare", found["lto"].why)
    assert found["lto"].ns == found["default"].ns is not None and found["lto"].over is None
    assert found["cut"].over is not None and found["cut"].why == ""


def test_a_program_is_pinned(bench: Bench, tmp_path: Path) -> None:
    """And this process stays where it was."""
    before = os.sched_getaffinity(0)
    ended = run_program(["/usr/bin/env", "cat", "/proc/self/status"], b"", Setting({"PATH": "/bin:/usr/bin"}, min(before)))  # fmt: skip
    assert f"Cpus_allowed_list:\t{min(before)}\n".encode() in ended.output and os.sched_getaffinity(0) == before


def test_what_should_be_drawn_anew_in_each_call_is(bench: Bench, tmp_path: Path) -> None:
    """One process alone tells: each of them may draw something else."""
    fixed = runner(tmp_path, "fixed", 10)
    assert bench._replace(drawn=Drawn(lambda output: "", False)).run(fixed, CallPlan(2, 2, 3)).problem == ""
    assert bench._replace(drawn=Drawn(lambda output: "", True)).run(fixed, CallPlan(2, 2, 3)).problem == "drew the same twice"  # fmt: skip
    assert (
        bench._replace(drawn=Drawn(lambda output: "too long", True)).run(fixed, CallPlan(1, 0, 3)).problem == "too long"
    )


def test_what_reads_and_writes_alone_takes_next_to_nothing(bench: Bench, tmp_path: Path) -> None:
    program = runner(tmp_path, "idle", 0)

    def typical() -> float:
        told = bench.run(program, CallPlan(3, 8, 2000))
        assert told.problem == ""
        return abs(sorted(told.batches)[2])

    least(lambda ns: ns < 200, typical, at_least=1, at_most=30)


def test_instructions_of_a_call_repeat_and_grow_with_the_work(workshop: Workshop, bench: Bench, tmp_path: Path) -> None:
    count = counter(TargetMachine(), workshop)
    if count is None:
        pytest.skip("no emulator of this machine's kind with its counter")
    (one, why), (two, _) = (count(bench, runner(tmp_path, f"of{work}", work)) for work in (1000, 2000))
    assert why == "" and one is not None and two is not None
    assert (two - one) % 1000 == 0 and 3000 <= two - one <= 10_000
    assert count(bench, runner(tmp_path, "again", 1000))[0] == one


def test_on_another_machine_instructions_are_counted_alone(workshop: Workshop, tmp_path: Path) -> None:
    try:
        machine, own = machines(["aarch64"], workshop)[0]
    except CipherstoneError as error:
        pytest.skip(error.message)
    if own.toolchain.cc_version is None or not machine.emulator:
        pytest.skip("no compiler for AArch64, or this is such a machine")
    there = Bench("sha256", b"abc", b"abc", Site(machine, repeater(own, machine)))
    count = counter(machine, own)
    assert count is not None
    one, why = count(there, runner(tmp_path, "there", 1000, cc=own.toolchain.cc))
    assert why == "" and one is not None and 3000 <= one <= 10_000


@pytest.fixture(scope="module")
def command(new_cli: Callable[..., CommandLine]) -> CommandLine:
    return new_cli("footprint-timed", ROOT)


@pytest.mark.libraries
def test_a_real_ladder_is_timed_in_turns(command: CommandLine, tmp_path: Path) -> None:
    ladder = load_ladders(ROOT, load_libraries(ROOT))["bearssl"]
    steps = {step.name: step for step in ladder.steps}
    for name in ("default", "smallest"):
        if not is_built(ladder.as_library, ladder.build_of(steps[name]), TOOLCHAIN, cache_folder()):
            pytest.skip("BearSSL's steps were not built here: cipherstone footprint -l bearssl")
    place, page = tmp_path / "one.json", tmp_path / "one.html"
    asked = ("footprint", "-l", "bearssl", "-p", "sha256,tls-client", "--step", "default,smallest", "--speed")
    done = command(*asked, "--cache", cache_folder(), "--json", place, "--html", page).no_trace()
    assert done.code == 0, done.err
    rows = {(one["program"], one["step"]): one["speed"] for one in json.loads(place.read_text())["rows"]}
    assert set(rows) == {(program, step) for program in ("sha256", "tls-client") for step in ("default", "smallest")}
    for (program, step), speed in rows.items():
        assert [one["task"] for one in speed] == ["8192 bytes" if program == "sha256" else "handshake"]
        assert speed[0]["ns"]["low"] <= speed[0]["ns"]["value"] <= speed[0]["ns"]["high"]
        assert (speed[0]["over"] is None) == (step == "default")
    # What was printed is in the bundle, and comes out in every way.
    bundle = newest(command.runs)
    summary = bundle.summary()
    assert bundle.verify() == [] and summary is not None
    assert {one.lane for one in summary.figures} == {
        "bearssl@0.6",
        "bearssl@0.6#2",
        "bearssl@0.6:smallest",
    }
    assert command("show", "latest").out == done.out
    stored = json.loads(command("export", "latest", "--as", "json").out)
    assert {(one["program"], one["step"]): one["speed"] for one in stored["lab"]["rows"]} == rows
    sizes = [one for one in stored["figures"] if (one["figure"], one["case"]) == ("text_bytes", "footprint/sha256/library=bearssl")]  # fmt: skip
    assert [one["value"]["value"] for one in sizes] == [one["sizes"]["text"] for one in stored["lab"]["rows"] if one["program"] == "sha256"]  # fmt: skip
    assert sizes[1]["ratio"]["low"] == sizes[1]["ratio"]["value"] == sizes[1]["ratio"]["high"] < 1
    asked = "select value from figures where figure = 'cpu_ns' and lane = 'bearssl@0.6:smallest' and case_id like 'footprint/sha256/%'"
    assert float(command("show", "--sql", asked).out.splitlines()[1]) == rows["sha256", "smallest"][0]["ns"]["value"]
    assert "On the front, sha256: by time bearssl smallest" in done.out.replace("\n", " ").replace("    ", "")
    assert page.read_text().count('class="chart tradeoff"') == 4


@pytest.mark.libraries
def test_a_client_of_another_version_is_timed_beside_the_default_one(command: CommandLine, tmp_path: Path) -> None:
    """wolfSSL's default has TLS 1.3, `no-rsa` 1.2: the default client takes either."""
    ladder = load_ladders(ROOT, load_libraries(ROOT))["wolfssl"]
    steps = {step.name: step for step in ladder.steps_of("tls-client")}
    for name in ("default", "no-rsa"):
        if not is_built(ladder.as_library, ladder.build_of(steps[name]), TOOLCHAIN, cache_folder()):
            pytest.skip("wolfSSL's steps were not built here: cipherstone footprint -l wolfssl")
    place = tmp_path / "one.json"
    asked = ("footprint", "-l", "wolfssl", "-p", "tls-client", "--step", "default,no-rsa", "--speed")
    done = command(*asked, "--cache", cache_folder(), "--json", place).no_trace()
    assert done.code == 0, done.err
    rows = {one["step"]: one for one in json.loads(place.read_text())["rows"]}
    assert rows["default"]["agreed"].startswith("TLS 1.3") and rows["no-rsa"]["agreed"].startswith("TLS 1.2")
    assert rows["no-rsa"]["speed"][0]["over"] is not None


@pytest.mark.libraries
def test_shared_libraries_are_found_by_what_links_them(command: CommandLine, tmp_path: Path) -> None:
    place = tmp_path / "shared.json"
    done = command("footprint", "--shared", "-l", "openssl", "--json", place).no_trace()
    assert done.code == 0, done.err
    found = json.loads(place.read_text())["shared"]
    if not any(one["sizes"] for one in found):
        pytest.skip(f"OpenSSL is not installed: {found}")
    names = {one["name"].split(".")[0]: one for one in found}
    assert {"libcrypto", "libssl"} <= set(names)
    crypto = names["libcrypto"]["sizes"]
    assert crypto["file"] > 1_000_000 and names["libcrypto"]["stripped_bytes"] <= crypto["file"]
    assert crypto["file"] > crypto["text"] + crypto["rodata"] and any("libcrypto" in one for one in names["libssl"]["needed"])  # fmt: skip
    assert "libcrypto.so" in done.out
    wrong = command("footprint", "--shared", "-l", "opensl").no_trace()
    assert wrong.code == 2 and "--library: there is no library 'opensl'" in wrong.err
