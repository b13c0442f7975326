# SPDX-License-Identifier: Apache-2.0
"""The independent verifier: PyCryptodome, which shares no code with the libraries measured.

GHASH and raw Poly1305, which PyCryptodome does not offer alone, are computed with integers, from NIST SP 800-38D section 6.4 (ghash.py) and RFC 8439 section 2.5 (poly1305.py).
Algorithms with a folder of their own bring their own (own.py), those with key pairs are schemes (schemes.py). Modular arithmetic is in bignum_oracle.py; what an instruction kernel must leave is computed by the interpreter of the kernel table.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.verbs import Verb, verb_named, verbs
from cipherstone.model.errors import NotAuthentic as NotAuthentic
from cipherstone.model.errors import UsageError, nearest
from cipherstone.model.ids import Case
from cipherstone.model.later import Later
from cipherstone.operations import bignum_oracle, own
from cipherstone.operations.ghash import ghash as ghash
from cipherstone.operations.kernel_proof import kernel_output
from cipherstone.operations.kernels import is_kernel
from cipherstone.operations.poly1305 import poly1305 as poly1305
from cipherstone.operations.scheme import Inputs, Scheme
from cipherstone.operations.scheme import MustNotBeUsed as MustNotBeUsed
from cipherstone.operations.schemes import schemes

if TYPE_CHECKING:
    from Crypto.Cipher import AES, DES, DES3, ChaCha20, ChaCha20_Poly1305
    from Crypto.Hash import CMAC, HMAC, MD5, SHA1, SHA3_256, SHA256, SHA512, BLAKE2b
else:
    AES, DES, DES3 = Later("Crypto.Cipher.AES"), Later("Crypto.Cipher.DES"), Later("Crypto.Cipher.DES3")
    ChaCha20, ChaCha20_Poly1305 = Later("Crypto.Cipher.ChaCha20"), Later("Crypto.Cipher.ChaCha20_Poly1305")
    CMAC, HMAC, BLAKE2b = Later("Crypto.Hash.CMAC"), Later("Crypto.Hash.HMAC"), Later("Crypto.Hash.BLAKE2b")
    MD5, SHA1, SHA256 = Later("Crypto.Hash.MD5"), Later("Crypto.Hash.SHA1"), Later("Crypto.Hash.SHA256")
    SHA512, SHA3_256 = Later("Crypto.Hash.SHA512"), Later("Crypto.Hash.SHA3_256")

Compute = Callable[[Inputs], bytes]
TAG_BYTES = 16


def expected_output(operation: str, inputs: Inputs, form: str | None = None) -> bytes | None:
    """What `operation` (`ALGORITHM/VERB`) must leave in the output buffer; b"" for `verify`.

    None: the output is randomised (`ecdsa-*/sign`, key generation). `form`: encoding of an ECDSA signature. Raises NotAuthentic where a library must reject, and
    UsageError for an operation that the oracle does not know or inputs that are no inputs of it.
    """
    if is_kernel(operation):
        return kernel_output(operation, inputs, form)
    compute = _compute(operation) or _varied(operation)
    if compute is None and not is_known(operation):
        raise UsageError(f"oracle: '{operation}' is not known", nearest(operation, operations()))
    verb = verb_of(operation)
    for name in verb.needed:
        if name not in inputs:
            raise UsageError(f"oracle: {operation}: input '{name}' is missing", "see protocol/PROTOCOL.md, section 2")
    try:
        if compute is not None:
            return compute(inputs)
        due = _scheme(operation).due.get(operation.split("/")[1])
        if verb.proof == "decides" and due is None:
            if not signature_is_valid(operation, inputs, inputs["sig"], form):
                raise NotAuthentic("the signature is not valid")
            return b""
        return due(inputs) if due is not None else None
    except KeyError as error:
        raise UsageError(
            f"oracle: {operation}: input {error} is missing", "see protocol/PROTOCOL.md, section 2"
        ) from None
    except NotAuthentic as error:
        raise type(error)(f"oracle: {operation}: {error}") from None
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
    judge = _scheme(operation).judge.get(operation.split("/")[1])
    if judge is None:
        raise UsageError(f"oracle: '{operation}' draws nothing", nearest(operation, operations()))
    return judge(inputs, output, form)


def signature_is_valid(operation: str, inputs: Inputs, signature: bytes, form: str | None = None) -> bool:
    """Whether `signature` over `msg` verifies with `pub`. `operation` is a `sign` or a `verify`; `form`: `der` (also if None) or `p1363`, for ECDSA."""
    algorithm, verb = operation.split("/")[:2]
    signs = verb_of(operation).undoes or verb
    return not random_output_problem(f"{algorithm}/{signs}", inputs, signature, form)


def made(operation: str, inputs: Inputs, form: str | None = None) -> bytes:
    """One right output of an operation whose outputs are drawn, the same every time: RFC 6979 for ECDSA, a fixed seed for encapsulation."""
    return _scheme(operation).make[operation.split("/")[1]](inputs, form)


def _scheme(operation: str) -> Scheme:
    algorithm = operation.partition("/")[0]
    if algorithm not in schemes():
        raise UsageError(f"oracle: '{operation}' has no keys", nearest(operation, operations()))
    return schemes()[algorithm]


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
    **bignum_oracle.COMPUTE,
}


def _compute(operation: str) -> Compute | None:
    """Of families and of folders: each of those is read when it is asked for first."""
    return _COMPUTE.get(operation) or own.own_of(operation.partition("/")[0]).compute.get(operation)


def _varied(operation: str) -> Compute | None:
    """Of an operation that no catalogue has, but one that differs in parameters which known answers have with any value."""
    case = Case.parse(operation) if "/" in operation else Case(operation, "")
    at = own.own_of(case.algorithm).at.get(case.listed)
    params = dict(case.params)
    if at is None or not any(one.answers(params) for one in catalogue_of_checkout().listed(case.listed)):
        return None
    return lambda inputs: at(inputs, params)


@lru_cache(maxsize=1)
def operations() -> frozenset[str]:
    """What is computed, and of schemes what they know: right outputs, drawn ones that they judge, and the verbs that undo those."""
    found = {*_COMPUTE, *own.own_of_checkout().compute}
    for algorithm, scheme in schemes().items():
        found |= {f"{algorithm}/{verb}" for verb in _verbs_of(scheme)}
    return frozenset(found)


def is_known(operation: str) -> bool:
    """Whether it is one of `operations`, of which no other is read."""
    algorithm, _, verb = operation.partition("/")
    scheme = schemes().get(algorithm)
    return _compute(operation) is not None or (scheme is not None and verb in _verbs_of(scheme))


def _verbs_of(scheme: Scheme) -> set[str]:
    known = {*scheme.due, *scheme.judge}
    return known | {
        name for name, verb in verbs(data_root()).items() if verb.proof == "decides" and verb.undoes in known
    }
