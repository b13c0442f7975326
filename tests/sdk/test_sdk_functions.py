# SPDX-License-Identifier: Apache-2.0
"""Values, checksums and differences of readings, against Python's arithmetic and zlib; native and AArch64."""

from __future__ import annotations

import random
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from toy_library import splitmix64

Program = Callable[..., list[str]]
DETAIL_MAX = 256  # CS_DETAIL_MAX of the SDK: what a reply tells of an error


@pytest.fixture(scope="session", params=["native", "aarch64"])
def functions(request: pytest.FixtureRequest, program: Program) -> list[str]:
    return program("functions.c", machine=request.param)


def answers(command: list[str], lines: list[str]) -> list[str]:
    done = subprocess.run(
        command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=True, timeout=60
    )
    found = done.stdout.splitlines()
    assert len(found) == len(lines)
    return found


def test_protocol_examples_of_the_generator(functions: list[str]) -> None:
    found = answers(functions, ["value gen:0:16", "value gen:1:12", "value gen:5:0"])
    assert found == ["afcd1d7b39a820e2f465b9a16a9e786e", "c15c0289ec2d0a9167ec8e65", ""]


def test_generator_against_python(functions: list[str]) -> None:
    chance = random.Random(3)
    seeds = [0, 1, 2**63, 2**64 - 1, *(chance.getrandbits(64) for _ in range(100))]
    pairs = [(seed, chance.randrange(200)) for seed in seeds]
    found = answers(functions, [f"value gen:{seed}:{length}" for seed, length in pairs])
    assert found == [splitmix64(seed, length).hex() for seed, length in pairs]


def test_hexadecimal_of_every_byte(functions: list[str]) -> None:
    every = bytes(range(256)).hex()
    assert answers(functions, [f"value hex:{every}", "value hex:"]) == [every, ""]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "hex",
            "hex:0",
            "hex:AB",
            "hex:0x",
            "hex: 0",
            "gen:",
            "gen:1",
            "gen:1:",
            "gen::1",
            "gen:1:1:1",
            "gen:-1:1",
        ),
        *(
            "gen:+1:1",
            "gen: 1:1",
            "gen:1:1 ",
            "gen:18446744073709551616:1",
            "gen:1:18446744073709551616",
            "HEX:00",
            "raw:00",
        ),
    ],
)
def test_malformed_values(functions: list[str], text: str) -> None:
    assert answers(functions, [f"value {text}"]) == ["malformed"]


def test_values_over_256_mib_are_too_long(functions: list[str]) -> None:
    lines = [f"value gen:1:{(256 << 20) + 1}", f"value gen:1:{2**64 - 1}"]
    assert answers(functions, lines) == ["too long"] * 2


def test_crc32_against_zlib(functions: list[str]) -> None:
    """Lengths around the eight-byte step, at every alignment."""
    cases = [(seed, length, seed % 8) for seed, length in enumerate([*range(80), 1000, 4096, 65537])]
    found = answers(functions, [f"crc {seed} {length} {shift}" for seed, length, shift in cases])
    assert found == [f"{zlib.crc32(splitmix64(seed, length)):08x}" for seed, length, _ in cases]


def test_elapsed_nanoseconds_are_exact(functions: list[str]) -> None:
    second = 10**9
    starts = [0, 1, 2**31 * second - 1, 2**32 - 1, 2**32, 2**53, 2**63 - 5 * second, 2**63 - 1, 2**63, 2**64]
    spans = [0, 1, 999_999_999, second, 2**32 - 1, 2**32, 2**32 + 1, 2**53 + 1, 2**62 + 1]
    pairs = [(start, start + span) for start in starts for span in spans]
    lines = [f"elapsed {a // second} {a % second} {b // second} {b % second}" for a, b in pairs]
    assert answers(functions, lines) == [str(b - a) for a, b in pairs]


def test_time_that_runs_backwards_is_zero(functions: list[str]) -> None:
    assert answers(functions, ["elapsed 5 0 4 999999999", "elapsed 5 7 5 6"]) == ["0", "0"]


def test_decimal_numbers(functions: list[str]) -> None:
    texts = [
        "0",
        "7",
        "007",
        str(2**64 - 1),
        str(2**64),
        "99999999999999999999999",
        "",
        "-1",
        "+1",
        " 1",
        "1 ",
        "0x10",
        "1e3",
    ]
    expected = ["0", "7", "7", str(2**64 - 1)] + ["no"] * 9
    assert answers(functions, [f"decimal {text}" for text in texts]) == expected


def test_what_is_kept_of_a_failure(functions: list[str]) -> None:
    """One line that fits; of what does not say anything, nothing."""
    texts = ["key too short", "", "~then more", "first~second", "x" * (DETAIL_MAX - 1), "x" * 5000]
    found = answers(functions, [f"fail {text}" for text in texts] + ["fail"])
    most = "error " + "x" * (DETAIL_MAX - 1)
    assert found == ["error key too short", "error ", "error ", "error first", most, most, ""]


def test_a_file_that_is_shorter_than_it_says_is_no_value(functions: list[str], tmp_path: Path) -> None:
    """The system's own files claim a page. A file that shrinks while it is read looks the same."""
    (tmp_path / "three").write_bytes(b"abc")
    (tmp_path / "none").write_bytes(b"")
    paths = [tmp_path / "three", tmp_path / "none", tmp_path, tmp_path / "missing"]
    found = answers(functions, [f"from file:{path}" for path in paths] + [f"value file:{tmp_path}/three"])
    assert found == ["616263", "", "malformed", "malformed", "malformed"]
    claims = Path("/sys/devices/system/cpu/online")
    if claims.is_file() and claims.stat().st_size > len(claims.read_bytes()):
        assert answers(functions, [f"from file:{claims}"]) == ["malformed"]


LONGEST = "x" * 63  # CS_PARAM_MAX
EIGHT = ",".join(f"p{i}={i}" for i in range(8))  # CS_PARAMS_MAX
MALFORMED, TWICE = "params is not name=value[,name=value...]", "a parameter appears twice"


@pytest.mark.parametrize(
    ("asked", "row", "told"),
    [
        *((f"a={good}", "-", "1 fits") for good in ("0", "9", "a", "z", "A", "Z", ".", "+", "_", "-x", LONGEST)),
        *((f"{good}=1", "-", "1 fits") for good in ("0", "9", "a", "z", "A", "Z", ".", "+", "_", "-x", LONGEST)),
        *((f"a={bad}", "-", MALFORMED) for bad in ("/", ":", "@", "[", "`", "{", "=", "*", f"{LONGEST}x", "", "\\")),
        *((f"{bad}=1", "-", MALFORMED) for bad in ("/", ":", "@", "[", "`", "{", "", "*", f"{LONGEST}x")),
        *((bad, "-", MALFORMED) for bad in ("-", "a", "a=1,", ",a=1", "a=1,,b=2", "a=1,b")),
        ("a=1,b=1,a=2", "-", TWICE),
        ("a=1,a=1", "-", TWICE),
        (EIGHT, "-", "8 fits"),
        (f"{EIGHT},p8=8", "-", "more than 8 parameters"),
        ("a=1", "a=1", "1 fits"),
        ("a=2", "a=1", "1 not"),
        ("a=1", "a=1|2", "1 fits"),
        ("a=2", "a=1|2", "1 fits"),
        ("a=3", "a=1|2", "1 not"),
        ("a=1", "a=11|2", "1 not"),
        ("a=11", "a=1|2", "1 not"),
        ("a=1", "a=11|1", "1 fits"),
        ("a=12", "a=1|2", "1 not"),
        ("a=2", "a=0|1|2", "1 fits"),
        ("a=1", "b=1", "1 not"),
        ("a=1,b=2", "b=2", "2 fits"),
        ("a=1,b=2", "b=2,a=1", "2 fits"),
        ("a=1,b=2", "b=2,a=3", "2 not"),
        ("a=1,b=2", "b=3,a=1", "2 not"),
        ("a=1", "a=1,b=2", "1 not"),
        ("a=1", "a", "1 not"),
        ("a=1", "b,a=1", "1 not"),
        ("a=1", "=1", "1 not"),
    ],
)
def test_parameters_and_the_rows_that_are_made_for_them(functions: list[str], asked: str, row: str, told: str) -> None:
    assert answers(functions, [f"shape {asked} {row}"]) == [told]


def test_lengths_are_of_the_whole_name(functions: list[str]) -> None:
    asked = {
        "hmac-sha-256 tag": "32",
        "hmac-sha-256/mac tag": "32",
        "hmac-sha-256/mac key": "any",
        "hmac-sha-25 tag": "any",
        "hmac-sha-2566/mac tag": "any",
        "ghash/mac key": "16",
        "ghash key": "16",
        "ghas/mac key": "any",
        "/mac key": "any",
        "siphash-2-4/mac key": "16",
        "siphash-2-4/mac ke": "any",
    }
    assert answers(functions, [f"length {one}" for one in asked]) == list(asked.values())


def test_what_is_hidden_of_the_processor_is_what_was_asked(functions: list[str]) -> None:
    found = answers(functions, ["hidden", "hidden ", "hidden avx2,sha", "hidden"])
    assert found == ["nothing", "nothing", "avx2,sha", "nothing"]
