# SPDX-License-Identifier: Apache-2.0
"""Writes algorithms/rsa-primes.json: how many odd numbers behind the beginning of its stream each prime of the timed RSA keys lies.

    python tools/make_rsa_primes.py            write the file
    python tools/make_rsa_primes.py --check    write nothing, exit 1 if it would change

Where the streams begin says `prime_start` of src/cipherstone/operations/rsa.py. A prime is the first that PyCryptodome finds to be one and that is no multiple of the public exponent plus 1. Takes some minutes.
"""

from __future__ import annotations

import json
import sys

from Crypto.Math.Primality import test_probable_prime

from cipherstone.catalogue.conditions import KEYS
from cipherstone.catalogue.paths import data_root
from cipherstone.operations.rsa import EXPONENT, PRIMES, prime_start

SIZES = (2048, 3072, 4096)
SMALL = [n for n in range(3, 10000, 2) if all(n % k for k in range(3, int(n**0.5) + 1, 2))]


def steps_to_prime(start: int) -> int:
    """How many steps of 2 behind `start` the first prime lies that suits."""
    remainders = [(prime, start % prime) for prime in SMALL]
    steps = 0
    while True:
        number = start + 2 * steps
        is_candidate = number % EXPONENT != 1 and all((rest + 2 * steps) % prime for prime, rest in remainders)
        if is_candidate and int(test_probable_prime(number)) == 1:
            return steps
        steps += 1


def main() -> int:
    found = {
        str(bits): [[steps_to_prime(prime_start(bits, 2 * number + i)) for i in (0, 1)] for number in range(KEYS)]
        for bits in SIZES
    }
    lines = ",\n".join(f'"{bits}": {json.dumps(steps)}' for bits, steps in found.items())
    text, path = f"{{\n{lines}\n}}\n", data_root() / PRIMES
    changed = not path.exists() or path.read_text() != text
    if changed and "--check" not in sys.argv[1:]:
        path.write_text(text)
    print(f"{PRIMES}: {'differs' if changed else 'unchanged'}")
    return 1 if changed and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
