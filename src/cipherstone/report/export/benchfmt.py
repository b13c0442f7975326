# SPDX-License-Identifier: Apache-2.0
"""The Go benchmark data format (golang.org/design/14313-benchmark-format), one line per pass, so that `benchstat -col /library` compares.

Configuration lines hold only what makes figures incomparable (benchstat starts a new table where they differ): processor, architecture,
method. Versions and the run's name stand in lines that the format ignores, so that a run before and one after an update meet in one table.
"""

from __future__ import annotations

import re
from collections import Counter

from cipherstone.model.ids import Case, Lane
from cipherstone.model.summary import CellSummary, RunSummary

_GOMAXPROCS_LOOK = re.compile(r"-[0-9]+\Z")


def export_benchfmt(run: RunSummary) -> str:
    """Every cell that has pass figures, one result line for each of them: ns per call, and MB/s (10^6) for operations with sizes.

    Iterations are the mean number of calls behind a line. Cells without figures are named, with the reason, in lines that are ignored; so are lax and strict ones, before their figures.
    """
    manifest = run.manifest
    several = _libraries_with_several_builds(run)
    lines = [
        f"# cipherstone {manifest.tool_version}, run {manifest.run_id}, created {manifest.created}",
        *(f"# {build.library} {build.version}, {build.compiler} {build.flags}".rstrip() for build in manifest.builds),
        "pkg: cipherstone",
        f"goarch: {_one_line(manifest.machine.architecture)}",
        f"cpu: {_one_line(manifest.machine.cpu_model)}",
        f"method: {_one_line(manifest.method)}",
        "",
    ]
    for case in run.cases:
        for cell in case.cells:
            if cell.outcome.timed and cell.pass_ns and not cell.refused:
                if cell.deviations:
                    lines.append(f"# {case.case} {cell.lane}: {cell.outcome}: {_one_line(cell.detail)}")
                lines += _results(case.case, cell, several)
            else:
                why = _one_line(cell.refused or cell.detail) or "no figures"
                lines.append(f"# {case.case} {cell.lane}: {cell.outcome}: {why}")
    return "\n".join([*lines, *_figures(run)]) + "\n"


def _figures(run: RunSummary) -> list[str]:
    """A line a pass and lane of an instrument's case, with all figures of that pass; units are the figures' names."""
    by_pass: dict[tuple[str, str, int], list[str]] = {}
    for one in run.figures:
        for number, value in one.by_pass:
            by_pass.setdefault((one.case, one.lane, number), []).append(f"{value!r} {one.figure}")
    named = {key: benchmark_name(Case.parse(key[0]), Lane.parse(key[1]), True) for key in by_pass}
    return ["\t".join((named[key], "1", *values)) for key, values in by_pass.items()]


def benchmark_name(case: Case, lane: Lane, with_build: bool) -> str:
    """`BenchmarkSHA256Hash/library=openssl/impl=default/bytes=16384`. The A/A lane is library `NAME#2`; `with_build` adds `/build=VERSION`."""
    base = "".join(word.upper() for word in re.split(r"[^a-z0-9]+", case.algorithm))
    if not base[:1].isalpha():
        base = "Op" + base  # the format asks for an upper-case letter after `Benchmark`
    base += "".join(word.capitalize() for word in case.verb.split("-"))
    name = f"Benchmark{base}/library={lane.library}{'#2' if lane.twin else ''}"
    if with_build:
        name += f"/build={lane.build}"
    name += f"/impl={lane.implementation}"
    if case.size_bytes is not None:
        name += f"/bytes={case.size_bytes}"
    name += "".join(f"/{parameter}={value}" for parameter, value in case.params)
    # A final `-N` would be read as GOMAXPROCS and taken off: give it one of its own to take.
    return f"{name}-1" if _GOMAXPROCS_LOOK.search(name) else name


def _results(case_id: str, cell: CellSummary, several: frozenset[str]) -> list[str]:
    case, lane = Case.parse(case_id), Lane.parse(cell.lane)
    name = benchmark_name(case, lane, lane.library in several)
    calls = max(1, cell.calls_per_batch * cell.batches // len(cell.pass_ns))
    lines = []
    for ns in cell.pass_ns:
        rate = f"\t{case.size_bytes / ns * 1e3!r} MB/s" if case.size_bytes else ""
        lines.append(f"{name}\t{calls}\t{ns!r} ns/op{rate}")
    return lines


def _libraries_with_several_builds(run: RunSummary) -> frozenset[str]:
    builds = {(lane.library, lane.build) for case in run.cases for lane in (Lane.parse(c.lane) for c in case.cells)}
    return frozenset(library for library, count in Counter(library for library, _ in builds).items() if count > 1)


def _one_line(text: str) -> str:
    return " ".join(text.split())
