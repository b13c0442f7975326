# SPDX-License-Identifier: Apache-2.0
"""A scout whose readings are a script: a real process that speaks the protocol, and reads what the test wants of each CPU."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cipherstone.measure.pool import Launch

# Protocol 2, as much of it as a scout is asked for. The script is read anew for every request, so that a core can become free meanwhile.
SCOUT = """
import json, os, sys
path = sys.argv[1]
open(path + ".log", "a").write("start %d\\n" % os.getpid())
for line in sys.stdin:
    seq, verb, *words = line.split()
    fields = dict(word.split("=", 1) for word in words)
    script = json.load(open(path))
    cpus = os.sched_getaffinity(0)
    here = str(min(cpus)) if len(cpus) == 1 else "any"
    open(path + ".log", "a").write(verb + " " + here + "\\n")
    reply = {"seq": int(seq), "ok": True}
    if verb == "hello":
        reply.update(protocol=2, sdk="script", library="scout", version="1", version_from="script", compiler="", flags="", clock="script", clock_step_ns=1)
    elif verb == "check-probe":
        reply.update(imul_ratio=script.get("imul", 3.0))
    elif verb == "probe":
        if script.get("dies"):
            os._exit(3)
        told = script["ipc"].get(here, script["ipc"].get("any"))
        count = int(fields["count"])
        chain = tput = None
        if told is not None:
            values = [told[k % len(told)] for k in range(count)]
            chain, tput = [0.25 if v else None for v in values], [0.25 / v if v else None for v in values]
        reply.update(chain_ns=chain, tput_ns=tput, waited_ns=0)
    print(json.dumps(reply), flush=True)
    if verb == "bye":
        break
"""


class Scout:
    """A scripted worker: `readings` of each CPU ("any" while it is not pinned), repeated as often as asked."""

    def __init__(self, folder: Path) -> None:
        self.program = folder / "scout.py"
        self.program.write_text(SCOUT)
        self.script = folder / "script.json"
        self.log = folder / "script.json.log"
        self.set({})

    def set(self, readings: dict[int | str, list[float] | None], **more: object) -> None:
        """Takes effect with the next request."""
        text = json.dumps({"ipc": {str(cpu): values for cpu, values in readings.items()}, **more})
        self.script.with_suffix(".new").write_text(text)
        self.script.with_suffix(".new").replace(self.script)

    @property
    def launch(self) -> Launch:
        return Launch((sys.executable, "-IS", str(self.program), str(self.script)))

    def said(self, verb: str) -> list[str]:
        """What it was asked, in order: the CPU (or process) of each request of this kind."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [line.partition(" ")[2] for line in lines if line.startswith(verb + " ")]
