# SPDX-License-Identifier: Apache-2.0
"""Key generation and key encapsulation by the independent library: what must come out where the standard fixes it, and whether what came out is right where it is random.

A key pair is right if the private key gives the public one, and if what is signed or agreed on with the one holds with the other. ML-KEM is in mlkem.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from cipherstone.catalogue.conditions import KEYS
from cipherstone.model.later import Later
from cipherstone.operations import mlkem
from cipherstone.operations.splitmix import splitmix64

if TYPE_CHECKING:
    from Crypto.Hash import SHA256
    from Crypto.Math import Primality
    from Crypto.Protocol import DH
    from Crypto.PublicKey import ECC
    from Crypto.Signature import DSS, eddsa
else:
    SHA256, DH, ECC = Later("Crypto.Hash.SHA256"), Later("Crypto.Protocol.DH"), Later("Crypto.PublicKey.ECC")
    DSS, eddsa = Later("Crypto.Signature.DSS"), Later("Crypto.Signature.eddsa")
    Primality = Later("Crypto.Math.Primality")

Inputs = Mapping[str, bytes]
RSA_BITS = 2048
RSA_NUMBER = RSA_BITS // 16  # bytes of each of p, q, dP, dQ, qInv
_RSA_EXPONENT = 65537
_PAIR_SEED, _ENCAPS_SEED = 1, 6
_RING_PAIR, _RING_ENCAPS = 5000, 5500  # of further keys
_CHECKED = b"cipherstone: a key pair"
_ORDERS = {  # SP 800-186 section 3.2.1.3, SEC 2 section 2.4.1
    "P-256": 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    "secp256k1": 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141,
}


@lru_cache(maxsize=8 * KEYS)
def timed_pair(algorithm: str, member: int = 0) -> tuple[bytes, bytes]:
    """(dk, ek) of the timed inputs of an ML-KEM parameter set, or of another member of their ring of keys: the judge knows the private key, so that it can look into ciphertexts."""
    return mlkem.keygen(mlkem.SETS[algorithm], splitmix64(_RING_PAIR + member if member else _PAIR_SEED, 64))


@lru_cache(maxsize=8 * KEYS)
def timed_encapsulation(algorithm: str, member: int = 0) -> bytes:
    """The ciphertext that decapsulation is timed with, genuine for the pair, and the secret behind it."""
    of, (_, ek) = mlkem.SETS[algorithm], timed_pair(algorithm, member)
    return b"".join(mlkem.encaps(of, ek, splitmix64(_RING_ENCAPS + member if member else _ENCAPS_SEED, 32)))


def expected(operation: str, inputs: Inputs) -> bytes | None:
    """What must come out; None where it is random, or follows from `seed` in a way of the library's own. Raises mlkem.BadKey and mlkem.BadCiphertext, KeyError for a missing input, ValueError for a malformed one."""
    algorithm, _, verb = operation.partition("/")
    if algorithm in mlkem.SETS:
        of = mlkem.SETS[algorithm]
        if verb == "decaps":
            return mlkem.decaps(of, inputs["key"], inputs["msg"])
        if verb == "encaps":
            mlkem.check_public(of, inputs["pub"])
            return b"".join(mlkem.encaps(of, inputs["pub"], inputs["seed"])) if "seed" in inputs else None
        return b"".join(mlkem.keygen(of, inputs["seed"])) if "seed" in inputs else None
    if operation == "ed25519/keygen" and "seed" in inputs:
        return inputs["seed"] + _ed25519(inputs["seed"]).public_key().export_key(format="raw")
    return None


def problem(operation: str, inputs: Inputs, output: bytes) -> str:
    """ "" if a random `output` is right, else what is wrong with it in one line."""
    algorithm, _, verb = operation.partition("/")
    if verb == "encaps":
        return _encapsulated(algorithm, inputs, output)
    if algorithm in mlkem.SETS:
        of = mlkem.SETS[algorithm]
        lengths, check = (of.private_bytes, of.public_bytes), _ml_kem(of)
    else:
        lengths, check = _PAIRS[algorithm]
    if len(output) != sum(lengths):
        return f"key pair of {len(output)} bytes, not {lengths[0]} and {lengths[1]}"
    try:
        return check(output[: lengths[0]], output[lengths[0] :])
    except ValueError as error:
        return f"the independent library refuses the key: {error}"


def _encapsulated(algorithm: str, inputs: Inputs, output: bytes) -> str:
    of, pairs = mlkem.SETS[algorithm], (timed_pair(algorithm, member) for member in range(KEYS))
    dk = next((dk for dk, ek in pairs if ek == inputs["pub"]), None)
    if dk is None:
        return "the judge does not know the private key of this public one"
    if len(output) != of.ciphertext_bytes + mlkem.SECRET_BYTES:
        return f"{len(output)} bytes, not {of.ciphertext_bytes} and {mlkem.SECRET_BYTES}"
    ciphertext, secret = output[: of.ciphertext_bytes], output[of.ciphertext_bytes :]
    if mlkem.is_rejected(of, dk, ciphertext):
        return "the ciphertext is not genuine: decapsulation rejects it"
    return "" if mlkem.decaps(of, dk, ciphertext) == secret else "the secret is not the one of the ciphertext"


def _ml_kem(of: mlkem.ParameterSet) -> Callable[[bytes, bytes], str]:
    def check(dk: bytes, ek: bytes) -> str:
        if wrong := mlkem.belongs_together(of, dk, ek):
            return wrong
        ciphertext, secret = mlkem.encaps(of, ek, splitmix64(_ENCAPS_SEED, 32))
        same = mlkem.decaps(of, dk, ciphertext) == secret
        return "" if same else "what is encapsulated with the public key is not what the private one finds"

    return check


def _x25519(key: bytes, pub: bytes) -> str:
    private = DH.import_x25519_private_key(key)
    if private.public_key().export_key(format="raw") != pub:
        return "the public key is not the private one's"
    peer = DH.import_x25519_private_key(splitmix64(_PAIR_SEED, 32))
    mine = DH.key_agreement(static_priv=private, static_pub=peer.public_key(), kdf=bytes)
    theirs = DH.key_agreement(static_priv=peer, static_pub=DH.import_x25519_public_key(pub), kdf=bytes)
    return "" if mine == theirs else "both sides do not agree"


def _ed25519(seed: bytes) -> ECC.EccKey:
    return ECC.construct(curve="Ed25519", seed=seed)


def _ed25519_pair(key: bytes, pub: bytes) -> str:
    if _ed25519(key).public_key().export_key(format="raw") != pub:
        return "the public key is not the private one's"
    signature = eddsa.new(_ed25519(key), "rfc8032").sign(_CHECKED)
    eddsa.new(eddsa.import_public_key(pub), "rfc8032").verify(_CHECKED, signature)
    return ""


def _point(curve: str) -> Callable[[bytes, bytes], str]:
    def check(key: bytes, pub: bytes) -> str:
        scalar = int.from_bytes(key, "big")
        if not 0 < scalar < _ORDERS[curve]:
            return "the private key is not from 1 to the order less 1"
        private = ECC.construct(curve=curve, d=scalar)
        if private.public_key().export_key(format="SEC1") != pub:
            return "the public key is not the private one's"
        signature = DSS.new(private, "deterministic-rfc6979").sign(SHA256.new(_CHECKED))
        DSS.new(ECC.import_key(pub, curve_name=curve), "sec1").verify(SHA256.new(_CHECKED), signature)
        return ""

    return check


def _rsa(key: bytes, pub: bytes) -> str:
    p, q, dp, dq, qinv = (int.from_bytes(key[at : at + RSA_NUMBER], "big") for at in range(0, len(key), RSA_NUMBER))
    n, e = int.from_bytes(pub[:-4], "big"), int.from_bytes(pub[-4:], "big")
    wrong = {
        f"the modulus has {n.bit_length()} bits, not {RSA_BITS}": n.bit_length() != RSA_BITS,
        f"a prime has not {RSA_BITS // 2} bits": {p.bit_length(), q.bit_length()} != {RSA_BITS // 2},
        "the modulus is not the product of the primes": p * q != n,
        "the primes are closer to each other than 2^924 (FIPS 186-5 section A.1.1)": abs(p - q).bit_length() <= 924,
        f"the public exponent is {e}, not {_RSA_EXPONENT}": e != _RSA_EXPONENT,
    }
    if any(wrong.values()):
        return next(text for text, is_so in wrong.items() if is_so)
    if not all(int(Primality.test_probable_prime(number)) == 1 for number in (p, q)):
        return "p or q is not a prime"
    if (e * dp % (p - 1), e * dq % (q - 1), qinv * q % p) != (1, 1, 1) or dp >= p or dq >= q or qinv >= p:
        return "dP, dQ or qInv does not belong to the primes and the public exponent"
    message = int.from_bytes(splitmix64(_PAIR_SEED, RSA_BITS // 8), "big") % n
    m1, m2 = pow(message, dp, p), pow(message, dq, q)
    signature = m2 + (m1 - m2) * qinv % p * q
    return "" if pow(signature, e, n) == message else "what the private key signs does not verify with the public one"


_PAIRS: dict[str, tuple[tuple[int, int], Callable[[bytes, bytes], str]]] = {
    "x25519": ((32, 32), _x25519),
    "ed25519": ((32, 32), _ed25519_pair),
    "p-256": ((32, 65), _point("P-256")),
    "secp256k1": ((32, 65), _point("secp256k1")),
    "rsa-2048": ((5 * RSA_NUMBER, RSA_BITS // 8 + 4), _rsa),
}
OPERATIONS = frozenset(f"{algorithm}/keygen" for algorithm in (*_PAIRS, *mlkem.SETS)) | frozenset(
    f"{algorithm}/{verb}" for algorithm in mlkem.SETS for verb in ("encaps", "decaps")
)
