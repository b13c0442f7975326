# SPDX-License-Identifier: Apache-2.0
"""What this machine's instructions cost, kept from run to run: cycles of an instruction belong to the CPU model, and a busy machine may not show all of them in one run."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from cipherstone.model.records import KernelFigure, Spectrum
from cipherstone.model.text import UNREADABLE


class SpectrumStore:
    """`path`: a JSON file in the cache, one entry for each CPU model and hypervisor. A file that is not there or cannot be read is empty; one that cannot be written is no error."""

    def __init__(self, path: Path, cpu_model: str, hypervisor: str | None) -> None:
        self._path = path
        self._key = f"{cpu_model} / {hypervisor or 'bare metal'}"
        try:
            self._all = msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, KernelFigure]])
        except (OSError, *UNREADABLE):
            self._all = {}

    def completed(self, spectrum: Spectrum, kernels: Iterable[str]) -> Spectrum:
        """The spectrum with what is known from earlier runs of those of `kernels` that it lacks; and keeps what it has. Its order is that of `kernels`."""
        if spectrum.refused:
            return spectrum
        known = self._all.setdefault(self._key, {})
        seen = {figure.kernel: figure for figure in spectrum.figures}
        names = [name for name in kernels if name not in spectrum.unavailable]
        earlier = tuple(name for name in names if name not in seen and name in known)
        found = {**{name: known[name] for name in earlier}, **seen}
        if any(known.get(name) != figure for name, figure in seen.items()):
            known.update(seen)
            self._write()
        return msgspec.structs.replace(
            spectrum,
            figures=tuple(found[name] for name in names if name in found),
            earlier=earlier,
            missing=tuple(name for name in names if name not in found),
        )

    def _write(self) -> None:
        try:
            self._path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            temporary = self._path.with_suffix(f".{os.getpid()}")
            temporary.write_text(json.dumps(msgspec.to_builtins(self._all), indent=1, sort_keys=True))
            temporary.replace(self._path)
        except OSError:
            pass
