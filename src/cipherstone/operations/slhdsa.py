# SPDX-License-Identifier: Apache-2.0
"""SLH-DSA from FIPS 205 (August 2024), written to be read: the independent one, because PyCryptodome has none. It hashes with PyCryptodome and shares no code with the libraries measured.

Names and numbers of algorithms are the standard's. Parameter sets of security category 1: n is 16 bytes. Signatures are of whole messages, not of hashes.
Verification and, with `f`, signing take moments; signing with `s` computes some two million hashes. Published vectors prove it (tests/unit/test_catalogue_slhdsa.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherstone.model.later import Later

if TYPE_CHECKING:
    from Crypto.Hash import HMAC, SHA256, SHAKE256
else:  # Python's own may be OpenSSL, which is measured
    HMAC, SHA256, SHAKE256 = Later("Crypto.Hash.HMAC"), Later("Crypto.Hash.SHA256"), Later("Crypto.Hash.SHAKE256")

N = 16
SEED_BYTES = 3 * N
PRIVATE_BYTES, PUBLIC_BYTES = 4 * N, 2 * N
_W = 16  # lg_w is 4
_LEN1, _LEN2 = 2 * N, 3
_LEN = _LEN1 + _LEN2
_WOTS_HASH, _WOTS_PK, _TREE, _FORS_TREE, _FORS_ROOTS, _WOTS_PRF, _FORS_PRF = range(7)  # types of addresses, section 4.2


@dataclass(frozen=True)
class ParameterSet:
    """FIPS 205 table 2. `shake`: which hash functions (section 11)."""

    h: int
    d: int
    a: int
    k: int
    m: int
    shake: bool

    @property
    def each(self) -> int:
        """Height of one XMSS tree (h')."""
        return self.h // self.d

    @property
    def signature_bytes(self) -> int:
        """Bytes of a signature."""
        return N * (1 + self.k * (1 + self.a) + self.h + self.d * _LEN)


SETS = {
    "slh-dsa-sha2-128s": ParameterSet(63, 7, 12, 14, 30, False),
    "slh-dsa-sha2-128f": ParameterSet(66, 22, 6, 33, 34, False),
    "slh-dsa-shake-128s": ParameterSet(63, 7, 12, 14, 30, True),
    "slh-dsa-shake-128f": ParameterSet(66, 22, 6, 33, 34, True),
}


@dataclass(frozen=True)
class Address:
    """Section 4.2: where in the hypertree a hash stands. `second` and `third` are the last two words, whatever the type calls them."""

    layer: int
    tree: int
    kind: int = 0
    keypair: int = 0
    second: int = 0
    third: int = 0

    def of(self, kind: int, keypair: int = 0) -> Address:
        """The address of another type in the same tree; what the type had is zero."""
        return Address(self.layer, self.tree, kind, keypair)

    def packed(self, compressed: bool) -> bytes:
        """32 bytes, or the 22 of section 11.2."""
        words = b"".join(word.to_bytes(4, "big") for word in (self.keypair, self.second, self.third))
        if compressed:
            return self.layer.to_bytes(1, "big") + self.tree.to_bytes(8, "big") + self.kind.to_bytes(1, "big") + words
        return self.layer.to_bytes(4, "big") + self.tree.to_bytes(12, "big") + self.kind.to_bytes(4, "big") + words


class _Functions:
    """F, H, T_l and PRF under one public seed: sections 11.1 and 11.2.1, where the four are one function. Called with an address as it is hashed, or as its object."""

    def __init__(self, of: ParameterSet, pk_seed: bytes) -> None:
        self.of = of
        self._pk_seed = pk_seed
        self._begun = None if of.shake else SHA256.new(pk_seed + bytes(64 - N))

    def hash(self, address: Address, message: bytes) -> bytes:
        """N bytes."""
        return self.hash_at(self.packed(address), message)

    def packed(self, address: Address) -> bytes:
        """As the functions take it."""
        return address.packed(not self.of.shake)

    def hash_at(self, packed: bytes, message: bytes) -> bytes:
        """The same for an address that is packed."""
        if self._begun is None:
            return SHAKE256.new(self._pk_seed + packed + message).read(N)
        state = self._begun.copy()
        state.update(packed + message)
        return bytes(state.digest()[:N])


def keygen(of: ParameterSet, seed: bytes) -> tuple[bytes, bytes]:
    """(SK, PK) from SK.seed, SK.prf and PK.seed one after another: algorithm 18."""
    if len(seed) != SEED_BYTES:
        raise ValueError(f"seed is {len(seed)} bytes, not {SEED_BYTES}")
    root = public_root(of, seed[:N], seed[2 * N :])
    return seed + root, seed[2 * N :] + root


def public_root(of: ParameterSet, sk_seed: bytes, pk_seed: bytes) -> bytes:
    """PK.root, the root of the topmost tree."""
    return _levels(_Functions(of, pk_seed), sk_seed, Address(of.d - 1, 0))[-1][0]


def sign(of: ParameterSet, sk: bytes, message: bytes, addrnd: bytes | None = None, context: bytes = b"") -> bytes:
    """The signature of a message: algorithms 19 and 22; deterministic without `addrnd`. Raises ValueError for a key of another length."""
    if len(sk) != PRIVATE_BYTES:
        raise ValueError(f"key is {len(sk)} bytes, not {PRIVATE_BYTES}")
    sk_seed, sk_prf, pk_seed, root = _parts(sk)
    functions, framed = _Functions(of, pk_seed), _framed(context, message)
    r = _prf_msg(of, sk_prf, pk_seed if addrnd is None else addrnd, framed)
    digest, tree, leaf = _split(of, _h_msg(of, r, pk_seed, root, framed))
    address = Address(0, tree, _FORS_TREE, leaf)
    found, node = _fors_sign(functions, sk_seed, address, digest)
    for layer in range(of.d):
        levels = _levels(functions, sk_seed, Address(layer, tree))
        found += _wots_sign(functions, sk_seed, Address(layer, tree, _WOTS_HASH, leaf), node)
        found += b"".join(level[(leaf >> height) ^ 1] for height, level in enumerate(levels[:-1]))
        node = levels[-1][0]
        tree, leaf = tree >> of.each, tree & (1 << of.each) - 1
    return r + found


def verify(of: ParameterSet, pk: bytes, message: bytes, signature: bytes, context: bytes = b"") -> bool:
    """Whether the signature of a message is valid: algorithms 20 and 24. A key or a signature of another length is none."""
    if len(pk) != PUBLIC_BYTES or len(signature) != of.signature_bytes:
        return False
    pk_seed, root = _parts(pk)
    functions = _Functions(of, pk_seed)
    r, *rest = _parts(signature)
    digest, tree, leaf = _split(of, _h_msg(of, r, pk_seed, root, _framed(context, message)))
    node = _fors_public(functions, Address(0, tree, _FORS_TREE, leaf), digest, rest[: of.k * (1 + of.a)])
    rest = rest[of.k * (1 + of.a) :]
    for layer in range(of.d):
        chains, path, rest = rest[:_LEN], rest[_LEN : _LEN + of.each], rest[_LEN + of.each :]
        node = _wots_public(functions, Address(layer, tree, _WOTS_HASH, leaf), node, chains)
        node = _climb(functions, Address(layer, tree, _TREE), node, leaf, path)
        tree, leaf = tree >> of.each, tree & (1 << of.each) - 1
    return node == root


def _framed(context: bytes, message: bytes) -> bytes:
    """What is signed of a whole message: algorithm 22, line 8."""
    return bytes([0, len(context)]) + context + message


def _prf_msg(of: ParameterSet, sk_prf: bytes, random: bytes, message: bytes) -> bytes:
    if of.shake:
        return SHAKE256.new(sk_prf + random + message).read(N)
    return HMAC.new(sk_prf, random + message, SHA256).digest()[:N]


def _h_msg(of: ParameterSet, r: bytes, pk_seed: bytes, root: bytes, message: bytes) -> bytes:
    if of.shake:
        return SHAKE256.new(r + pk_seed + root + message).read(of.m)
    inner = SHA256.new(r + pk_seed + root + message).digest()
    blocks = [SHA256.new(r + pk_seed + inner + count.to_bytes(4, "big")).digest() for count in range(-(-of.m // 32))]
    return b"".join(blocks)[: of.m]  # MGF1


def _split(of: ParameterSet, digest: bytes) -> tuple[list[int], int, int]:
    """What is signed by FORS, by its trees; the number of the tree and of the leaf: algorithm 19, lines 6 to 10."""
    message, tree_bytes, leaf_bytes = -(-of.k * of.a // 8), -(-(of.h - of.each) // 8), -(-of.each // 8)
    tree = int.from_bytes(digest[message : message + tree_bytes], "big") % (1 << of.h - of.each)
    leaf = int.from_bytes(digest[message + tree_bytes : message + tree_bytes + leaf_bytes], "big") % (1 << of.each)
    number, bits = int.from_bytes(digest[:message], "big"), 8 * message
    return [number >> bits - of.a * (i + 1) & (1 << of.a) - 1 for i in range(of.k)], tree, leaf


def _digits(node: bytes) -> list[int]:
    """What the chains of WOTS+ sign: digits to the base 16, and their checksum: algorithm 7, lines 1 to 7."""
    digits = [half for byte in node for half in (byte >> 4, byte & 15)]
    checksum = sum(_W - 1 - digit for digit in digits)
    return [*digits, checksum >> 8, checksum >> 4 & 15, checksum & 15]


def _chain(functions: _Functions, address: Address, number: int, value: bytes, start: int, steps: int) -> bytes:
    """Algorithm 5."""
    packed = functions.packed(Address(address.layer, address.tree, _WOTS_HASH, address.keypair, number))[:-4]
    for step in range(start, start + steps):
        value = functions.hash_at(packed + step.to_bytes(4, "big"), value)
    return value


def _wots_secret(functions: _Functions, sk_seed: bytes, address: Address, number: int) -> bytes:
    at = Address(address.layer, address.tree, _WOTS_PRF, address.keypair, number)
    return functions.hash(at, sk_seed)


def _wots_sign(functions: _Functions, sk_seed: bytes, address: Address, node: bytes) -> bytes:
    """Algorithm 7."""
    return b"".join(
        _chain(functions, address, number, _wots_secret(functions, sk_seed, address, number), 0, digit)
        for number, digit in enumerate(_digits(node))
    )


def _wots_public(functions: _Functions, address: Address, node: bytes, chains: Sequence[bytes]) -> bytes:
    """Algorithm 8."""
    ends = [
        _chain(functions, address, number, value, digit, _W - 1 - digit)
        for number, (digit, value) in enumerate(zip(_digits(node), chains, strict=True))
    ]
    return functions.hash(address.of(_WOTS_PK, address.keypair), b"".join(ends))


def _levels(functions: _Functions, sk_seed: bytes, tree: Address) -> list[list[bytes]]:
    """All nodes of an XMSS tree, leaves first: algorithms 6 and 9."""
    leaves = []
    for leaf in range(1 << functions.of.each):
        at = tree.of(_WOTS_HASH, leaf)
        ends = [
            _chain(functions, at, number, _wots_secret(functions, sk_seed, at, number), 0, _W - 1)
            for number in range(_LEN)
        ]
        leaves.append(functions.hash(tree.of(_WOTS_PK, leaf), b"".join(ends)))
    return _tree(functions, tree.of(_TREE), leaves, 0)


def _tree(functions: _Functions, address: Address, leaves: list[bytes], first: int) -> list[list[bytes]]:
    """Levels above leaves of which the first has number `first`."""
    levels = [leaves]
    while len(levels[-1]) > 1:
        below, height = levels[-1], len(levels)
        first >>= 1
        levels.append(
            [
                functions.hash(
                    Address(address.layer, address.tree, address.kind, address.keypair, height, first + i // 2),
                    below[i] + below[i + 1],
                )
                for i in range(0, len(below), 2)
            ]
        )
    return levels


def _climb(functions: _Functions, address: Address, node: bytes, index: int, path: Sequence[bytes]) -> bytes:
    """From a leaf to the root, by its siblings: algorithms 11 and 17."""
    for height, sibling in enumerate(path, 1):
        both = sibling + node if index & 1 else node + sibling
        index >>= 1
        at = Address(address.layer, address.tree, address.kind, address.keypair, height, index)
        node = functions.hash(at, both)
    return node


def _fors_sign(functions: _Functions, sk_seed: bytes, address: Address, digest: Sequence[int]) -> tuple[bytes, bytes]:
    """(signature, public key) of FORS: algorithms 14 to 16."""
    a, found, roots = functions.of.a, b"", []
    for number, index in enumerate(digest):
        first = number << a
        secrets = [
            functions.hash(Address(0, address.tree, _FORS_PRF, address.keypair, 0, first + i), sk_seed)
            for i in range(1 << a)
        ]
        leaves = [
            functions.hash(Address(0, address.tree, _FORS_TREE, address.keypair, 0, first + i), secret)
            for i, secret in enumerate(secrets)
        ]
        levels = _tree(functions, address, leaves, first)
        found += secrets[index] + b"".join(level[(index >> height) ^ 1] for height, level in enumerate(levels[:-1]))
        roots.append(levels[-1][0])
    return found, functions.hash(address.of(_FORS_ROOTS, address.keypair), b"".join(roots))


def _fors_public(functions: _Functions, address: Address, digest: Sequence[int], signature: Sequence[bytes]) -> bytes:
    """Algorithm 17."""
    a, roots = functions.of.a, []
    for number, index in enumerate(digest):
        secret, *path = signature[number * (1 + a) : (number + 1) * (1 + a)]
        leaf = (number << a) + index
        node = functions.hash(Address(0, address.tree, _FORS_TREE, address.keypair, 0, leaf), secret)
        roots.append(_climb(functions, address, node, leaf, path))
    return functions.hash(address.of(_FORS_ROOTS, address.keypair), b"".join(roots))


def _parts(data: bytes) -> list[bytes]:
    return [data[at : at + N] for at in range(0, len(data), N)]
