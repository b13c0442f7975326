# SPDX-License-Identifier: Apache-2.0
"""The speed programs that can be had: compiled from the source that the library's build was made of, or installed."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from bench.programs.program import Place, Program, Row
from cipherstone.model.ids import DISTRIBUTION_BUILD

_TAKES_DIGEST = "signs and verifies a digest that is given; ours hash a message of 32 bytes first"


def _bearssl(place: Place) -> Sequence[str]:
    tree = place.source
    return [f"-I{tree}/inc", f"-I{tree}/src", f"{tree}/test/test_speed.c", f"{place.prefix}/lib/libbearssl.a"]


def _libgcrypt(place: Place) -> Sequence[str]:
    """bench-slope looks for gcrypt.h beside its own folder, and for what its configure script would have found."""
    for name in ("src", "tests"):
        (place.folder / name).mkdir()
    for name in ("bench-slope.c", "t-common.h", "stopwatch.h"):
        shutil.copy(place.source / "tests" / name, place.folder / "tests" / name)
    shutil.copy(place.prefix / "include" / "gcrypt.h", place.folder / "src" / "gcrypt.h")
    (place.folder / "config.h").write_text(
        "#define _GCRYPT_CONFIG_H_INCLUDED 1\n#include <stdint.h>\ntypedef uint64_t u64;\n"
    )
    return [
        "-DHAVE_CONFIG_H",
        '-DVERSION="as built"',
        '-DPACKAGE_VERSION="as built"',
        "-DHAVE_CLOCK_GETTIME",
        "-D_GNU_SOURCE",
        f"-I{place.folder}",
        f"-I{place.prefix}/include",
        str(place.folder / "tests" / "bench-slope.c"),
        f"{place.prefix}/lib/libgcrypt.a",
        f"{place.prefix}/lib/libgpg-error.a",
    ]


def _nettle(place: Place) -> Sequence[str]:
    lines = ["NORETURN", "PRINTF_STYLE(a,b)", "UNUSED", "ALIGN(x)", "HAVE_CLOCK_GETTIME 1", "STDC_HEADERS 1"]
    (place.folder / "config.h").write_text("".join(f"#define {line}\n" for line in lines))
    tree = place.source
    sources = ("examples/nettle-benchmark.c", "examples/timing.c", "non-nettle.c", "getopt.c", "getopt1.c")
    return [
        "-include",
        str(place.folder / "config.h"),
        f"-I{place.folder}",
        f"-I{tree}",
        f"-I{tree}/examples",
        f"-I{place.prefix}/include",
        *(str(tree / name) for name in sources),
        f"{place.prefix}/lib/libnettle.a",
        "-lm",
    ]


def _wolfssl(place: Place) -> Sequence[str]:
    # The built headers first: they know how the library was configured.
    includes = [f"-I{place.prefix}/include", f"-I{place.source}"]
    source = str(place.source / "wolfcrypt/benchmark/benchmark.c")
    return [*includes, source, f"{place.prefix}/lib/libwolfssl.a", "-lm", "-lpthread"]


def _liboqs(place: Place) -> Sequence[str]:
    includes = [f"-I{place.prefix}/include", f"-I{place.source}/tests"]
    return [*includes, f"{place.source}/tests/speed_kem.c", f"{place.prefix}/lib/liboqs.a", "-lm", "-lpthread"]


_IN_A_SECOND = "a mean over the calls made in a second or more: it holds whatever else used the core"

PROGRAMS = (
    Program(
        "openssl speed",
        "openssl",
        DISTRIBUTION_BUILD,
        (
            ("speed", "-elapsed", "-seconds", "1", "-bytes", "16384", "-evp", "sha256"),
            ("speed", "-elapsed", "-seconds", "1", "-bytes", "16384", "-evp", "aes-128-gcm"),
            ("speed", "-elapsed", "-seconds", "1", "ecdsap256", "ecdhx25519"),
        ),
        (
            Row("sha-256/hash/bytes=16384", r"^sha256 +([\d.]+)k", "kB/s", "makes and frees a context in each call"),
            Row(
                "aes-128-gcm/seal/bytes=16384",
                r"(?i)^aes-128-gcm +([\d.]+)k",
                "kB/s",
                "sets no nonce and no associated data, takes no tag",
            ),
            Row(
                "ecdsa-p256-sha256/sign",
                r"^ 256 bits ecdsa \(nistp256\) +\S+s +\S+s +([\d.]+)",
                "call/s",
                _TAKES_DIGEST,
            ),
            Row(
                "ecdsa-p256-sha256/verify",
                r"^ 256 bits ecdsa \(nistp256\) +\S+s +\S+s +\S+ +([\d.]+)",
                "call/s",
                _TAKES_DIGEST,
            ),
            Row("x25519/derive", r"^ 253 bits ecdh \(X25519\) +\S+s +([\d.]+)", "call/s"),
        ),
        _IN_A_SECOND,
        installed="openssl",
    ),
    Program(
        "botan speed",
        "botan",
        DISTRIBUTION_BUILD,
        (
            ("speed", "--msec=1000", "--buf-size=16384", "SHA-256", "AES-128/GCM"),
            ("speed", "--msec=1000", "--ecc-groups=secp256r1", "ECDSA", "Curve25519"),
        ),
        (
            Row("sha-256/hash/bytes=16384", r"^SHA-256 hash buffer size 16384 bytes: ([\d.]+) MiB/sec", "MiB/s"),
            Row(
                "aes-128-gcm/seal/bytes=16384",
                r"^AES-128/GCM\S* (?:\[\w+\] )?encrypt buffer size 16384 bytes: ([\d.]+) MiB/sec",
                "MiB/s",
                "sets the nonce outside of the time and has no associated data",
            ),
            Row("ecdsa-p256-sha256/sign", r"^ECDSA-secp256r1 \S+ .*?(\d+) sign/sec", "call/s", _TAKES_DIGEST),
            Row("ecdsa-p256-sha256/verify", r"^ECDSA-secp256r1 \S+ .*?(\d+) verify/sec", "call/s", _TAKES_DIGEST),
            Row("x25519/derive", r"^Curve25519 .*?(\d+) key agreements/sec", "call/s"),
        ),
        _IN_A_SECOND,
        installed="botan",
    ),
    Program(
        "testspeed",
        "bearssl",
        "0.6",
        (("sha256", "aes128_x86ni_cbcdec", "ghash_pclmul", "chacha20_sse2"), ("rsa_i62",)),
        (
            Row(
                "sha-256/hash/bytes=8192",
                r"^SHA-256 +([\d.]+) MB/s",
                "MB/s",
                "never finishes a hash: 8 KiB updates alone",
            ),
            Row(
                "aes-128-cbc/decrypt/bytes=8192", r"^AES-128 CBC decrypt \(x86ni\) +([\d.]+) MB/s", "MB/s", "", "x86ni"
            ),
            Row("ghash/mac/bytes=8192", r"^GHASH \(pclmul\) +([\d.]+) MB/s", "MB/s", "", "pclmul"),
            Row("chacha20/encrypt/bytes=8192", r"^ChaCha20 \(sse2\) +([\d.]+) MB/s", "MB/s", "", "sse2"),
            Row("modexp/private/bits=2048,crt=yes", r"^RSA i62 +([\d.]+) priv/s", "call/s", "", "i62"),
            Row("modexp/public/bits=2048", r"^RSA i62 +([\d.]+) pub/s", "call/s", "", "i62"),
        ),
        "calls in two seconds of CPU time by clock(): time that a neighbour took from the core is in it",
        make=_bearssl,
        by_cpu_time=True,
    ),
    Program(
        "bench-slope",
        "libgcrypt",
        "1.12",
        (("--csv", "hash", "sha256"), ("--csv", "cipher", "aes"), ("--csv", "cipher", "chacha20")),
        (
            Row(
                "sha-256/hash/bytes=16384",
                r"^hash,SHA256,+([\d.]+),ns/B",
                "ns/B",
                "a slope: what a call costs beside its bytes is left out",
            ),
            Row(
                "aes-128-cbc/decrypt/bytes=16384",
                r"^cipher,AES,CBC dec,+([\d.]+),ns/B",
                "ns/B",
                "a slope: what a call costs beside its bytes is left out",
            ),
            Row(
                "aes-128-gcm/seal/bytes=16384",
                r"^cipher,AES,GCM enc,+([\d.]+),ns/B",
                "ns/B",
                "a slope: nonce, associated data and tag are left out",
            ),
            Row(
                "chacha20-poly1305/seal/bytes=16384",
                r"^cipher,CHACHA20,POLY1305 enc,+([\d.]+),ns/B",
                "ns/B",
                "a slope: nonce, associated data and tag are left out",
            ),
        ),
        "least time of many repetitions at each of some sizes, and the slope over the sizes",
        make=_libgcrypt,
    ),
    Program(
        "nettle-benchmark",
        "nettle",
        "3.10",
        (("sha256",), ("aes128",)),
        (
            Row(
                "sha-256/hash/bytes=10240",
                r"^ +sha256 +update +([\d.]+)",
                "MiB/s",
                "never finishes a hash: 10 KiB updates alone",
            ),
            Row("aes-128-cbc/decrypt/bytes=10240", r"^ +aes128 +CBC decrypt +([\d.]+)", "MiB/s"),
            Row(
                "aes-128-gcm/seal/bytes=10240",
                r"^ +gcm_aes128 +encrypt +([\d.]+)",
                "MiB/s",
                "sets no nonce, has no associated data, takes no tag",
            ),
        ),
        "calls in a tenth of a second, once",
        make=_nettle,
    ),
    Program(
        "wolfCrypt benchmark",
        "wolfssl",
        "5.9",
        (("-sha256", "-aes-cbc", "-aes-gcm", "16384"), ("-ecc", "-x25519"), ("-ml-kem-768",)),
        (
            Row(
                "sha-256/hash/bytes=16384",
                r"^SHA-256 .*?([\d.]+) MiB/s",
                "MiB/s",
                "never finishes a hash within: many updates, then one end",
            ),
            Row("aes-128-cbc/decrypt/bytes=16384", r"^AES-128-CBC-dec .*?([\d.]+) MiB/s", "MiB/s"),
            Row("aes-128-gcm/seal/bytes=16384", r"^AES-128-GCM-enc .*?([\d.]+) MiB/s", "MiB/s"),
            Row(
                "ecdsa-p256-sha256/sign",
                r"^ECDSA \[ +SECP256R1\] +256 +sign .*?([\d.]+) ops/sec",
                "call/s",
                _TAKES_DIGEST,
            ),
            Row(
                "ecdsa-p256-sha256/verify",
                r"^ECDSA \[ +SECP256R1\] +256 +verify .*?([\d.]+) ops/sec",
                "call/s",
                _TAKES_DIGEST,
            ),
            Row("x25519/derive", r"^CURVE +25519 +agree .*?([\d.]+) ops/sec", "call/s"),
            Row(
                "ml-kem-768/encaps",
                r"^ML-KEM 768 +192 +encap .*?([\d.]+) ops/sec",
                "call/s",
                "draws no random bytes: they are given, and zero",
            ),
            Row("ml-kem-768/decaps", r"^ML-KEM 768 +192 +decap .*?([\d.]+) ops/sec", "call/s"),
        ),
        _IN_A_SECOND,
        make=_wolfssl,
    ),
    Program(
        "speed_kem",
        "liboqs",
        "0.13",
        (("-d", "1", "ML-KEM-768"),),
        (
            Row("ml-kem-768/keygen", r"^keygen +\| +\d+ \| +[\d.]+ \| +([\d.]+)", "us"),
            Row("ml-kem-768/encaps", r"^encaps +\| +\d+ \| +[\d.]+ \| +([\d.]+)", "us"),
            Row("ml-kem-768/decaps", r"^decaps +\| +\d+ \| +[\d.]+ \| +([\d.]+)", "us"),
        ),
        "every call with two readings of the clock around it, and the mean of them",
        make=_liboqs,
    ),
)

# Named in what is printed: what has no program here, and why.
NOT_HERE = (
    "Mbed TLS: the package that carries its source has no `programs/test/benchmark.c`.",
    "AWS-LC and BoringSSL: `bssl speed` is in neither of the packages that carry their sources.",
    "GnuTLS: `gnutls-cli --benchmark-ciphers` measures over its record layer, which no operation of ours is.",
)
