# SPDX-License-Identifier: Apache-2.0
"""Plans: a request as a TOML file, which another machine, or another day, measures."""

from __future__ import annotations

from pathlib import Path

import msgspec
import tomli_w

from cipherstone.catalogue.document import read_toml
from cipherstone.model.request import RunRequest

HEAD = "# What `cipherstone run --plan FILE` measures; a field that is not here has the value that `run` has without the option.\n"


def plan_text(request: RunRequest) -> str:
    """The file's text: what the request sets, and nothing else."""
    return HEAD + tomli_w.dumps(
        {name: value for name, value in msgspec.to_builtins(request).items() if name in request.given}
    )


def read_plan(path: Path) -> RunRequest:
    """The request of a file. Raises DataError for what is no request."""
    return read_toml(path, str(path), RunRequest)
