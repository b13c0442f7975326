# SPDX-License-Identifier: Apache-2.0
"""What the tests of the protocol use of the package: it is the code behind `cipherstone replay`."""

from __future__ import annotations

from cipherstone.worker.conversation import BrokenProtocol, Conversation, Silence
from cipherstone.worker.replay import differences, exchanges, replay

__all__ = ["BrokenProtocol", "Conversation", "Silence", "differences", "exchanges", "replay"]
