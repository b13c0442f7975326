# SPDX-License-Identifier: Apache-2.0
"""Which published vectors are kept, by algorithm. Deterministic: the same sources give the same bytes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator

import vector_brainpool
import vector_curve448
import vector_dsa
import vector_finite_field
import vector_keys
import vector_random
from Crypto.PublicKey import ECC
from vector_derivation import DERIVATION
from vector_digests import DIGESTS
from vector_macs import MACS
from vector_modes import MODES, aead
from vector_multiples import multiples
from vector_sources import POSITIVES, Entry, Sources, cover, fits_aead, flags, make_entry, split, spread, told
from vector_symmetric import (
    aes_cbc,
    aes_ctr,
    cavp_hash,
    chacha20,
    cmac,
    ghash,
    hmac,
    poly1305,
    small_hash,
    triple_des_cbc,
)

BRIEF = 3
_SECP256K1_HEAD = "3056301006072a8648ce3d020106052b8104000a034200"  # RFC 5480: id-ecPublicKey, secp256k1
SIGNED = 17  # as many as RFC 6979 and NIST have for P-256

# Public keys


def x25519(sources: Sources) -> list[Entry]:
    entries = []
    for record in sources.records("asymmetric/X25519/rfc7748.txt")[:2]:
        inputs = {"key": record["INPUT_SCALAR"], "pub": record["INPUT_U"]}
        # The RFC's second key has its unused top bit set, which Wycheproof flags where it does the same.
        kinds = ["NonCanonicalPublic"] if int(record["INPUT_U"][-2:], 16) & 0x80 else []
        entries.append(
            make_entry(
                f"rfc7748-{record['COUNT']}",
                "derive",
                inputs,
                "RFC 7748 section 5.2 (rfc7748.txt)",
                record["OUTPUT_U"],
                flags=kinds,
            )
        )
    source, pairs = sources.wycheproof("x25519")
    zero = [pair for pair in pairs if "ZeroSharedSecret" in pair[1]["flags"]]
    others = [pair for pair in pairs if "ZeroSharedSecret" not in pair[1]["flags"]]
    for expect, chosen in (("", cover(others, flags, POSITIVES)), ("ok-or-rejected", spread(zero, 10))):
        for _, test in chosen:
            inputs = {"key": test["private"], "pub": test["public"]}
            entries.append(
                make_entry(
                    f"x25519-{test['tcId']}", "derive", inputs, source, test["shared"], expect=expect, **told(test)
                )
            )
    return entries


def ecdh(curve: str, size: int, algorithm: str = "", head: str = "") -> Callable[[Sources], list[Entry]]:
    """Key agreement and key generation. `curve`: Wycheproof's name; `size`: bytes of a scalar; `algorithm`: which has an agreement with ephemeral keys; `head`: of the SubjectPublicKeyInfo that points are in, where the source has no file of bare ones. Of the points only those of the one length that the catalogue has; scalars are filled up or cut to theirs."""

    def select(sources: Sources) -> list[Entry]:
        source, pairs = sources.wycheproof(f"ecdh_{curve}" if head else f"ecdh_{curve}_ecpoint")
        fitting = [(g, t) for g, t in pairs if t["public"].startswith(head) and len(t["public"]) == len(head) + 2 * (2 * size + 1)]  # fmt: skip
        # What is acceptable there has a fault of its encoding, which is not ours.
        good, bad = split((g, t | {"public": t["public"][len(head) :]}) for g, t in fitting if t["result"] != "acceptable")  # fmt: skip
        entries = []
        for expect, chosen in (("", good), ("bad-key", bad)):
            for _, test in chosen:
                key = test["private"][-2 * size :].zfill(2 * size)
                inputs = {"key": key, "pub": test["public"]}
                shared = None if expect else test["shared"]
                entries.append(
                    make_entry(f"derive-{test['tcId']}", "derive", inputs, source, shared, expect=expect, **told(test))
                )
        entries += _off_curve(entries, source)
        return entries + vector_keys.curve(sources) + vector_keys.agreement(algorithm, entries)

    return select


def _off_curve(entries: list[Entry], source: str) -> list[Entry]:
    """Points of valid vectors with one bit of y flipped: on no curve with these coefficients, as only y and p - y are."""
    found = []
    for entry in [e for e in entries if "expect" not in e][:6]:
        point = bytearray.fromhex(entry["inputs"]["pub"])
        point[-1] ^= 0x02
        found.append(
            make_entry(
                f"{entry['id']}-off",
                "derive",
                entry["inputs"] | {"pub": point.hex()},
                f"derived from {source}: one bit flipped",
                expect="bad-key",
                note="bit of the last byte of y flipped",
            )
        )
    return found


def ed25519(sources: Sources) -> list[Entry]:
    entries = []
    lines = sources.text("asymmetric/Ed25519/sign.input").split()
    for index in sorted({0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 511, 512, 1023}):
        key, pub, message, signature = lines[index].split(":")[:4]
        inputs = {"key": key[:64], "pub": pub, "msg": message}
        entries.append(
            make_entry(
                f"sign-{index + 1}",
                "sign",
                inputs,
                "ed25519 sign.input (RFC 8032 section 7.1 has its first three)",
                signature[:128],
            )
        )
    source, pairs = sources.wycheproof("ed25519")
    good, bad = split(pairs)
    for expect, chosen in (("", good), ("rejected", bad)):
        for group, test in chosen:
            inputs = {"pub": group["publicKey"]["pk"], "msg": test["msg"], "sig": test["sig"]}
            entries.append(make_entry(f"verify-{test['tcId']}", "verify", inputs, source, expect=expect, **told(test)))
    return entries + _foreign(entries, source)


def _foreign(entries: list[Entry], source: str) -> list[Entry]:
    """Valid signatures over another message, and by another key."""
    valid = [e for e in entries if e["verb"] == "verify" and "expect" not in e and e["inputs"]["msg"]]
    first = {
        name: value for name, value in valid[0].items() if name != "flags"
    }  # what is derived has lost what they say
    other = next(e for e in valid if e["inputs"]["pub"] != first["inputs"]["pub"])
    changed = bytearray.fromhex(first["inputs"]["msg"])
    changed[-1] ^= 0x01
    cases = (
        ("msg", changed.hex(), "last bit of the message flipped"),
        ("msg", "", "message left out"),
        ("pub", other["inputs"]["pub"], "public key of another vector"),
    )
    return [
        first
        | {
            "id": f"{first['id']}-foreign-{index}",
            "inputs": first["inputs"] | {name: value},
            "expect": "rejected",
            "note": what,
            "source": f"derived from {source}: another message or key",
        }
        for index, (name, value, what) in enumerate(cases, 1)
    ]


def ecdsa(
    curve: str, sign: Callable[[Sources], Iterator[Entry]], digest: str = "sha256"
) -> Callable[[Sources], list[Entry]]:
    """`curve` and `digest`: Wycheproof's names."""

    def select(sources: Sources) -> list[Entry]:
        entries = list(sign(sources))
        for form, suffix in (("der", ""), ("p1363", "_p1363")):
            name = f"ecdsa_{curve}_{digest}{suffix}"
            verify = list(_ecdsa_verify(sources, form, name))
            entries += verify + _foreign(verify, f"Wycheproof {name}_test.json")
        return entries

    return select


def nist_sign(curve: str, digest: str, size: int, section: str) -> Callable[[Sources], Iterator[Entry]]:
    """Keys and messages alone: a library may sign with or without randomness, and the oracle verifies what comes out.

    `curve` and `digest`: NIST's names; `size`: bytes of a scalar; `section`: of RFC 6979's appendix A.2.
    """

    def sign(sources: Sources) -> Iterator[Entry]:
        path = "asymmetric/ECDSA/RFC6979/evppkey_ecdsa_rfc6979.txt"
        pattern = rf"PrivateKey={curve}_PRIV\n(-----BEGIN.*?END PRIVATE KEY-----)"
        pem = re.search(pattern, sources.text(path), re.DOTALL)
        if pem is None:
            raise SystemExit(f"{path}: no {curve} key")
        key = ECC.import_key(pem[1])
        scalar, point = int(key.d).to_bytes(size, "big").hex(), key.public_key().export_key(format="SEC1").hex()
        for message in ("sample", "test"):
            inputs = {"key": scalar, "pub": point, "msg": message.encode().hex()}
            source = f"RFC 6979 appendix A.2.{section} (evppkey_ecdsa_rfc6979.txt), key and message"
            yield make_entry(f"sign-rfc6979-{message}", "sign", inputs, source)
        records = sources.records("asymmetric/ECDSA/FIPS_186-3/SigGen.txt")
        for index, record in enumerate((r for r in records if r["section"] == f"{curve},{digest}"), 1):
            number, x, y = (record[name][-2 * size :].zfill(2 * size) for name in ("D", "QX", "QY"))
            inputs = {"key": number, "pub": "04" + x + y, "msg": record["MSG"]}
            yield make_entry(f"sign-cavp-{index}", "sign", inputs, "NIST CAVP SigGen.txt, key and message")

    return sign


def _secp256k1_sign(sources: Sources) -> Iterator[Entry]:
    path = "asymmetric/ECDSA/SECP256K1/SigGen.txt"
    records = [r for r in sources.records(path) if r["section"] == "K-256,SHA-256"]
    for index, record in enumerate(spread(records, SIGNED), 1):
        key, x, y = (record[name].zfill(64) for name in ("D", "QX", "QY"))  # the file leaves leading zeros out
        inputs = {"key": key, "pub": "04" + x + y, "msg": record["MSG"]}
        yield make_entry(f"sign-{index}", "sign", inputs, "cryptography's SECP256K1/SigGen.txt, key and message")


def _ecdsa_verify(sources: Sources, form: str, name: str) -> Iterator[Entry]:
    source, pairs = sources.wycheproof(name)
    good, bad = split(pairs)
    for expect, chosen in (("", good), ("rejected", bad)):
        for group, test in chosen:
            inputs = {"pub": group["publicKey"]["uncompressed"], "msg": test["msg"], "sig": test["sig"]}
            yield make_entry(
                f"verify-{form}-{test['tcId']}", "verify", inputs, source, form=form, expect=expect, **told(test)
            )


def mark_brief(entries: list[Entry]) -> None:
    """Marks a few of each operation (and signature encoding): positives and negatives, evenly spread."""
    groups: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry["verb"], entry.get("form", ""), entry.get("expect", "ok")), []).append(entry)
    for (verb, _, _), group in groups.items():
        both = (
            verb in ("open", "verify", "derive", "agree", "unwrap", "fetch")
            and len({e for v, _, e in groups if v == verb}) > 1
        )
        for entry in spread(group, BRIEF if both else 2 * BRIEF):
            entry["brief"] = True


ALGORITHMS: dict[str, Callable[[Sources], list[Entry]]] = {
    "md5": lambda s: small_hash(
        s,
        "hashes/MD5/rfc-1321.txt",
        "RFC 1321",
        (55, 56, 57, 63, 64, 65, 119, 120, 128, 1000),
        lambda m: hashlib.md5(m, usedforsecurity=False).digest(),
        "md5",
    ),
    "sha-1": lambda s: cavp_hash(s, "hashes/SHA1/SHA1", 64, 8),
    "sha-256": lambda s: cavp_hash(s, "hashes/SHA2/SHA256", 64, 8),
    "sha-512": lambda s: cavp_hash(s, "hashes/SHA2/SHA512", 128, 16),
    "sha3-256": lambda s: cavp_hash(s, "hashes/SHA3/SHA3_256", 136, 1),
    "blake2b-512": lambda s: small_hash(
        s,
        "hashes/blake2/blake2b.txt",
        "RFC 1321's messages",
        (127, 128, 129, 255, 256, 257, 1000),
        lambda m: hashlib.blake2b(m).digest(),
        "blake2b-512",
    ),
    **DIGESTS,
    **MACS,
    "random": vector_random.fetch,
    "hmac-sha-256": hmac,
    "cmac-aes-128": lambda s: cmac(s, 128),
    "cmac-aes-256": lambda s: cmac(s, 256),
    "ghash": ghash,
    "poly1305": poly1305,
    "aes-128-cbc": lambda s: aes_cbc(s, 128),
    "aes-256-cbc": lambda s: aes_cbc(s, 256),
    "3des-cbc": triple_des_cbc,
    "aes-128-ctr": lambda s: aes_ctr(s, 128),
    "aes-256-ctr": lambda s: aes_ctr(s, 256),
    "chacha20": chacha20,
    "aes-128-gcm": lambda s: aead(s, "aes_gcm", lambda group: fits_aead(group, 128)),
    "aes-256-gcm": lambda s: aead(s, "aes_gcm", lambda group: fits_aead(group, 256)),
    "chacha20-poly1305": lambda s: aead(s, "chacha20_poly1305", lambda group: fits_aead(group, 256)),
    **MODES,
    **DERIVATION,
    "x25519": lambda s: (
        (found := x25519(s)) + vector_keys.curve(s) + vector_keys.agreement("x25519", found) + multiples("x25519")(s)
    ),
    "p-256": lambda s: ecdh("secp256r1", 32, "p-256")(s) + multiples("p-256", "P-256")(s),
    "secp256k1": lambda s: ecdh("secp256k1", 32, head=_SECP256K1_HEAD)(s) + multiples("secp256k1")(s),
    "ed25519": lambda s: ed25519(s) + vector_keys.ed25519(s),
    "ecdsa-p256-sha256": ecdsa("secp256r1", nist_sign("P-256", "SHA-256", 32, "5")),
    "p-384": lambda s: ecdh("secp384r1", 48, "p-384")(s) + multiples("p-384", "P-384", 48)(s),
    "p-521": lambda s: ecdh("secp521r1", 66)(s) + multiples("p-521", "P-521", 66)(s),
    "ecdsa-p384-sha384": ecdsa("secp384r1", nist_sign("P-384", "SHA-384", 48, "6"), "sha384"),
    "ecdsa-p521-sha512": ecdsa("secp521r1", nist_sign("P-521", "SHA-512", 66, "7"), "sha512"),
    "ecdsa-secp256k1-sha256": ecdsa("secp256k1", _secp256k1_sign),
    "x448": vector_curve448.x448,
    "ed448": vector_curve448.ed448(_foreign),
    "dh-2048": vector_finite_field.ffdh(2048),
    "dh-3072": vector_finite_field.ffdh(3072),
    "brainpool-p256": vector_brainpool.keys(_off_curve),
    "ecdsa-brainpoolp256r1-sha256": vector_brainpool.signatures(_foreign),
    "dsa-2048-sha256": vector_dsa.dsa(_foreign),
    "rsa-2048": lambda s: [vector_keys.drawn()],
    "rsa-3072": lambda s: [vector_keys.drawn()],
    "rsa-4096": lambda s: [vector_keys.drawn()],
    "ml-kem-512": vector_keys.ml_kem("ml-kem-512"),
    "ml-kem-768": vector_keys.ml_kem("ml-kem-768"),
    "ml-kem-1024": vector_keys.ml_kem("ml-kem-1024"),
}
