# SPDX-License-Identifier: Apache-2.0
"""Figures that other programs wrote: each form is read to the digit, in the catalogue's names where the computation is the same, and garbage is one line.

The outputs of `openssl speed` (3.0.19, and the forms of 4.0 from its source), `botan speed` (2.19.3) and Google Benchmark are such as the programs wrote, shortened; those of `bssl speed`, SUPERCOP and pqm4
follow the programs' sources (tool/speed.cc, do-part and measure-anything.c, mupq's benchmarks.py), with figures of pqm4's published table.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cipherstone.imports.bundles import PROGRAMS, manifest_of, read_publication, records_of, write_bundle
from cipherstone.imports.figures import Publication
from cipherstone.model.errors import DataError, UsageError
from cipherstone.model.ids import Case, Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import ForeignRecord, OutcomeRecord
from cipherstone.report.render.foreign import foreign_lines
from cipherstone.store.bundle import Bundle
from cipherstone.store.summary_tables import result_tables
from cipherstone.views.foreign import foreign_cells
from cipherstone.views.run.summarise import summarise

SPEED_MR = """+H:16:1024
+F:25:AES-128-GCM:1000000.00:870323856.41
+F:6:sha256:52244050.00:888877176.47
+F:9:hmac(md5):27276110.00:350179500.00
+F2:2:2048:1733.333333:35981.818182:34000.000000:1700.000000
+F3:1:1024:5348.979592:7338.000000
+F4:3:256:24565.000000:8064.000000
+F5:3:256:10826.000000:0.000092
+F5:22:253:17210.526316:0.000058
+F6:0:253:Ed25519:12263.888889:5042.105263
+F7:0:2048:1689.700000:0.000592
+F8:3:12000.000000:15000.000000:11000.000000
"""
SPEED = """Doing sha256 for 1s on 1024 size blocks: 259577 sha256's in 0.36s
version: 3.0.19
built on: Fri Apr  3 12:29:32 2026 UTC
options: bn(64,64)
compiler: gcc -fPIC -pthread -m64 -O2
CPUINFO: OPENSSL_ia32cap=0xfffa32034f8bffff:0x1b415fdef1bf27eb
The 'numbers' are in 1000s of bytes per second processed.
type             16 bytes   1024 bytes
sha256            9985.25   738352.36k
rand             10653.96k   553286.81k
                  sign    verify    sign/s verify/s
rsa 2048 bits 0.000181s 0.000012s   5520.4  85933.7
                              sign    verify    sign/s verify/s
 256 bits ecdsa (nistp256)   0.0000s   0.0001s  23465.6   8178.8
                              op      op/s
 256 bits ecdh (nistp256)   0.0001s  10330.0
 253 bits ecdh (X25519)   0.0001s  17122.2
                              sign    verify    sign/s verify/s
 253 bits EdDSA (Ed25519)   0.0001s   0.0002s  10550.0   4035.1
                       op     op/s
2048 bits ffdh   0.0006s   1689.7
                               keygen    encaps    decaps keygens/s  encaps/s  decaps/s
                 ML-KEM-768 0.000020s 0.000015s 0.000022s   50000.0   66000.0   45000.0
                  ML-DSA-65 0.000080s 0.000250s 0.000080s   12500.0    4000.0   12400.0
"""
BOTAN = """[
{"algo": "AES-128/GCM(16) [clmul]", "op": "key schedule", "events": 2, "cycles": 71238, "nanos": 35138}
,{"algo": "AES-128/GCM(16) [clmul]", "op": "encrypt", "events": 16910336, "cycles": 57628950, "bps": 587341299, "buf_size": 1024, "nanos": 28791328}
,{"algo": "SHA-256", "op": "hash", "events": 16573440, "cycles": 101734830, "bps": 331468567, "buf_size": 1024, "nanos": 50000035}
,{"algo": "ECDSA-secp256r1 EMSA1(SHA-256)", "op": "sign", "events": 70, "cycles": 105531314, "nanos": 50271076}
,{"algo": "RSA-2048 EMSA-PKCS1-v1_5(SHA-256)", "op": "verify", "events": 568, "cycles": 116571850, "nanos": 55560137}
]
"""
BSSL = """[
{"description": "RSA 2048 signing", "numCalls": 1782, "microseconds": 1000123},
{"description": "RSA 2048 verify (fresh key)", "numCalls": 50000, "microseconds": 1000010},
{"description": "AEAD-AES-128-GCM seal", "numCalls": 8000000, "microseconds": 1000000, "bytesPerCall": 16},
{"description": "EVP-AES-128-GCM encrypt", "numCalls": 4000000, "microseconds": 1000000, "bytesPerCall": 16},
{"description": "SHA-256", "numCalls": 100000, "microseconds": 1000000, "bytesPerCall": 16384},
{"description": "ECDSA P-256 signing", "numCalls": 60000, "microseconds": 1000000},
{"description": "ECDH P-256", "numCalls": 20000, "microseconds": 1000000},
{"description": "EVP ECDH P-256", "numCalls": 25000, "microseconds": 1000000},
{"description": "ML-KEM-768 encaps", "numCalls": 80000, "microseconds": 1000000}
]
"""
GOOGLE = {
    "context": {"date": "2026-11-22T15:53:22+00:00", "executable": "./build/bench", "num_cpus": 2, "mhz_per_cpu": 2100},
    "benchmarks": [
        {"name": "BM_SpeedAEAD/seal_aes_128_gcm/16", "run_name": "BM_SpeedAEAD/seal_aes_128_gcm/16", "run_type": "iteration", "iterations": 1284501, "real_time": 14.447221133762207, "cpu_time": 9.9647489569879646, "time_unit": "ns", "bytes_per_second": 1605660119.3},
        {"name": "BM_Parse", "run_name": "BM_Parse", "run_type": "iteration", "iterations": 100, "real_time": 2.5, "cpu_time": 2.25, "time_unit": "us"},
        {"name": "BM_Fail", "run_name": "BM_Fail", "run_type": "iteration", "error_occurred": True, "error_message": "no key", "iterations": 1, "real_time": 0.0, "cpu_time": 0.0, "time_unit": "ns"},
    ],
}  # fmt: skip
SUPERCOP = """20260330 genji amd64 20260401 crypto_kem mlkem768/timingleaks implementation crypto_kem/mlkem768/avx2 -
20260330 genji amd64 20260401 crypto_kem mlkem768/timingleaks publickeybytes 1184
20260330 genji amd64 20260401 crypto_kem mlkem768/timingleaks try 0f ok 31234 12 3 crypto_kem/mlkem768/avx2 gcc
20260330 genji amd64 20260401 crypto_kem mlkem768/timingleaks keypair_cycles - 31000 +10-4+9
20260330 genji amd64 20260401 crypto_kem mlkem768/timingleaks keypair_randombytes - 64 +0+0+0
20260330 genji amd64 20260401 crypto_kem mlkem768/timingleaks keypair_cycles - 31007 +1-4+9
20260330 genji amd64 20260401 crypto_kem mlkem768/timingleaks enc_cycles - 33100 +0-1+2
20260330 genji amd64 20260401 crypto_hash sha256/constbranchindex cycles 1024 5400 +0-1+2
20260330 genji amd64 20260401 crypto_aead aes128gcmv1/timingleaks encrypt_cycles 64001024 1500 +0-1+2
+ a line of the log
"""
PQM4 = """Speed Evaluation,,,,,,,,,,
Key Encapsulation Schemes,,,,,,,,,,
Scheme,Implementation,Key Generation [cycles] (mean),Key Generation [cycles] (min),Key Generation [cycles] (max),Encapsulation [cycles] (mean),Encapsulation [cycles] (min),Encapsulation [cycles] (max),Decapsulation [cycles] (mean),Decapsulation [cycles] (min),Decapsulation [cycles] (max)
ml-kem-768 (10 executions),m4fspeed,642096,639116,651103,658754,655785,667769,707827,704858,716842
bikel1 (10 executions),m4f,27382389,27382366,27382406,3363252,3363238,3363291,56744036,56744013,56744062
Signature Schemes,,,,,,,,,,
Scheme,Implementation,Key Generation [cycles] (mean),Key Generation [cycles] (min),Key Generation [cycles] (max),Sign [cycles] (mean),Sign [cycles] (min),Sign [cycles] (max),Verify [cycles] (mean),Verify [cycles] (min),Verify [cycles] (max)
ml-dsa-65 (1000 executions),m4f,2516006,2514337,2517453,6193171,2918295,26008621,2415944,2415109,2416730
Memory Evaluation,,,,,,,,,,
Scheme,Implementation,Key Generation [bytes],Encapsulation [bytes],Decapsulation [bytes]
ml-kem-768,m4fspeed,6424,6440,7488
"""
TEXTS = {
    "openssl-speed": SPEED_MR,
    "botan-speed": BOTAN,
    "bssl-speed": BSSL,
    "google-benchmark": json.dumps(GOOGLE),
    "supercop": SUPERCOP,
    "pqm4": PQM4,
}


def read(tmp_path: Path, program: str, text: str) -> Publication:
    path = tmp_path / "file.out"
    path.write_text(text)
    return read_publication(path, program)


def figures(publication: Publication) -> dict[str, float | None]:
    """ns or cycles by case, with the implementation where one is named."""
    found: dict[str, float | None] = {}
    for one in publication.figures:
        lane = Lane.parse(one.lane)
        name = one.case if lane.implementation == "default" else f"{one.case} {lane.implementation}"
        assert name not in found
        found[name] = one.cycles if one.ns is None else one.ns
    return found


def test_every_program_has_a_text_here() -> None:
    assert set(TEXTS) == set(PROGRAMS) - {"cryptobench"}


def test_openssl_speed_for_machines(tmp_path: Path) -> None:
    found = figures(read(tmp_path, "openssl-speed", SPEED_MR))
    assert found == pytest.approx(
        {
            "aes-128-gcm/seal/bytes=16": 16e9 / 1e6,
            "aes-128-gcm/seal/bytes=1024": 1024e9 / 870323856.41,
            "sha-256/hash/bytes=16": 16e9 / 52244050,
            "sha-256/hash/bytes=1024": 1024e9 / 888877176.47,
            "hmac-md5/mac/bytes=16": 16e9 / 27276110,
            "hmac-md5/mac/bytes=1024": 1024e9 / 350179500,
            "rsa-2048-pkcs1/sign": 1e9 / 1733.333333,
            "rsa-2048-pkcs1/verify": 1e9 / 35981.818182,
            "rsa-2048-pkcs1/encrypt": 1e9 / 34000,
            "rsa-2048-pkcs1/decrypt": 1e9 / 1700,
            "dsa-1024/sign": 1e9 / 5348.979592,
            "dsa-1024/verify": 1e9 / 7338,
            "ecdsa-256/sign": 1e9 / 24565,
            "ecdsa-256/verify": 1e9 / 8064,
            "ecdh-256/derive": 1e9 / 10826,
            "x25519/derive": 1e9 / 17210.526316,
            "ed25519/sign": 1e9 / 12263.888889,
            "ed25519/verify": 1e9 / 5042.105263,
            "ffdhe2048/derive": 1e9 / 1689.7,
            "kem-number-3/keygen": 1e9 / 12000,
            "kem-number-3/encaps": 1e9 / 15000,
            "kem-number-3/decaps": 1e9 / 11000,
        }
    )


def test_openssl_speed_for_people(tmp_path: Path) -> None:
    publication = read(tmp_path, "openssl-speed", SPEED)
    found = figures(publication)
    assert {one.lane for one in publication.figures} == {"openssl@3.0.19"}
    assert found == pytest.approx(
        {
            "sha-256/hash/bytes=16": 16e9 / 9985.25,  # no k: bytes a second
            "sha-256/hash/bytes=1024": 1024e9 / 738352360,
            "random/bytes/bytes=16": 16e9 / 10653960,
            "random/bytes/bytes=1024": 1024e9 / 553286810,
            "rsa-2048-pkcs1/sign": 1e9 / 5520.4,
            "rsa-2048-pkcs1/verify": 1e9 / 85933.7,
            "ecdsa-p256/sign": 1e9 / 23465.6,
            "ecdsa-p256/verify": 1e9 / 8178.8,
            "p-256/derive": 1e9 / 10330,
            "x25519/derive": 1e9 / 17122.2,
            "ed25519/sign": 1e9 / 10550,
            "ed25519/verify": 1e9 / 4035.1,
            "ffdhe2048/derive": 1e9 / 1689.7,
            "ml-kem-768/keygen": 1e9 / 50000,
            "ml-kem-768/encaps": 1e9 / 66000,
            "ml-kem-768/decaps": 1e9 / 45000,
            "ml-dsa-65/keygen": 1e9 / 12500,
            "ml-dsa-65/sign": 1e9 / 4000,
            "ml-dsa-65/verify": 1e9 / 12400,
        }
    )


def test_a_rate_of_nothing_is_missing(tmp_path: Path) -> None:
    records = records_of(read(tmp_path, "openssl-speed", "+H:16\n+F:6:sha256:0.00\n+F4:3:256:0.000000:8064.0\n"))
    gone = [one for one in records if isinstance(one, OutcomeRecord)]
    assert [(one.case, one.outcome) for one in gone] == [
        ("sha-256/hash/bytes=16", Outcome.UNAVAILABLE),
        ("ecdsa-256/sign", Outcome.UNAVAILABLE),
    ]
    assert all("rate of nothing" in one.detail for one in gone)


def test_botan_speed(tmp_path: Path) -> None:
    publication = read(tmp_path, "botan-speed", BOTAN)
    assert figures(publication) == pytest.approx(
        {
            "aes-128-gcm/key-schedule clmul": 35138 / 2,
            "aes-128-gcm/seal/bytes=1024 clmul": 28791328 / (16910336 / 1024),
            "sha-256/hash/bytes=1024": 50000035 / (16573440 / 1024),
            "ecdsa-p256/sign": 50271076 / 70,
            "rsa-2048-pkcs1/verify": 55560137 / 568,
        }
    )


def test_bssl_speed(tmp_path: Path) -> None:
    publication = read(tmp_path, "bssl-speed", BSSL)
    assert figures(publication) == pytest.approx(
        {
            "rsa-2048-pkcs1/sign": 1000123e3 / 1782,
            "rsa-2048-pkcs1/verify-rekey": 1000010e3 / 50000,
            "aes-128-gcm/seal/bytes=16 AEAD": 125.0,
            "aes-128-gcm/encrypt/bytes=16 EVP": 250.0,
            "sha-256/hash/bytes=16384": 10000.0,
            "ecdsa-p256/sign": 1e9 / 60000,
            "p-256/derive": 50000.0,
            "p-256/derive EVP": 40000.0,
            "ml-kem-768/encaps": 12500.0,
        }
    )
    assert "made of its numbers" in publication.figures[1].note


def test_google_benchmark(tmp_path: Path) -> None:
    publication = read(tmp_path, "google-benchmark", json.dumps(GOOGLE))
    assert {one.lane for one in publication.figures} == {"bench@unknown"}
    assert figures(publication) == {
        "aes-128-gcm/seal/bytes=16": 9.9647489569879646,
        "bm_parse/call": 2250.0,
        "bm_fail/call": None,
    }
    assert publication.figures[2].missing == "no key"


def test_google_benchmark_takes_the_median_of_repetitions(tmp_path: Path) -> None:
    row = {"name": "BM_X", "run_name": "BM_X", "run_type": "iteration", "cpu_time": 1.0, "time_unit": "ms"}
    rows = [row, row | {"cpu_time": 3.0}]
    for kind, time in (("mean", 2.0), ("median", 2.5), ("stddev", 1.0)):
        rows.append(row | {"name": f"BM_X_{kind}", "run_type": "aggregate", "aggregate_name": kind, "cpu_time": time})
    found = read(tmp_path, "google-benchmark", json.dumps({"context": {}, "benchmarks": rows}))
    assert figures(found) == {"bm_x/call": 2.5e6} and "median of repetitions" in found.notes[0]


def test_supercop(tmp_path: Path) -> None:
    publication = read(tmp_path, "supercop", SUPERCOP)
    assert figures(publication) == {
        "ml-kem-768/keygen avx2": 31000.0,
        "ml-kem-768/encaps avx2": 33100.0,
        "sha-256/hash/bytes=1024": 5400.0,
        "aes128gcmv1/seal/bytes=1024,aad=64": 1500.0,
    }
    assert {Lane.parse(one.lane).build for one in publication.figures} == {
        "20260330+timingleaks",
        "20260330+constbranchindex",
    }
    assert publication.facts["cpu"] == "genji" and publication.facts["date"] == "2026-04-01"


def test_pqm4(tmp_path: Path) -> None:
    publication = read(tmp_path, "pqm4", PQM4)
    found = figures(publication)
    assert len(found) == 9 and found["ml-kem-768/encaps m4fspeed"] == 658754
    assert found["bikel1/decaps m4f"] == 56744036 and found["ml-dsa-65/sign m4f"] == 6193171
    assert {one.iterations for one in publication.figures} == {10, 1000}


def test_what_stands_twice_is_taken_once_and_said(tmp_path: Path) -> None:
    publication = read(tmp_path, "openssl-speed", SPEED_MR + SPEED_MR.replace("24565", "1"))
    assert figures(publication) == figures(read(tmp_path, "openssl-speed", SPEED_MR))
    assert "22 figures are of what the file has a figure of already" in publication.notes[-1]


@pytest.mark.parametrize("program", TEXTS)
def test_a_bundle_says_whose_it_is_and_survives(program: str, tmp_path: Path) -> None:
    publication = read(tmp_path, program, TEXTS[program])
    for one in publication.figures:
        assert Case.parse(one.case).id == one.case and Lane.parse(one.lane).id == one.lane
        assert (one.ns is None or one.ns > 0) and (one.cycles is None or one.cycles > 0)
    writer = write_bundle(tmp_path / "runs", publication, "import")
    with writer:
        writer.finish(result_tables(summarise(writer.manifest, records_of(publication))))
    bundle = Bundle.open(writer.path)
    records = list(bundle.records())
    assert [one for one in records if isinstance(one, ForeignRecord)] == [
        one for one in records_of(publication) if isinstance(one, ForeignRecord)
    ]
    assert bundle.manifest.foreign and bundle.manifest.foreign.startswith(f"{program} report file")
    lines = foreign_lines(bundle.manifest, foreign_cells(records), 80)
    assert max(map(len, lines)) <= 80
    with pytest.raises(DataError, match="already"):
        write_bundle(tmp_path / "runs", publication, "import")


def test_cycles_are_shown_as_cycles(tmp_path: Path) -> None:
    publication = read(tmp_path, "pqm4", PQM4)
    text = "\n".join(foreign_lines(manifest_of(publication, ""), foreign_cells(records_of(publication)), 80))
    assert "27.4M cyc" in text and "659k cyc" in text and " ns" not in text


@pytest.mark.parametrize("program", TEXTS)
@pytest.mark.parametrize("text", ["", "garbage\n", "{", "[]", '{"benchmarks": 3}', "\x00\x1b[31m\n" * 50, "a,b\n" * 9])
def test_garbage_is_one_line(program: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        read(tmp_path, program, text)
    assert "\n" not in caught.value.message and "\x1b" not in caught.value.message and caught.value.hint


@pytest.mark.parametrize(
    ("program", "old", "new", "said"),
    [
        ("openssl-speed", "52244050.00:", "", "line 3: '+F:6:sha256:888877176.47': 1 figures for 2 sizes"),
        ("openssl-speed", "+F7:0:2048", "+F7:0:x", "line 11: '+F7:0:x"),
        ("botan-speed", '"events": 568', '"events": 0', "entry 5: events=0"),
        ("bssl-speed", '"numCalls": 1782', '"numCalls": 0', "entry 1: numCalls=0"),
        ("bssl-speed", '"numCalls": 1782', '"numCalls": "x"', "Expected `int`"),
        ("google-benchmark", '"us"', '"weeks"', "entry 2: cpu_time=2.25 'weeks'"),
        ("supercop", "enc_cycles", "\nenc_cycles", "is not a data line of SUPERCOP"),
        ("pqm4", "658754", "65 8754", "line 4: '65 8754' is no number of cycles"),
        ("pqm4", "Encapsulation [cycles] (mean)", "Wrapping [cycles] (mean)", "has other columns"),
    ],
)
def test_damage_is_named_where_it_is(program: str, old: str, new: str, said: str, tmp_path: Path) -> None:
    assert old in TEXTS[program]
    with pytest.raises(DataError) as caught:
        read(tmp_path, program, TEXTS[program].replace(old, new, 1))
    assert said in caught.value.message and "\n" not in caught.value.message


def test_an_unknown_program_is_named_with_those_that_are_known(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'openssl' is no program") as caught:
        read(tmp_path, "openssl", "")
    assert all(name in caught.value.hint for name in PROGRAMS)
