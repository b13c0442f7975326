# SPDX-License-Identifier: Apache-2.0
"""Vectors of further ciphers and modes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cryptography.hazmat.primitives.ciphers.aead import AESOCB3
from vector_sources import BLOCK, POSITIVES, Entry, Sources, cover, fits_aead, make_entry, split, spread, told
from vector_symmetric import aes_cbc, aes_ctr

from cipherstone.operations import oracle
from cipherstone.operations.splitmix import splitmix64

Pairs = Iterable[tuple[Entry, Entry]]


def open_inputs(test: Entry) -> dict[str, str]:
    return {"key": test["key"], "iv": test["iv"], "aad": test["aad"], "msg": test["ct"], "tag": test["tag"]}


def aead(sources: Sources, name: str, fits: Callable[[Entry], bool]) -> list[Entry]:
    """Sealed and opened, forged as Wycheproof did, and with one bit flipped."""
    source, pairs = sources.wycheproof(name)
    good, bad = split(pair for pair in pairs if fits(pair[0]))
    return both_ways(good, source) + forged(bad, source) + flipped([test for _, test in good], source)


def both_ways(good: Pairs, source: str) -> list[Entry]:
    entries = []
    for _, test in good:
        inputs = {key: test[key] for key in ("key", "iv", "aad", "msg")}
        entries.append(
            make_entry(f"seal-{test['tcId']}", "seal", inputs, source, test["ct"] + test["tag"], **told(test))
        )
    for _, test in good:
        entries.append(make_entry(f"open-{test['tcId']}", "open", open_inputs(test), source, test["msg"], **told(test)))
    return entries


def forged(bad: Pairs, source: str) -> list[Entry]:
    return [
        make_entry(f"open-{test['tcId']}", "open", open_inputs(test), source, expect="rejected", **told(test))
        for _, test in bad
    ]


WHAT = {"msg": "ciphertext", "aad": "associated data", "iv": "nonce", "tag": "tag"}


def flipped(
    tests: Iterable[Entry], source: str, names: Iterable[str] = ("msg", "aad", "iv"), count: int = 2
) -> list[Entry]:
    """The first and the last byte of each part, of the first tests that have all parts."""
    entries = []
    for test in [test for test in tests if test["msg"] and test["aad"]][:count]:
        for name in names:
            for place, index in (("first", 0), ("last", -1)):
                changed = bytearray.fromhex(open_inputs(test)[name])
                changed[index] ^= 0x01
                entries.append(
                    make_entry(
                        f"open-{test['tcId']}-{name}-{place}",
                        "open",
                        open_inputs(test) | {name: changed.hex()},
                        f"derived from {source}: one bit flipped",
                        expect="rejected",
                        note=f"bit of the {place} byte of the {WHAT[name]} flipped",
                    )
                )
    return entries


def xts(sources: Sources, bits: int) -> list[Entry]:
    """NIST's data units of whole bytes and blocks, and Wycheproof's."""
    path = f"ciphers/AES/XTS/tweak-128hexstr/XTSGenAES{bits}.rsp"
    entries = []
    for verb, given, due in (("encrypt", "PT", "CT"), ("decrypt", "CT", "PT")):
        records = [
            r for r in sources.records(path) if r["section"] == verb.upper() and int(r["DATAUNITLEN"]) % 128 == 0
        ]
        for record in spread(records, POSITIVES // 2):
            inputs = {"key": record["KEY"], "iv": record["I"], "msg": record[given]}
            entries.append(
                make_entry(f"{verb}-{record['COUNT']}", verb, inputs, f"NIST CAVP XTSGenAES{bits}.rsp", record[due])
            )
    source, pairs = sources.wycheproof("aes_xts")
    for group, test in pairs:
        if (
            group["keySize"] == 2 * bits
            and group["ivSize"] == 128
            and test["msg"]
            and len(test["msg"]) % (2 * BLOCK) == 0
        ):
            for verb, given, due in (("encrypt", "msg", "ct"), ("decrypt", "ct", "msg")):
                inputs = {"key": test["key"], "iv": test["iv"], "msg": test[given]}
                entries.append(make_entry(f"{verb}-w{test['tcId']}", verb, inputs, source, test[due], **told(test)))
    return entries


def key_wrap(sources: Sources, bits: int) -> list[Entry]:
    """NIST's, and Wycheproof's, with a check value that is not the standard's among the forgeries."""
    entries = []
    for verb, file, given, due in (("wrap", "AE", "P", "C"), ("unwrap", "AD", "C", "P")):
        records = sources.records(f"keywrap/kwtestvectors/KW_{file}_{bits}.txt")
        source = f"NIST CAVP KW_{file}_{bits}.txt"
        good = [(index, record) for index, record in enumerate(records) if due in record and given in record]
        for index, record in spread(good, POSITIVES // 2):
            inputs = {"key": record["K"], "msg": record[given]}
            entries.append(make_entry(f"{verb}-{index}", verb, inputs, source, record[due]))
        bad = [(index, record) for index, record in enumerate(records) if due not in record and given in record]
        for index, record in spread(bad, POSITIVES // 2):
            inputs = {"key": record["K"], "msg": record[given]}
            entries.append(make_entry(f"{verb}-{index}", verb, inputs, source, expect="rejected"))
    source, pairs = sources.wycheproof("aes_wrap")
    for group, test in pairs:
        if group["keySize"] != bits:
            continue
        if test["result"] == "valid":
            for verb, given, due in (("wrap", "msg", "ct"), ("unwrap", "ct", "msg")):
                inputs = {"key": test["key"], "msg": test[given]}
                entries.append(make_entry(f"{verb}-w{test['tcId']}", verb, inputs, source, test[due], **told(test)))
        elif test["flags"] == ["ModifiedIv"]:
            inputs = {"key": test["key"], "msg": test["ct"]}
            entries.append(
                make_entry(f"unwrap-w{test['tcId']}", "unwrap", inputs, source, expect="rejected", **told(test))
            )
    return entries


def _sealed(record: dict[str, str], name: str, nonce: str, tag: str) -> Entry:
    """A record of a file of `NAME = value` lines as one of Wycheproof's tests; `tag` is what of the sealed message belongs to it."""
    return {
        "tcId": name,
        "key": record["KEY"],
        "iv": record[nonce],
        "aad": record.get("AAD", ""),
        "msg": record["PLAINTEXT"],
        "ct": record["CIPHERTEXT"][: len(record["CIPHERTEXT"]) - len(tag)],
        "tag": tag,
        "comment": "",
        "flags": [],
    }


def ocb(sources: Sources, bits: int) -> list[Entry]:
    """Of RFC 7253 and OpenSSL with 128 bits; with 256 bits nobody published any but an iterated one (tests/unit/test_catalogue_modes.py), so computed ones on which two programs agree."""
    tests: dict[str, list[Entry]] = {}
    if bits == 128:
        for name, title in (
            ("rfc7253", "RFC 7253 appendix A (rfc7253.txt)"),
            ("openssl", "OpenSSL's evpciph.txt (OCB3/openssl.txt)"),
        ):
            records = sources.records(f"ciphers/AES/OCB3/{name}.txt")
            tests[title] = [
                _sealed(r, f"{name}-{r['COUNT']}", "NONCE", r["CIPHERTEXT"][-32:])
                for r in records
                if len(r["KEY"]) == 32 and len(r["NONCE"]) == 24 and len(r["CIPHERTEXT"]) == len(r["PLAINTEXT"]) + 32
            ]
    tests["computed: PyCryptodome and cryptography agree"] = [_computed_ocb(bits, length) for length in COMPUTED]
    entries = []
    for title, given in tests.items():
        entries += both_ways([({}, test) for test in given], title)
    whole = [(title, test) for title, given in tests.items() for test in given]
    for title, test in spread([one for one in whole if one[1]["msg"] and one[1]["aad"]], 3):
        entries += flipped([test], title, WHAT, 1)
    return entries


COMPUTED = (0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 1000)


def _computed_ocb(bits: int, length: int) -> Entry:
    key, iv, aad, msg = (
        splitmix64(seed + length, size) for seed, size in ((1, bits // 8), (2, 12), (3, length % 40), (4, length))
    )
    sealed = oracle.expected_output(f"aes-{bits}-ocb/seal", {"key": key, "iv": iv, "aad": aad, "msg": msg})
    if sealed is None or sealed != AESOCB3(key).encrypt(iv, msg, aad):
        raise SystemExit(f"aes-{bits}-ocb: PyCryptodome and cryptography disagree at {length} bytes")
    parts = {"key": key, "iv": iv, "aad": aad, "msg": msg, "ct": sealed[:length], "tag": sealed[length:]}
    return {name: part.hex() for name, part in parts.items()} | {
        "tcId": f"computed-{length}",
        "comment": "",
        "flags": [],
    }


def _fits(bits: int, iv_bits: int) -> Callable[[Entry], bool]:
    return lambda group: bool(group["keySize"] == bits and group["ivSize"] == iv_bits and group["tagSize"] == 128)


def eax(sources: Sources, bits: int) -> list[Entry]:
    return aead(sources, "aes_eax", _fits(bits, 128))


def camellia_cbc(sources: Sources) -> list[Entry]:
    """OpenSSL's, and Wycheproof's with their padding as a part of the message."""
    entries = []
    records = [r for r in sources.records("ciphers/Camellia/camellia-cbc.txt") if len(r["KEY"]) == 32]
    for record in records:
        for verb, given, due in (("encrypt", "PLAINTEXT", "CIPHERTEXT"), ("decrypt", "CIPHERTEXT", "PLAINTEXT")):
            inputs = {"key": record["KEY"], "iv": record["IV"], "msg": record[given]}
            source = "OpenSSL's test vectors (camellia-cbc.txt)"
            entries.append(make_entry(f"{verb}-openssl-{record['COUNT']}", verb, inputs, source, record[due]))
    source, pairs = sources.wycheproof("camellia_cbc_pkcs5")
    for group, test in pairs:
        if group["keySize"] != 128 or test["result"] != "valid":
            continue
        left = BLOCK - len(test["msg"]) // 2 % BLOCK
        padded = test["msg"] + bytes([left] * left).hex()
        for verb, given, due in (("encrypt", padded, test["ct"]), ("decrypt", test["ct"], padded)):
            inputs = {"key": test["key"], "iv": test["iv"], "msg": given}
            told_of = f"derived from {source}: the padding is a part of the message"
            entries.append(make_entry(f"{verb}-{test['tcId']}", verb, inputs, told_of, due, **told(test)))
    return entries


def ctr_of_gcm(sources: Sources, name: str) -> list[Entry]:
    """Ciphertexts of GCM, which is counter mode from inc32(J0) = IV || 2 (SP 800-38D section 7.1)."""
    source, pairs = sources.wycheproof(name)
    fits = [(g, t) for g, t in pairs if fits_aead(g, 128) and t["result"] == "valid" and t["msg"]]
    entries = []
    for _, test in cover(fits, lambda pair: len(pair[1]["msg"]), POSITIVES):
        inputs = {"key": test["key"], "iv": test["iv"] + "00000002", "msg": test["msg"]}
        told_of = f"derived from {source}: counter from IV || 2"
        entries.append(make_entry(f"gcm-{test['tcId']}", "encrypt", inputs, told_of, test["ct"]))
    return entries


def sm4_ctr(sources: Sources) -> list[Entry]:
    entries = []
    path = "ciphers/SM4/draft-ribose-cfrg-sm4-10-ctr.txt"
    for record in sources.records(path):
        inputs = {"key": record["KEY"], "iv": record["IV"], "msg": record["PLAINTEXT"]}
        source = "draft-ribose-cfrg-sm4-10 appendix A.2.5"
        entries.append(make_entry(f"draft-{record['COUNT']}", "encrypt", inputs, source, record["CIPHERTEXT"]))
    return entries + ctr_of_gcm(sources, "sm4_gcm")


MODES: dict[str, Callable[[Sources], list[Entry]]] = {
    "aes-192-cbc": lambda s: aes_cbc(s, 192),
    "aes-192-ctr": lambda s: aes_ctr(s, 192),
    "aes-192-gcm": lambda s: aead(s, "aes_gcm", _fits(192, 96)),
    "aes-128-ccm": lambda s: aead(s, "aes_ccm", _fits(128, 96)),
    "aes-256-ccm": lambda s: aead(s, "aes_ccm", _fits(256, 96)),
    "aes-128-xts": lambda s: xts(s, 128),
    "aes-256-xts": lambda s: xts(s, 256),
    "xchacha20-poly1305": lambda s: aead(s, "xchacha20_poly1305", _fits(256, 192)),
    "aes-128-eax": lambda s: eax(s, 128),
    "aes-256-eax": lambda s: eax(s, 256),
    "aes-128-ocb": lambda s: ocb(s, 128),
    "aes-256-ocb": lambda s: ocb(s, 256),
    "aes-128-gcm-siv": lambda s: aead(s, "aes_gcm_siv", _fits(128, 96)),
    "aes-256-gcm-siv": lambda s: aead(s, "aes_gcm_siv", _fits(256, 96)),
    "aes-128-kw": lambda s: key_wrap(s, 128),
    "aes-256-kw": lambda s: key_wrap(s, 256),
    "camellia-128-cbc": camellia_cbc,
    "aria-128-ctr": lambda s: ctr_of_gcm(s, "aria_gcm"),
    "sm4-ctr": sm4_ctr,
}
