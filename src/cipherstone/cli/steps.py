# SPDX-License-Identifier: Apache-2.0
"""What a command does now, where it would be silent for long: on a terminal one line that is rewritten, in a pipe a plain line a step. Both go to standard error."""

from __future__ import annotations

import shutil
import sys
from types import TracebackType

from cipherstone.cli import environment as env
from cipherstone.model.text import in_one_line

PREPARING = "preparing workers"  # compiled where they are not in the cache, started, asked what they offer


class Steps:
    """Call it with each step as it begins; the end of the `with` block clears the line. `plain`: whether a pipe hears of steps too; a command whose steps are brief leaves that out."""

    def __init__(self, plain: bool = True) -> None:
        self._terminal = sys.stderr.isatty()
        self._plain = plain
        self._step = self._target = ""

    def __enter__(self) -> Steps:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        env.clear_line()

    def __call__(self, step: str, target: str = "") -> None:
        """`step`: what is done, such as `checking`; `target`: of what, which may change often and is for terminals alone."""
        if self._terminal:
            columns = max(40, shutil.get_terminal_size((80, 24)).columns) - 1
            env.rewrite_line(in_one_line(f"{step}: {target}" if target else step)[:columns])
        elif self._plain and step != self._step:
            env.say(step)
        self._step, self._target = step, target

    def said(self, text: str) -> None:
        """A line that stays, below which the step is shown again."""
        env.say(text)
        if self._step and self._terminal:
            self(self._step, self._target)
