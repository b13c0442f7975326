# SPDX-License-Identifier: Apache-2.0
"""Reports of other programs that were made to exhaust their reader, or that hold figures no machine has: one line, and nothing is stored."""

from __future__ import annotations

import json
import resource
from pathlib import Path
from typing import Any

import pytest

from cipherstone.cli.count import _read as read_counts
from cipherstone.imports.bundles import PROGRAMS, read_publication
from cipherstone.labs.footprint.results import read_footprint
from cipherstone.labs.tls.interop.mutated import MutationProgress
from cipherstone.model.errors import DataError

PQM4_HEAD = "Speed Evaluation,,\nScheme,Implementation,Sign [cycles] (mean)\n"
SUPERCOP = "20260330 host amd64 20260401 crypto_hash sha256/x "


def refused(tmp_path: Path, program: str, content: bytes | str, *parts: str) -> str:
    path = tmp_path / "file.out"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(DataError) as caught:
        read_publication(path, program)
    message = caught.value.message
    assert "\n" not in message and len(message) < 300 and caught.value.hint, message
    for part in parts:
        assert part in message, message
    return message


@pytest.fixture
def little_time() -> Any:
    """Ends what computes for much longer than a refusal takes: processor time, which no other process takes away."""
    before = resource.getrlimit(resource.RLIMIT_CPU)
    used = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 60, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_CPU, before)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("separator", [b"\n", b"\r", b"\r\n"], ids=["lf", "cr", "crlf"])
def test_nothing_but_ends_of_lines(program: str, separator: bytes, tmp_path: Path, little_time: None) -> None:
    refused(tmp_path, program, separator * (6 << 20), "file.out: more than ", " lines")


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_file_that_is_too_large_is_not_read(program: str, tmp_path: Path) -> None:
    with (tmp_path / "file.out").open("wb") as stream:
        stream.truncate(300 << 20)
    with pytest.raises(DataError, match=r"file\.out: \d+ bytes: too large to be read") as caught:
        read_publication(tmp_path / "file.out", program)
    assert caught.value.hint.startswith("at most ")


@pytest.mark.parametrize("program", ["cryptobench", "openssl-speed", "supercop", "pqm4"])
def test_a_line_that_is_too_long(program: str, tmp_path: Path) -> None:
    refused(tmp_path, program, "first\n" + "1" * 140_000 + "\n", "file.out: line 2: longer than ")


def test_digits_that_match_in_a_thousand_ways(tmp_path: Path, little_time: None) -> None:
    refused(tmp_path, "openssl-speed", "sha256 " + "1" * 4000 + "!\n", "line 1: 'sha256 111")
    refused(tmp_path, "openssl-speed", "sha256 " + "1k" * 2000 + "!\n", "line 1: 'sha256 1k1k")


@pytest.mark.parametrize("program", ["bssl-speed", "botan-speed", "google-benchmark"])
def test_nesting(program: str, tmp_path: Path) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    for text in (deep, '[{"x": ' + deep + "}]", '{"x": ' + deep + "}"):
        refused(tmp_path, program, text, "file: not ")


@pytest.mark.parametrize("content", ["[" * 100_000, '{"x": ' * 100_000, '[{"x":' + "[" * 100_000, "\xff", "{}"])
def test_what_commands_of_ours_wrote_and_somebody_edited(content: str, tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_bytes(content.encode("latin-1"))
    for reads in (read_footprint, read_counts, lambda file: MutationProgress(file, 1)):
        with pytest.raises(DataError) as caught:
            reads(path)
        assert "own.json" in caught.value.message and "\n" not in caught.value.message and caught.value.hint


def test_a_state_is_not_written_through_what_lies_beside_it(tmp_path: Path) -> None:
    """The names of its new file were put there by somebody: links to a file of the user's."""
    mine, state = tmp_path / "mine", tmp_path / "state"
    mine.write_text("mine")
    for name in ("state.new", "state.tmp", "state"):
        (tmp_path / name).symlink_to(mine)
    state.unlink()
    progress = MutationProgress(state, 3)
    progress.put(progress.of("peer", "client", "tls13"))
    assert mine.read_text() == "mine" and state.is_file() and not state.is_symlink()
    assert MutationProgress(state, 3).of("peer", "client", "tls13").seed == 3


def _bssl(calls: object, us: object, size: int = 0) -> str:
    row = {"description": "SHA-256", "numCalls": calls, "microseconds": us}
    return json.dumps([row | ({"bytesPerCall": size} if size else {})])


def _botan(events: object, nanos: object, size: int = 0) -> str:
    return json.dumps([{"algo": "SHA-256", "op": "hash", "events": events, "nanos": nanos, "buf_size": size}])


def _google(time: object, name: str = "BM_X", iterations: int = 1) -> str:
    row = {"name": name, "cpu_time": time, "time_unit": "ns", "iterations": iterations}
    return json.dumps({"context": {}, "benchmarks": [row]})


def _cryptobench(iterations: object, usec: object, size: int = 16, reference: str = "3000") -> str:
    head = f"reference: iterations=1: usec-total={reference}: usec/iter=1: score=1\n"
    return head + f"openssl: aes-128: encrypt={size}: iterations={iterations}: usec-total={usec}: usec/iter=1\n"


IMPOSSIBLE = [
    ("bssl-speed", _bssl((1 << 63) - 1, 1)),
    ("bssl-speed", _bssl(10**30, 10**6)),
    ("bssl-speed", _bssl(1, 10**30)),
    ("bssl-speed", _bssl(10**6, 10**6, 1 << 40)),
    ("bssl-speed", _bssl(10**6, 10**6, -5)),
    ("bssl-speed", _bssl(1, 1, 10**30)),
    ("botan-speed", _botan((1 << 63) - 1, 1)),
    ("botan-speed", _botan(1, 10**30)),
    ("botan-speed", _botan(1 << 20, 5, 1024)),
    ("botan-speed", _botan(1 << 20, 50000, -1)),
    ("google-benchmark", _google(1e-9)),
    ("google-benchmark", _google(1e300)),
    ("google-benchmark", _google(1.0, iterations=10**30)),
    ("google-benchmark", _google(1.0, iterations=-3)),
    ("google-benchmark", _google(1.0, "BM_SpeedAEAD/seal_aes_128_gcm/1048576")),
    ("google-benchmark", _google(1.0, "BM_SpeedAEAD/seal_aes_128_gcm/" + "9" * 5000)),
    ("openssl-speed", "+H:16\n+F:6:sha256:1e300\n"),
    ("openssl-speed", "+H:16\n+F:6:sha256:1e999\n"),
    ("openssl-speed", "+H:16\n+F:6:sha256:1e-300\n"),
    ("openssl-speed", "+H:0\n+F:6:sha256:1000.0\n"),
    ("openssl-speed", "+H:" + "9" * 5000 + "\n+F:6:sha256:1000.0\n"),
    ("openssl-speed", "+H:16\n+F4:3:256:1e20:8064.0\n"),
    ("cryptobench", _cryptobench("9" * 20, 1)),
    ("cryptobench", _cryptobench(1, "9" * 20)),
    ("cryptobench", _cryptobench(1000, 1000, 10**20)),
    ("cryptobench", _cryptobench(1000, 1000, 1 << 30)),
    ("cryptobench", _cryptobench(1000, 1000, reference="9" * 24)),
    ("cryptobench", "system: frequency: " + "9" * 400 + "\n" + _cryptobench(1000, 1000)),
    ("cryptobench", "nop: 999999999.000000000 ns/inst\n"),
    ("cryptobench", "nop: 0.000000001 ns/inst\n"),
    ("supercop", SUPERCOP + "cycles 1000000000 1\n"),
    ("pqm4", PQM4_HEAD + "ml-dsa-44 (10 executions),m4f,0\n"),
    ("pqm4", PQM4_HEAD + "ml-dsa-44 (10 executions),m4f,999999999999999999\n"),
]


@pytest.mark.parametrize(("program", "text"), IMPOSSIBLE, ids=[f"{n}-{p}" for n, (p, _) in enumerate(IMPOSSIBLE)])
def test_figures_that_no_machine_has(program: str, text: str, tmp_path: Path) -> None:
    """Not stored: neither faster than the fastest core reads, nor longer than anybody waited."""
    refused(tmp_path, program, text, "file: ")


def test_the_figure_and_its_place_are_named(tmp_path: Path) -> None:
    said = refused(tmp_path, "bssl-speed", _bssl((1 << 63) - 1, 1), "entry 1", "sha-256/")
    assert "1.08e-16 ns a call" in said and "faster than any machine" in said
