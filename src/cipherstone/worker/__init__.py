# SPDX-License-Identifier: Apache-2.0
"""L2: one worker process: spawn, pin, talk, time out, kill. Every worker is treated as hostile. May import L0 and L1."""

from cipherstone.worker.process import WorkerProcess

__all__ = ["WorkerProcess"]
