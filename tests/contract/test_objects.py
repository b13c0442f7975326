# SPDX-License-Identifier: Apache-2.0
"""The verb `objects`: what a process was mapped from, as the system itself lists it, and which of it holds the library."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from conversation import Conversation
from sdk_build import COMPILER, SDK, link_with_sdk

pytestmark = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc")
LIBRARY = 'const char *other(void) { return "1"; }\n'
ADAPTER = """
#include "cipherstone.h"
const char *other(void);
static const cs_library it = {.abi = CS_ABI, .id = "it", .version = other, .version_from = "library"};
CS_WORKER_MAIN(it)
"""


def objects(talk: Conversation) -> list[dict[str, str]]:
    found = talk.ask("1 objects")["objects"]
    assert isinstance(found, list)
    return found


def test_every_executable_mapping_is_told_and_no_other(c_toy: list[str]) -> None:
    with Conversation(c_toy) as talk:
        found = objects(talk)
        lines = Path(f"/proc/{talk.process.pid}/maps").read_text().splitlines()
    mapped = {line.split(maxsplit=5)[5] for line in lines if "x" in line.split()[1] and "/" in line}
    assert {one["path"] for one in found} == mapped
    assert [one["path"] for one in found if one["role"] == "worker"] == [os.path.realpath(c_toy[0])]
    assert {one["role"] for one in found} == {"worker", "runtime"}  # the toy is in the executable


def test_a_worker_without_the_loaders_list_says_null(posix_toy: list[str]) -> None:
    with Conversation(posix_toy) as talk:
        assert talk.ask("1 objects") == {"seq": 1, "ok": True, "objects": None}


def test_a_static_worker_has_its_executable(tmp_path: Path) -> None:
    target = link_with_sdk(COMPILER, SDK / "tests" / "toy_adapter.c", tmp_path / "cs-static", "-static")
    with Conversation([str(target)]) as talk:
        assert [(one["path"], one["role"]) for one in objects(talk)] == [(str(target), "worker")]


@pytest.mark.parametrize("flags", [("-fPIE", "-pie"), ("-fno-pie", "-no-pie"), ("-Wl,-z,now",), ("-Wl,-z,lazy",)])
def test_the_library_is_where_the_loader_found_what_is_called(tmp_path: Path, flags: tuple[str, ...]) -> None:
    """Also where the executable's own stub has the function's address, and where somebody put another object in front of it."""
    (tmp_path / "other.c").write_text(LIBRARY)
    (tmp_path / "adapter.c").write_text(ADAPTER)
    for name in ("libother.so", "libfront.so", "libidle.so"):
        source = tmp_path / "other.c" if name != "libidle.so" else tmp_path / "idle.c"
        (tmp_path / "idle.c").write_text("int idle;\n")
        command = [COMPILER, "-shared", "-fPIC", "-Wl,--build-id", str(source), "-o", str(tmp_path / name)]
        subprocess.run(command, check=True)
    words = [*flags, f"-L{tmp_path}", f"-Wl,-rpath,{tmp_path}", "-Wl,--no-as-needed", "-lother", "-lidle"]
    target = link_with_sdk(COMPILER, tmp_path / "adapter.c", tmp_path / "cs-it", *words)

    def roles(**environment: str) -> dict[str, str]:
        with Conversation([str(target)], env={"LC_ALL": "C", **environment}) as talk:
            return {Path(one["path"]).name: one["role"] for one in objects(talk)}

    plain = roles()
    assert (plain["libother.so"], plain["libidle.so"], plain["cs-it"]) == ("library", "other", "worker")
    fronted = roles(LD_PRELOAD=str(tmp_path / "libfront.so"))
    assert (fronted["libfront.so"], fronted["libother.so"]) == ("library", "other")


def test_a_build_id_is_the_linkers(tmp_path: Path) -> None:
    source = SDK / "tests" / "toy_adapter.c"
    target = link_with_sdk(COMPILER, source, tmp_path / "cs-toy", "-Wl,--build-id=0x00c0ffee")
    with Conversation([str(target)]) as talk:
        assert objects(talk)[0]["build_id"] == "00c0ffee"
    target = link_with_sdk(COMPILER, source, tmp_path / "cs-none", "-Wl,--build-id=none")
    with Conversation([str(target)]) as talk:
        assert objects(talk)[0]["build_id"] is None
