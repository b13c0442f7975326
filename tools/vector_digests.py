# SPDX-License-Identifier: Apache-2.0
"""Vectors of further hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import partial

from vector_sources import Entry, Sources, make_entry, spread
from vector_symmetric import borders, cavp_hash, small_hash

from cipherstone.operations import oracle
from cipherstone.operations.sm3 import sm3

# Bytes of output and of a block. The output is twice as long as the strength: less would be weaker, more is no stronger.
SHAKE128, SHAKE256 = (32, 168), (64, 136)


def shake(name: str, output: int, block: int) -> Callable[[Sources], list[Entry]]:
    """`name`: NIST's. `output`, `block`: in bytes."""

    def select(sources: Sources) -> list[Entry]:
        path = f"hashes/SHAKE/{name}"
        wanted = borders(block, 1)
        short = [r for r in sources.records(f"{path}ShortMsg.rsp") if int(r.get("LEN", "-1")) // 8 in wanted]
        long = spread([r for r in sources.records(f"{path}LongMsg.rsp") if "LEN" in r], 4)
        other = [r for r in sources.records(f"{path}VariableOut.rsp") if 2 * output <= len(r.get("OUTPUT", ""))]
        return [
            *_begun(name, output, "Short", short),
            *_begun(name, output, "Long", long),
            *(
                make_entry(
                    f"{name.lower()}variableout-{record['COUNT']}",
                    "hash",
                    {"msg": record["MSG"]},
                    f"NIST CAVP {name}VariableOut.rsp, the first {output} bytes",
                    record["OUTPUT"][: 2 * output],
                )
                for record in spread(other, 12)
            ),
        ]

    return select


def _begun(name: str, output: int, kind: str, records: list[dict[str, str]]) -> Iterator[Entry]:
    """NIST publishes the first half of these outputs; of the other half two independent programs agree."""
    for record in records:
        length = int(record["LEN"]) // 8
        message = bytes.fromhex(record["MSG"])[:length]
        digest = oracle.expected_output(f"{name.lower()}/hash", {"msg": message})
        if digest is None or digest != hashlib.new(name.lower(), message).digest(output):  # type: ignore[call-arg]
            raise SystemExit(f"{name}: PyCryptodome and hashlib disagree at {length} bytes")
        if not digest.hex().startswith(record["OUTPUT"].lower()):
            raise SystemExit(f"{name}{kind}Msg.rsp: {length} bytes: begins with {record['OUTPUT']}")
        source = f"NIST CAVP {name}{kind}Msg.rsp, {len(record['OUTPUT']) // 2} bytes; the rest computed: PyCryptodome and hashlib agree"
        identifier = f"{name.lower()}{kind.lower()}msg-{length}"
        yield make_entry(identifier, "hash", {"msg": message.hex()}, source, digest.hex())


def sm3_hashes(sources: Sources) -> list[Entry]:
    """The standard's examples; the outer hashes of HMAC-SM3, whose inner ones are those of the oracle; computed ones around the block's borders."""
    entries = small_hash(
        sources,
        "hashes/SM3/oscca.txt",
        "GB/T 32905-2016 and OSCCA's examples",
        (55, 56, 57, 63, 65, 119, 120, 128, 1000),
        lambda m: hashlib.new("sm3", m).digest(),
        "sm3",
        "the oracle",
    )
    source, pairs = sources.wycheproof("hmac_sm3")
    fits = [(g, t) for g, t in pairs if g["tagSize"] == 256 and t["result"] == "valid"]
    for group, test in spread(fits, 8):
        key, message = bytes.fromhex(test["key"]), bytes.fromhex(test["msg"])
        key = (sm3(key) if group["keySize"] > 8 * 64 else key).ljust(64, b"\0")
        outer, inner = (bytes(byte ^ pad for byte in key) for pad in (0x5C, 0x36))
        told = outer + sm3(inner + message)
        source_of_it = f"derived from {source}: the outer hash of HMAC (RFC 2104 section 2)"
        entries.append(make_entry(f"hmac-{test['tcId']}", "hash", {"msg": told.hex()}, source_of_it, test["tag"]))
    return entries


DIGESTS: dict[str, Callable[[Sources], list[Entry]]] = {
    "sha-224": partial(cavp_hash, stem="hashes/SHA2/SHA224", block=64, length_field=8),
    "sha-384": partial(cavp_hash, stem="hashes/SHA2/SHA384", block=128, length_field=16),
    "sha-512-256": partial(cavp_hash, stem="hashes/SHA2/SHA512_256", block=128, length_field=16),
    "sha3-384": partial(cavp_hash, stem="hashes/SHA3/SHA3_384", block=104, length_field=1),
    "sha3-512": partial(cavp_hash, stem="hashes/SHA3/SHA3_512", block=72, length_field=1),
    "shake128": shake("SHAKE128", *SHAKE128),
    "shake256": shake("SHAKE256", *SHAKE256),
    "sm3": sm3_hashes,
    "ripemd-160": partial(
        small_hash,
        path="hashes/ripemd160/ripevectors.txt",
        source="the authors' page of RIPEMD-160",
        lengths=(55, 56, 57, 63, 64, 65, 119, 120, 128, 1000),
        digest=lambda m: hashlib.new("ripemd160", m).digest(),
        algorithm="ripemd-160",
    ),
    "blake2s-256": partial(
        small_hash,
        path="hashes/blake2/blake2s.txt",
        source="RFC 1321's messages",
        lengths=(63, 64, 65, 127, 128, 129, 1000),
        digest=lambda m: hashlib.blake2s(m).digest(),
        algorithm="blake2s-256",
    ),
}
