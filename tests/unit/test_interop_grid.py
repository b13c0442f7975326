# SPDX-License-Identifier: Apache-2.0
"""The interoperability grid without a library: what two words come to, peers that lie, hang, end or say nonsense, and how it is shown."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest
from scripts import gone

from cipherstone.catalogue.paths import data_root
from cipherstone.labs.tls.interop.grid import (
    Agreed,
    Grid,
    Handshake,
    Hostile,
    Kind,
    MissingPeer,
    Name,
    Result,
    Said,
    agreed_of,
    counted,
    judged,
    said_of,
)
from cipherstone.labs.tls.interop.hostile import HOSTILE
from cipherstone.labs.tls.interop.peers import Peer, introduced, reference
from cipherstone.labs.tls.interop.tables import grid_markdown, grid_text
from cipherstone.labs.tls.interop.trial import VERBS, Question, Trials, questions

DUE = agreed_of(bytes.fromhex("0304 1301 001d 0403 00"))
ASKED = Kind("a", {"version": "1.3", "group": "x25519", "cert": "p-256", "mode": "full"})
FORBIDDEN = Kind("expired", ASKED.params, "a day after the last")
OURS = Said(Result.AGREED, "", DUE, Agreed())
LOST = Said(Result.FAILED, "the peer closed the connection")
LATE = Said(Result.TIMED_OUT, "time-out: the peer said nothing for 5000 ms")
REFUSES = Said(Result.REFUSED)
DIES = Said(Result.CRASHED, "killed by SIGSEGV during 'compute'")


def failed(why: str) -> Said:
    return Said(Result.FAILED, why)


def test_numbers_are_read_and_what_nobody_tells_is_none() -> None:
    assert Agreed(0x0304, 0x1301, 0x001D, 0x0403, 0) == DUE
    assert agreed_of(bytes.fromhex("0303 ffff ffff ffff ff")) == Agreed(0x0303)
    for length in (0, 8, 10):
        with pytest.raises(ValueError):
            agreed_of(bytes(length))
    assert said_of(bytes(18) + b"\1").data and not said_of(bytes(18) + b"\xff").data
    for length in (0, 18, 20):
        with pytest.raises(ValueError):
            said_of(bytes(length))


@pytest.mark.parametrize(
    ("client", "server", "result", "why"),
    [
        (OURS, OURS, Result.AGREED, ""),
        (OURS, LOST, Result.FAILED, "server: the peer closed the connection"),
        (failed("client, f: no group"), LOST, Result.FAILED, "client: f: no group"),
        (LOST, failed("no key"), Result.FAILED, "server: no key"),
        (failed("x"), failed("y"), Result.FAILED, "client: x; server: y"),
        (failed("x"), LATE, Result.FAILED, "client: x"),
        (LATE, LATE, Result.TIMED_OUT, f"client: {LATE.why}; server: {LATE.why}"),
        (OURS, LATE, Result.TIMED_OUT, f"server: {LATE.why}"),
        (REFUSES, LOST, Result.FAILED, "client: does not accept the certificates"),
        (DIES, LATE, Result.CRASHED, f"client: {DIES.why}"),
        (LOST, LOST, Result.FAILED, f"client: {LOST.why}; server: {LOST.why}"),
    ],
)
def test_what_two_words_come_to(client: Said, server: Said, result: Result, why: str) -> None:
    assert judged(ASKED, DUE, client, server)[:2] == (result, why)


@pytest.mark.parametrize("field", Agreed.__struct_fields__)
def test_what_differs_from_the_request_is_wrong(field: str) -> None:
    """By the word of either side, or by what it sees."""
    other = msgspec.structs.replace(DUE, **{field: 7})
    for said in (Said(Result.AGREED, "", other), Said(Result.AGREED, "", DUE, other)):
        for pair in ((said, OURS), (OURS, said)):
            result, why, _ = judged(ASKED, DUE, *pair)
            assert result is Result.WRONG and f"{field} 0x0007, not 0x" in why


def test_what_the_request_leaves_open_is_told() -> None:
    """If all say the same: one list of TLS 1.2 has the groups of keys and of key exchange."""
    other = Said(Result.AGREED, "", msgspec.structs.replace(DUE, group=0x17))
    for pair, leaves_open, result in (
        ((other, other), Agreed(group=0x17), Result.AGREED),
        ((other, OURS), Agreed(group=0x17), Result.WRONG),
        ((other, other), Agreed(group=0x18), Result.WRONG),
        ((other, other), Agreed(suite=0x17), Result.WRONG),
    ):
        found, why, agreed = judged(ASKED, DUE, *pair, leaves_open)
        assert found is result and "group 0x0017" in why and agreed is not None and agreed.group == 0x17
    opened = {one.kind.name for one in questions(data_root()) if one.leaves_open != Agreed() and not one.kind.refuse}
    assert opened == {"version=1.2,group=x25519,cert=p-256,mode=full"}


def test_what_one_does_not_tell_the_other_does() -> None:
    told = Agreed(version=DUE.version, suite=DUE.suite)
    seen = Agreed(group=DUE.group, signature=DUE.signature)
    result, _, agreed = judged(ASKED, DUE, Said(Result.AGREED, "", told), Said(Result.AGREED, "", told, seen))
    assert result is Result.AGREED and agreed == Agreed(DUE.version, DUE.suite, DUE.group, DUE.signature, None)


@pytest.mark.parametrize(
    ("client", "server", "result"),
    [
        (REFUSES, failed("alert"), Result.REFUSED),
        (OURS, OURS, Result.WRONG),
        (OURS, LOST, Result.WRONG),  # whoever accepts has accepted, whatever comes after
        (failed("no group"), LOST, Result.FAILED),
        (LATE, LATE, Result.TIMED_OUT),
        (DIES, LOST, Result.CRASHED),
    ],
)
def test_a_client_must_refuse(client: Said, server: Said, result: Result) -> None:
    found, why, _ = judged(FORBIDDEN, DUE, client, server)
    assert found is result and (FORBIDDEN.refuse in why) == (result is Result.WRONG)


def test_questions_are_those_of_the_laboratory() -> None:
    asked = questions(data_root())
    assert len({one.kind.name for one in asked}) == len(asked)
    assert sum(bool(one.kind.refuse) for one in asked) == 6
    assert {one.kind.params["version"] for one in asked} == {"1.2", "1.3"}
    assert all(one.due.version and " " not in text for one in asked for text in one.texts.values())


# ---- peers that are no library's ----

SCRIPT = """import json, os, sys, time
fd, answer = int(os.environ.get("TLS_PEER", "-1,0").partition(",")[0]), {answer!r}
for line in sys.stdin:
    words = line.split()
    told = {{"seq": int(words[0]), "ok": True}}
    if words[1] == "hello":
        told |= dict.fromkeys(("sdk", "library", "version_from", "compiler", "flags", "clock"), "x")
        told |= {{"protocol": 2, "version": "1.5.1", "clock_step_ns": 0}}
    if words[1] == "prepare" and answer == "lacks":
        told |= {{"ok": False, "error": "unavailable", "detail": "it has none"}}
    if words[1] == "compute":
        if answer == "hangs":
            time.sleep(600)
        if answer == "ends":
            os._exit(3)
        told |= {{"result": "ok", "out": answer}} if answer != "fails" else {{"result": "error", "detail": "no"}}
    print(json.dumps(told), flush=True)
"""
YES = "0304 1301 001d 0403 00 ffff ffff ffff ffff ff 01".replace(" ", "")


def peer(folder: Path, answer: str) -> Peer:
    script = folder / "peer.py"
    script.write_text(SCRIPT.format(answer=answer))
    return Peer(answer, answer, "1", (sys.executable, "-IS", str(script)))


def asked(refuse: bool) -> Question:
    return next(one for one in questions(data_root()) if bool(one.kind.refuse) == refuse)


def against(trials: Trials, one: Peer) -> list[Hostile]:
    """Both sides against every kind of nonsense."""
    told = (trials.hostile(one, side, nonsense, [asked(False)]) for side in VERBS for nonsense in HOSTILE)
    return [one for one in told if one is not None]


@pytest.mark.parametrize(
    ("answer", "result", "refusal"),
    [
        (YES, Result.AGREED, Result.WRONG),
        ("00", Result.CRASHED, Result.CRASHED),
        ("fails", Result.FAILED, Result.FAILED),
        ("lacks", Result.UNSUPPORTED, Result.UNSUPPORTED),
        ("ends", Result.CRASHED, Result.CRASHED),
    ],
)
def test_a_scripted_pair_has_an_outcome(tmp_path: Path, answer: str, result: Result, refusal: Result) -> None:
    one = peer(tmp_path, answer)
    trials = Trials(0.5)
    for refuse, due in ((False, result), (True, refusal)):
        question = asked(refuse)
        for _ in range(2):  # what a peer has not is asked once, and told again
            found = trials.handshake(one, one, question)
            assert (found.client, found.server, found.kind) == (one.name, one.name, question.kind.name)
            assert found.data == (answer == YES)
            assert found.result is due and bool(found.why) == (not due.right), found


def test_a_peer_that_does_not_answer_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cipherstone.labs.tls.interop.trial.MARGIN_S", 0.2)
    one = peer(tmp_path, "hangs")
    found = Trials(0.1).handshake(one, one, asked(False))
    assert found.result is Result.TIMED_OUT and gone(tmp_path) == []
    told = against(Trials(0.1), one)
    assert len(told) == 2 * len(HOSTILE) and all(one.result is Result.TIMED_OUT and one.right for one in told)


def test_who_agrees_with_nonsense_is_seen(tmp_path: Path) -> None:
    told = against(Trials(0.5), peer(tmp_path, YES))
    assert told and not any(one.right for one in told)
    assert against(Trials(0.5), peer(tmp_path, "lacks")) == []


def test_a_peer_tells_its_version(tmp_path: Path) -> None:
    command = peer(tmp_path, YES).command
    assert introduced("a", "Mbed TLS 1.5", command).title == "Mbed TLS 1.5.1"
    assert introduced("a", "OpenSSL", command).title == "OpenSSL 1.5.1"


def test_without_go_the_reference_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert reference(data_root(), tmp_path, None, print) == "no go"


# ---- how it is shown ----


def grid(size: int, *changed: Handshake, hostile: tuple[Hostile, ...] = ()) -> Grid:
    names = tuple(Name(f"p{n}", f"A library of a name {n}", "1") for n in range(size))
    kinds = (ASKED, FORBIDDEN)
    results = {kind.name: Result.REFUSED if kind.refuse else Result.AGREED for kind in kinds}
    all_ = {
        (a.name, b.name, kind.name): Handshake(a.name, b.name, kind.name, results[kind.name])
        for a in names
        for b in names
        for kind in kinds
    }
    all_ |= {(one.client, one.server, one.kind): one for one in changed}
    return Grid(names, (MissingPeer("go", "no go"),), kinds, tuple(all_.values()), 5.0, hostile)


def test_ten_by_ten_fits_eighty_columns() -> None:
    lines = grid_text(grid(11), 80).splitlines()
    assert max(map(len, lines)) <= 80
    heads = [line for line in lines if line.startswith("client ")]
    assert len(heads) == 1 and heads[0].split()[1:] == [*map(str, range(1, 12)), "refuses"]
    assert lines[1].split()[-12:] == ["1/1"] * 11 + ["11/11"]
    text = " ".join(" ".join(lines).split())
    assert "121 of 121 handshakes agreed on as asked, 121 of 121 refused as they must be" in text
    assert "without go: no go" in lines
    assert "no data after the handshake, which the adapter has not yet: A library" in text
    spoken = Handshake("p0", "p1", "a", Result.AGREED, "", DUE, True)
    assert "not yet: A library of a name 2" in grid_text(grid(3, spoken), 200)


def test_the_reason_stands_below_and_in_markdown_in_its_cell() -> None:
    bad = (
        Handshake("p0", "p1", "a", Result.FAILED, "server: no shared | group"),
        Handshake("p2", "p1", "a", Result.FAILED, "server: no shared | group"),
        Handshake("p1", "p1", "expired", Result.WRONG, "the client accepts it"),
        Handshake("p2", "p2", "a", Result.UNSUPPORTED, "p2: it has none"),
    )
    found = grid(3, *bad)
    text = grid_text(found, 200)
    assert "failed: TLS 1.3, X25519, P-256: server: no shared | group (1>2, 3>2)" in text
    assert "wrong: expired: the client accepts it (2>2)" in text
    assert "not tried: p2: it has none (TLS 1.3, X25519, P-256)" in text
    rows = [line for line in grid_markdown(found).splitlines() if line.startswith("|")]
    assert "0/1; TLS 1.3, X25519, P-256: failed, server: no shared \\| group" in rows[2]
    assert rows[4].split(" | ")[3] == "-" and rows[3].endswith("| 2/3 |")
    assert found.worst is Result.WRONG and grid(3, *bad[:2]).worst is Result.FAILED
    assert grid(3, bad[3]).worst is grid(3).worst is Result.AGREED
    assert counted(bad) == (0, 3)


def test_hostile_peers_are_shown() -> None:
    told = (
        Hostile("p0", "client", "hangs", Result.TIMED_OUT, "time-out"),
        Hostile("p0", "server", "hangs", Result.AGREED),
        Hostile("p0", "client", "garbage", Result.FAILED, "decode error"),
    )
    found = grid(1, hostile=told)
    lines = grid_text(found, 80).splitlines()
    assert max(map(len, lines)) <= 80
    (head,) = (at for at, line in enumerate(lines) if line.startswith("against"))
    rows = [line.split() for line in lines[head + 1 :]]
    assert rows[0][-2:] == ["time-out", "ends"] and rows[1][-2:] == ["AGREES", "-"]
    assert found.worst is Result.FAILED and "agreed: p0, server, hangs" in grid_markdown(found)
    assert grid(1, hostile=told[:1]).worst is Result.AGREED
