# SPDX-License-Identifier: Apache-2.0
"""The independent verifier: PyCryptodome, which shares no code with the libraries measured.

GHASH and raw Poly1305, which PyCryptodome does not offer alone, are computed here with integers, from NIST SP 800-38D section 6.4 and RFC 8439 section 2.5.
Algorithms with a folder of their own bring their own (own.py). Modular arithmetic is in bignum_oracle.py, key generation and encapsulation in round_trip.py; what an instruction kernel must leave is computed by the interpreter of the kernel table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.verbs import Verb, verb_named, verbs
from cipherstone.model.errors import NotAuthentic as NotAuthentic
from cipherstone.model.errors import UsageError, nearest
from cipherstone.model.later import Later
from cipherstone.operations import bignum_oracle, mlkem, own, round_trip
from cipherstone.operations.kernel_proof import kernel_output
from cipherstone.operations.kernels import is_kernel

if TYPE_CHECKING:
    from Crypto.Cipher import AES, DES, DES3, ChaCha20, ChaCha20_Poly1305
    from Crypto.Hash import CMAC, HMAC, MD5, SHA1, SHA3_256, SHA256, SHA512, BLAKE2b
    from Crypto.Protocol import DH
    from Crypto.PublicKey import ECC
    from Crypto.Signature import DSS, eddsa
else:
    AES, DES, DES3 = Later("Crypto.Cipher.AES"), Later("Crypto.Cipher.DES"), Later("Crypto.Cipher.DES3")
    ChaCha20, ChaCha20_Poly1305 = Later("Crypto.Cipher.ChaCha20"), Later("Crypto.Cipher.ChaCha20_Poly1305")
    CMAC, HMAC, BLAKE2b = Later("Crypto.Hash.CMAC"), Later("Crypto.Hash.HMAC"), Later("Crypto.Hash.BLAKE2b")
    MD5, SHA1, SHA256 = Later("Crypto.Hash.MD5"), Later("Crypto.Hash.SHA1"), Later("Crypto.Hash.SHA256")
    SHA512, SHA3_256 = Later("Crypto.Hash.SHA512"), Later("Crypto.Hash.SHA3_256")
    DH, ECC = Later("Crypto.Protocol.DH"), Later("Crypto.PublicKey.ECC")
    DSS, eddsa = Later("Crypto.Signature.DSS"), Later("Crypto.Signature.eddsa")

Inputs = Mapping[str, bytes]
Compute = Callable[[Inputs], bytes]
TAG_BYTES = 16
_POLY1305_PRIME = (1 << 130) - 5
_POLY1305_CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
_EC_CURVES = {"ecdsa-p256-sha256": "P-256", "ecdsa-secp256k1-sha256": "secp256k1"}  # PyCryptodome's names


class MustNotBeUsed(NotAuthentic):
    """A key that a standard's input check refuses: a library must say so."""


def expected_output(operation: str, inputs: Inputs, form: str | None = None) -> bytes | None:
    """What `operation` (`ALGORITHM/VERB`) must leave in the output buffer; b"" for `verify`.

    None: the output is randomised (`ecdsa-*/sign`, key generation). `form`: encoding of an ECDSA signature. Raises NotAuthentic where a library must reject, and
    UsageError for an operation that the oracle does not know or inputs that are no inputs of it.
    """
    if is_kernel(operation):
        return kernel_output(operation, inputs, form)
    if operation not in OPERATIONS:
        raise UsageError(f"oracle: '{operation}' is not known", nearest(operation, OPERATIONS))
    verb = verb_of(operation)
    for name in verb.needed:
        if name not in inputs:
            raise UsageError(f"oracle: {operation}: input '{name}' is missing", "see protocol/PROTOCOL.md, section 2")
    try:
        if operation in round_trip.OPERATIONS:
            return round_trip.expected(operation, inputs)
        if verb.proof == "decides":
            if not signature_is_valid(operation, inputs, inputs["sig"], form):
                raise NotAuthentic(f"oracle: {operation}: the signature is not valid")
            return b""
        # What is proven by its verification has fixed bytes too where the standard draws no random numbers.
        return _COMPUTE[operation](inputs) if operation in _COMPUTE else None
    except KeyError as error:
        raise UsageError(
            f"oracle: {operation}: input {error} is missing", "see protocol/PROTOCOL.md, section 2"
        ) from None
    except mlkem.BadKey as error:
        raise MustNotBeUsed(f"oracle: {operation}: {error}") from None
    except mlkem.BadCiphertext as error:
        raise NotAuthentic(f"oracle: {operation}: {error}") from None
    except ValueError as error:
        raise UsageError(f"oracle: {operation}: {error}", "are these inputs of the operation?") from None


# A kernel takes the state that it starts from and leaves the one that the interpreter computes.
KERNEL_VERB = Verb("kernel", ("msg",), ("msg",), ("msg",), "known-answer")


def verb_of(operation: str) -> Verb:
    """The verb of `ALGORITHM/VERB[/NAME=VALUE...]`; of a kernel the one that all of them have. Raises UsageError."""
    if is_kernel(operation):
        return KERNEL_VERB
    name = operation.split("/")[1] if "/" in operation else operation
    verb = verb_named(name)
    if verb is None:
        raise UsageError(f"oracle: '{operation}': '{name}' is not a verb", nearest(name, verbs(data_root())))
    return verb


def random_output_problem(operation: str, inputs: Inputs, output: bytes, form: str | None = None) -> str:
    """ "" if an `output` that differs from call to call is right: a signature that verifies, a key pair or an encapsulated secret that stands the round trip. Else what is wrong in one line."""
    if operation in round_trip.OPERATIONS:
        return round_trip.problem(operation, inputs, output)
    valid = signature_is_valid(operation, inputs, output, form)
    return "" if valid else "signature does not verify with the independent library"


def signature_is_valid(operation: str, inputs: Inputs, signature: bytes, form: str | None = None) -> bool:
    """Whether `signature` over `msg` verifies with `pub`. `operation` is a `sign` or a `verify`; `form`: `der` (also if None) or `p1363`, for ECDSA."""
    verify = _SIGNATURES.get(operation.partition("/")[0])
    if verify is None:
        raise UsageError(f"oracle: '{operation}' makes no signature", nearest(operation, OPERATIONS))
    try:
        verify(inputs["pub"], inputs["msg"], signature, form)
    except ValueError:
        return False
    return True


def _verify_ed25519(pub: bytes, message: bytes, signature: bytes, form: str | None) -> None:
    eddsa.new(_ed25519_public(pub), "rfc8032").verify(message, signature)


def _verify_ecdsa(algorithm: str) -> Callable[[bytes, bytes, bytes, str | None], None]:
    def verify(pub: bytes, message: bytes, signature: bytes, form: str | None) -> None:
        # SEC 1 section 4.1.4: both s and n - s are signatures, on every curve.
        key = _ec_public(_EC_CURVES[algorithm], pub)
        DSS.new(key, "sec1", encoding=_encoding(form)).verify(SHA256.new(message), signature)

    return verify


def sign(algorithm: str, key: bytes, message: bytes, form: str = "der") -> bytes:
    """A valid signature, the same every time: RFC 8032 for Ed25519, RFC 6979 for ECDSA."""
    if algorithm == "ed25519":
        return eddsa.new(_ed25519_private(key), "rfc8032").sign(message)
    private = _ec_private(_EC_CURVES[algorithm], key)
    return DSS.new(private, "deterministic-rfc6979", encoding=_encoding(form)).sign(SHA256.new(message))


def public_key(algorithm: str, key: bytes) -> bytes:
    """The public key of a private one, both as the catalogue encodes them."""
    if algorithm == "x25519":
        return DH.import_x25519_private_key(key).public_key().export_key(format="raw")
    if algorithm == "ed25519":
        return _ed25519_private(key).public_key().export_key(format="raw")
    return _ec_private(_EC_CURVES[algorithm], key).public_key().export_key(format="SEC1")


def ghash(h: bytes, message: bytes) -> bytes:
    """GHASH_H of `message`, zero-padded to whole blocks of 16 bytes; no length block. `h`: 16 bytes."""
    tables = _ghash_tables(h)
    padded = message + bytes(-len(message) % 16)
    y = 0
    for start in range(0, len(padded), 16):
        block = (y ^ int.from_bytes(padded[start : start + 16], "big")).to_bytes(16, "big")
        y = 0
        for table, byte in zip(tables, block, strict=True):
            y ^= table[byte]
    return y.to_bytes(16, "big")


def poly1305(key: bytes, message: bytes) -> bytes:
    """Poly1305 of `message` under the one-time key r||s of 32 bytes."""
    r, s = int.from_bytes(key[:16], "little") & _POLY1305_CLAMP, int.from_bytes(key[16:32], "little")
    accumulator = 0
    for start in range(0, len(message), 16):
        block = message[start : start + 16]
        accumulator = (accumulator + int.from_bytes(block + b"\x01", "little")) * r % _POLY1305_PRIME
    return ((accumulator + s) % (1 << 128)).to_bytes(16, "little")


@lru_cache(maxsize=16)
def _ghash_tables(h: bytes) -> tuple[tuple[int, ...], ...]:
    """For each byte position of a block and each byte value, the product with H. Bit 0 of the standard is the most significant bit here."""
    power, powers = int.from_bytes(h, "big"), []
    for _ in range(128):
        powers.append(power)
        power = (power >> 1) ^ (0xE1 << 120 if power & 1 else 0)
    tables = []
    for position in range(16):
        table = [0] * 256
        for bit in range(8):
            table[0x80 >> bit] = powers[8 * position + bit]
        for value in range(1, 256):
            low = value & -value
            table[value] = table[low] ^ table[value ^ low] if value != low else table[low]
        tables.append(tuple(table))
    return tuple(tables)


@lru_cache(maxsize=64)
def _ed25519_private(seed: bytes) -> ECC.EccKey:
    return ECC.construct(curve="Ed25519", seed=seed)


@lru_cache(maxsize=64)
def _ed25519_public(pub: bytes) -> ECC.EccKey:
    return eddsa.import_public_key(pub)


@lru_cache(maxsize=64)
def _ec_private(curve: str, scalar: bytes) -> ECC.EccKey:
    return ECC.construct(curve=curve, d=int.from_bytes(scalar, "big"))


@lru_cache(maxsize=64)
def _ec_public(curve: str, point: bytes) -> ECC.EccKey:
    return ECC.import_key(point, curve_name=curve)


def _encoding(form: str | None) -> Literal["der", "binary"]:
    """PyCryptodome's word for the encoding of an ECDSA signature."""
    if form in (None, "der"):
        return "der"
    if form == "p1363":
        return "binary"
    raise UsageError(f"signature encoding: '{form}' is not known", nearest(form or "", ("der", "p1363")))


def _x25519(inputs: Inputs) -> bytes:
    private = DH.import_x25519_private_key(inputs["key"])
    if len(inputs["pub"]) != 32:
        raise ValueError("pub is not 32 bytes")
    try:
        public = DH.import_x25519_public_key(inputs["pub"])
    except ValueError:
        # Of 32 bytes, PyCryptodome refuses exactly the points of low order; a clamped scalar, a multiple of 8, takes each of them to zero.
        return bytes(32)
    return DH.key_agreement(static_priv=private, static_pub=public, kdf=bytes)


def _cbc(inputs: Inputs) -> Any:
    key, iv = inputs["key"], inputs["iv"]
    if len(key) != 24:
        return AES.new(key, AES.MODE_CBC, iv=iv)
    try:
        return DES3.new(key, DES3.MODE_CBC, iv=iv)
    except ValueError:
        # PyCryptodome refuses keys that degenerate to single DES: two of the three passes cancel, and the remaining key is enough.
        k1, k2, k3 = (bytes(b & 0xFE for b in key[at : at + 8]) for at in (0, 8, 16))
        if k1 == k2:
            return DES.new(key[16:24], DES.MODE_CBC, iv=iv)
        if k2 == k3:
            return DES.new(key[0:8], DES.MODE_CBC, iv=iv)
        raise


def _ctr(inputs: Inputs) -> Any:
    return AES.new(inputs["key"], AES.MODE_CTR, nonce=b"", initial_value=inputs["iv"])


def _chacha20(inputs: Inputs) -> Any:
    return ChaCha20.new(key=inputs["key"], nonce=inputs["iv"])


def _gcm(inputs: Inputs) -> Any:
    return AES.new(inputs["key"], AES.MODE_GCM, nonce=inputs["iv"], mac_len=TAG_BYTES)


def _chacha20_poly1305(inputs: Inputs) -> Any:
    return ChaCha20_Poly1305.new(key=inputs["key"], nonce=inputs["iv"])


def _hash(module: Any) -> Compute:
    return lambda inputs: bytes(module.new(inputs["msg"]).digest())


def _blake2b(inputs: Inputs) -> bytes:
    return BLAKE2b.new(data=inputs["msg"], digest_bits=512).digest()


def _hmac(inputs: Inputs) -> bytes:
    return HMAC.new(inputs["key"], inputs["msg"], SHA256).digest()


def _cmac(inputs: Inputs) -> bytes:
    return CMAC.new(inputs["key"], inputs["msg"], AES).digest()


def _encrypt(cipher: Callable[[Inputs], Any]) -> Compute:
    return lambda inputs: bytes(cipher(inputs).encrypt(inputs["msg"]))


def _decrypt(cipher: Callable[[Inputs], Any]) -> Compute:
    return lambda inputs: bytes(cipher(inputs).decrypt(inputs["msg"]))


def _seal(cipher: Callable[[Inputs], Any]) -> Compute:
    def compute(inputs: Inputs) -> bytes:
        state = cipher(inputs)
        state.update(inputs["aad"])
        ciphertext, tag = state.encrypt_and_digest(inputs["msg"])
        return bytes(ciphertext + tag)

    return compute


def _open(cipher: Callable[[Inputs], Any]) -> Compute:
    def compute(inputs: Inputs) -> bytes:
        tag = inputs["tag"]
        state = cipher(inputs)
        state.update(inputs["aad"])
        plaintext = bytes(state.decrypt(inputs["msg"]))
        try:
            state.verify(tag)
        except ValueError:
            raise NotAuthentic("oracle: the tag is not authentic") from None
        return plaintext

    return compute


_COMPUTE: dict[str, Compute] = {
    "md5/hash": _hash(MD5),
    "sha-1/hash": _hash(SHA1),
    "sha-256/hash": _hash(SHA256),
    "sha-512/hash": _hash(SHA512),
    "sha3-256/hash": _hash(SHA3_256),
    "blake2b-512/hash": _blake2b,
    "hmac-sha-256/mac": _hmac,
    "cmac-aes-128/mac": _cmac,
    "cmac-aes-256/mac": _cmac,
    "ghash/mac": lambda inputs: ghash(inputs["key"], inputs["msg"]),
    "poly1305/mac": lambda inputs: poly1305(inputs["key"], inputs["msg"]),
    "aes-128-cbc/encrypt": _encrypt(_cbc),
    "aes-128-cbc/decrypt": _decrypt(_cbc),
    "aes-256-cbc/encrypt": _encrypt(_cbc),
    "aes-256-cbc/decrypt": _decrypt(_cbc),
    "3des-cbc/encrypt": _encrypt(_cbc),
    "3des-cbc/decrypt": _decrypt(_cbc),
    "aes-128-ctr/encrypt": _encrypt(_ctr),
    "aes-256-ctr/encrypt": _encrypt(_ctr),
    "chacha20/encrypt": _encrypt(_chacha20),
    "aes-128-gcm/seal": _seal(_gcm),
    "aes-128-gcm/open": _open(_gcm),
    "aes-256-gcm/seal": _seal(_gcm),
    "aes-256-gcm/open": _open(_gcm),
    "chacha20-poly1305/seal": _seal(_chacha20_poly1305),
    "chacha20-poly1305/open": _open(_chacha20_poly1305),
    "x25519/derive": _x25519,
    "ed25519/sign": lambda inputs: sign("ed25519", inputs["key"], inputs["msg"]),
    **bignum_oracle.COMPUTE,
    **own.own_of_checkout().compute,
}
# Algorithms whose signatures are verified here; ValueError for one that is not valid.
_SIGNATURES: dict[str, Callable[[bytes, bytes, bytes, str | None], None]] = {
    "ed25519": _verify_ed25519,
    **{algorithm: _verify_ecdsa(algorithm) for algorithm in _EC_CURVES},
}


def _operations() -> frozenset[str]:
    of_signatures = [name for name, verb in verbs(data_root()).items() if verb.proof in ("verified", "decides")]
    signatures = {f"{algorithm}/{verb}" for algorithm in _SIGNATURES for verb in of_signatures}
    return frozenset(_COMPUTE) | signatures | round_trip.OPERATIONS


OPERATIONS = _operations()
