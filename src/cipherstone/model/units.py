# SPDX-License-Identifier: Apache-2.0
"""Units. Base units inside: ns, bytes, cycles, counts. MB/s and GB/s are powers of ten, KiB and MiB powers of two; they never mix."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal

KIB = 1024
MIB = 1024 * 1024


def format_size(size_bytes: int) -> str:
    """`16 B`, `1350 B`, `8 KiB`, `1 MiB`: exact, never rounded."""
    if size_bytes >= MIB and size_bytes % MIB == 0:
        return f"{size_bytes // MIB} MiB"
    if size_bytes >= KIB and size_bytes % KIB == 0:
        return f"{size_bytes // KIB} KiB"
    return f"{size_bytes} B"


def counted(number: int, one: str, many: str = "") -> str:
    """`1 library`, `3 libraries`: `many` is `one` with an s unless it is given."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def significant(value: float, digits: int = 3) -> str:
    """`value` rounded to `digits` significant digits, without exponent: 0.0123, 1.23, 12.3, 123, 12300."""
    if value == 0 or value != value:
        return "0" if value == 0 else "nan"
    import math

    exponent = math.floor(math.log10(abs(value)))
    decimals = max(0, digits - 1 - exponent)
    rounded = round(value, digits - 1 - exponent)
    return f"{rounded:.{decimals}f}"


def percent_up(share: float) -> str:
    """0.01 -> `1.0 %`, 0.01234 -> `1.3 %`: two digits, rounded up, so that whatever is within the share is within the text."""
    percent = 100 * Decimal(repr(share))
    if not percent:
        return "0 %"
    step = Decimal(1).scaleb(percent.adjusted() - 1)
    return f"{(percent / step).to_integral_value(ROUND_CEILING) * step:f} %"


def format_rate(ns_per_call: float, size_bytes: int | None, digits: int = 3) -> str:
    """What a person knows: `2.31 GB/s` or `512 MB/s` (10^9, 10^6) for bulk work, `41 200 /s` style counts for whole operations."""
    if size_bytes:
        per_second = size_bytes / ns_per_call * 1e9
        for factor, unit in ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s")):
            if per_second >= factor:
                return f"{significant(per_second / factor, digits)} {unit}"
        return f"{significant(per_second, digits)} B/s"
    per_second = 1e9 / ns_per_call
    if per_second >= 1e6:
        return f"{significant(per_second / 1e6, digits)} M/s"
    if per_second >= 1e4:
        return f"{significant(per_second / 1e3, digits)} k/s"
    return f"{significant(per_second, digits)} /s"


def format_cycles(cycles: float, digits: int = 3) -> str:
    """`27.4M cyc`, `998k cyc`, `412 cyc`: cycles of whatever counter it was."""
    for factor, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if cycles >= factor:
            scale = 1e3 if unit == "k" else factor
            return f"{significant(cycles / scale, digits)}{unit} cyc"
    return f"{significant(cycles, max(digits, 4))} cyc"


def format_time(ns: float, digits: int = 3) -> str:
    """`62.8 ns`, `4.1 µs`, `1.2 ms`, `3.4 s`."""
    for factor, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if abs(ns) >= factor:
            return f"{significant(ns / factor, digits)} {unit}"
    return f"{significant(ns, digits)} ns"
