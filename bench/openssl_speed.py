# SPDX-License-Identifier: Apache-2.0
"""Agreement with the speed programs that libraries bring, in the same minute on the same CPU."""

from __future__ import annotations

import os
import shutil
import subprocess

from bench.field import Field
from bench.result import Result, tell
from cipherstone.model.errors import CipherstoneError

ABOUT_S = 30
REPEATS = 3
NEAR = 0.1
LIBRARY = "openssl"
SIZE = 16384
# Case, arguments of `openssl speed`, the line of its machine-readable output, and how many fields from that line's end the figure stands.
ROWS = (
    (f"sha-256/hash/bytes={SIZE}", ("-evp", "sha256"), "+F:", 1),
    (f"aes-128-gcm/seal/bytes={SIZE}", ("-evp", "aes-128-gcm"), "+F:", 1),
    ("ecdsa-p256-sha256/sign", ("ecdsap256",), "+F4:", 2),
    ("ecdsa-p256-sha256/verify", ("ecdsap256",), "+F4:", 1),
    ("x25519/derive", ("ecdhx25519",), "+F5:", 2),
)


def run(field: Field, result: Result, fast: bool) -> None:
    """Our figure, theirs, ours again, for each row."""
    program = shutil.which("openssl")
    target = "within 10 % of `openssl speed` (no target was set: a check that the figures are of one kind)"
    if program is None or not field.has(LIBRARY):
        result.check(target, "no `openssl` program here" if program is None else "OpenSSL is not here", None)
    else:
        _openssl(field, result, fast, program, target)
    _bearssl(result)


def _openssl(field: Field, result: Result, fast: bool, program: str, target: str) -> None:
    version = subprocess.run([program, "version"], capture_output=True, text=True, check=False).stdout.strip()
    build = field.found[LIBRARY].build
    assert build is not None
    result.say(
        f"{version}; our worker runs OpenSSL {build.version}. ns per operation; the first and last of three columns are ours, before and after:"
    )
    repeats = 1 if fast else REPEATS
    rows: list[list[str]] = []
    away: list[float] = []
    for case, arguments, line, place in ROWS:
        tell(f"  {case}")
        before = _ours(field, case, fast)
        speed = [_speed(field, program, arguments, line, place) for _ in range(repeats)]
        after = _ours(field, case, fast)
        theirs, ours = min(speed), (before[0] + after[0]) / 2
        away.append(abs(theirs / ours - 1))
        name = case.replace("/bytes=", " ")
        rows.append(
            [
                name,
                f"{before[0]:,.0f}",
                f"{theirs:,.0f}",
                f"{after[0]:,.0f}",
                f"{theirs / ours:.3f}",
                f"{after[1] / after[0]:.3f}",
            ]
        )
        result.data[case] = {
            "before_ns": before[0],
            "openssl_speed_ns": speed,
            "after_ns": after[0],
            "typical_after_ns": after[1],
        }
    result.table(["operation", "ours", "speed", "ours", "speed/ours", "median/ours"], rows)
    result.say(
        "`openssl speed -elapsed` divides a second by the calls made in it: a mean that holds whatever else used the core in that second, so it reads high "
        f"by as much as the machine was disturbed; its column is the best of {repeats}. Ours is the 10 % quantile of short batches, the cost when undisturbed; "
        "median/ours shows what a typical batch had on top. The operations differ a little, too: speed's sha256 makes and frees a context in each call, its "
        "aes-128-gcm sets no nonce and no associated data and takes no tag; its ECDSA signs and verifies 20 given bytes, ours hash a message of 32 "
        "bytes first."
    )
    result.check(target, f"farthest {100 * max(away):.1f} % of {len(away)} operations", max(away) <= NEAR)


def _ours(field: Field, case: str, fast: bool) -> tuple[float, float]:
    """(published, typical) ns per call, from a run of this one lane."""
    passes = 6 if fast else 9
    settings = field.settings(min_passes=passes, max_passes=2 * passes, max_time_s=30.0)
    cell = field.run([(case, [field.lane(LIBRARY)])], settings).case(case).cells[0]
    if cell.ns is None or cell.typical_ns is None:
        raise CipherstoneError(f"{case}: no figure: {cell.refused or cell.outcome}", "is the machine contended?")
    return cell.ns.value, cell.typical_ns


def _speed(field: Field, program: str, arguments: tuple[str, ...], line: str, place: int) -> float:
    """ns per operation, from `openssl speed -mr`. CipherstoneError if it prints something else than is known here."""
    command = [program, "speed", "-elapsed", "-mr", "-seconds", "1", "-bytes", str(SIZE), *arguments]
    with field.quiet():
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if field.cpu is not None:
            os.sched_setaffinity(child.pid, {field.cpu})
        try:
            output, _ = child.communicate(timeout=60)
        except BaseException:
            child.kill()
            child.wait()
            raise
    for text in output.splitlines():
        if text.startswith(line):
            figure = float(text.split(":")[-place])
            if line == "+F:":
                return SIZE / figure * 1e9
            # Operations a second; some versions print seconds an operation.
            return 1e9 / figure if figure > 1 else figure * 1e9
    raise CipherstoneError(f"`{' '.join(command)}` printed no line {line}", "its format may have changed")


def _bearssl(result: Result) -> None:
    """BearSSL's speed program is a test of its source tree."""
    path = shutil.which("testspeed")
    text = (
        f"`testspeed` is here ({path}), but nothing here reads its output yet"
        if path
        else "not on this machine: it is test/test_speed.c of the source tree (`make` there builds it as `testspeed`), and Debian's packages libbearssl0 and "
        "libbearssl-dev hold the library and its headers only"
    )
    result.say(f"BearSSL's own speed program: {text}. So there is no comparison with it.")
