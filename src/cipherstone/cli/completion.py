# SPDX-License-Identifier: Apache-2.0
"""`cipherstone completion`: what makes a shell complete commands, options and names."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
from typer._completion_shared import get_completion_script  # its public options write into the user's files

from cipherstone.cli.commands import COMPLETING

_LOADED_BY = {
    "bash": 'eval "$(cipherstone completion bash)" in ~/.bashrc',
    "zsh": 'eval "$(cipherstone completion zsh)" in ~/.zshrc, after compinit',
    "fish": "cipherstone completion fish | source in ~/.config/fish/config.fish",
}


class Shell(StrEnum):
    """Shells that can complete."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(shell: Annotated[Shell, typer.Argument(help="Whose commands are printed.")]) -> None:
    """Print what makes a shell complete commands, options, libraries, operations and runs."""
    print(f"# {_LOADED_BY[shell]}")
    print(get_completion_script(prog_name="cipherstone", complete_var=COMPLETING, shell=shell))
