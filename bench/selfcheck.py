# SPDX-License-Identifier: Apache-2.0
"""`python -m bench.selfcheck`: measures the instrument and prints what it found against its targets.

A benchmark, not a test: its figures depend on the machine and on what else it does, so nothing fails here. Progress goes to standard error,
results to standard output, each section as soon as it is done; Ctrl-C prints the summary of what is done.
"""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from bench import (
    aa,
    commands,
    contention,
    delay,
    empty,
    growth,
    handloop,
    handshakes,
    instructions,
    lanes,
    longloops,
    loops,
    neighbour,
    ring,
    share,
    spread,
)
from bench.field import Field
from bench.programs import section as programs
from bench.result import WIDTH, Result, tell
from cipherstone import METHOD_VERSION, __version__
from cipherstone.cli.environment import workshop
from cipherstone.model.errors import CipherstoneError


class Section(NamedTuple):
    """A section: what it measures, about how long (seconds, at full length on two cores), and the function that does it (`fast`: fewer repetitions)."""

    name: str
    title: str
    about_s: int
    run: Callable[[Field, Result, bool], None]


SECTIONS = (
    Section("empty", "cost of the empty operation", empty.ABOUT_S, empty.run),
    Section("handloop", "agreement with a hand-written loop", handloop.ABOUT_S, handloop.run),
    Section("longloops", "agreement with programs written by hand, long calls", longloops.ABOUT_S, longloops.run),
    Section("loops", "agreement of random cells with minimal loops", loops.ABOUT_S, loops.run),
    Section("programs", "agreement with the libraries' own programs", programs.ABOUT_S, programs.run),
    Section("handshakes", "agreement with other tools of TLS", handshakes.ABOUT_S, handshakes.run),
    Section("aa", "false positives of the A/A lane", aa.ABOUT_S, aa.run),
    Section("delay", "detection of +3 % and +1 %", delay.ABOUT_S, delay.run),
    Section("spread", "spread of ratios from run to run, against sequential blocks", spread.ABOUT_S, spread.run),
    Section("neighbour", "short runs beside a bursty neighbour", neighbour.ABOUT_S, neighbour.run),
    Section("contention", "planted contention, kind by kind", contention.ABOUT_S, contention.run),
    Section("lanes", "does a ratio depend on how it is measured?", lanes.ABOUT_S, lanes.run),
    Section("ring", "one input for ever, against a ring of inputs", ring.ABOUT_S, ring.run),
    Section("instructions", "stability of the instruction table", instructions.ABOUT_S, instructions.run),
    Section("share", "share of time inside batches, wall time, start", share.ABOUT_S, share.run),
    Section("commands", "time of commands that measure nothing", commands.ABOUT_S, commands.run),
    Section("growth", "growth from 50 to 5,000 cells", growth.ABOUT_S, growth.run),
)


def main() -> int:
    """Runs the sections asked for (all of them if none is named). 0, or 1 if a section broke or was interrupted; a missed target is not a failure."""
    options = _options()
    chosen = [section for section in SECTIONS if not options.section or section.name in options.section]
    done: list[Result] = []
    status = 0
    try:
        tell("looking for the libraries")
        field = Field.open(workshop(options.cache), options.cpu)
        print(_head(field, options.fast), flush=True)
        for section in chosen:
            tell(f"{section.name}: {section.title}" + ("" if options.fast else f" (about {section.about_s} s)"))
            result = Result(section.name, section.title)
            began = time.monotonic()
            try:
                section.run(field, result, options.fast)
            except CipherstoneError as error:
                result.say(f"This section could not go on: {error.message}")
                result.check("a whole section", error.message, None)
                status = 1
            result.seconds = time.monotonic() - began
            done.append(result)
            print(result.text(), flush=True)
    except KeyboardInterrupt:
        print("Interrupted; what was done:", flush=True)
        status = 1
    print(_summary(done), flush=True)
    if options.json is not None:
        options.json.write_bytes(msgspec.json.format(msgspec.json.encode(done)) + b"\n")
    return status


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.selfcheck", description="Measure the instrument itself.")
    names = [section.name for section in SECTIONS]
    parser.add_argument(
        "--section",
        action="append",
        choices=names,
        metavar="NAME",
        help=f"only this one, repeatable: {', '.join(names)}",
    )
    parser.add_argument("--fast", action="store_true", help="few repetitions, for trying out: the figures mean little")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all figures as JSON")
    parser.add_argument("--cpu", type=int, help="CPU to measure on (the last one allowed)")
    parser.add_argument("--cache", type=Path, help="folder for built workers, as in `cipherstone run`")
    return parser.parse_args()


def _head(field: Field, fast: bool) -> str:
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    lines = [
        f"cipherstone {__version__} (method {METHOD_VERSION}): the instrument measures itself",
        f"{field.machine.cpu_model}, {field.machine.logical_cpus} CPUs, {field.machine.system}",
        f"load {load}; measuring on CPU {field.cpu}; Python {sys.version.split()[0]}",
        "libraries: " + ", ".join(f"{name} {one.build.version}" for name, one in field.found.items() if one.build),
    ]
    if fast:
        lines.append("--fast: few repetitions, the figures mean little")
    return "\n".join(part for line in lines for part in textwrap.wrap(line, WIDTH, subsequent_indent="  ")) + "\n"


def _summary(done: list[Result]) -> str:
    lines = ["== summary"]
    for result in done:
        for check in result.checks:
            text = f"{result.name:<14} {check.word:<13} {check.measured}"
            lines += textwrap.wrap(text, WIDTH, subsequent_indent=" " * 29)
    lines.append(f"{sum(result.seconds for result in done):.0f} s in all")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
