# SPDX-License-Identifier: Apache-2.0
"""Details of an instrument in the manifest of a received bundle: what is none of the instrument's is refused in one line, whatever it is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden"))

import rich_run

from cipherstone.labs.footprint.stored import footprint_of
from cipherstone.labs.tls.interop.stored import grid_of
from cipherstone.labs.tls.networks.results import networked_of
from cipherstone.labs.tls.servers.results import servers_of
from cipherstone.labs.tls.sockets.results import sockets_of
from cipherstone.model.errors import DataError
from cipherstone.model.instruments import InstrumentCase, InstrumentPlan
from cipherstone.model.summary import RunSummary

READERS: dict[str, Callable[[RunSummary], object]] = {
    "footprint": footprint_of,
    "interop": grid_of,
    "networks": networked_of,
    "servers": servers_of,
    "sockets": sockets_of,
}
LANE, CASE = "tls@1.0", "tls/handshake"
NETWORK: dict[str, Any] = {"link": "wire", "tcp": "", "seed": 1, "cpus": [0, 1], "places": {}}


def run_with(name: str, details: dict[str, Any]) -> RunSummary:
    run = rich_run.runs()[0]
    plan = InstrumentPlan(name, name, (), (), (InstrumentCase(CASE, "", (LANE,), "", ""),), 1, details=details)
    return msgspec.structs.replace(run, manifest=msgspec.structs.replace(run.manifest, instruments=(plan,)))


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("details", [{}, {"x": 3}, {"rows": 1}, {"tasks": [1]}, {"places": "x" * 100_000}], ids=lambda one: str(one)[:20])  # fmt: skip
def test_details_that_are_none(name: str, details: dict[str, Any]) -> None:
    with pytest.raises(DataError, match=f"details of {name}: ") as caught:
        READERS[name](run_with(name, details))
    assert len(caught.value.message) < 400 and caught.value.hint


@pytest.mark.parametrize("changed", [{"link": "string"}, {}])
def test_a_link_that_is_none_and_a_case_without_its_place(changed: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="or a case without its place"):
        networked_of(run_with("networks", {**NETWORK, **changed}))


@pytest.mark.parametrize("name", READERS)
def test_a_run_without_the_instrument_has_none(name: str) -> None:
    assert READERS[name](rich_run.runs()[0]) is None
