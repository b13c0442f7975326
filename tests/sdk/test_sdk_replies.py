# SPDX-License-Identifier: Apache-2.0
"""The SDK's writer of replies against Python's reader of JSON: numbers, texts, what is empty, lines that are as long as they may be, and no memory."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from sdk_build import COMPILER, SDK, compile_c

TEXTS = (
    *(b'\x1f \x20~\x7f"\\/', b"\xc2\x80\xdf\xbf", b"\xc1\xbf\xc0\x80", b"\xc2\x7f\xc2\xc0"),
    *(b"\xe0\xa0\x80\xe0\x9f\xbf", b"\xed\x9f\xbf\xed\xa0\x80", b"\xef\xbf\xbf\xe1\x80", b"\xe1\x80\x7f\xe1\x80\xc0"),
    *(b"\xf0\x90\x80\x80", b"\xf0\x8f\xbf\xbf", b"\xf4\x8f\xbf\xbf", b"\xf4\x90\x80\x80"),
    *(b"\xf5\x80\x80\x80", b"\xf1\x80\x80", b"\xf1\x80\x80\x7f", b"\x80\xbf\xfe\xff"),
    *(b"\xee\x80\x80\xec\xbf\xbf", b"\xf3\xbf\xbf\xbf"),
)
EVERYTHING = (
    '{"seq":7,"ok":true,"empty":{},"none":[],"no":false,"null":null,"nothing":null,"hex":"000ff0ff","short":"","zero":0,'
    '"least":-9223372036854775808,"minus":-1,"most":9223372036854775807,'
    '"numbers":[0.000000,0.500000,0.000000,0.000001,1.000000,900000000000.000000,null,null,12.250000],'
    '"counts":[0,10],"words":["a",""],"objects":[{"n":0.000000},{},{"n":1.000000}],"last":true}'
)
LONGEST = 8 << 20
TOO_LONG = len(
    '{"seq":1,"ok":false,"error":"unsupported-size","detail":"the reply would pass 8 MiB; ask for form=crc32"}\n'
)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    target, source = tmp_path_factory.mktemp("replies") / "replies", Path(__file__).with_name("replies.c")
    compile_c(COMPILER, "-I", str(SDK / "include"), "-I", str(SDK / "src"), str(source), "-o", str(target))
    return subprocess.run([str(target)], capture_output=True, timeout=600, check=True).stdout.split(b"\n")


def one_byte_at_a_time(text: bytes) -> str:
    """Well-formed characters, and one mark for each byte of anything else."""
    found, at = "", 0
    while at < len(text):
        for length in (1, 2, 3, 4):
            try:
                found += text[at : at + length].decode()
            except UnicodeDecodeError:
                continue
            at += length
            break
        else:
            found += "\ufffd"
            at += 1
    return found


def test_everything_that_can_be_told(told: list[bytes]) -> None:
    assert told[0] == b'{"seq":18446744073709551615,"ok":true}}'  # who ends what was not begun
    assert told[1].decode() == EVERYTHING


def test_texts_are_well_formed(told: list[bytes]) -> None:
    assert [json.loads(line)["t"] for line in told[2 : 2 + len(TEXTS)]] == [one_byte_at_a_time(text) for text in TEXTS]
    assert told[2] == b'{"seq":0,"ok":true,"t":"\\u001f  ~\\u007f\\"\\\\/"}'


def test_a_line_has_eight_mebibytes_at_most(told: list[bytes]) -> None:
    """The buffer doubles from 16 KiB on."""
    assert told[2 + len(TEXTS)] == b'{"seq":3,"ok":false,"error":"bad-request","detail":"a \\"word\\""}'
    lengths = [1000, 20000, 32 << 10, LONGEST, TOO_LONG, LONGEST - 1 - (LONGEST - 1 - 27) % 2, TOO_LONG, TOO_LONG]
    assert list(map(int, told[3 + len(TEXTS)].split())) == lengths


def test_without_memory_there_is_still_a_reply(told: list[bytes]) -> None:
    """And once there is some again, all of it."""
    none = b'{"seq":%d,"ok":false,"error":"out-of-memory","detail":"no room for a reply"}'
    assert told[4 + len(TEXTS) : 6 + len(TEXTS)] == [none % 1234567890, none % 0]
    assert told[6 + len(TEXTS) :] == [b'{"seq":5,"ok":false,"error":"bad-request","detail":"again"}', b"16384", b""]
