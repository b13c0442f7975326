# SPDX-License-Identifier: Apache-2.0
"""The clock of bounds and limits stands still while the process is stopped."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from cipherstone.model import awake_clock
from cipherstone.model.awake_clock import awake_s, noticing_stops

# Prints how long a second of sleep took by both clocks, once somebody has stopped and continued it meanwhile.
SLEEPER = """
import time
from cipherstone.model import awake_clock
from cipherstone.model.awake_clock import awake_s, noticing_stops
with noticing_stops():
    began, awake = time.monotonic(), awake_s()
    print("ready", flush=True)
    until = awake + 1
    while awake_s() < until:
        time.sleep(0.01)
    print(time.monotonic() - began, awake_s() - awake)
"""


def test_stopped_time_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(awake_clock, "_stopped_s", 0.0)
    before = awake_s()
    now[0] = 130.0
    with noticing_stops():
        signal.raise_signal(signal.SIGCONT)
        assert awake_s() == before
        now[0] = 133.0
        assert awake_s() == before + 3
        now[0] = 134.0
        signal.raise_signal(signal.SIGCONT)
        now[0] = 136.0
        assert awake_s() == before + 5


def test_the_handler_that_stood_before_stands_again() -> None:
    before = signal.getsignal(signal.SIGCONT)
    with noticing_stops():
        assert signal.getsignal(signal.SIGCONT) != before
    assert signal.getsignal(signal.SIGCONT) == before


def test_a_real_stop_is_noticed() -> None:
    process = subprocess.Popen([sys.executable, "-c", SLEEPER], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGSTOP)
    time.sleep(2)
    process.send_signal(signal.SIGCONT)
    wall, awake_time = map(float, process.communicate(timeout=120)[0].split())
    # Of the two seconds at least one, however late the signals arrive.
    assert wall - awake_time >= 1
