# SPDX-License-Identifier: Apache-2.0
"""`python -m cipherstone` and `cipherstone`. Nothing heavy is imported before signals and streams are seen to: loading the rest takes a second."""

from __future__ import annotations

# Built in: no file is read before signals are seen to, which takes long on a busy machine.
import _signal  # type: ignore[import-not-found]
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType


def _leave(number: int, _: FrameType | None) -> None:
    """Ends at once: an exception in the midst of an import comes out as something else, or not at all."""
    try:
        os.write(2, b"interrupted\n")
    finally:
        os._exit(128 + number)


def _hear() -> None:
    """Signals that ask for an end end the program, unless the caller has them ignored."""
    for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP):
        if _signal.getsignal(number) != _signal.SIG_IGN:
            _signal.signal(number, _leave)


def main() -> None:
    """Runs the command line."""
    _hear()
    _open_streams()
    import gc

    # Modules that are loaded are no garbage, and to look for some after every 700 objects takes 50 ms of a command's start.
    gc.set_threshold(100_000, *gc.get_threshold()[1:])
    from cipherstone.cli.main import main as command_line

    command_line()


def _open_streams() -> None:
    """Standard streams that the caller closed: else the first file that is opened takes their number, and gets what is printed.

    What is written to a closed standard output fails as it would have; words on a closed standard error go nowhere.
    """
    for number, flags in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, flags)
            os.dup2(opened, number, inheritable=True)
            if opened != number:
                os.close(opened)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115


if __name__ == "__main__":
    main()
