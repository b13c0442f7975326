# SPDX-License-Identifier: Apache-2.0
"""What the vector x86-64 instructions of the table do. A register is an integer of its full width; lanes are done one by one or all at once by masks."""

from __future__ import annotations

import re
from collections.abc import Callable

from cipherstone.isa import fields
from cipherstone.isa.processor import Processor, Step

_WIDTH = {"x": 128, "y": 256, "z": 512}
_M52 = (1 << 52) - 1
Two = Callable[[int, int], int]  # (first source, second source) -> destination
Make = Callable[[int, list[int]], Two]  # (width in bits, immediates) -> Two


def decode(m: Processor, word: str, ops: list[str]) -> Step | None:
    """The step of an instruction, or None if `word` is not known here.

    The destination is the first source too where an instruction has two registers: `paddd xmm1, xmm2` and `vpaddd xmm1, xmm1, xmm2` become one.
    """
    if word == "vpternlogd":
        return _ternary(m, ops)
    if word.startswith("vpmadd52"):
        return _multiply_add(m, word, ops)
    if word == "sha256rnds2":
        return _sha256rnds2(m, ops)
    make = _KNOWN.get(word) or _KNOWN.get(word.removeprefix("v"))
    if make is None:
        return None
    r = m.r
    registers = [op for op in ops if op in r]
    immediates = [int(op, 0) for op in ops if op not in r]
    d, b = registers[0], registers[-1]
    a = registers[-2] if len(registers) > 1 else d
    compute = make(_WIDTH[re.sub(r"[^xyz].*", "", d)], immediates)

    def step() -> None:
        r[d] = compute(r[a], r[b])

    return step


def _each(lane_bits: int, function: Two) -> Make:
    """`function` on every lane of `lane_bits`."""
    mask = (1 << lane_bits) - 1

    def make(width: int, _: list[int]) -> Two:
        shifts = range(0, width, lane_bits)

        def compute(a: int, b: int) -> int:
            result = 0
            for shift in shifts:
                result |= function(a >> shift & mask, b >> shift & mask) << shift
            return result

        return compute if width > lane_bits else function

    return make


def lane_sum(lane_bits: int) -> Make:
    """Sums in lanes at once: the top bits are added without carry, so that none crosses."""

    def make(width: int, _: list[int]) -> Two:
        top = sum(1 << shift + lane_bits - 1 for shift in range(0, width, lane_bits))
        rest = (1 << width) - 1 ^ top
        return lambda a, b: (a & rest) + (b & rest) ^ (a ^ b) & top

    return make


def _lane_shift(width: int, immediates: list[int]) -> Two:
    count = immediates[0]
    keep = sum(((1 << 32 - count) - 1) << shift for shift in range(0, width, 32))
    return lambda _, b: (b & keep) << count


def _lane_rotate(lane_bits: int) -> Make:
    def make(width: int, immediates: list[int]) -> Two:
        count = immediates[0]
        low = sum(((1 << lane_bits - count) - 1) << shift for shift in range(0, width, lane_bits))
        high = (1 << width) - 1 ^ low
        return lambda _, b: (b & low) << count | (b & high) >> lane_bits - count

    return make


def _exclusive_or(width: int, _: list[int]) -> Two:
    return lambda a, b: a ^ b


def _products32(width: int, _: list[int]) -> Two:
    mask, shifts = fields.M32, range(0, width, 64)
    return lambda a, b: sum((a >> s & mask) * (b >> s & mask) << s for s in shifts)


def _round(tables: Callable[[], fields.Round]) -> Make:
    def make(width: int, immediates: list[int]) -> Two:
        ready = tables()
        return _each(128, lambda a, key: fields.look_up(ready, a) ^ key)(width, immediates)

    return make


def _carryless(width: int, immediates: list[int]) -> Two:
    first, second = 64 * (immediates[0] & 1), 64 * (immediates[0] >> 4 & 1)
    m64 = fields.M64
    return _each(128, lambda a, b: fields.carryless(a >> first & m64, b >> second & m64))(width, [])


def _shuffle(width: int, _: list[int]) -> Two:
    """PSHUFB: in each 16 bytes, the byte that the control names, or zero if its top bit is set."""
    size, known = width // 8, {}  # type: tuple[int, dict[int, list[int]]]

    def compute(a: int, control: int) -> int:
        picks = known.get(control)
        if picks is None:
            wanted = control.to_bytes(size, "little")
            picks = [size if c & 0x80 else (i & ~15) + (c & 15) for i, c in enumerate(wanted)]
            known[control] = picks
        data = a.to_bytes(size, "little") + b"\0"
        return int.from_bytes(bytes(map(data.__getitem__, picks)), "little")

    return compute


def _permute_bytes(width: int, _: list[int]) -> Two:
    """VPERMB: index vector first, then the table."""
    size = width // 8

    def compute(index: int, table: int) -> int:
        data = table.to_bytes(size, "little")
        return int.from_bytes(bytes(data[i & size - 1] for i in index.to_bytes(size, "little")), "little")

    return compute


def _affine(width: int, immediates: list[int]) -> Two:
    def lane(a: int, matrix: int) -> int:
        table = fields.affine_table(matrix, immediates[0])
        return int.from_bytes(a.to_bytes(8, "little").translate(table), "little")

    return _each(64, lane)(width, [])


def _field_products(width: int, _: list[int]) -> Two:
    size, tables = width // 8, fields.gf256_table()

    def compute(a: int, b: int) -> int:
        pairs = zip(a.to_bytes(size, "little"), b.to_bytes(size, "little"), strict=True)
        return int.from_bytes(bytes([tables[y][x] for x, y in pairs]), "little")

    return compute


def _ternary(m: Processor, ops: list[str]) -> Step:
    """VPTERNLOG: bit (d, a, b) of the immediate for every bit."""
    r, d, a, b, table = m.r, ops[0], ops[1], ops[2], int(ops[3], 0)
    full = (1 << _WIDTH[d[0]]) - 1

    def step() -> None:
        x, y, z = r[d], r[a], r[b]
        result = 0
        for index in range(8):
            if table >> index & 1:
                result |= (
                    (x if index & 4 else x ^ full) & (y if index & 2 else y ^ full) & (z if index & 1 else z ^ full)
                )
        r[d] = result

    return step


def _multiply_add(m: Processor, word: str, ops: list[str]) -> Step:
    """VPMADD52LUQ, VPMADD52HUQ: low or high 52 bits of a 104-bit product, added to 64-bit lanes."""
    r, d, a, b = m.r, ops[0], ops[1], ops[2]
    width, down = _WIDTH[d[0]], 52 if word == "vpmadd52huq" else 0
    products: dict[tuple[int, int], int] = {}
    add = lane_sum(64)(width, [])

    def step() -> None:
        key = r[a], r[b]
        product = products.get(key)
        if product is None:
            product = 0
            for s in range(0, width, 64):
                product |= ((key[0] >> s & _M52) * (key[1] >> s & _M52) >> down & _M52) << s
            products[key] = product
        r[d] = add(r[d], product)

    return step


def _sha256rnds2(m: Processor, ops: list[str]) -> Step:
    r, d, source = m.r, ops[0], ops[1]

    def step() -> None:
        f, e, b, a = fields.words32(r[source])
        h, g, dd, c = fields.words32(r[d])
        wk0, wk1, _, _ = fields.words32(r["xmm0"])
        state = fields.sha256_round(fields.sha256_round((a, b, c, dd, e, f, g, h), wk0), wk1)
        r[d] = fields.block32(state[5], state[4], state[1], state[0])

    return step


def _sha1rnds4(width: int, immediates: list[int]) -> Two:
    def compute(a: int, b: int) -> int:
        w3, w2, w1, w0 = fields.words32(b)
        d, c, bb, aa = fields.words32(a)
        return fields.sha1_four_rounds((aa, bb, c, d), (w0, w1, w2, w3), immediates[0])

    return compute


def _sha1nexte(width: int, _: list[int]) -> Two:
    return lambda a, b: b & (1 << 96) - 1 | (fields.rol(a >> 96, 30) + (b >> 96) & fields.M32) << 96


def _sha1msg1(width: int, _: list[int]) -> Two:
    def compute(a: int, b: int) -> int:
        w3, w2, w1, w0 = fields.words32(a)
        _, _, w5, w4 = fields.words32(b)
        return fields.block32(w5 ^ w3, w4 ^ w2, w3 ^ w1, w2 ^ w0)

    return compute


def _sha1msg2(width: int, _: list[int]) -> Two:
    def compute(a: int, b: int) -> int:
        a0, a1, a2, a3 = fields.words32(a)
        w15, w14, w13, _ = fields.words32(b)
        w16 = fields.rol(a3 ^ w13, 1)
        return fields.block32(fields.rol(a0 ^ w16, 1), fields.rol(a1 ^ w15, 1), fields.rol(a2 ^ w14, 1), w16)

    return compute


def _sha256msg1(width: int, _: list[int]) -> Two:
    def compute(a: int, b: int) -> int:
        w0, w1, w2, w3 = fields.words32(a)
        w4 = b & fields.M32
        s = fields.sigma0
        return fields.block32(w0 + s(w1), w1 + s(w2), w2 + s(w3), w3 + s(w4))

    return compute


def _sha256msg2(width: int, _: list[int]) -> Two:
    def compute(a: int, b: int) -> int:
        a0, a1, a2, a3 = fields.words32(a)
        _, _, w14, w15 = fields.words32(b)
        s = fields.sigma1
        w16, w17 = a0 + s(w14) & fields.M32, a1 + s(w15) & fields.M32
        return fields.block32(w16, w17, a2 + s(w16), a3 + s(w17))

    return compute


_KNOWN: dict[str, Make] = {
    "paddd": lane_sum(32),
    "paddq": lane_sum(64),
    "pxor": _exclusive_or,
    "vpxord": _exclusive_or,
    "pslld": _lane_shift,
    "vprold": _lane_rotate(32),
    "vprolq": _lane_rotate(64),
    "pmuludq": _products32,
    "aesenc": _round(fields.encrypt_round),
    "aesenclast": _round(fields.last_round),
    "aesdec": _round(fields.decrypt_round),
    "pclmulqdq": _carryless,
    "pshufb": _shuffle,
    "vpermb": _permute_bytes,
    "gf2p8affineqb": _affine,
    "gf2p8mulb": _field_products,
    "sha1rnds4": _sha1rnds4,
    "sha1nexte": _sha1nexte,
    "sha1msg1": _sha1msg1,
    "sha1msg2": _sha1msg2,
    "sha256msg1": _sha256msg1,
    "sha256msg2": _sha256msg2,
}
