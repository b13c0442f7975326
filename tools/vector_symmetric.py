# SPDX-License-Identifier: Apache-2.0
"""Vectors of hashes, MACs and ciphers from the published ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from Crypto.Cipher import AES, ChaCha20
from vector_sources import BLOCK, POSITIVES, Entry, Sources, cover, fits_aead, flags, make_entry, split, spread, told

from cipherstone.operations import oracle
from cipherstone.operations.splitmix import splitmix64

# Hashes


def _hash_records(sources: Sources, path: str, wanted: Callable[[int], bool]) -> Iterator[Entry]:
    name = Path(path).stem
    for record in sources.records(path):
        length = int(record.get("LEN", "-1"))
        if length >= 0 and length % 8 == 0 and wanted(length // 8):
            message = record["MSG"] if length else ""
            yield make_entry(
                f"{name.lower()}-{length // 8}", "hash", {"msg": message}, f"{Path(path).name}", record["MD"]
            )


def borders(block: int, length_field: int) -> set[int]:
    """Lengths of messages in bytes at which the padding changes, and some short ones."""
    short = {0, 1, 2, 3, 7, 8, 16, 31, 32, 33, 48}
    return short | {block + d for d in (-2, -1, 0)} | {block - length_field + d for d in (-2, -1, 0, 1)}


def cavp_hash(sources: Sources, stem: str, block: int, length_field: int) -> list[Entry]:
    """Short messages around the block's and the padding's borders, and long messages."""
    wanted = borders(block, length_field)
    short = list(_hash_records(sources, f"{stem}ShortMsg.rsp", lambda n: n in wanted))
    long = list(_hash_records(sources, f"{stem}LongMsg.rsp", lambda n: True))
    return [entry | {"source": f"NIST CAVP {entry['source']}"} for entry in short + spread(long, 8)]


def small_hash(
    sources: Sources,
    path: str,
    source: str,
    lengths: Sequence[int],
    digest: Callable[[bytes], bytes],
    algorithm: str,
    first: str = "PyCryptodome",
) -> list[Entry]:
    """The few published answers, and computed ones around the block's borders, on which two independent programs agree: the oracle, which is `first`, and `digest`."""
    entries = [
        entry | {"source": f"{source} ({entry['source']})"} for entry in _hash_records(sources, path, lambda n: True)
    ]
    for length in lengths:
        message = splitmix64(length, length)
        output = oracle.expected_output(f"{algorithm}/hash", {"msg": message})
        if output is None or output != digest(message):
            raise SystemExit(f"{algorithm}: {first} and hashlib disagree at {length} bytes")
        entries.append(
            make_entry(
                f"computed-{length}",
                "hash",
                {"msg": message.hex()},
                f"computed: {first} and hashlib agree",
                output.hex(),
            )
        )
    return entries


# MACs


def hmac(sources: Sources, rfc: int = 4231, digest: str = "sha256", bits: int = 256) -> list[Entry]:
    """`digest`: as both packages name it; `bits`: of its output, which is not cut."""
    path = f"HMAC/rfc-{rfc}-{digest}.txt"
    entries = []
    for index, record in enumerate(sources.records(path), 1):
        inputs = {"key": record["KEY"], "msg": record["MSG"]}
        entries.append(make_entry(f"rfc{rfc}-{index}", "mac", inputs, f"RFC {rfc} ({Path(path).name})", record["MD"]))
    return entries + _mac(sources, f"hmac_{digest}", "hmac", lambda group: group["tagSize"] == bits)


def cmac(sources: Sources, bits: int) -> list[Entry]:
    path = f"CMAC/nist-800-38b-aes{bits}.txt"
    entries = []
    for record in sources.records(path):
        inputs = {"key": record["KEY"], "msg": record["MESSAGE"]}
        entries.append(
            make_entry(
                f"sp800-38b-{record['COUNT']}", "mac", inputs, f"NIST SP 800-38B ({Path(path).name})", record["OUTPUT"]
            )
        )
    return entries + _mac(
        sources, "aes_cmac", "cmac", lambda group: group["keySize"] == bits and group["tagSize"] == 128
    )


def _mac(sources: Sources, name: str, prefix: str, fits: Callable[[Entry], bool]) -> list[Entry]:
    source, pairs = sources.wycheproof(name)
    good, _ = split(pair for pair in pairs if fits(pair[0]))
    return [
        make_entry(
            f"{prefix}-{test['tcId']}",
            "mac",
            {"key": test["key"], "msg": test["msg"]},
            source,
            test["tag"],
            **told(test),
        )
        for _, test in good[: POSITIVES - 6]
    ]


def _gcm_hash_input(aad: bytes, ciphertext: bytes) -> bytes:
    """What GCM gives to GHASH (SP 800-38D section 7.1, step 5)."""
    pad = b"".join(part + bytes(-len(part) % BLOCK) for part in (aad, ciphertext))
    return pad + (8 * len(aad)).to_bytes(8, "big") + (8 * len(ciphertext)).to_bytes(8, "big")


def ghash(sources: Sources) -> list[Entry]:
    """From tags of GCM and GMAC: Y = tag xor AES_K(J0), H = AES_K(0). Every second message is cut by its trailing zero bytes, which zero padding restores."""
    entries = []
    for name, prefix in (("aes_gcm", "gcm"), ("aes_gmac", "gmac")):
        source, pairs = sources.wycheproof(name)
        fits = [(g, t) for g, t in pairs if g["ivSize"] == 96 and g["tagSize"] == 128 and t["result"] == "valid"]
        for index, (_, test) in enumerate(cover(fits, flags, POSITIVES // 2)):
            cipher = AES.new(bytes.fromhex(test["key"]), AES.MODE_ECB)
            mask = cipher.encrypt(bytes.fromhex(test["iv"]) + b"\x00\x00\x00\x01")
            y = bytes(a ^ b for a, b in zip(bytes.fromhex(test["tag"]), mask, strict=True))
            gmac = prefix == "gmac"
            aad = bytes.fromhex(test["msg" if gmac else "aad"])
            message = _gcm_hash_input(aad, b"" if gmac else bytes.fromhex(test["ct"]))
            message = message.rstrip(b"\x00") if index % 2 else message
            inputs = {"key": cipher.encrypt(bytes(BLOCK)).hex(), "msg": message.hex()}
            entries.append(
                make_entry(
                    f"{prefix}-{test['tcId']}",
                    "mac",
                    inputs,
                    f"derived from {source}: tag xor AES_K(J0)",
                    y.hex(),
                    **told(test),
                )
            )
    return entries


def poly1305(sources: Sources) -> list[Entry]:
    """RFC 8439, and the tags of the AEAD: one-time key = first 32 bytes of block 0 (RFC 8439 section 2.6)."""
    entries = []
    for record in sources.records("poly1305/rfc7539.txt"):
        inputs = {"key": record["KEY"], "msg": record["MSG"]}
        entries.append(
            make_entry(
                f"rfc8439-{record['COUNT']}",
                "mac",
                inputs,
                "RFC 8439 appendix A.3 (poly1305/rfc7539.txt)",
                record["TAG"],
            )
        )
    source, pairs = sources.wycheproof("chacha20_poly1305")
    fits = [(g, t) for g, t in pairs if g["ivSize"] == 96 and t["result"] == "valid"]
    for _, test in cover(fits, flags, POSITIVES - len(entries)):
        key = ChaCha20.new(key=bytes.fromhex(test["key"]), nonce=bytes.fromhex(test["iv"])).encrypt(bytes(32))
        parts = [bytes.fromhex(test["aad"]), bytes.fromhex(test["ct"])]
        message = b"".join(part + bytes(-len(part) % BLOCK) for part in parts)
        message += b"".join(len(part).to_bytes(8, "little") for part in parts)
        inputs = {"key": key.hex(), "msg": message.hex()}
        entries.append(
            make_entry(
                f"aead-{test['tcId']}",
                "mac",
                inputs,
                f"derived from {source}: one-time key",
                test["tag"],
                **told(test),
            )
        )
    return entries


# Ciphers


def aes_cbc(sources: Sources, bits: int) -> list[Entry]:
    entries = []
    for kind, count in (("MMT", 10), ("GFSbox", 5), ("KeySbox", 8), ("VarKey", 8), ("VarTxt", 8)):
        entries += _cavp_cipher(
            sources, f"ciphers/AES/CBC/CBC{kind}{bits}.rsp", kind.lower(), count, lambda r: r["KEY"]
        )
    return entries


def triple_des_cbc(sources: Sources) -> list[Entry]:
    """Two and three different keys; the single-key sets use weak keys, which some libraries refuse, as they may."""
    entries = []
    for kind in ("MMT3", "MMT2"):
        entries += _cavp_cipher(sources, f"ciphers/3DES/CBC/TCBC{kind}.rsp", kind.lower(), 10, _triple_key)
    return entries


def _triple_key(record: dict[str, str]) -> str:
    return "".join(record[f"KEY{n}"] for n in (1, 2, 3))


def _cavp_cipher(
    sources: Sources, path: str, prefix: str, count: int, key: Callable[[dict[str, str]], str]
) -> list[Entry]:
    entries = []
    for verb, given, due in (("encrypt", "PLAINTEXT", "CIPHERTEXT"), ("decrypt", "CIPHERTEXT", "PLAINTEXT")):
        records = [record for record in sources.records(path) if record["section"] == verb.upper()]
        for record in spread(records, count):
            inputs = {"key": key(record), "iv": record["IV"], "msg": record[given]}
            entries.append(
                make_entry(
                    f"{verb}-{prefix}-{record['COUNT']}", verb, inputs, f"NIST CAVP {Path(path).name}", record[due]
                )
            )
    return entries


def aes_ctr(sources: Sources, bits: int) -> list[Entry]:
    """RFC 3686, and ciphertexts of GCM, which is counter mode from inc32(J0) = IV || 2 (SP 800-38D section 7.1)."""
    path = f"ciphers/AES/CTR/aes-{bits}-ctr.txt"
    entries = []
    for record in sources.records(path):
        inputs = {"key": record["KEY"], "iv": record["IV"], "msg": record["PLAINTEXT"]}
        entries.append(
            make_entry(
                f"rfc3686-{record['COUNT']}", "encrypt", inputs, f"RFC 3686 ({Path(path).name})", record["CIPHERTEXT"]
            )
        )
    source, pairs = sources.wycheproof("aes_gcm")
    fits = [(g, t) for g, t in pairs if fits_aead(g, bits) and t["result"] == "valid" and t["msg"]]
    for _, test in cover(fits, lambda pair: len(pair[1]["msg"]), POSITIVES - len(entries)):
        inputs = {"key": test["key"], "iv": test["iv"] + "00000002", "msg": test["msg"]}
        entries.append(
            make_entry(
                f"gcm-{test['tcId']}", "encrypt", inputs, f"derived from {source}: counter from IV || 2", test["ct"]
            )
        )
    return entries


def chacha20(sources: Sources) -> list[Entry]:
    """RFC 8439 with block counter 0, and ciphertexts of the AEAD (counter 1), led by a block 0 that PyCryptodome computed."""
    entries = []
    for record in sources.records("ciphers/ChaCha20/rfc7539.txt"):
        if record["INITIAL_BLOCK_COUNTER"] == "0":
            inputs = {"key": record["KEY"], "iv": record["NONCE"], "msg": record["PLAINTEXT"]}
            source = "RFC 8439 appendix A.2 (ChaCha20/rfc7539.txt)"
            entries.append(make_entry(f"rfc8439-{record['COUNT']}", "encrypt", inputs, source, record["CIPHERTEXT"]))
    source, pairs = sources.wycheproof("chacha20_poly1305")
    fits = [(g, t) for g, t in pairs if g["ivSize"] == 96 and t["result"] == "valid" and t["msg"]]
    for _, test in cover(fits, flags, POSITIVES - 10):
        block = ChaCha20.new(key=bytes.fromhex(test["key"]), nonce=bytes.fromhex(test["iv"])).encrypt(bytes(64))
        inputs = {"key": test["key"], "iv": test["iv"], "msg": bytes(64).hex() + test["msg"]}
        entries.append(
            make_entry(
                f"aead-{test['tcId']}",
                "encrypt",
                inputs,
                f"derived from {source}: computed block 0, then its ciphertext",
                block.hex() + test["ct"],
            )
        )
    return entries
