# SPDX-License-Identifier: Apache-2.0
"""The stored reference of the contention gate: instructions per cycle of the throughput probe on an undisturbed core, per CPU model and hypervisor.

A busy sibling thread slows throughput-bound code and leaves no other trace in a guest, so the reference must be absolute: a session that is
contended from beginning to end would otherwise take its own disturbed level for normal (docs/concepts/noise.md).
"""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Annotated

import msgspec

from cipherstone.model.text import UNREADABLE

# A session whose best IPC stays this far below what is known of the CPU is not trusted to set the reference.
UNVERIFIED_BELOW = 0.8
SAME = 0.995  # nearer to what is known than this is no news
_Ipc = Annotated[float, msgspec.Meta(gt=0, le=100)]  # of any core; with more, every run would be contended


class IpcReferences:
    """The shipped table (`ipc_reference.toml`, beside this file) and what this machine has learnt (`learnt`, a JSON file in the cache)."""

    def __init__(self, learnt: Path) -> None:
        self._learnt_path = learnt
        shipped = Path(__file__).with_name("ipc_reference.toml")
        self._shipped: dict[str, float] = {
            row["cpu"]: float(row["ipc"]) for row in tomllib.loads(shipped.read_text())["reference"]
        }
        try:
            self._learnt = msgspec.json.decode(learnt.read_bytes(), type=dict[str, _Ipc])
        except (OSError, *UNREADABLE):
            self._learnt = {}  # nothing learnt yet, or unreadable: it is only a cache

    def known(self, cpu_model: str, hypervisor: str | None) -> tuple[float | None, str]:
        """(reference, where from), or (None, "")."""
        learnt = self._learnt.get(self._key(cpu_model, hypervisor))
        shipped = next((ipc for cpu, ipc in self._shipped.items() if cpu in cpu_model), None)
        if learnt is not None and (shipped is None or learnt >= shipped):
            return learnt, "learnt on this machine"
        return (shipped, "shipped table") if shipped is not None else (None, "")

    def learn(self, cpu_model: str, hypervisor: str | None, ipc: float, sure: bool = False) -> None:
        """Stores `ipc` if it is higher than what is known, or in any case if it is `sure`. A store that cannot be written is not an error: the next run learns again."""
        key = self._key(cpu_model, hypervisor)
        known = self._learnt.get(key, 0.0)
        if ipc <= known and not (sure and ipc < SAME * known):
            return
        self._learnt[key] = round(ipc, 4)
        try:
            self._learnt_path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            temporary = self._learnt_path.with_suffix(f".{os.getpid()}")
            temporary.write_text(json.dumps(self._learnt, indent=1, sort_keys=True))
            temporary.replace(self._learnt_path)
        except OSError:
            pass

    @staticmethod
    def _key(cpu_model: str, hypervisor: str | None) -> str:
        return f"{cpu_model} / {hypervisor or 'bare metal'}"
