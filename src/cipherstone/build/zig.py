# SPDX-License-Identifier: Apache-2.0
"""Where `zig cc` is: commands of this package (cli/zig.py), beside its Python."""

from __future__ import annotations

import sys
from pathlib import Path

HINT = "`make zig` installs it, or pip install 'cipherstone[zig]'"


def compiler(name: str) -> str:
    """The command's path in this environment, which need not be on PATH."""
    return str(Path(sys.executable).parent / name)
