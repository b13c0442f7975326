# SPDX-License-Identifier: Apache-2.0
"""Vectors of modular arithmetic: published RSA examples and groups, and the edges of every operation, computed with Python's integers.

There are no negatives: an even modulus is refused by some libraries and accepted by others, as each may. Where a result is known without computing it (Fermat's theorem,
m - 1 to an odd power), the note says so. Files stay small: the longer the numbers, the fewer the vectors.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from math import gcd

import vector_rsa
from vector_sources import Entry, Sources, make_entry

from cipherstone.model.ids import Case
from cipherstone.operations.bignum_inputs import PRIME_STEPS, crt_key, first_candidate, prime, prime_step
from cipherstone.operations.bignum_oracle import BY_ALGORITHM, PUBLIC_EXPONENT, PUBLIC_EXPONENT_BYTES
from cipherstone.operations.splitmix import splitmix64

SIZES = (512, 1024, 2048, 3072, 4096, 8192)  # bits of the modulus
CRT_SIZES = (1024, 2048, 3072, 4096, 8192)
MONTMUL_SIZES = (512, 1024, 2048, 4096)
ARITHMETIC_SIZES = (2048, 4096)
WORD_SIZES = (2048,)
COMPUTED = "computed: Python integers"
GROUPS = "asymmetric/DH/rfc3526.txt"
GROUP_OF = {2048: "1", 3072: "2", 4096: "3", 8192: "5"}  # COUNT in that file
LARGEST_PRIME = {512: 569, 1024: 105}  # 2^N less this is the largest prime below 2^N
Row = tuple[str, dict[str, int], str]  # name, numbers by input, note


def stream(what: str, bits: int) -> int:
    """A number below 2^bits that belongs to `what`."""
    return int.from_bytes(splitmix64(zlib.crc32(what.encode()), bits // 8), "big")


def moduli(bits: int) -> dict[str, int]:
    """Odd, with the top bit set, and with long runs: of ones, of zeros, of both; lowest words of 1 and of all ones make Montgomery's constant extreme."""
    half = bits // 2
    return {
        "ones": (1 << bits) - 1,
        "gap": (1 << (bits - 1)) + 1,
        "halves": (1 << bits) - (1 << half) + 1,
        "low": (1 << (bits - 1)) + (1 << half) - 1,
        "any": stream(f"modulus-{bits}", bits) | 1 << (bits - 1) | 1,
    }


def group(sources: Sources, bits: int) -> tuple[int, str]:
    """A prime of `bits` that is published, and its source; for 512 and 1024 bits the largest one there is."""
    if bits in LARGEST_PRIME:
        return (1 << bits) - LARGEST_PRIME[bits], f"{COMPUTED}; 2^{bits} - {LARGEST_PRIME[bits]} is prime"
    record = next(r for r in sources.records(GROUPS) if r["COUNT"] == GROUP_OF[bits])
    return int(record["P"], 16), f"derived from RFC 3526, {bits}-bit MODP group (rfc3526.txt)"


# Exponentiation


def _exponents(bits: int) -> dict[str, int]:
    quarter = bits // 4
    return {
        "ones": (1 << bits) - 1,
        "top": 1 << (bits - 1),
        "runs": ((1 << quarter) - 1) << (3 * quarter) | ((1 << quarter) - 1),
        "any": stream(f"exponent-{bits}", bits) | 1 << (bits - 1),
        "short": 0xC000000000000003,
    }


def modexp_private(sources: Sources, bits: int) -> list[Entry]:
    m, e = moduli(bits), _exponents(bits)
    base = stream(f"base-{bits}", bits)
    rows: list[Row] = [
        ("short", {"msg": base % m["any"], "key": e["short"], "pub": m["any"]}, "leading zeros in the exponent"),
        ("short-ones", {"msg": base % m["ones"], "key": e["short"], "pub": m["ones"]}, "modulus 2^N - 1"),
        ("one", {"msg": m["low"] - 1, "key": 1, "pub": m["low"]}, "exponent 1: the base itself"),
    ]
    if bits <= 4096:
        rows.append(("minus-one", {"msg": m["gap"] - 1, "key": e["ones"], "pub": m["gap"]}, "m - 1 to an odd power"))
    if bits <= 2048:
        rows += [
            ("zero", {"msg": 0, "key": e["any"], "pub": m["any"]}, "base 0"),
            ("base-one", {"msg": 1, "key": e["any"], "pub": m["low"]}, "base 1"),
            ("two", {"msg": 2, "key": e["top"], "pub": m["halves"]}, "base 2, one bit in the exponent"),
            ("runs", {"msg": base % m["ones"], "key": e["runs"], "pub": m["ones"]}, "long runs in the exponent"),
            ("any", {"msg": base % m["any"], "key": e["any"], "pub": m["any"]}, ""),
        ]
    p, source = group(sources, bits)
    fermat: Row = ("fermat", {"msg": base % p, "key": p, "pub": p}, "x^p = x modulo the prime p (Fermat)")
    published = vector_rsa.private(sources, bits, 3 if bits <= 2048 else 2) if 512 < bits < 8192 else []
    entries = [_entry(f"modexp/private/bits={bits},crt=no", row) for row in rows]
    return [*entries, *published, _entry(f"modexp/private/bits={bits},crt=no", fermat, source)]


def modexp_public(sources: Sources, bits: int) -> list[Entry]:
    m = moduli(bits)
    base = stream(f"base-{bits}", bits)
    rows: list[Row] = [
        ("any", {"msg": base % m["any"], "pub": m["any"]}, ""),
        ("ones", {"msg": base % m["ones"], "pub": m["ones"]}, "modulus 2^N - 1"),
        ("minus-one", {"msg": m["gap"] - 1, "pub": m["gap"]}, "m - 1 to an odd power"),
        ("zero", {"msg": 0, "pub": m["low"]}, "base 0"),
    ]
    if bits <= 2048:
        rows += [
            ("one", {"msg": 1, "pub": m["ones"]}, "base 1"),
            ("two", {"msg": 2, "pub": m["halves"]}, "base 2"),
            ("low", {"msg": m["low"] - 2, "pub": m["low"]}, "base m - 2"),
        ]
    published = vector_rsa.public(sources, bits, 3 if bits <= 2048 else 2) if bits > 512 else []
    return [*(_entry(f"modexp/public/bits={bits}", row) for row in rows), *published]


def modexp_crt(sources: Sources, bits: int) -> list[Entry]:
    half = bits // 2
    p, q = sorted((prime(half, "p"), prime(half, "q")), reverse=True)
    key, n = crt_key(p, q, half), p * q
    base = stream(f"base-{bits}", bits) % n
    rows = [
        ("any", base, ""),
        ("above", base - base % q, "a multiple of q: nothing left modulo q"),
        ("below", base - base % p, "a multiple of p: nothing left modulo p, the difference is negative"),
        ("minus-one", n - 1, "n - 1 to an odd power"),
        ("zero", 0, "base 0"),
    ]
    count = 5 if bits <= 2048 else 3
    entries = [
        _computed(
            f"modexp/private/bits={bits},crt=yes",
            name,
            {"msg": _hex(msg, bits), "key": key.hex()},
            note,
        )
        for name, msg, note in rows[:count]
    ]
    return entries + (vector_rsa.crt(sources, bits, 3 if bits <= 2048 else 2) if bits < 8192 else [])


def modexp_word(bits: int, verb: str) -> list[Entry]:
    """Bases of one word, to an exponent of full length or to 65537."""
    m, e = moduli(bits), _exponents(bits)
    rows: list[Row] = [
        ("any", {"msg": 0x9E3779B9, "key": e["any"], "pub": m["any"]}, ""),
        ("ones", {"msg": 0xFFFFFFFF, "key": e["ones"], "pub": m["ones"]}, "the largest base, modulus 2^N - 1"),
        ("two", {"msg": 2, "key": e["top"], "pub": m["halves"]}, "base 2, one bit in the exponent"),
        ("three", {"msg": 3, "key": e["runs"], "pub": m["low"]}, "base 3, long runs in the exponent"),
        ("one", {"msg": 1, "key": e["any"], "pub": m["gap"]}, "base 1"),
        ("zero", {"msg": 0, "key": e["any"], "pub": m["any"]}, "base 0"),
        ("half", {"msg": 0x10000, "key": e["short"], "pub": m["any"]}, "a power of two, leading zeros in the exponent"),
    ]
    if verb == "public":
        rows = [(name, {n: x for n, x in row.items() if n != "key"}, note) for name, row, note in rows]
    return [_entry(f"modexp-word/{verb}/bits={bits}", row) for row in rows]


# One operation


def _pairs(bits: int) -> Iterator[tuple[str, int, int, int, str]]:
    """(name, a, b, m, note) for operations of two numbers."""
    m = moduli(bits)
    a, b = stream(f"a-{bits}", bits), stream(f"b-{bits}", bits)
    yield "any", a % m["any"], b % m["any"], m["any"], ""
    yield "largest", m["ones"] - 1, m["ones"] - 1, m["ones"], "(m - 1) and (m - 1), modulus 2^N - 1"
    yield (
        "gap",
        m["gap"] - 1,
        m["gap"] - 2,
        m["gap"],
        "modulus 2^(N-1) + 1, m - 1 and m - 2: the product is 2",
    )
    yield "zero", 0, b % m["low"], m["low"], "a = 0"
    yield "equal", a % m["halves"], a % m["halves"], m["halves"], "a = b"
    yield "to-zero", a % m["any"], m["any"] - a % m["any"], m["any"], "a + b = m"
    yield "no-wrap", m["any"] // 2, m["any"] // 2, m["any"], "a + b = m - 1, the largest sum that does not wrap"
    yield "one", 1, b % m["low"], m["low"], "a = 1"


def _montmul_pairs(bits: int) -> Iterator[tuple[str, int, int, int, str]]:
    yield from _pairs(bits)
    m, r = moduli(bits)["any"], 1 << bits
    b = stream(f"b-{bits}", bits) % m
    yield "r", r % m, b, m, "a = R mod m, R = 2^N"
    yield "r-inverse", pow(r, -1, m), b, m, "a = R^-1 mod m: 1 in Montgomery form where R = 2^N"


def two_numbers(verb: str, bits: int) -> list[Entry]:
    count = {512: 10, 1024: 10, 2048: 8, 4096: 5}[bits]
    wanted = list((_montmul_pairs if verb == "montmul" else _pairs)(bits))
    if verb == "montmul" and count < len(wanted):
        wanted = [*wanted[: count - 2], *wanted[-2:]]
    elif verb == "mod-add" and count < len(wanted):
        wanted = [*wanted[: count - 2], *(row for row in wanted if row[0] in ("to-zero", "no-wrap"))]
    return [
        _computed(
            f"bignum/{verb}/bits={bits}",
            name,
            {"msg": _hex(a, bits) + _hex(b, bits), "pub": _hex(m, bits)},
            note,
        )
        for name, a, b, m, note in wanted[:count]
    ]


def one_number(sources: Sources, verb: str, bits: int) -> list[Entry]:
    m = moduli(bits)
    a = stream(f"a-{bits}", bits)
    p, root = group(sources, bits)[0], prime(bits, "root")
    coprime = next(x for x in range(a % m["ones"], m["ones"]) if gcd(x, m["ones"]) == 1)
    rows: list[Row] = {
        "mod-sqr": [
            ("any", {"msg": a % m["any"], "pub": m["any"]}, ""),
            ("largest", {"msg": m["ones"] - 1, "pub": m["ones"]}, "m - 1: the square is 1"),
            ("runs", {"msg": a % m["halves"], "pub": m["halves"]}, "long runs in the modulus"),
            ("zero", {"msg": 0, "pub": m["low"]}, ""),
            ("power", {"msg": 1 << (bits // 2), "pub": m["gap"]}, "2^(N/2): the square is 2^N, a single bit"),
            ("one", {"msg": 1, "pub": m["low"]}, ""),
        ],
        "mod-inv": [
            ("any", {"msg": a % p, "pub": p}, "modulo a prime"),
            ("composite", {"msg": coprime, "pub": m["ones"]}, "modulus 2^N - 1, which is no prime"),
            ("minus-one", {"msg": m["gap"] - 1, "pub": m["gap"]}, "m - 1 is its own inverse"),
            ("two", {"msg": 2, "pub": m["low"]}, "(m + 1) / 2"),
            ("one", {"msg": 1, "pub": m["halves"]}, ""),
            ("half", {"msg": (m["any"] + 1) // 2, "pub": m["any"]}, "of (m + 1) / 2 it is 2"),
        ],
        "mod-sqrt": [
            ("any", {"msg": a * a % root, "pub": root}, ""),
            ("group", {"msg": (a + 1) ** 2 % p, "pub": p}, "prime of RFC 3526"),
            ("one", {"msg": 1, "pub": root}, "the even root of 1 is p - 1"),
            ("four", {"msg": 4, "pub": p}, "the even root of 4 is 2"),
            ("nine", {"msg": 9, "pub": root}, "the even root of 9 is p - 3"),
        ],
    }[verb]
    return [_entry(f"bignum/{verb}/bits={bits}", row) for row in rows]


def div_mod(bits: int) -> list[Entry]:
    m = moduli(bits)
    full, top = (1 << (2 * bits)) - 1, 1 << (bits - 1)
    dividend = stream(f"dividend-{bits}", 2 * bits)
    rows = [
        ("any", dividend, m["any"], ""),
        ("largest", full, top, "the largest quotient there is, N + 1 bits; an even divisor"),
        ("ones", full, m["ones"], "exact: 2^N + 1"),
        ("add-back", (m["gap"] << bits) - 1, m["gap"], "quotient 2^N - 1: every digit is estimated too high at first"),
        ("less", m["any"] - 1, m["any"], "dividend below the divisor: quotient 0"),
        ("zero", 0, m["low"], "dividend 0"),
        ("equal", m["halves"], m["halves"], "quotient 1, remainder 0"),
        ("exact", m["low"] * (dividend >> bits), m["low"], "remainder 0"),
    ]
    return [
        _computed(
            f"bignum/div-mod/bits={bits}",
            name,
            {"msg": _hex(value, 2 * bits), "pub": _hex(divisor, bits)},
            note,
        )
        for name, value, divisor, note in rows[: 8 if bits == 2048 else 6]
    ]


# Files


def modexp(sources: Sources) -> list[Entry]:
    """Exponentiations of every length, then those with CRT."""
    found = []
    for bits in SIZES:
        found += _named(bits, _brief([modexp_private(sources, bits), modexp_public(sources, bits)]))
        if bits in CRT_SIZES:
            found += _named(bits, _brief([modexp_crt(sources, bits)]), crt=True)
    return found


def bignum(sources: Sources) -> list[Entry]:
    """Everything else, by length."""
    found = []
    for bits in MONTMUL_SIZES:
        operations = [two_numbers("montmul", bits)]
        if bits in ARITHMETIC_SIZES:
            operations += [two_numbers(verb, bits) for verb in ("mod-add", "mod-mul")]
            operations += [one_number(sources, verb, bits) for verb in ("mod-sqr", "mod-inv", "mod-sqrt")]
            operations.append(div_mod(bits))
        found += _named(bits, _brief(operations))
    return found


def word(sources: Sources) -> list[Entry]:
    """Exponentiations of one word."""
    found = []
    for bits in WORD_SIZES:
        entries = _brief([modexp_word(bits, "private"), modexp_word(bits, "public")])
        found += [entry | {"params": {"bits": str(bits)}, "id": f"{bits}-{entry['id']}"} for entry in entries]
    return found


def _named(bits: int, entries: list[Entry], crt: bool = False) -> list[Entry]:
    """The entries with their parameters, in their names too."""
    named = []
    for entry in entries:
        params = {"bits": str(bits)} | ({"crt": "yes" if crt else "no"} if entry["verb"] == "private" else {})
        rest = {key: value for key, value in entry.items() if key not in ("id", "verb")}
        name = f"{bits}-{'crt-' if crt else ''}{entry['id']}"
        named.append({"id": name, "verb": entry["verb"], "params": params, **rest})
    return named


def _brief(operations: list[list[Entry]]) -> list[Entry]:
    """The first two of an operation stand for all in every pass: they are made to be cheap and to differ."""
    for entries in operations:
        for entry in entries[:2]:
            entry["brief"] = True
    return [entry for entries in operations for entry in entries]


BIGNUM: dict[str, Callable[[Sources], list[Entry]]] = {"modexp": modexp, "modexp-word": word, "bignum": bignum}


def _hex(value: int, bits: int) -> str:
    return value.to_bytes(bits // 8, "big").hex()


def _entry(operation: str, row: Row, source: str = COMPUTED) -> Entry:
    name, numbers, note = row
    case = Case.parse(operation)
    inputs = {key: _hex(value, int(case.param("bits") or 0)) for key, value in numbers.items()}
    if case.verb == "public":
        inputs["key"] = PUBLIC_EXPONENT_BYTES.hex()
    return _computed(operation, name, inputs, note, source)


def _computed(operation: str, name: str, inputs: dict[str, str], note: str, source: str = COMPUTED) -> Entry:
    case = Case.parse(operation)
    given = {key: bytes.fromhex(value) for key, value in inputs.items()}
    output = BY_ALGORITHM[case.algorithm][case.verb](given, dict(case.params))
    return make_entry(f"{case.verb}-{name}", case.verb, inputs, source, output.hex(), note=note)


# The fixed primes of the timed inputs (bignum_inputs.PRIME_STEPS), found again: python tools/vector_bignum.py


def _small_primes(limit: int) -> list[int]:
    sieve = bytearray([1]) * (limit + 1)
    for i in range(2, int(limit**0.5) + 1):
        if sieve[i]:
            sieve[i * i :: i] = bytes(len(range(i * i, limit + 1, i)))
    return [i for i in range(3, limit + 1) if sieve[i]]


def _is_prime(n: int, bases: list[int]) -> bool:
    """Miller-Rabin with the given bases (HAC, algorithm 4.24); n is odd and large."""
    s = ((n - 1) & -(n - 1)).bit_length() - 1
    for base in bases:
        x = pow(base, (n - 1) >> s, n)
        if x not in (1, n - 1) and all((x := x * x % n) != n - 1 for _ in range(s - 1)):
            return False
    return True


def search(bits: int, role: str) -> int:
    """Steps from the first candidate to the prime of a role."""
    start, step, small, window = first_candidate(bits, role), prime_step(role), _small_primes(1 << 17), 1 << 15
    candidate = bytearray([1]) * window
    for p in small:
        first = -start * pow(step, -1, p) % p
        candidate[first::p] = bytes(len(range(first, window, p)))
    for steps in range(window):
        n = start + steps * step
        if candidate[steps] and (role == "root" or n % PUBLIC_EXPONENT != 1) and _is_prime(n, small[:40]):
            return steps
    raise SystemExit(f"no prime of {bits} bits for {role} within {window} steps")


if __name__ == "__main__":
    for (prime_bits, prime_role), known in PRIME_STEPS.items():
        seen = search(prime_bits, prime_role)
        print(f'({prime_bits}, "{prime_role}"): {seen},' + ("" if seen == known else f"  # the table has {known}"))
