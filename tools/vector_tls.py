# SPDX-License-Identifier: Apache-2.0
"""Known answers of handshakes and of data behind them: what both sides must agree on, and certificates that one of them must not accept. Made out of the timed chains, one thing changed at a time; the standards say what is right (RFC 8446, RFC 5246, RFC 5280 section 6.1, RFC 9525)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from vector_sources import Entry, Sources, make_entry, spread

from cipherstone.operations.certificate import (
    KEY_CERT_SIGN,
    CertificateFields,
    Kind,
    basic_constraints,
    dns_names,
    key_usage,
    written,
)
from cipherstone.operations.certificates import HOST, INTERMEDIATE, LEAF, ROOT, SINCE, UNTIL, time_bytes
from cipherstone.operations.handshakes import (
    BELOW_ROOT,
    CLASSIC,
    CLIENT,
    EARLY,
    HYBRID,
    PSK,
    SUITES,
    UPPER,
    USUAL,
    USUAL_CHAIN,
    USUAL_SUITE,
    VERSIONS,
    agreed,
    all_made,
    certified,
    issued,
    issuers,
    received,
    timed,
    told,
)
from cipherstone.operations.splitmix import splitmix64

MADE = "tools/vector_tls.py: made out of the timed chain"
CLIENTS, SERVERS, THREADS = "handshake-client", "handshake-server", "handshakes"
CONTEXTS = ("shared", "thread", "connection")
CERTS, MODES = ("p-256", "rsa-2048", "ed25519"), ("full", "ticket")
RSA_CA = "rsa-2048"
STRANGER = 3  # number of a key pair that no certificate of the chain has
DAY = 86400
Params = dict[str, str]
Changed = Iterator[tuple[str, dict[str, bytes], str]]
BRIEF_ACCEPTED = (
    ("1.3", "x25519", "p-256", "full"),
    ("1.2", "x25519", "p-256", "full"),
    ("1.3", "x25519", "rsa-2048", "full"),
    ("1.2", "p-256", "rsa-2048", "full"),
)
BRIEF_REFUSED = ("expired", "another-host", "another-root")
SEED = 7
WHOLE = (("1.3", "aes-128-gcm"), ("1.2", "aes-128-gcm"))  # with messages as long as a record and longer
LONG = 3000
EACH_BRIEF = 4  # of the accepted, of every other set of parameters


def _of(version: str, group: str, cert: str, mode: str, **more: str) -> Params:
    return {"version": version, "group": group, "cert": cert, "mode": mode, **more}


# What a client must refuse


def _forged(params: Params) -> Changed:
    """Name, what is another input than the timed one, and why a client must refuse."""
    cert, chain, ca = params["cert"], params.get("chain", USUAL_CHAIN), params.get("ca", "")
    own, kind = certified(cert).kind, certified(ca or cert).kind
    below, plain, signer = issued(cert, chain, LEAF, ca)
    stranger, good = kind.key_pair(STRANGER), written(below, plain, signer)
    yield "expired", {"time": time_bytes(UNTIL + DAY)}, "a day after the last"
    yield "not-yet-valid", {"time": time_bytes(SINCE - DAY)}, "a day before the first"
    yield "another-host", {"host": b"www.another.example"}, "the name of another host"
    yield "host-above", {"host": f"sub.{HOST}".encode()}, "a name below the host's"
    other = told(kind, ROOT, ROOT)._replace(pub=stranger[1])
    yield "another-root", {"root": written(kind, other, stranger)}, "a trust anchor of the same name with another key"
    if chain != "1":
        yield "no-intermediate", {"intermediates": b""}, "no path to the trust anchor"
    yield "leaf-by-stranger", {"leaf": written(below, plain, stranger)}, "the leaf is signed by another key"
    if own is not kind:
        by_own = written(own, plain, own.key_pair(STRANGER))
        yield (
            "leaf-by-own-kind",
            {"leaf": by_own},
            "the leaf is signed by a key of its own kind, which its issuer's is not",
        )
    changed = bytearray(good)
    changed[-1] ^= 1
    yield "leaf-signature", {"leaf": bytes(changed)}, "the last bit of the leaf's signature is another one"
    late = plain._replace(until=SINCE + DAY)
    yield "leaf-expired", {"leaf": written(below, late, signer)}, "the leaf was valid for a day"
    if chain != "1":
        yield from _issuers(kind, chain)
    names = (*plain.extensions[:2], dns_names("www.another.example"), *plain.extensions[3:])
    yield "leaf-for-another", {"leaf": written(below, plain._replace(extensions=names), signer)}, "another name"


def _issuers(kind: Kind, chain: str) -> Changed:
    """The same for what stands between leaf and root."""
    issuer = told(kind, INTERMEDIATE, issuers(chain)[INTERMEDIATE])
    old = issuer._replace(until=SINCE + DAY)
    yield "issuer-expired", _between(kind, chain, {INTERMEDIATE: old}), "its issuer was valid for a day"
    no_ca = issuer._replace(extensions=(basic_constraints(False), key_usage(KEY_CERT_SIGN), *issuer.extensions[2:]))
    yield "issuer-is-no-ca", _between(kind, chain, {INTERMEDIATE: no_ca}), "its issuer is no CA"
    if UPPER not in BELOW_ROOT[chain]:
        return
    upper = told(kind, UPPER, ROOT)
    old = upper._replace(until=SINCE + DAY)
    yield "upper-expired", _between(kind, chain, {UPPER: old}), "what stands above its issuer was valid for a day"
    no_ca = upper._replace(extensions=(basic_constraints(False), key_usage(KEY_CERT_SIGN), *upper.extensions[2:]))
    yield "upper-is-no-ca", _between(kind, chain, {UPPER: no_ca}), "what stands above its issuer is no CA"
    short = upper._replace(extensions=(basic_constraints(True, 0), *upper.extensions[1:]))
    yield "path-too-long", _between(kind, chain, {UPPER: short}), "no intermediate may stand below what stands above"
    whole = _between(kind, chain, {})["intermediates"]
    first = written(kind, issuer, kind.key_pair(UPPER))
    yield "no-upper", {"intermediates": first}, "the path ends before the trust anchor"
    yield "no-issuer", {"intermediates": whole[len(first) :]}, "the path has a gap behind the leaf"


def _between(kind: Kind, chain: str, changed: Mapping[int, CertificateFields]) -> dict[str, bytes]:
    """The certificates between leaf and root, with what some of them say changed."""
    above = issuers(chain)
    certificates = (
        written(kind, changed.get(level, told(kind, level, above[level])), kind.key_pair(above[level]))
        for level in BELOW_ROOT[chain][1:]
    )
    return {"intermediates": b"".join(certificates)}


# What a server must refuse


def _forged_clients(params: Params) -> Changed:
    """The same for a server that asks the client for a certificate."""
    kind = certified(params["cert"]).kind
    stranger, signer, root = (kind.key_pair(number) for number in (STRANGER, INTERMEDIATE, ROOT))
    plain = told(kind, CLIENT, INTERMEDIATE)
    yield "client-by-stranger", {"client": written(kind, plain, stranger)}, "signed by another key"
    yield "client-by-root", {"client": written(kind, plain, root)}, "signed by another key than the issuer's"
    changed = bytearray(written(kind, plain, signer))
    changed[-1] ^= 1
    yield "client-signature", {"client": bytes(changed)}, "the last bit of its signature is another one"
    late = plain._replace(until=SINCE + DAY)
    yield "client-expired", {"client": written(kind, late, signer)}, "it was valid for a day"
    early = plain._replace(since=UNTIL - DAY)
    yield "client-not-yet-valid", {"client": written(kind, early, signer)}, "it is not valid yet"


# Entries


def _name(verb: str, params: Params) -> str:
    return "-".join((verb.removeprefix("handshake-"), *params.values()))


def _accepted(verb: str, chosen: Iterable[Params], brief: Iterable[Params]) -> Iterator[Entry]:
    few = list(brief)
    for params in chosen:
        inputs = timed(params)
        source = {"output": agreed(inputs, params).hex()}
        entry = make_entry(_name(verb, params), verb, _hex(inputs), MADE, **source)
        entry["params"] = params
        if params in few:
            entry["brief"] = True
        yield entry


def _refused(verb: str, params: Params, changed: Changed, brief: Iterable[str]) -> Iterator[Entry]:
    more = list(params.values())[4:]
    for name, other, why in changed:
        inputs = {one: data for one, data in (timed(params) | other).items() if data}
        named = "-".join((name, params["cert"], params["version"], *more))
        entry = make_entry(named, verb, _hex(inputs), MADE, expect="rejected", note=why)
        entry["params"] = params
        if name in brief:
            entry["brief"] = True
        yield entry


def _hex(inputs: dict[str, bytes]) -> dict[str, str]:
    return {name: data.hex() for name, data in inputs.items()}


def _plain(verb: str) -> Iterator[Entry]:
    """Parameters that every case has."""
    brief = [_of(*one) for one in BRIEF_ACCEPTED]
    usual = (_of(*one) for one in product(VERSIONS, CLASSIC, CERTS, MODES))
    yield from _accepted(verb, usual, brief)
    keys = (_of(version, "x25519", cert, "full") for version, cert in product(VERSIONS, ("p-384", "rsa-3072")))
    yield from _accepted(verb, keys, ())
    mldsa = (_of("1.3", group, "ml-dsa-65", "full") for group in ("x25519", "x25519mlkem768"))
    yield from _accepted(verb, mldsa, ())
    yield from _accepted(verb, (_of("1.3", group, "p-256", "retry") for group in CLASSIC), ())
    yield from _accepted(verb, (_of("1.2", "x25519", cert, "session") for cert in ("p-256", "rsa-2048")), ())
    yield from _accepted(
        verb, (_of("1.3", group, cert, "full") for group, cert in product(HYBRID, ("p-256", "rsa-2048"))), ()
    )


def _plain_refused() -> Iterator[Entry]:
    """A client is tried in both versions and with every kind of key."""
    tried = (
        ("p-256", "1.2"),
        ("p-256", "1.3"),
        ("rsa-2048", "1.2"),
        ("ed25519", "1.3"),
        ("p-384", "1.3"),
        ("ml-dsa-65", "1.3"),
    )
    for cert, version in tried:
        params = _of(version, "x25519" if cert == "ml-dsa-65" else "p-256", cert, "full")
        brief = BRIEF_REFUSED if (cert, version) == ("p-256", "1.2") else ()
        yield from _refused(CLIENTS, params, _forged(params), brief)


def _further(chosen: Iterable[Params], refused: Iterable[Params]) -> Iterator[Entry]:
    """Cases with one parameter more. Of what is refused the first set has those that are brief."""
    all_chosen = list(chosen)
    brief = spread([params for params in all_chosen if params["cert"] != "ed25519"], EACH_BRIEF)
    for verb in (CLIENTS, SERVERS):
        yield from _accepted(verb, all_chosen, brief)
    for index, params in enumerate(refused):
        yield from _refused(CLIENTS, params, _forged(params), BRIEF_REFUSED if index == 0 else ())


def _suites() -> Iterator[Entry]:
    suites = [suite for suite in SUITES if suite != USUAL_SUITE]
    every = product(VERSIONS, CLASSIC, ("p-256", "rsa-2048"), ("full",), suites)
    refused = (("1.2", "p-256", suites[0]), ("1.3", "rsa-2048", suites[1]))
    yield from _further(
        (_of(*one[:4], suite=one[4]) for one in every),
        (_of(version, "x25519", cert, "full", suite=suite) for version, cert, suite in refused),
    )


def _chains() -> Iterator[Entry]:
    every = product(VERSIONS, ("x25519",), ("p-256", "rsa-2048"), ("full",), BELOW_ROOT)
    refused = (("1.2", "p-256", "3"), ("1.3", "rsa-2048", "3"), ("1.3", "p-256", "1"))
    yield from _further(
        (_of(*one[:4], chain=one[4]) for one in every),
        (_of(version, "x25519", cert, "full", chain=chain) for version, cert, chain in refused),
    )


def _authorities() -> Iterator[Entry]:
    """A CA of RSA-2048 above a leaf of another kind; and as a published page has it, directly and with its suite."""
    every = [_of(*one, "full", ca=RSA_CA) for one in product(VERSIONS, CLASSIC, CERTS)]
    refused = [_of(*one, "full", ca=RSA_CA) for one in (("1.2", "x25519", "p-256"), ("1.3", "x25519", "p-256"))]
    yield from _further(every, [*refused, _of("1.3", "x25519", "ed25519", "full", ca=RSA_CA)])
    page = {"suite": "aes-256-gcm", "chain": "1", "ca": RSA_CA}
    every = [_of("1.2", *one[:2], "full", **page | {"chain": one[2]}) for one in product(CLASSIC, CERTS, ("1", "2"))]
    tried = (("x25519", "p-256", "1"), ("p-256", "rsa-2048", "1"), ("x25519", "p-256", "2"))
    refused = [_of("1.2", *one[:2], "full", **page | {"chain": one[2]}) for one in tried]
    yield from _further(every, refused)


def _mutual() -> Iterator[Entry]:
    every = product(VERSIONS, CLASSIC, CERTS, ("full",))
    refused = [_of(*one, auth="mutual") for one in product(VERSIONS, ("x25519",), ("p-256", "rsa-2048"), ("full",))]
    yield from _further((_of(*one, auth="mutual") for one in every), (refused[0], refused[-1]))
    for index, params in enumerate(refused):
        few = ("client-by-stranger", "client-expired") if index == 0 else ()
        yield from _refused(SERVERS, params, _forged_clients(params), few)


def _keys(verb: str) -> Iterator[Entry]:
    """External keys: of several lengths, and of both sides different ones."""
    every = [
        {"version": version, "group": group, "mode": PSK, **more}
        for version, more in (("1.3", {}), ("1.2", {"suite": "chacha20-poly1305"}))
        for group in CLASSIC
    ]
    for params in every:
        usual = timed(params)
        for length in (16, 20, 24, 28, 32):
            inputs = usual | {"psk": splitmix64(SEED, length)}
            name = "-".join((_name(verb, params), str(8 * length)))
            entry = make_entry(name, verb, _hex(inputs), MADE, output=agreed(inputs, params).hex())
            entry["params"] = params
            if length in (16, 32):
                entry["brief"] = True
            yield entry
        key = usual["psk"]
        number = int.from_bytes(key, "big")
        bits = {"last-bit": 0, "bit-31": 31, "bit-77": 77, "bit-128": 128, "bit-201": 201, "first-bit": 255}
        others = {
            name: ((number ^ 1 << bit).to_bytes(len(key), "big"), "a bit of the client's key is another one")
            for name, bit in bits.items()
        } | {
            "shorter": (key[:-1], "the client's key is a byte shorter"),
            "half": (key[:16], "the client's key is the server's first half"),
            "reversed": (key[::-1], "the client's key is the server's from its end"),
            "zero": (bytes(len(key)), "the client's key is zero"),
        }
        for name, (other, why) in others.items():
            inputs = usual | {"client-psk": other}
            full = "-".join((_name(verb, params), name))
            entry = make_entry(full, verb, _hex(inputs), MADE, expect="rejected", note=why)
            entry["params"] = params
            if name == "last-bit" and params["group"] == "x25519":
                entry["brief"] = True
            yield entry


def _early(verb: str) -> Iterator[Entry]:
    """Early data of several lengths."""
    for group, cert, length in product(CLASSIC, ("p-256", "rsa-2048"), (1, 100, 256, 1000)):
        params = _of("1.3", group, cert, EARLY)
        inputs = timed(params) | {"early": splitmix64(SEED, length)}
        name = "-".join((_name(verb, params), str(length)))
        entry = make_entry(name, verb, _hex(inputs), MADE, output=agreed(inputs, params).hex())
        entry["params"] = params
        yield entry


# Data: one record is cut from a write, or several; bits of a record's head are left alone, of which some mean nothing

WRITES = ("16384", "1024", "100")
LENGTHS = {"16384": (1, 16384, 16390), "1024": (1023, 1024, 2500), "100": (100, 101, 1000)}
FLIPPED = (  # number of the record, bit behind its head
    (0, 0, "the first bit"),
    (0, 77, "a bit of the ciphertext"),
    (0, -129, "the last bit of the ciphertext"),
    (0, -128, "the first bit of the tag"),
    (0, -1, "the last bit of the tag"),
    (2, 100, "a bit of the third record"),
    (3, 0, "the first bit of the last record"),
)
BRIEF_FLIPS = ("flip-0-77-1.2-aes-128-gcm", "flip-0--1-1.2-aes-128-gcm")


def _data(verb: str) -> Iterator[Entry]:
    for version, suite, write in product(VERSIONS, SUITES, WRITES):
        params = {"version": version, "suite": suite, "write": write}
        for length in LENGTHS[write]:
            if length > LONG and (version, suite) not in WHOLE:
                continue
            inputs = _sent(length)
            entry = make_entry(
                "-".join((verb, version, suite, write, str(length))),
                verb,
                _hex(inputs),
                MADE,
                output=received(inputs, params).hex(),
            )
            entry["params"] = params
            if suite == USUAL_SUITE and length in (1024, 1000):
                entry["brief"] = True
            yield entry
    for version, suite, (record, bit, why) in product(VERSIONS, SUITES, FLIPPED):
        flip = record.to_bytes(2, "big") + bit.to_bytes(4, "big", signed=True)
        name = f"flip-{record}-{bit}-{version}-{suite}"
        entry = make_entry(f"{verb}-{name}", verb, _hex(_sent(350) | {"flip": flip}), MADE, expect="rejected", note=why)
        entry["params"] = {"version": version, "suite": suite, "write": "100"}
        if name in BRIEF_FLIPS:
            entry["brief"] = True
        yield entry


def _sent(length: int) -> dict[str, bytes]:
    return timed(USUAL) | {"msg": splitmix64(SEED, length)}


# Threads: with one a case needs one processor


def _threads() -> Iterator[Entry]:
    chosen = [
        _of(version, "x25519", cert, "full", threads=str(threads), contexts=contexts)
        for version, cert, threads, contexts in product(VERSIONS, ("p-256", "rsa-2048"), (1, 2), CONTEXTS)
    ]
    brief = [one for one in chosen if one["cert"] == "p-256" and one["version"] == "1.2"]
    more = [_of("1.3", "x25519", "p-256", "full", threads=str(n), contexts=CONTEXTS[0]) for n in (4, 8, 16)]
    for params in (*chosen, *more):
        inputs = timed(params)
        entry = make_entry(_name(THREADS, params), THREADS, _hex(inputs), MADE, output=all_made(inputs, params).hex())
        entry["params"] = params
        if params in brief:
            entry["brief"] = True
        yield entry
    refused = (
        ("1.2", "p-256", "1", "shared"),
        ("1.2", "rsa-2048", "2", "thread"),
        ("1.3", "p-256", "2", "shared"),
        ("1.2", "p-256", "2", "connection"),
    )
    for index, (version, cert, threads, contexts) in enumerate(refused):
        params = _of(version, "x25519", cert, "full", threads=threads, contexts=contexts)
        yield from _refused(THREADS, params, _forged(params), BRIEF_REFUSED[:2] if index == 0 else ())


def _more() -> Iterator[Entry]:
    yield from _threads()
    for verb in (CLIENTS, SERVERS):
        yield from _keys(verb)
        yield from _early(verb)
    for verb in ("bulk-write", "bulk-read"):
        yield from _data(verb)


def handshakes(sources: Sources) -> list[Entry]:
    """All of them."""
    plain = [*_plain(CLIENTS), *_plain_refused(), *_plain(SERVERS)]
    return [*plain, *_suites(), *_chains(), *_mutual(), *_more(), *_authorities()]


TLS = {"tls": handshakes}
