# SPDX-License-Identifier: Apache-2.0
"""A handshake beside what it must compute: key shares, signatures and the key schedule, as the same run timed them alone.

What is left of a handshake is what its library's protocol code adds: messages written and read, certificates parsed, the transcript hashed, records protected, memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cipherstone.labs.tls.results import CLIENT, LAB, SERVER, Sum
from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Case, Lane
from cipherstone.model.summary import Estimate, RunSummary

KEY_SHARES = {"x25519": ("x25519/keygen", "x25519/derive"), "p-256": ("p-256/keygen", "p-256/derive")}
# By certificate: whose signatures the path carries, and by version what the server proves its key with.
SIGNED = {
    "p-256": ("ecdsa-p256-sha256", {"1.2": "ecdsa-p256-sha256", "1.3": "ecdsa-p256-sha256"}),
    "ed25519": ("ed25519", {"1.2": "ed25519", "1.3": "ed25519"}),
    "rsa-2048": ("rsa-2048-pkcs1-sha256", {"1.2": "rsa-2048-pkcs1-sha256", "1.3": "rsa-2048-pss-sha256"}),
}
PATH_SIGNATURES = 2  # of the leaf and of the intermediate; the root is trusted as it is
HKDF = "hkdf-sha-256/derive"  # an extraction and an expansion, which is two HMACs
# HMACs of one side, by version and whether it resumes. TLS 1.3 (RFC 8446, 4.4.4 and 7.1): 3 extractions, 6 secrets, 8 keys and nonces, 2 keys and 2 values of Finished; a binder is 4 more.
# TLS 1.2 (RFC 5246, 5 and 8.1), PRF with SHA-256: 48 bytes of master secret and 40 of keys are 4 each, two values of Finished 2 each; a resumed session has its master secret.
HMACS = {("1.3", False): 21, ("1.3", True): 25, ("1.2", False): 12, ("1.2", True): 8}
KNOWN = {"version", "group", "cert", "mode", "ca"}  # what is counted by; other parameters change the sum


class Primitive(NamedTuple):
    """An operation that a handshake makes, and how many times. `kind`: `key share`, `signatures` or `key schedule`."""

    kind: str
    operation: str
    times: float


def primitives(params: Mapping[str, str], side: str) -> tuple[Primitive, ...]:
    """What one side must compute; () for a handshake whose parameters are not known here."""
    version, mode = params.get("version", ""), params.get("mode", "")
    share, signed = KEY_SHARES.get(params.get("group", "")), SIGNED.get(params.get("cert", ""))
    above = SIGNED.get(params["ca"]) if "ca" in params else signed
    resumes = mode == "ticket"
    if (
        share is None
        or signed is None
        or above is None
        or mode not in ("full", "ticket")
        or not params.keys() <= KNOWN
        or (version, resumes) not in HMACS
    ):
        return ()
    found = [Primitive("key schedule", HKDF, HMACS[version, resumes] / 2)]
    if not (resumes and version == "1.2"):
        found += [Primitive("key share", one, 1) for one in share]
    if not resumes:
        path, proof = above[0], signed[1][version]
        if side == CLIENT:
            found += [
                Primitive("signatures", f"{path}/verify", PATH_SIGNATURES),
                Primitive("signatures", f"{proof}/verify", 1),
            ]
        else:
            found.append(Primitive("signatures", f"{proof}/sign", 1))
    return tuple(found)


def operations() -> tuple[str, ...]:
    """Every operation that a sum may need, each once."""
    both = [
        {"version": v, "group": g, "cert": c, "mode": "full"}
        for v in ("1.3", "1.2")
        for g in KEY_SHARES
        for c in SIGNED
    ]
    return tuple(
        dict.fromkeys(one.operation for params in both for side in (CLIENT, SERVER) for one in primitives(params, side))
    )


def library_of(variant: str) -> tuple[str, ...]:
    """Ids that the library of a build of the laboratory may have: `aws-lc`; `mbedtls-3.6` and `mbedtls`."""
    head, dash, tail = variant.rpartition("-")
    return (variant, head) if dash and tail[:1].isdigit() else (variant,)


def sums_of(run: RunSummary) -> tuple[Sum, ...]:
    """Every handshake that was timed, side by side with its primitives; none for a run that timed no primitive."""
    alone = _alone(run)
    found = []
    for summary in run.cases if alone else ():
        case = Case.parse(summary.case)
        if case.algorithm != LAB or not (needed := primitives(dict(case.params), case.verb)):
            continue
        for cell in summary.cells:
            lane = Lane.parse(cell.lane)
            if cell.ns is not None and not lane.twin:
                found.append(_sum(dict(case.params), lane, case.verb, cell.ns, needed, alone))
    return tuple(found)


def _alone(run: RunSummary) -> dict[tuple[str, str], dict[str, Estimate]]:
    """By library and version, what each operation takes alone: of the library's own choice."""
    found: dict[tuple[str, str], dict[str, Estimate]] = {}
    for summary in run.cases:
        case = Case.parse(summary.case)
        for cell in summary.cells:
            lane = Lane.parse(cell.lane)
            if case.algorithm == LAB or cell.ns is None or lane.twin or lane.implementation != DEFAULT_IMPLEMENTATION:
                continue
            version = lane.build.partition("+")[0]
            found.setdefault((lane.library, version), {})[case.operation] = cell.ns
    return found


def _sum(
    params: dict[str, str],
    lane: Lane,
    side: str,
    whole: Estimate,
    needed: Sequence[Primitive],
    alone: Mapping[tuple[str, str], Mapping[str, Estimate]],
) -> Sum:
    version, _, variant = lane.build.partition("+")
    own = next((alone[name, version] for name in library_of(variant) if (name, version) in alone), {})
    missing = tuple(dict.fromkeys(one.operation for one in needed if one.operation not in own))
    parts: dict[str, float] = {}
    value, low, high = whole.value, whole.low, whole.high
    for kind, operation, times in needed:
        ns = own.get(operation)
        if ns is None:
            continue
        parts[kind] = parts.get(kind, 0.0) + times * ns.value
        value -= times * ns.value
        low = None if low is None or ns.high is None else low - times * ns.high
        high = None if high is None or ns.low is None else high - times * ns.low
    return Sum(params, lane.id, side, whole, parts, None if missing else Estimate(value, low, high), missing)
