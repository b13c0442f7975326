# SPDX-License-Identifier: Apache-2.0
"""Block ciphers that PyCryptodome does not have, from their standards: Camellia (RFC 3713), ARIA (RFC 5794) and SM4 (GB/T 32907-2016), with keys of 128 bits.

ARIA and SM4 take many blocks at once, for counter mode. CBC is computed block by block, which is what Camellia is written for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cipherstone.model.later import Later

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

Inputs = Mapping[str, bytes]
BLOCK = 16
_M32, _M64, _M128 = (1 << 32) - 1, (1 << 64) - 1, (1 << 128) - 1


def _rotated(value: int, count: int, bits: int) -> int:
    return (value << count % bits | value >> -count % bits) & ((1 << bits) - 1)


# Camellia

_CAMELLIA_S1 = bytes.fromhex(
    "70822cecb327c0e5e4855735ea0cae4123ef6b934519a521ed0e4f4e1d6592bd"
    "86b8af8f7ceb1fce3e30dc5f5ec50b1aa6e139cad5475d3dd9015ad651566c4d"
    "8b0d9a66fbccb02d74122b20f0b18499df4ccbc2347e76056db7a931d11704d7"
    "14583a61de1b111c320f9c165318f222fe44cfb2c3b57a912408e8a860fc6950"
    "aad0a07da1896297545b1e95e0ff64d210c40048a3f775db8a03e6da093fdd94"
    "875c8302cd4a90337367f6f39d7fbfe2529bd826c837c63b81966f4b13be632e"
    "e979a78c9f6ebc8e29f5f9b62ffdb4597898066ae74671bad425ab4288a28dfa"
    "7207b955f8eeac0a36492a683c38f1a44028d37bbbc943c115e3adf477c7809e"
)
_SIGMA = (0xA09E667F3BCC908B, 0xB67AE8584CAA73B2, 0xC6EF372FE94F82BE, 0x54FF53A5F1D36F1C)


# Which bytes each byte of the result of F is a sum of (RFC 3713 section 2.4.1).
_P_OF = (
    (0, 2, 3, 5, 6, 7),
    (0, 1, 3, 4, 6, 7),
    (0, 1, 2, 4, 5, 7),
    (1, 2, 3, 4, 5, 6),
    (0, 1, 5, 6, 7),
    (1, 2, 4, 6, 7),
    (2, 3, 4, 5, 7),
    (0, 3, 4, 5, 6),
)


@lru_cache(maxsize=1)
def _camellia_tables() -> list[list[int]]:
    """For each byte of the input of F: what each value adds to its output."""
    s1 = _CAMELLIA_S1
    s2 = bytes(_rotated(s, 1, 8) for s in s1)
    s3 = bytes(_rotated(s, 7, 8) for s in s1)
    s4 = bytes(s1[_rotated(x, 1, 8)] for x in range(256))
    spread = [sum(1 << 8 * (7 - row) for row in range(8) if column in _P_OF[row]) for column in range(8)]
    boxes = (s1, s2, s3, s4, s2, s3, s4, s1)
    return [[box[x] * places for x in range(256)] for box, places in zip(boxes, spread, strict=True)]


def _f(x: int, key: int) -> int:
    x ^= key
    found = 0
    for place, table in enumerate(_camellia_tables()):
        found ^= table[x >> 56 - 8 * place & 0xFF]
    return found


def _fl(x: int, key: int) -> int:
    left, right = x >> 32, x & _M32
    right ^= _rotated(left & key >> 32, 1, 32)
    return (left ^ (right | key & _M32)) << 32 | right


def _fl_inverse(y: int, key: int) -> int:
    left, right = y >> 32, y & _M32
    left ^= right | key & _M32
    return left << 32 | right ^ _rotated(left & key >> 32, 1, 32)


class _Camellia:
    """`outer`: four keys of the whitening; `rounds`: 18; `layers`: four of FL and its inverse."""

    def __init__(self, key: bytes) -> None:
        kl = int.from_bytes(key, "big")
        d1, d2 = kl >> 64, kl & _M64
        d2 ^= _f(d1, _SIGMA[0])
        d1 ^= _f(d2, _SIGMA[1])
        d1, d2 = d1 ^ kl >> 64, d2 ^ kl & _M64
        d2 ^= _f(d1, _SIGMA[2])
        d1 ^= _f(d2, _SIGMA[3])
        ka = d1 << 64 | d2

        def halves(value: int, count: int) -> tuple[int, int]:
            turned = _rotated(value, count, 128)
            return turned >> 64, turned & _M64

        self.outer: tuple[int, ...] = halves(kl, 0) + halves(ka, 111)
        self.rounds: tuple[int, ...] = halves(ka, 0) + halves(kl, 15) + halves(ka, 15) + halves(kl, 45)
        self.rounds += (halves(ka, 45)[0], halves(kl, 60)[1], *halves(ka, 60))
        self.rounds += halves(kl, 94) + halves(ka, 94) + halves(kl, 111)
        self.layers: tuple[int, ...] = halves(ka, 30) + halves(kl, 77)

    def turned(self) -> _Camellia:
        """The cipher that undoes this one."""
        other = object.__new__(_Camellia)
        other.outer = self.outer[2:] + self.outer[:2]
        other.rounds, other.layers = self.rounds[::-1], self.layers[::-1]
        return other

    def block(self, value: int) -> int:
        d1, d2 = value >> 64 ^ self.outer[0], value & _M64 ^ self.outer[1]
        for index, key in enumerate(self.rounds):
            if index in (6, 12):
                d1 = _fl(d1, self.layers[index // 6 * 2 - 2])
                d2 = _fl_inverse(d2, self.layers[index // 6 * 2 - 1])
            d1, d2 = d2 ^ _f(d1, key), d1
        return (d2 ^ self.outer[2]) << 64 | d1 ^ self.outer[3]


def _camellia_encrypt(inputs: Inputs) -> bytes:
    cipher, last, found = _Camellia(inputs["key"]), int.from_bytes(inputs["iv"], "big"), []
    for at in range(0, len(inputs["msg"]), BLOCK):
        last = cipher.block(last ^ int.from_bytes(inputs["msg"][at : at + BLOCK], "big"))
        found.append(last.to_bytes(BLOCK, "big"))
    return b"".join(found)


def _camellia_decrypt(inputs: Inputs) -> bytes:
    cipher, last, found = _Camellia(inputs["key"]).turned(), int.from_bytes(inputs["iv"], "big"), []
    for at in range(0, len(inputs["msg"]), BLOCK):
        value = int.from_bytes(inputs["msg"][at : at + BLOCK], "big")
        found.append((cipher.block(value) ^ last).to_bytes(BLOCK, "big"))
        last = value
    return b"".join(found)


CAMELLIA_CBC = {"encrypt": _camellia_encrypt, "decrypt": _camellia_decrypt}


# Counter mode of what takes many blocks at once: NIST SP 800-38A section 6.5


def _ctr(blocks: Callable[[bytes, Any], Any]) -> dict[str, Callable[[Inputs], bytes]]:
    def encrypt(inputs: Inputs) -> bytes:
        count, first = -(-len(inputs["msg"]) // BLOCK), int.from_bytes(inputs["iv"], "big")
        counters = b"".join((first + i & _M128).to_bytes(BLOCK, "big") for i in range(count))
        stream = blocks(inputs["key"], np.frombuffer(counters, np.uint8).reshape(count, BLOCK)).reshape(-1)
        message = np.frombuffer(inputs["msg"], np.uint8)
        return bytes((message ^ stream[: len(message)]).tobytes())

    return {"encrypt": encrypt}


# ARIA

_ARIA_S2 = bytes.fromhex(
    "e24e54fc94c24acc620d6a463c4d8bd15efa64cbb497be2bbc772e03d31959c1"
    "1d06416b55f09969ea9c18ae63dfe7bb007366fb964c85e43a0945aa0fee10eb"
    "2d7ff429accfad918d78c895f92fcecd087a88385c832a2847dbb8c793a41253"
    "ff870e3136215848018e377432cae9b1b7ab0cd7c4564226079860d9b6b91140"
    "ec208cbda0c984044923f14f501f13dcd8c09e57e3c37b653b028f3ee82592e5"
    "15ddfd17a9bfd49a7ec53967fe769d43a7e1d0f568f21b347005a38ad57986a8"
    "30c6514b1ea627f635d26e2416825fdae675a2ef2cb21c9f5d6f800a72449b6c"
    "900b5b337d5a52f361a1f7b0d63f7c6ded14e0a53d22b3f889de711aafbab581"
)
_ARIA_A = (
    (3, 4, 6, 8, 9, 13, 14),
    (2, 5, 7, 8, 9, 12, 15),
    (1, 4, 6, 10, 11, 12, 15),
    (0, 5, 7, 10, 11, 13, 14),
    (0, 2, 5, 8, 11, 14, 15),
    (1, 3, 4, 9, 10, 14, 15),
    (0, 2, 7, 9, 10, 12, 13),
    (1, 3, 6, 8, 11, 12, 13),
    (0, 1, 4, 7, 10, 13, 15),
    (0, 1, 5, 6, 11, 12, 14),
    (2, 3, 5, 6, 8, 13, 15),
    (2, 3, 4, 7, 9, 12, 14),
    (1, 2, 6, 7, 9, 11, 12),
    (0, 3, 6, 7, 8, 10, 13),
    (0, 3, 4, 5, 9, 11, 14),
    (1, 2, 4, 5, 8, 10, 15),
)
_ARIA_C = (
    0x517CC1B727220A94FE13ABE8FA9A6EE0,
    0x6DB14ACC9E21C820FF28B1D5EF5DE2B0,
    0xDB92371D2126E9700324977504E8C90E,
)


@lru_cache(maxsize=1)
def _aria_boxes() -> tuple[Any, ...]:
    """S1, which is that of AES (FIPS 197 section 5.1.1), S2, and what undoes them."""
    power = [1]
    for _ in range(254):
        power.append(power[-1] ^ power[-1] << 1 ^ (0x11B if power[-1] & 0x80 else 0))
    logs = {value: index for index, value in enumerate(power)}
    s1 = []
    for x in range(256):
        y = power[-logs[x] % 255] if x else 0
        s1.append(y ^ _rotated(y, 1, 8) ^ _rotated(y, 2, 8) ^ _rotated(y, 3, 8) ^ _rotated(y, 4, 8) ^ 0x63)
    boxes = [np.array(s1, np.uint8), np.frombuffer(_ARIA_S2, np.uint8)]
    return (*boxes, *(np.argsort(box).astype(np.uint8) for box in boxes))


def _substituted(state: Any, even: bool) -> Any:
    """SL1, or SL2 of the even rounds, which begins with what undoes S1."""
    found = np.empty_like(state)
    for column in range(BLOCK):
        found[:, column] = _aria_boxes()[(column + 2 * even) % 4][state[:, column]]
    return found


def _diffused(state: Any) -> Any:
    found = np.empty_like(state)
    for column, parts in enumerate(_ARIA_A):
        found[:, column] = np.bitwise_xor.reduce(state[:, list(parts)], axis=1)
    return found


def _of_int(value: int) -> Any:
    return np.frombuffer(value.to_bytes(BLOCK, "big"), np.uint8)


def _aria_round(value: int, key: int, even: bool) -> int:
    state = (_of_int(value) ^ _of_int(key)).reshape(1, BLOCK)
    return int.from_bytes(_diffused(_substituted(state, even)).tobytes(), "big")


def _aria_keys(key: bytes) -> list[int]:
    w = [int.from_bytes(key, "big")]
    w.append(_aria_round(w[0], _ARIA_C[0], False))
    w.append(_aria_round(w[1], _ARIA_C[1], True) ^ w[0])
    w.append(_aria_round(w[2], _ARIA_C[2], False) ^ w[1])
    keys = [w[i] ^ _rotated(w[(i + 1) % 4], count, 128) for count in (-19, -31, 61) for i in range(4)]
    return [*keys, w[0] ^ _rotated(w[1], 31, 128)]


def _aria(key: bytes, state: Any) -> Any:
    keys = [_of_int(one) for one in _aria_keys(key)]
    for index in range(11):
        state = _diffused(_substituted(state ^ keys[index], index % 2 == 1))
    return _substituted(state ^ keys[11], True) ^ keys[12]


ARIA_CTR = _ctr(_aria)


# SM4

_SM4_S = bytes.fromhex(
    "d690e9fecce13db716b614c228fb2c052b679a762abe04c3aa44132649860699"
    "9c4250f491ef987a33540b43edcfac62e4b31ca9c908e89580df94fa758f3fa6"
    "4707a7fcf37317ba83593c19e6854fa8686b81b27164da8bf8eb0f4b70569d35"
    "1e240e5e6358d1a225227c3b01217887d40046579fd327524c3602e7a0c4c89e"
    "eabf8ad240c738b5a3f7f2cef96115a1e0ae5da49b341a55ad933230f58cb1e3"
    "1df6e22e8266ca60c02923ab0d534e6fd5db3745defd8e2f03ff6a726d6c5b51"
    "8d1baf92bbddbc7f11d95c411f105ad80ac13188a5cd7bbd2d74d012b8e5b4b0"
    "8969974a0c96777e65b9f109c56ec68418f07dec3adc4d2079ee5f3ed7cb3948"
)
_SM4_FK = (0xA3B1BAC6, 0x56AA3350, 0x677D9197, 0xB27022DC)


def _turned(words: Any, count: int) -> Any:
    return words << count | words >> 32 - count


def _sm4_substituted(words: Any) -> Any:
    box, found = np.frombuffer(_SM4_S, np.uint8).astype(np.uint32), np.zeros_like(words)
    for shift in (0, 8, 16, 24):
        found |= box[words >> shift & 0xFF] << shift
    return found


def _sm4_keys(key: bytes) -> list[int]:
    k = [word ^ int.from_bytes(key[4 * i : 4 * i + 4], "big") for i, word in enumerate(_SM4_FK)]
    for i in range(32):
        constant = int.from_bytes(bytes((4 * i + j) * 7 & 0xFF for j in range(4)), "big")
        words = np.array([k[i + 1] ^ k[i + 2] ^ k[i + 3] ^ constant], np.uint32)
        b = _sm4_substituted(words)
        k.append(k[i] ^ int((b ^ _turned(b, 13) ^ _turned(b, 23))[0]))
    return k[4:]


def _sm4(key: bytes, state: Any) -> Any:
    x = list(np.ascontiguousarray(state).view(">u4").astype(np.uint32).T)
    for one in _sm4_keys(key):
        b = _sm4_substituted(x[1] ^ x[2] ^ x[3] ^ np.uint32(one))
        x = [*x[1:], x[0] ^ b ^ _turned(b, 2) ^ _turned(b, 10) ^ _turned(b, 18) ^ _turned(b, 24)]
    return np.stack(x[::-1], axis=1).astype(">u4").view(np.uint8)


SM4_CTR = _ctr(_sm4)
