# SPDX-License-Identifier: Apache-2.0
"""A published page beside the rich run, and a spectrum of its machine: rows of every unit, of every library, with every reason for having no figure. All of it is invented."""

from __future__ import annotations

from cipherstone.catalogue.published_pages import (
    InstructionTable,
    PageGroup,
    PageRow,
    Platform,
    PublishedFigure,
    PublishedInstruction,
    PublishedPage,
    PublishedTable,
)
from cipherstone.model.records import KernelFigure, Spectrum

HASH, SEAL, SIGN = "sha-256/hash/bytes=16384", "aes-128-gcm/seal/bytes=16384", "rsa-2048/sign"
SPECTRUM = Spectrum(
    "x86-64",
    (
        KernelFigure("x86-64.mul/latency", 3.0, 2.9, 3.1),
        KernelFigure("x86-64.mul/throughput", 1.0),
        KernelFigure("x86-64.seq-slow/sequence", 24.0),
        KernelFigure("x86-64.seq-fast/sequence", 6.0),
    ),
    1.001,
    ghz=2.5,
    classic_us=1500.0,
    unavailable=("x86-64.sha256/throughput",),
    missing=("x86-64.aesenc/throughput",),
)


def row(label: str, values: tuple[str, str, str], case: str, implementation: str = "default", library: str = "", note: str = "") -> PageRow:  # fmt: skip
    return PageRow(label, values, case, implementation, library=library, note=note)


def timed(title: str, values: tuple[str, str, str]) -> tuple[PageRow, ...]:
    """The same operation in a unit."""
    return (
        row(f"sign {title}", values, SIGN),
        row(f"sign {title}, nettle", values[::-1], SIGN, library="nettle"),
        row(f"sign {title}, botan", ("-", values[1], "-"), SIGN, library="botan"),
        row(f"sign {title}, botan as built", values, SIGN, library="botan+O3"),
    )


def whole(title: str, values: tuple[str, str, str]) -> tuple[PageRow, ...]:
    """Whole processes: measured, none of them, wrong, not in the run."""
    return (
        row(f"hash, {title}", values, HASH),
        row(f"hash, {title}, botan", values, HASH, library="botan"),
        row(f"seal, {title}", values, SEAL),
        row(f"refused, {title}", values, "ed25519/sign", library="nettle"),
        row(f"GnuTLS, {title}", values, HASH, library="gnutls"),
    )


PAGE = PublishedPage(
    "A page",
    "A source",
    "openssl",
    "its conditions",
    ("a note",),
    (
        Platform("arm", "Cortex", "clang", "aarch64"),
        Platform("amd64", "Ryzen", "gcc", "x86_64", reference_us=1000.0, versions="3.0"),
        Platform("amd64, their build", "Ryzen", "gcc", "x86_64", build="botan+O3"),
    ),
    (
        PublishedTable(
            "Rates of bytes",
            ("MB/s", "MB/s", "kB/s"),
            (
                row("sha-256", ("1000.0", "2000.0", "1500000.0"), HASH),
                row("sha-256, nettle", ("900.0", "-", "1400000.0"), HASH, library="nettle"),
                row("sha-256, botan portable", ("700.0", "9000.0", "-"), HASH, "portable", "botan"),
                row("seal", ("4000.0", "5000.0", "6000000.0"), SEAL, note="known"),
                row("seal, contended", ("400.0", "500.0", "600000.0"), "chacha20-poly1305/seal/bytes=16384"),
                row("seal, elsewhere", ("400.0", "500.0", "600000.0"), "aes-256-gcm/seal/bytes=16384"),
                PageRow("md2", ("1.0", "2.0", "3.0"), why="no library has it"),
            ),
        ),
        PublishedTable(
            "Rates of calls",
            ("call/s",),
            (
                *timed("a second", ("1000.0", "1200.0", "300.0")),
                row("verify", ("8000.0", "8100.0", "8200.0"), "ed25519/verify"),
                row("verify, crashed", ("8000.0", "8100.0", "-"), "ed25519/verify", library="botan"),
                row("sign, wrong", ("25000.0", "26000.0", "-"), "ed25519/sign"),
                row("no such row", ("25000.0", "26000.0", "27000.0"), "ed25519/sign", library="gnutls"),
            ),
        ),
        PublishedTable("Times", ("us",), timed("in us", ("1000.0", "800.0", "4000.0")), "openssl"),
        PublishedTable(
            "Ratios",
            ("ratio",),
            (
                PageRow("openssl over nettle", over="sign a second", under="sign a second, nettle"),
                PageRow("botan over nettle", over="sign a second, botan", under="sign a second, nettle", note="so"),
                PageRow("over no row", over="sign a second", under="no such row"),
                PageRow("no row over", over="no such row", under="sign a second"),
                PageRow("sum", over="sign a second", parts=("verify", "sign a second, nettle")),
                PageRow("sum of the build", over="sign a second, botan", parts=("sign a second, nettle",)),
                PageRow("sum with no row", over="verify", parts=("sign a second", "no such row")),
                PageRow("sum of a lane that crashed", over="verify, crashed", parts=("verify",)),
            ),
        ),
        PublishedTable("Time of a process", ("ms/process",), whole("time", ("10.5", "-", "21.0"))),
        PublishedTable("Memory of a process", ("KiB/process",), whole("memory", ("-", "3000.0", "6000.0"))),
    ),
    instructions=tuple(
        InstructionTable(
            f"in {unit}",
            unit,
            ("A53", "A72"),
            (
                PublishedInstruction("slow", ("24", "12(3)"), {"x86-64": "x86-64.seq-slow/sequence"}),
                PublishedInstruction(
                    "fast", ("6", "-"), {"x86-64": "x86-64.seq-fast/sequence", "aarch64": "aarch64.x/y"}
                ),
                PublishedInstruction("not here", ("1", "1"), {"aarch64": "aarch64.ror/latency"}, "x86 has none"),
                PublishedInstruction("unavailable", ("1", "1"), {"x86-64": "x86-64.sha256/throughput"}),
                PublishedInstruction("unseen", ("1", "1"), {"x86-64": "x86-64.aesenc/throughput"}),
            ),
        )
        for unit in ("cycles", "ns", "us")
    ),
    figure=(PublishedFigure("Figure 1", (PageGroup("signing", ("sign a second", "verify")),), "drawn"),),
)
