# SPDX-License-Identifier: Apache-2.0
"""What is known about published figures: what their timed region holds, and what is wrong with them. From the programs' sources and the libraries' issues."""

from __future__ import annotations

from collections.abc import Mapping

from cipherstone.model.ids import Case

GAVE_UP = "published as 0.000: the first iterations were shorter than a step of the CPU clock, and the program stops then (its `bench.cpp`)"
REFERENCE = (
    "the reference test depends on compiler and system, which are not stated: one i7-5775R took 3519 us on macOS and 5251 us in a Linux guest, one Apple M1 2893 "
    "and 5308 us; scores of two systems differ by as much without any difference of the processors"
)
DIVISIONS = "the reference test's loop named divisions subtracts: it holds no division"
ONE_RUN = "each figure is one run of about 5 s of CPU time (getrusage), without repetition, spread or warm-up, libraries in a fixed order"
CONTENTS = "padding, hashing of 32 bytes and randomness are inside of the RSA figures"
NETTLE = "Nettle's RSA is disabled in the program (it gives PKCS#8 to the function that reads PKCS#1)"
CACHED = "the CPU's name and frequency were partly written by hand"
EMULATED = "an emulated processor: these times are those of the emulator, and say nothing about the processor"
SEQUENCE_NOTE = (
    "one run of 200 million iterations of 8 instructions (28 for the OpenSSL sequences), inputs always the same"
)
SEQUENCE_LOOP = (
    "the time of an empty loop is subtracted in full, although the loop's own instructions partly run beside the others: short instructions come out too fast, "
    "by up to a quarter of a cycle: ADCS, a chain through the carry flag that cannot take less than one, comes out at 0.75 to 0.88"
)
SEQUENCE_ZERO = "published as 0.000: not longer than the empty loop that is subtracted"

_CONTEXT = "the cipher context and the key schedule are made anew in each call"
_PKCS1 = "said to be PKCS#1 v1.5, but PSS: encryption, which runs before, leaves its padding in the key object"
_PADDING = "PKCS#1 v1.5, what GnuTLS does with a key that does not say OAEP; the author did not know"
_SHORT_EXPONENT = (
    "Mbed TLS 3.6.0 is three to four times slower with public exponents than 3.5 and 3.6.1 (its issue 9232, mended by pull request 9281): the library's version, "
    "not the processor"
)
_ONE_PRIME = "one key generation, and its time depends on luck"
_NO_CRT = "without CRT, unlike RSA"
_WORD_BASE = "the base is the number 123456, as it is here"
_NOT_REDUCED = "the sum is reduced by a division"
_NO_DIVISION = "the dividend has one bit less than the divisor, so that nothing is divided"
_NO_ENCODING = "numbers stay in the library's form"


def caveat(case: str, library: str, versions: Mapping[str, str]) -> str:
    """What is known about one figure of a cryptobench report; "" if nothing beyond the notes of the publication."""
    parsed = Case.parse(case)
    algorithm, verb = parsed.algorithm, parsed.verb
    found = []
    if algorithm.startswith("aes-"):
        found.append(_CONTEXT)
    if verb == "keygen":
        found.append(_ONE_PRIME)
    if algorithm.startswith("rsa-"):
        if library == "mbedtls" and verb in ("sign", "verify"):
            found.append(_PKCS1)
        if library == "gnutls" and verb in ("encrypt", "decrypt"):
            found.append(_PADDING)
        if library == "mbedtls" and verb in ("encrypt", "verify") and "3.6.0" in versions.get(library, ""):
            found.append(_SHORT_EXPONENT)
    if algorithm in ("bignum", "modexp", "modexp-word"):
        found.append(_NO_ENCODING)
        if parsed.algorithm == "modexp-word":
            found.append(_WORD_BASE)
        if verb == "private":
            found.append(_NO_CRT)
        if verb == "mod-add":
            found.append(_NOT_REDUCED)
        if verb == "div-mod":
            found.append(_NO_DIVISION)
    return "; ".join(found)


def publication_notes(facts: Mapping[str, str]) -> tuple[str, ...]:
    """What is known about a whole cryptobench report."""
    emulated = (EMULATED,) if "qemu" in " ".join(facts.values()).lower() else ()
    return (*emulated, ONE_RUN, CONTENTS, DIVISIONS, REFERENCE, NETTLE, CACHED)
