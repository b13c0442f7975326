# SPDX-License-Identifier: Apache-2.0
"""The renderer of charts, run as a script: it reads a specification a line and writes an SVG a line, both in JSON. It has a process of its own because it reserves gigabytes of address space and aborts its process where it does not get them."""

from __future__ import annotations

import json
import sys

VEGALITE_VERSION = "5.20"


def main() -> None:
    """Until the end of its input. What the renderer refuses is answered with `{"error": TEXT}`."""
    import vl_convert

    for line in sys.stdin.buffer:
        try:
            reply: object = vl_convert.vegalite_to_svg(json.loads(line), vl_version=VEGALITE_VERSION)
        except ValueError as error:
            reply = {"error": str(error)}
        sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
