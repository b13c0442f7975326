# SPDX-License-Identifier: Apache-2.0
"""Energy counters of processor packages, where the system lets them be read: RAPL through /sys/class/powercap, or the hwmon driver amd_energy. They count microjoules of a whole package, idle cores and all, and move about once a millisecond."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

SYS = Path("/sys/class")
_PACKAGE = re.compile(r"intel-rapl:\d+\Z")  # `intel-rapl:0:0` is a part of `intel-rapl:0`
_SOCKET = re.compile(r"esocket\d+\Z", re.IGNORECASE)


class Counter(msgspec.Struct, frozen=True):
    """One package. `range_uj`: it begins again at 0 when it has counted so far; None: it does not."""

    name: str
    path: Path
    range_uj: int | None = None


def find_counters(root: Path = SYS) -> tuple[tuple[Counter, ...], str]:
    """The counters that can be read now, and "" or, where there are none, why: one line."""
    found: list[Counter] = []
    refused: list[str] = []
    for counter in (*_powercap(root / "powercap"), *_hwmon(root / "hwmon")):
        try:
            _number(counter.path)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it holds no number"
            refused.append(f"{counter.path}: {reason}")
        else:
            found.append(counter)
    if found:
        return tuple(found), ""
    return (), refused[0] if refused else "neither RAPL (powercap) nor amd_energy (hwmon) is exposed here"


def read(counters: Sequence[Counter]) -> tuple[int, ...]:
    """Their counts in microjoules. OSError, ValueError if one cannot be read any more."""
    return tuple(_number(counter.path) for counter in counters)


def between(counters: Sequence[Counter], before: Sequence[int], after: Sequence[int]) -> int:
    """Microjoules from one reading to a later one; each counter may have begun again once in between. ValueError for one that went back and has no range."""
    total = 0
    for counter, first, last in zip(counters, before, after, strict=True):
        if last < first and counter.range_uj is None:
            raise ValueError(f"{counter.name} went back from {first} to {last}")
        total += last - first + ((counter.range_uj or 0) if last < first else 0)
    return total


def _powercap(folder: Path) -> list[Counter]:
    found = []
    for zone in sorted(folder.glob("intel-rapl:*")):
        if not _PACKAGE.match(zone.name):
            continue
        name = _text(zone / "name") or zone.name
        if not name.startswith("package"):  # psys counts the packages again
            continue
        most = _text(zone / "max_energy_range_uj")
        found.append(Counter(name, zone / "energy_uj", int(most) if most.isdigit() else None))
    return found


def _hwmon(folder: Path) -> list[Counter]:
    found = []
    for device in sorted(folder.glob("hwmon*")):
        if _text(device / "name") != "amd_energy":
            continue
        for label in sorted(device.glob("energy*_label")):
            name = _text(label)
            if _SOCKET.match(name):
                found.append(Counter(name, device / label.name.replace("_label", "_input")))
    return found


def _number(path: Path) -> int:
    return int(path.read_text(encoding="ascii"))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
