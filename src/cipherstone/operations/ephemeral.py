# SPDX-License-Identifier: Apache-2.0
"""Agreement with a key that lives for one call (SP 800-56A section 6.1.2.2 where both sides do so): judged from the other side, whose private key is known."""

from __future__ import annotations

from functools import lru_cache

from cipherstone.catalogue.conditions import KEYS
from cipherstone.model.errors import NotAuthentic
from cipherstone.operations.scheme import Inputs, Pair, Scheme


def with_agreement(scheme: Scheme, public_bytes: int, secret_bytes: int) -> Scheme:
    """`scheme`, which derives secrets, with `agree`: what comes out is the public value that was drawn, `public_bytes` long, and the secret. The peers are the pairs of the scheme's ring."""
    derive = scheme.due["derive"]

    @lru_cache(maxsize=KEYS)
    def of_ring(number: int) -> Pair:
        return scheme.key_pair(number)

    def shared(key: bytes, pub: bytes) -> bytes:
        found = derive({"key": key, "pub": pub})
        assert found is not None
        return found

    def refuse(inputs: Inputs) -> None:
        """Raises MustNotBeUsed where a derivation does."""
        shared(of_ring(0)[0], inputs["pub"])

    def judge(inputs: Inputs, output: bytes, form: str | None) -> str:
        if len(output) != public_bytes + secret_bytes:
            return f"{len(output)} bytes, not {public_bytes} and {secret_bytes}"
        own, secret = output[:public_bytes], output[public_bytes:]
        known = next((key for key, pub in map(of_ring, range(KEYS)) if pub == inputs["pub"]), None)
        try:
            if not any(shared(of_ring(0)[0], own)):
                return "the public value is of low order"
            if known is not None:
                return "" if shared(known, own) == secret else "both sides do not agree"
            if any(shared(of_ring(0)[0], inputs["pub"])):
                return "the judge does not know the private key of this public one"
        except (NotAuthentic, ValueError) as error:
            return f"the independent library refuses the public value: {error}"
        return "the secret with a point of low order is not zero" if any(secret) else ""

    return scheme._replace(due={**scheme.due, "agree": refuse}, judge={**scheme.judge, "agree": judge})
