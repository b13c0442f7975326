# SPDX-License-Identifier: Apache-2.0
"""The speed lost at a step, without a compiler: what a process told, the front, tables, the page; shared libraries as rows."""

from __future__ import annotations

import pytest
from footprints import footprint_text
from scripts import ROOT

from cipherstone.catalogue.libraries import load_libraries
from cipherstone.labs.footprint.elf import Sizes
from cipherstone.labs.footprint.front import Spot, counts_over, fronted, memory_spots, speed_spots
from cipherstone.labs.footprint.ladder import PROGRAMS, load_ladders, load_published
from cipherstone.labs.footprint.page import footprint_html
from cipherstone.labs.footprint.questions import Drawn
from cipherstone.labs.footprint.results import Footprint, PeakMemory, Row, Shared, StepOutcome, Timed
from cipherstone.labs.footprint.speed import TASKS, CallPlan, read_told
from cipherstone.labs.footprint.speed_tables import front_lines, published_rows, speed_head, speed_notes, speed_rows
from cipherstone.labs.footprint.tables import shared_text
from cipherstone.model.estimate import Estimate
from cipherstone.report.charts.tradeoff import Spot as Mark
from cipherstone.report.charts.tradeoff import tradeoff

GOOD = "at 7f0010 7f0020\ncall 0 abcd\nfeed 100\nbatch 21000\nbatch 22000\n"


def row(step: str, size: int, ns: float | None, over: float | None = None, **more: object) -> Row:
    fields = {
        "library": "mbedtls",
        "version": "3.6.6",
        "program": "sha256",
        "step": step,
        "title": f"the step {step}",
        "outcome": StepOutcome.PROVEN,
        "sizes": Sizes(size, size // 2, size // 4, 100, 2000),
        "memory": PeakMemory(400, 500),
        "speed": (
            Timed(
                "8192 bytes",
                None if ns is None else Estimate(ns, ns * 0.99, ns * 1.01),
                None if over is None else Estimate(over, over * 0.99, over * 1.01),
                None if ns is None else round(ns * 3),
                "" if ns is not None else "ended with status 2 when it was called again",
            ),
        ),
        **more,
    }
    return Row(**fields)  # type: ignore[arg-type]


FOUND = Footprint(
    (
        row("default", 60_000, 10_000.0),
        row("cut", 40_000, 15_000.0, 1.5),
        row("small", 30_000, 40_000.0, 4.0),
        row("lto", 31_000, None),
        row("smallest", 20_000, 30_000.0, 3.0, library="bearssl"),
    )
)


def test_what_a_process_told_is_read() -> None:
    told = read_told(GOOD, 0, [(0, b"\xab\xcd")], CallPlan(1, 2, 10))
    assert told == ((2000.0, 2100.0), (0x7F0010, 0x7F0020), "", False)
    assert told.ns == 2025.0 and read_told(GOOD, None, [], CallPlan(1, 2, 10)).ns == 0.0


@pytest.mark.parametrize(
    ("text", "status", "due", "said"),
    [
        (GOOD, None, b"\xab\xcd", "did not end in time"),
        (GOOD, -11, b"\xab\xcd", "ended with status -11 when it was called again"),
        ("", 0, b"\xab\xcd", "ended with status 0 when it was called again"),
        (GOOD, 0, b"\xab\xce", "a call was not right"),
        (GOOD.replace("call 0 abcd", "call 1 "), 0, b"\xab\xcd", "a call ended with status 1: it refuses"),
        (GOOD.replace("call 0 abcd", "call 7 "), 0, b"\xab\xcd", "a call ended with status 7"),
        (GOOD.replace("feed", "call 2 00\nfeed"), 0, b"\xab\xcd", "a call was not right"),
        (GOOD.replace("call 0 abcd\n", ""), 0, b"\xab\xcd", "a call was not right"),
    ],
)
def test_what_is_not_right_is_no_time(text: str, status: int | None, due: bytes, said: str) -> None:
    told = read_told(text, status, [(0, due)], CallPlan(1, 2, 10))
    assert (told.problem, told.wrong) == (said, "call" in said and "called again" not in said)


THREE = "at 7f0010 7f0020\ncall 0 01\nfeed 100\ncall 0 02\ncall 0 03\nbatch 21000\nbatch 22000\n"


@pytest.mark.parametrize(
    ("text", "differs", "said"),
    [
        (THREE, True, ""),
        (THREE.replace("call 0 03\n", ""), True, "drew the same twice"),  # a call like the one before is not told
        (THREE.replace("call 0 03", "call 0 01"), True, "drew the same twice"),
        (THREE.replace("call 0 03", "call 0 01"), False, ""),
        (THREE.replace("call 0 03\n", ""), False, ""),
        (THREE.replace("call 0 02", "call 0 ff"), False, "is no answer"),
        (THREE.replace("call 0 02", "call 2 02"), False, "a call ended with status 2: it cannot be asked for this"),
        ("at 7f0010 7f0020\nfeed 100\n", False, "drew the same twice"),
    ],
)
def test_what_is_drawn_is_judged_in_every_call_that_is_told(text: str, differs: bool, said: str) -> None:
    drawn = Drawn(lambda output: "is no answer" if output == b"\xff" else "", differs)
    told = read_told(text, 0, drawn, CallPlan(1, 2, 10))
    assert told.problem == said and bool(told.batches) == (not said)


def test_every_program_has_inputs_to_time() -> None:
    assert set(TASKS) == set(PROGRAMS)
    for ladder in load_published(ROOT).values():
        titles = {(program, task.title) for program, tasks in TASKS.items() for task in tasks}
        assert {(one.program, one.task) for one in ladder.speed} <= titles
    ladders = load_ladders(ROOT, load_libraries(ROOT))
    for one in load_published(ROOT).values():
        steps = {step.name for step in ladders[one.library].steps}
        assert {step.ours for step in one.step if step.ours} <= steps
        for timed in one.speed:  # the same file in both configurations
            assert {"default", one.reduced} <= {step.name for step in ladders[one.library].steps_of(timed.program)}


def test_the_publication_timed_twelve_rows_and_thirteen() -> None:
    """Facts of its two tables: some rows as they stand there."""
    mbedtls, boringssl = (load_published(ROOT)[name] for name in ("mbedtls-2018", "boringssl-2018"))
    assert (len(mbedtls.speed), len(boringssl.speed)) == (12, 13)
    assert next((one.reduced, one.default) for one in mbedtls.speed if one.title.startswith("SHA-256")) == (46809, 52044)  # fmt: skip
    assert next((one.reduced, one.default) for one in boringssl.speed if one.title.startswith("RNG")) == (4058.7, 55705.4)  # fmt: skip
    assert len(boringssl.step) == 7 and [one.ours for one in boringssl.step][:6] == ["default", "sections", "small", "no-asm", "buffers", "pinned"]  # fmt: skip


def test_the_front_is_what_nothing_smaller_beats() -> None:
    assert [(one.row.step, one.front) for one in speed_spots(FOUND, "", "sha256")] == [
        ("smallest", True),
        ("small", False),
        ("cut", True),
        ("default", True),
    ]
    assert [one.row.step for one in memory_spots(FOUND, "", "sha256") if one.front] == ["smallest"]


def test_where_intervals_touch_nothing_is_told_to_be_faster() -> None:
    small, large = row("small", 10, 100.0), row("large", 20, 99.0)
    near = [Spot(small, 10, Estimate(100.0, 98.0, 102.0)), Spot(large, 20, Estimate(99.0, 97.0, 98.0))]
    assert [one.front for one in fronted(near)] == [True, False]
    far = [near[0], Spot(large, 20, Estimate(90.0, 89.0, 97.9))]
    assert [one.front for one in fronted(far)] == [True, True]


def test_what_leaves_something_out_is_on_no_front() -> None:
    pinned = row("pinned", 10, 5.0, label="pinned key")
    assert [one.front for one in speed_spots(Footprint((pinned, FOUND.rows[0])), "", "sha256")] == [False, True]


def test_tables_tell_times_ratios_and_counts() -> None:
    lines = speed_rows(FOUND, FOUND.rows[:4])
    assert lines[0] == ("default", "8192 bytes", "10.0 µs", "-", "-", "30,000", "-")
    assert lines[1][2:] == ("15.0 µs", "1.50", "1.48 to 1.52", "45,000", "1.50")
    assert lines[3] == ("lto", "8192 bytes", "-", "-", "-", "-", "-")
    assert speed_notes(FOUND.rows) == ["lto, 8192 bytes: ended with status 2 when it was called again"]
    both = (*FOUND.rows, row("lto-alone", 9, None))
    assert speed_notes(both) == ["lto, 8192 bytes; lto-alone, 8192 bytes: ended with status 2 when it was called again"]
    name, timed, ram = front_lines(FOUND)[0]
    assert name == "sha256" and timed.startswith("bearssl smallest 20,000 B 30.0 µs, mbedtls cut 40,000 B")
    assert ram == "bearssl smallest 20,000 B 3,000 B"
    text = footprint_text(FOUND, 100)
    assert "sha256, speed: mbedtls 3.6.6" in text and "On the front, sha256: by time bearssl smallest" in text


def test_columns_without_a_figure_are_left_out() -> None:
    assert speed_head(FOUND.rows) == ("input", "time", "x", "interval", "instructions", "x counted")
    uncounted = row("cut", 9, None, speed=(Timed("P-256", Estimate(5.0), Estimate(1.5, 1.4, 1.6)),))
    assert speed_head([uncounted]) == ("input", "time", "x", "interval")
    assert speed_rows(Footprint((uncounted,)), [uncounted]) == [("cut", "P-256", "5.0 ns", "1.5", "1.4 to 1.6")]
    counted = row("cut", 9, None, speed=(Timed("P-256", instructions=7),))
    assert speed_head([counted]) == ("input", "instructions", "x counted")
    assert speed_head([row("cut", 9, None)]) == ("input", "time", "x", "interval")  # with its reason below


def test_what_was_published_stands_beside_ours() -> None:
    rows = published_rows(FOUND, load_published(ROOT)["mbedtls-2018"])
    assert rows[0] == ("SHA-256, KiB/s", "46809", "52044", "1.11", "1.50 (1.48 to 1.52)")
    assert [row[-1] for row in rows[1:]] == ["-"] * 11
    wrong = row("cut", 1, None, program="ecdh", outcome=StepOutcome.WRONG, sizes=None, speed=(), why="was accepted")
    rows = published_rows(Footprint((*FOUND.rows, wrong)), load_published(ROOT)["mbedtls-2018"])
    assert rows[9] == ("ECDH-secp256r1, handshake/s", "77", "81", "1.05", "wrong")


def test_published_times_stand_in_eighty_columns_beside_programs_alone() -> None:
    """Without a client there are no sizes to compare, and no line is too long."""
    text = footprint_text(Footprint((*FOUND.rows, row("cut", 9, 5.0, 1.25, program="rsa-sign")), published=tuple(load_published(ROOT).values())), 80)  # fmt: skip
    assert max(map(len, text.splitlines())) <= 80
    assert "timed in 2018" in text and "initial size" not in text and "ours x: the step cut over default." in text
    assert "1.50 (1.48 to 1.52)" in text and "BoringSSL eb7c3008" not in text
    assert "initial size" in footprint_text(Footprint((row("default", 9, None, program="tls-client", speed=()),), published=tuple(load_published(ROOT).values())), 80)  # fmt: skip


def test_the_page_has_both_charts_and_the_rows() -> None:
    page = footprint_html(Footprint(FOUND.rows, published=tuple(load_published(ROOT).values())))
    assert page.count('class="chart tradeoff"') == 2 and "Size against speed and memory: sha256" in page
    assert 'data-front="bearssl smallest, mbedtls cut, mbedtls default"' in page
    assert "ended with status 2 when it was called again" in page and "1.50 (1.48 to 1.52)" in page
    plain = footprint_html(Footprint((row("default", 60_000, None, speed=()),)))
    assert "tradeoff" not in plain.partition("</style>")[2]


def test_a_chart_without_a_place_is_none() -> None:
    assert tradeoff([], ["one"], "x", "y", "t") == ""
    assert tradeoff([Mark("a", 0, 0.0, 1.0)], ["one"], "x", "y", "t") == ""
    drawn = tradeoff([Mark("a", 0, 1000.0, 5.0, front=True), Mark("b<", 1, 2e6, 2.0, 1.9, 2.1, True)], ["one", "two"], "x", "y", "t")  # fmt: skip
    assert 'data-front="a, b&lt;"' in drawn and "1 M" in drawn


def test_shared_libraries_are_rows() -> None:
    one = Shared(library="x", name="libx.so.1", version="1.0", sizes=Sizes(9000, 5000, 2000, 300, 40), stripped_bytes=8000)  # fmt: skip
    text = shared_text((one, Shared(library="y", problem="not installed")), 100)
    assert "libx.so.1" in text and "8,000" in text and "not installed" in text
    page = footprint_html(Footprint((), shared=(one,)))
    assert "Shared libraries" in page and "libx.so.1" in page


def test_instructions_of_one_file_with_default_are_not_put_over_its_own() -> None:
    rows = (row("default", 9, 5.0, image="aa"), row("lto", 9, 5.0, image="aa"), row("cut", 8, 5.0, image="bb"))
    found = Footprint(rows)
    assert [counts_over(found, one, one.speed[0]) for one in rows] == [None, None, 1.0]
