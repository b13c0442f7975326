# SPDX-License-Identifier: Apache-2.0
"""How wrong: what is lax or strict is timed and marked, what is wrong is not, and `--strict` makes no difference between them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import scripts
from scripts import Done, cells, cost, newest, options, passes, proofs, summary, write_worker

from cipherstone.catalogue.vectors import Vector, load_vectors
from cipherstone.measure.breadth import Questions, numbers_of
from cipherstone.model.outcomes import Outcome, Verdict
from cipherstone.model.records import Settings

VERIFY = "ecdsa-p256-sha256/verify"
FORM = "p1363"
SEED, PASSES = 7, 6
VECTORS = load_vectors(scripts.ROOT, "ecdsa-p256-sha256").of("verify", FORM)
SHORT = [v for v in VECTORS if v.failure.id == "short-numbers"]
DUPLICATION = [v for v in VECTORS if v.failure.id == "point-duplication"]
FORGED = [v for v in VECTORS if v.failure.id == "out-of-range"]
VALID = [v for v in VECTORS if "ValidSignature" in v.flags]
PLANTED: Mapping[str, tuple[Iterable[Vector], Iterable[Vector]]] = {  # library -> accepted, refused
    "right": ((), ()),
    "lax": (SHORT, ()),
    "strict": ((), DUPLICATION[:1]),
    "both": (SHORT[:1], DUPLICATION[:1]),
    "forged": ((*SHORT, FORGED[0]), ()),
    "refusing": ((), (*DUPLICATION[:1], VALID[0])),
}


@lru_cache
def forgeries() -> list[dict[str, bytes]]:
    """What a run of this seed asks at random and a right verifier rejects: in six passes, and at the end of those that got too few."""
    wanted = Settings().breadth
    made = [Questions(VERIFY, FORM, numbers_of(SEED, number)) for number in range(PASSES + 1)]
    counts = [*[-(-wanted // PASSES)] * PASSES, wanted]
    asked = [each.at(place)[0] for each, count in zip(made, counts, strict=True) for place in range(count)]
    return [one.data for one in asked if one.forged]


def hashes(accepted: Iterable[Vector] = (), refused: Iterable[Vector] = ()) -> list[str]:
    """Of all that a verifier rejects that is right but for these."""
    rejects = [v.inputs for v in VECTORS if v.expect == "rejected" and v not in list(accepted)]
    rejects += [*(v.inputs for v in refused), *forgeries()]
    return [hashlib.sha256(given["pub"] + given["msg"] + given["sig"]).hexdigest() for given in rejects]


def verifier(folder: Path, library: str, ns: float) -> Path:
    """A worker that verifies right but for what is planted."""
    return write_worker(folder, library, {VERIFY: cost(ns)}, form=FORM, rejects=hashes(*PLANTED[library]))


def measure(cli: Any, *arguments: object) -> Done:
    """As `CommandLine.measure`, of an operation without sizes."""
    few = ("--no-memory", "--max-time", "none", "--seed", SEED, "--passes", PASSES, "--format", "json")
    done: Done = cli("run", *few, "--cache", cli.cache, *arguments)
    return done.no_trace()


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("verifiers")
    return [verifier(folder, library, 1000 - 100 * place) for place, library in enumerate(PLANTED)]


@pytest.fixture(scope="module")
def measured(new_cli: Any, workers: list[Path]) -> tuple[Done, Any, Any]:
    cli = new_cli("deviations")
    done = measure(cli, "--base", "right", "--op", VERIFY, *options(*workers))
    return done, summary(done), cli


def test_each_has_its_outcome(measured: tuple[Done, Any, Any]) -> None:
    done, found, cli = measured
    lanes = cells(found)
    assert {lane.partition("@")[0]: str(cell.outcome) for lane, cell in lanes.items() if not lane.endswith("#2")} == {
        "right": "ok",
        "lax": "lax",
        "strict": "strict",
        "both": "lax",
        "forged": "wrong",
        "refusing": "wrong",
    }
    assert done.code == 4  # two of them are wrong
    (case,) = found.cases
    assert [lane for group in case.ranking for lane in group] == ["both@1.0", "strict@1.0", "lax@1.0", "right@1.0"]
    assert {row.lane: row.verdict for row in case.to_base}["lax@1.0"] is Verdict.FASTER
    assert {row.lane: row.verdict for row in case.to_base}["forged@1.0"] is Verdict.WRONG
    timed = {samples.lane for one in passes(newest(cli.runs)) for samples in one.lanes}
    assert timed == {"right@1.0", "right@1.0#2", "lax@1.0", "strict@1.0", "both@1.0"}


def test_the_cell_names_vectors_and_meaning(measured: tuple[Done, Any, Any]) -> None:
    _, found, _ = measured
    lanes = cells(found)
    (one,) = lanes["lax@1.0"].deviations
    assert (one.outcome, one.kind) == (Outcome.LAX, "short-numbers")
    assert set(one.vectors) == {v.id for v in SHORT}
    assert one.means.startswith("No message can be forged") and "section" in one.standard
    assert one.does in lanes["lax@1.0"].detail and "more)" in lanes["lax@1.0"].detail
    assert [(d.outcome, d.vectors) for d in lanes["both@1.0"].deviations] == [
        (Outcome.LAX, (SHORT[0].id,)),
        (Outcome.STRICT, (DUPLICATION[0].id,)),
    ]
    assert lanes["right@1.0"].deviations == () and lanes["forged@1.0"].deviations == ()


def test_an_ordinary_failure_beside_it_is_wrong_and_named_with_its_class(measured: tuple[Done, Any, Any]) -> None:
    _, found, cli = measured
    lanes = cells(found)
    assert lanes["forged@1.0"].detail.startswith(f"{FORGED[0].id} (out-of-range): must be rejected: result 'ok'")
    assert lanes["refusing@1.0"].detail.startswith(f"{VALID[0].id} (ordinary): result 'rejected'")
    record = next(row for row in proofs(newest(cli.runs)) if row.lane == "forged@1.0")
    assert record.outcome is Outcome.WRONG and len(record.failures) == 1
    assert [one.kind for one in record.deviations] == ["short-numbers"]  # it is kept, though it no longer matters


def test_the_proof_counts_only_what_was_met(measured: tuple[Done, Any, Any]) -> None:
    lanes = cells(measured[1])
    negatives, positives = (sum(v.expect == kind for v in VECTORS) for kind in ("rejected", "ok"))
    assert (lanes["right@1.0"].proof_accepted, lanes["right@1.0"].proof_rejected) == (positives, negatives)
    assert lanes["lax@1.0"].proof_rejected == negatives - len(SHORT)
    assert lanes["strict@1.0"].proof_accepted == positives - 1


def test_every_output_marks_them(measured: tuple[Done, Any, Any]) -> None:
    done, _, cli = measured
    assert "2 lax and 1 strict: implementations of operations that" in done.err
    shown = " ".join(cli("show").out.split())
    assert "both is lax: it accepts r and s with fewer bytes" in shown  # the first screen, of the winner
    for part in ("\u2020\u2021", "\u2020 lax, ", "\u2021 strict, ", SHORT[0].id, "No message can be forged", "WRONG"):
        assert part in shown, part
    markdown = cli("report", "--markdown").out
    assert "both\u2020\u2021" in markdown and "lax\u2020" in markdown and DUPLICATION[0].id in markdown
    rows = cli("export", "--as", "csv").out.splitlines()
    assert any(",lax," in row and ",time," in row and "short" not in row and SHORT[0].id in row for row in rows)
    go = cli("export", "--as", "benchfmt").out
    assert f"# {VERIFY} strict@1.0: strict: refuses" in go and "library=strict/" in go
    sql = "select library, outcome, deviations[1] as d, deviation_vectors[1] as v, deviation_means from cells where library = 'strict'"
    line = cli("show", "--sql", sql).out.splitlines()[1]
    assert line.startswith(f"strict,strict,point-duplication,{DUPLICATION[0].id},") and "SEC 1" in line


def test_lax_and_strict_alone_end_with_0(cli: Any, workers: list[Path]) -> None:
    right, lax, strict = workers[:3]
    done = measure(cli, "--base", "right", "--all", "--op", VERIFY, *options(right, lax, strict))
    assert done.code == 0, done.err
    assert f"strict: strict 1.0 {VERIFY}: refuses" in done.err
    assert f"lax: lax 1.0 {VERIFY}: accepts" in done.err


def test_strict_times_none_of_them(cli: Any, workers: list[Path]) -> None:
    right, lax, strict = workers[:3]
    done = measure(cli, "--base", "right", "--strict", "--op", VERIFY, *options(right, lax, strict))
    assert done.code == 4
    lanes = cells(summary(done))
    assert lanes["lax@1.0"].outcome is lanes["strict@1.0"].outcome is Outcome.WRONG
    assert "(short-numbers): accepts" in lanes["lax@1.0"].detail and lanes["lax@1.0"].ns is None
    assert summary(done).cases[0].ranking == (("right@1.0",),)
    assert summary(done).manifest.settings.strict is True


def test_check_tells_all_three(cli: Any, workers: list[Path]) -> None:
    words = ("check", "--filter", f"op:{VERIFY}", *options(*workers))
    done = cli(*words)
    said = " ".join(done.out.split())
    assert done.code == 4
    assert "1 of 6 implementations of operations are right, 2 are lax, 1 is strict" in said
    assert f"lax@1.0 {VERIFY}: lax: accepts" in said and "No message can be forged" in said
    tolerant = cli("check", "--filter", f"op:{VERIFY}", *options(*workers[:4]))
    assert tolerant.code == 0, tolerant.out
    assert cli("check", "--strict", "--filter", f"op:{VERIFY}", *options(*workers[:4])).code == 4


def test_compare_names_the_change(cli: Any, tmp_path: Path) -> None:
    """A library that became lax between two runs: a line, and nothing that fails."""
    (tmp_path / "a").mkdir(), (tmp_path / "b").mkdir()
    anchor = write_worker(tmp_path, "anchor", {VERIFY: cost(1000)}, form=FORM, rejects=hashes())
    for folder, accepted in (("a", []), ("b", SHORT)):
        lane = write_worker(tmp_path / folder, "subject", {VERIFY: cost(900)}, form=FORM, rejects=hashes(accepted))
        measure(cli, "--base", "anchor", "--op", VERIFY, *options(anchor, lane))
    done = cli("compare", "latest~1", "latest", "--fail-above", "5%")
    assert done.code == 0, done.out + done.err
    line = f"changed: {VERIFY} subject: ok in A, lax in B: accepts r and s with fewer bytes"
    assert line in " ".join(done.out.split()) and line in done.err
    lanes = cli("compare", "anchor", "subject", "--run", "latest")
    assert f"changed: {VERIFY} subject / anchor: ok in A, lax in B" in " ".join(lanes.out.split())
    assert cli("compare", "latest~1", "latest", "--format", "json").json()["changes"]
