# SPDX-License-Identifier: Apache-2.0
"""What adapters check before the library sees an input is the same for all: lengths that the operation fixes, and nothing of the contents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import scripts
from scripts import skip_or_fail

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.catalogue.vectors import Vector, load_vectors
from cipherstone.catalogue.verbs import LIBRARY_JUDGES
from cipherstone.cli import environment as env
from cipherstone.execute.survey import Found, survey
from cipherstone.model.ids import params_text
from cipherstone.protocol.messages import Refusal
from cipherstone.worker import WorkerProcess

CATALOGUE = load_catalogue(scripts.ROOT)
Params = tuple[tuple[str, str], ...]
# Looks that docs/concepts/fairness.md allows: GMP's mpn functions are defined for moduli that are odd and have no leading zero limb only.
ALLOWED = {("gmp", "m.data[0] != 0"), ("gmp", "m.data[m.len - 1] & 1")}

# What is left, with its reason beside it: mpn_sec_powm is defined for exponents of one bit and more, and no algorithm states the length of an exponent.
LENGTHS = {("gmp", "c->key.len >")}


@pytest.fixture(scope="module")
def found(worker_cache: Path) -> list[Found]:
    workshop = env.workshop(worker_cache)
    ready = [one for one in survey(workshop, load_libraries(workshop.root, CATALOGUE)) if one.launch is not None]
    return ready or skip_or_fail("no library is installed here")


def changed_lengths(vector: Vector, form: str | None) -> Iterator[tuple[str, dict[str, bytes]]]:
    """The vector with a tag, a signature of fixed length or a public key that is shorter, longer or empty."""
    fixed = ("tag", "pub") if form == "der" else ("tag", "pub", "sig")
    for name in fixed:
        if name in vector.inputs:
            data = vector.inputs[name]
            for other in (data[:-1], data + b"\0", b""):
                yield f"{name} of {len(other)} bytes", {**vector.inputs, name: other}


@pytest.mark.libraries
def test_every_library_s_worker_refuses_what_has_another_length(found: list[Found]) -> None:
    """A genuine input that was cut, or followed by a zero byte: no library is asked what it thinks of it, or it says no itself."""
    asked = set()
    for one in found:
        assert one.launch is not None
        with WorkerProcess(one.launch.command, environment=one.launch.environment) as worker:
            worker.hello()
            for (operation, implementation), capability in sorted(one.offer(CATALOGUE).capabilities.items()):
                algorithm, _, verb = operation.partition("/")
                if verb not in ("open", "verify", "derive"):
                    continue
                vectors = load_vectors(scripts.ROOT, algorithm, CATALOGUE).of(verb, capability.form)
                vector = next(v for v in vectors if v.expect == "ok")
                assert answer(worker, operation, implementation, vector.inputs) == "ok", (one.id, operation)
                for what, inputs in changed_lengths(vector, capability.form):
                    said = answer(worker, operation, implementation, inputs)
                    assert said in ("rejected", "setup-failed"), (one.id, operation, implementation, what, said)
                    if what.split()[0] in CATALOGUE.lengths[algorithm] and not what.startswith("sig"):
                        assert said == "setup-failed", (
                            "a length that the algorithm fixes is the SDK's affair, for all alike"
                        )
                    asked.add((one.id, operation))
    assert len(asked) > 3


@pytest.mark.libraries
def test_the_sdk_alone_refuses_lengths_that_an_algorithm_states(found: list[Found]) -> None:
    """Keys, nonces, tags and public keys, for every row of every library: the refusal is the SDK's own sentence, so setup was never asked."""
    kinds = set()
    for one in found:
        assert one.launch is not None
        with WorkerProcess(one.launch.command, environment=one.launch.environment) as worker:
            worker.hello()
            for (operation, implementation), capability in sorted(one.offer(CATALOGUE).capabilities.items()):
                algorithm, verb = capability.case.algorithm, capability.case.verb
                stated = CATALOGUE.lengths.get(algorithm, {})
                fixed = [name for name in CATALOGUE.verbs[verb].inputs if name in stated and name not in LIBRARY_JUDGES]
                if not fixed:
                    continue
                vectors = load_vectors(scripts.ROOT, algorithm, CATALOGUE).of(verb, capability.form)
                vector = next(v for v in vectors if v.expect == "ok")
                inputs, params = vector.inputs, tuple(capability.case.params)
                for name in fixed:
                    data = inputs[name]
                    for other in (data[:-1], data + b"\0", b""):
                        changed = inputs | {name: other}
                        refusal = refused(worker, capability.case.listed, implementation, changed, params)
                        place = (one.id, operation, implementation, name, len(other))
                        assert refusal.code == "setup-failed", place
                        assert refusal.detail == f"not of the length that the algorithm has: {name}", place
                    kinds.add((one.id.partition("@")[0], name))
    stated = {"key", "iv", "tag", "pub", "salt", "since", "until", "time"}
    assert {name for _, name in kinds} == stated and len(kinds) > 3


def refused(
    worker: WorkerProcess, operation: str, implementation: str, inputs: dict[str, bytes], params: Params
) -> Refusal:
    """What the worker says to inputs that it must not take."""
    texts = {name: f"hex:{data.hex()}" for name, data in inputs.items()}
    with pytest.raises(Refusal) as caught:
        worker.prepare(1, operation, implementation, texts | ({"params": params_text(params)} if params else {}))
    return caught.value


def answer(worker: WorkerProcess, operation: str, implementation: str, inputs: dict[str, bytes]) -> str:
    """The result, or the code of the refusal."""
    try:
        worker.prepare(1, operation, implementation, {name: f"hex:{data.hex()}" for name, data in inputs.items()})
    except Refusal as refusal:
        return refusal.code
    result = worker.compute(1, form="hex").result
    worker.close_case(1)
    return result


def test_no_adapter_checks_a_length_that_the_sdk_checks() -> None:
    """In the sources: a look at the length of a key, a nonce or a tag, or at that of a public key by itself."""
    looks = re.compile(
        r"""cs_expect_length\("(?:key|iv|tag|pub)"|c->(?:key|iv|tag)\.len\s*(?:[=!]=|[<>])|[=!]=\s*c->(?:key|iv|tag)\.len"""
    )
    seen = {
        (path.parent.name, match.group())
        for path in sorted((scripts.ROOT / "libraries").glob("*/adapter*"))
        for match in looks.finditer(path.read_text())
    }
    assert seen == LENGTHS
    assert looks.search('cs_expect_length("iv", c->iv, 12)') and looks.search("if (c->tag.len != TAG_BYTES)")


def test_no_adapter_looks_at_contents() -> None:
    """In the sources: comparisons of an input's bytes. What follows from such a look would be the adapter's judgement, not the library's."""
    looks = re.compile(r"(?:c->(?:key|iv|aad|msg|pub|sig|tag)|\bm)\.data\[[^\]]*\]\s*(?:[=!]=|[<>&])[^&|);]*")
    seen = {
        (path.parent.name, match.group().strip())
        for path in sorted((scripts.ROOT / "libraries").glob("*/adapter*"))
        for match in looks.finditer(path.read_text())
    }
    assert seen == ALLOWED
    assert looks.search("if (c->sig.data[31] & 0xe0)") and looks.search("c->sig.data[0] == 0x30")
