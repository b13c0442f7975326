# SPDX-License-Identifier: Apache-2.0
"""The libraries' own speed programs: their lines are read as what they print, and every row is an operation of ours. What they print here was printed by them; figures are of no machine in particular."""

from __future__ import annotations

import re

import pytest
import scripts
from bench.programs.known import NOT_HERE, PROGRAMS
from bench.programs.program import Program, Row
from bench.programs.section import NEAR, Met, _name, _why
from bench.result import WIDTH

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.model.errors import CipherstoneError
from cipherstone.model.ids import Case

CATALOGUE = load_catalogue(scripts.ROOT)
LIBRARIES = load_libraries(scripts.ROOT, CATALOGUE)
PRINTED = {
    "openssl speed": """\
type          16384 bytes
sha256         1650350.08k
AES-128-GCM   4650350.08k
                              sign    verify    sign/s verify/s
 256 bits ecdsa (nistp256)   0.0001s   0.0003s  11757.0   3954.0
                              op      op/s
 253 bits ecdh (X25519)   0.0001s   9574.0
""",
    "botan speed": """\
SHA-256 hash buffer size 16384 bytes: 258.117 MiB/sec 7.74 cycles/byte (25.81 MiB in 100.00 ms)
AES-128/GCM(16) [clmul] 80347 key schedule/sec; 0.01 ms/op 25910 cycles/op (2 ops in 0 ms)
AES-128/GCM(16) [clmul] encrypt buffer size 16384 bytes: 306.695 MiB/sec 6.52 cycles/byte (30.67 MiB in 100.01 ms)
ECDSA-secp256r1 42 keygen/sec; 23.60 ms/op 49513594 cycles/op (1 op in 24 ms)
ECDSA-secp256r1 EMSA1(SHA-256) 1100 sign/sec; 0.91 ms/op 1908278 cycles/op (117 ops in 106 ms)
ECDSA-secp256r1 EMSA1(SHA-256) 435 verify/sec; 2.30 ms/op 4825816 cycles/op (48 ops in 110 ms)
Curve25519 10689 keygen/sec; 0.09 ms/op 196197 cycles/op (2 ops in 0 ms)
Curve25519 3274 key agreements/sec; 0.31 ms/op 640986 cycles/op (328 ops in 100 ms)
""",
    "testspeed": """\
SHA-256                          159.30 MB/s
AES-128 CBC decrypt (x86ni)     7721.32 MB/s
GHASH (pclmul)                  4017.36 MB/s
ChaCha20 (sse2)                  378.06 MB/s
RSA i62                          319.37 priv/s
RSA i62                         6065.06 pub/s
RSA i62                           66.63 kgen[1024]/s
""",
    "bench-slope": """\
hash,SHA256,,,,0.779,ns/B,1224,MiB/s,,c/B
cipher,AES,CBC dec,,,0.058,ns/B,16327,MiB/s,,c/B
cipher,AES,GCM enc,,,0.117,ns/B,8169,MiB/s,,c/B
cipher,CHACHA20,POLY1305 enc,,,0.376,ns/B,2539,MiB/s,,c/B
""",
    "nettle-benchmark": """\
            sha256       update 1188.73
            aes128  ECB decrypt 7478.10
            aes128  CBC decrypt 5151.88
        gcm_aes128      encrypt 1922.74
""",
    "wolfCrypt benchmark": """\
SHA-256                    460 MiB took 1.002 seconds,  459.064 MiB/s Cycles per byte =   4.36
AES-128-CBC-dec           5435 MiB took 1.000 seconds, 5434.732 MiB/s Cycles per byte =   0.37
AES-128-GCM-enc           4505 MiB took 1.006 seconds, 4478.611 MiB/s Cycles per byte =   0.45
ECDSA [      SECP256R1]   256     sign      6100 ops took 1.002 sec, avg 0.164 ms,  6086.419 ops/sec, 2104687602 cycles   345030.8 Cycles/op
ECDSA [      SECP256R1]   256   verify      2800 ops took 1.011 sec, avg 0.361 ms,  2769.880 ops/sec, 2122838696 cycles   758156.7 Cycles/op
CURVE  25519    agree     10500 ops took 1.007 sec, avg 0.096 ms, 10428.419 ops/sec, 2114418292 cycles   201373.2 Cycles/op
ML-KEM 768    192    encap     34900 ops took 1.008 sec, avg 0.029 ms, 34615.552 ops/sec, 2117255398 cycles    60666.3 Cycles/op
ML-KEM 768    192    decap     21700 ops took 1.001 sec, avg 0.046 ms, 21677.549 ops/sec, 2102177936 cycles    96874.6 Cycles/op
""",
    "speed_kem": """\
keygen                               |      12998 |          1.000 |          76.972 |    646.133 |                    161478 |    1356815
encaps                               |      11498 |          1.000 |          86.973 |    695.333 |                    179639 |    1444691
decaps                               |       9224 |          1.001 |         108.475 |    776.999 |                    227605 |    1631639
""",
}
# ns per call, computed by hand from the lines above.
READ = {
    ("openssl speed", "sha-256/hash"): 16384 / 1650350.08e3 * 1e9,
    ("openssl speed", "ecdsa-p256-sha256/sign"): 1e9 / 11757,
    ("openssl speed", "ecdsa-p256-sha256/verify"): 1e9 / 3954,
    ("botan speed", "aes-128-gcm/seal"): 16384 / (306.695 * 1048576) * 1e9,
    ("botan speed", "ecdsa-p256-sha256/verify"): 1e9 / 435,
    ("testspeed", "sha-256/hash"): 8192 / 159.30e6 * 1e9,
    ("testspeed", "modexp/public"): 1e9 / 6065.06,
    ("bench-slope", "aes-128-gcm/seal"): 0.117 * 16384,
    ("nettle-benchmark", "aes-128-gcm/seal"): 10240 / (1922.74 * 1048576) * 1e9,
    ("wolfCrypt benchmark", "x25519/derive"): 1e9 / 10428.419,
    ("speed_kem", "ml-kem-768/decaps"): 108475.0,
}


def each() -> list[tuple[Program, Row]]:
    return [(program, row) for program in PROGRAMS for row in program.rows]


@pytest.mark.parametrize(
    ("program", "row"), each(), ids=lambda one: one.title if isinstance(one, Program) else one.case
)
def test_a_row_is_an_operation_of_ours_and_its_line_is_found(program: Program, row: Row) -> None:
    case = Case.parse(row.case)
    assert case.operation.split("/bytes")[0] in CATALOGUE.operations
    assert program.build in {one.name for one in LIBRARIES[program.library].builds}
    assert (program.make is None) == bool(program.installed)
    ns = row.ns(PRINTED[program.title])
    known = READ.get((program.title, f"{case.algorithm}/{case.verb}"))
    assert ns > 0 and (known is None or ns == pytest.approx(known))


def test_rows_of_a_program_have_names_of_their_own_that_fit() -> None:
    for program in PROGRAMS:
        names = [_name(row) for row in program.rows]
        assert len(set(names)) == len(names) and max(map(len, names)) <= WIDTH - 46
    assert all(line.endswith(".") for line in NOT_HERE)


def test_a_line_that_is_not_there_is_one_sentence() -> None:
    row = PROGRAMS[0].rows[0]
    for text in ("", "sha256  0.00k\n"):
        with pytest.raises(CipherstoneError, match=re.escape(row.case)):
            row.ns(text)


def test_why_a_row_is_off() -> None:
    same = Row("x25519/derive", "", "us")
    other = same._replace(differs="takes no tag")
    assert _why(same, NEAR, Met()) == "near"
    assert _why(other, 0.5, Met()) == "takes no tag"
    assert _why(same, 0.5, Met()) == "", "nothing is known: it is said so"
    assert _why(same, 0.03, Met(moved=0.04)) == "our own figure moved by 4.0 % meanwhile"
    assert _why(same, 0.05, Met(typical=1.06)).startswith("as far as our own typical batch")
    assert _why(same, 0.05, Met(beside=1.04)) == "others used the core: a fixed loop took 4.0 % longer there"
    assert _why(same, 0.08, Met(beside=1.04)) == _why(same, -0.05, Met(beside=1.5)) == "", "what does not explain it"
    assert _why(same, 1.0, Met(share=0.5)) == "the program had 50% of the core: 1.00 by its share"
    assert _why(same, 1.0, Met(share=0.7)) == "", "a share that does not explain it is no reason"


def test_the_guide_names_every_program_and_build() -> None:
    page = (scripts.ROOT / "docs/guides/other-programs.md").read_text()
    for program in PROGRAMS:
        build = "the distribution" if program.installed else f"`{program.library}@{program.build}`"
        assert re.search(rf"^\| `{re.escape(program.title)}` \| {re.escape(build)} \|", page, re.MULTILINE), (
            program.title
        )
