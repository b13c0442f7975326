# SPDX-License-Identifier: Apache-2.0
"""No number without proof: nothing is timed in a process that has not computed known answers and the timed inputs right, right there."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import scripts
from scripts import HASH, MAC, OPEN, CommandLine, cells, cost, newest, passes, proofs, summary, write_worker

from cipherstone.catalogue.vectors import load_vectors
from cipherstone.measure import proof, rounds
from cipherstone.measure.proof import Between, Capability, Expectations, ProvenCase, prove_case
from cipherstone.model.ids import Case
from cipherstone.model.outcomes import Outcome, Verdict
from cipherstone.worker import WorkerProcess

SELECTION = f"op:({HASH} OR {MAC})"


def test_only_prove_case_makes_a_proven_case(tmp_path: Path) -> None:
    case = Case.parse(HASH + "/bytes=64")
    expected = Expectations().of(case, None)
    path = write_worker(tmp_path, "alpha")
    with WorkerProcess([str(path)]) as worker:
        for token in (None, object(), True, "token"):
            with pytest.raises(TypeError, match="prove_case"):
                ProvenCase(worker, 0, (expected,), (), Between(), token)
        proven = prove_case(worker, 0, case, Capability(HASH, "default"), expected)
        assert isinstance(proven, ProvenCase)
        assert proven.still_right() == ""


def test_a_wrong_output_proves_nothing(tmp_path: Path) -> None:
    case = Case.parse(HASH + "/bytes=64")
    path = write_worker(tmp_path, "alpha", wrong=[{"op": HASH}])
    with WorkerProcess([str(path)]) as worker:
        said = prove_case(worker, 0, case, Capability(HASH, "default"), Expectations().of(case, None))
    assert isinstance(said, str) and "CRC-32" in said


def test_the_timing_code_knows_no_other_way_in() -> None:
    """Everything that times takes a ProvenCase: `run` of a worker is called in rounds.py and firstcall.py only, there for first calls that are checked at once; clock.py times empty calls. The bare library beside servers has its one call compared with the oracle right before, by the same module."""
    package = Path(proof.__file__).parents[1]
    callers = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if re.search(r"\.run\((?:HARNESS_CASE|proven\.number|self\.|\w*, *\d|\d)", path.read_text())
        and "WorkerProcess" in path.read_text()
    }
    # What memoization.py times becomes no figure: it tells whether results are remembered, and looks at each.
    allowed = {"measure/rounds.py", "measure/firstcall.py", "measure/clock.py", "measure/memoization.py"}
    assert callers <= {*allowed, "labs/tls/servers/load.py"}
    source = Path(rounds.__file__).read_text()
    assert re.findall(r"(\w+(?:\.\w+)*)\.run\(", source) == [
        "worker",
        "proven.worker",
    ]  # the empty call, and a proven case


def conversation(worker: Path) -> dict[int, list[list[str]]]:
    """Requests by process number, as fields without their sequence number."""
    by_process: dict[int, list[list[str]]] = defaultdict(list)
    for line in (worker.parent / "requests.log").read_text().splitlines():
        number, _, request = line.partition(" ")
        by_process[int(number)].append(request.split(" ")[1:])
    return by_process


def test_every_timed_case_was_computed_in_the_same_process_after_all_vectors(cli: CommandLine, tmp_path: Path) -> None:
    """From the worker's own log: before the first `run` of a prepared case came every vector of its operation, and a `compute` on that very case."""
    worker = write_worker(tmp_path, "alpha", {HASH: cost(1000), MAC: cost(800)}, log=True)
    done = cli.measure(
        "--base", "alpha", "--filter", SELECTION, "--size", "16,1024", "--worker", worker, "--passes", "6"
    )
    assert done.code == 0, done.err
    every: dict[str, Any] = {op: load_vectors(scripts.ROOT, op.partition("/")[0]).vectors for op in (HASH, MAC)}
    timed = 0
    for number, requests in conversation(worker).items():
        if number == 0:  # only introduced itself
            assert [words[0] for words in requests] == ["hello", "list", "objects", "bye"]
            continue
        if number == 1:  # the scout, which looks at CPUs, and times and computes nothing
            assert {words[0] for words in requests} == {"hello", "check-probe", "probe", "bye"}
            continue
        brief = (number - 2) // 2 > 0  # after the first pass a few vectors of each kind are enough
        due = {op: {v.inputs["msg"] for v in vectors if v.brief or not brief} for op, vectors in every.items()}
        operation: dict[str, str] = {}
        inputs: dict[str, str] = {}
        computed: set[str] = set()
        seen: dict[str, set[bytes]] = defaultdict(set)
        for verb, *words in requests:
            fields = dict(word.split("=", 1) for word in words)
            case = fields.get("case", "")
            match verb:
                case "prepare":
                    operation[case], inputs[case] = fields["op"], fields.get("msg", "")
                    computed.discard(case)
                case "compute":
                    computed.add(case)
                    if inputs[case].startswith("hex:"):
                        seen[operation[case]].add(bytes.fromhex(inputs[case][4:]))
                case "run" if operation[case] != "harness/empty":
                    timed += 1
                    assert case in computed, (number, verb, words)
                    assert due[operation[case]] <= seen[operation[case]], (number, operation[case])
    turns = sum(len(turn) for one in passes(newest(cli.runs)) for turn in one.order)
    assert timed > turns > 300  # all of them, and calibration


def test_every_sample_of_a_run_has_a_proof(cli: CommandLine, tmp_path: Path) -> None:
    """From the journal: who has samples in a pass has a proof of that operation in that pass, `ok`, with known answers reproduced."""
    a = write_worker(tmp_path, "alpha", {HASH: {"default": {"ns": 900}, "fast": {"ns": 700}}, MAC: cost(800)})
    b = write_worker(tmp_path, "beta", {HASH: cost(1000)})
    cli.measure(
        "--base", "alpha", "--filter", SELECTION, "--impl", "all", "--size", "16,1024", "--worker", a, "--worker", b
    )
    bundle = newest(cli.runs)
    proven = {
        (row.operation, row.lane, row.pass_index)
        for row in proofs(bundle)
        if row.outcome is Outcome.OK and row.accepted > 0
    }
    timed = {(one.case.rpartition("/")[0], samples.lane, one.index) for one in passes(bundle) for samples in one.lanes}
    # Lanes of both operations with their A/A lanes, in six passes; one that fell short of batches is made again.
    assert len(timed) >= (4 + 2) * 6
    assert timed <= proven
    full = len(load_vectors(scripts.ROOT, "sha-256").vectors)
    assert {row.accepted for row in proofs(bundle) if row.operation == HASH and row.pass_index == 0} == {full}


def write_wrong(folder: Path, library: str, costs: dict[str, Any] | None = None, **behaviour: Any) -> Path:
    return write_worker(folder, library, costs or {HASH: cost(500)}, **behaviour)


@pytest.fixture(scope="module")
def with_wrong_ones(new_cli: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any, CommandLine]:
    """One run of two sizes: a right worker beside five that are wrong in one way each, all of them faster than the right one."""
    folder = tmp_path_factory.mktemp("workers")
    vector = sorted(load_vectors(scripts.ROOT, "sha-256").vectors, key=lambda v: len(v.inputs["msg"]))[1]
    workers = [
        write_worker(folder, "right", {HASH: cost(1000)}),
        write_wrong(folder, "vector", wrong=[{"exact_bytes": len(vector.inputs["msg"])}]),
        write_wrong(folder, "large", wrong=[{"min_bytes": 10_000}]),
        # right for the vectors, the proof, the six batches that calibrate and the first four of the eight turns
        write_wrong(folder, "later", wrong=[{"after_runs": 10}]),
        write_wrong(folder, "everything", wrong=[{}]),
        write_wrong(folder, "second", wrong=[{"after_calls": 1}]),
    ]
    cli = new_cli("wrong")
    options = [word for path in workers for word in ("--worker", path)]
    done = cli.measure("--base", "right", "--op", HASH, "--size", "64,16384", *options)
    return done, summary(done), cli


@pytest.mark.parametrize(
    ("library", "size", "outcome", "detail"),
    [
        ("right", 64, Outcome.OK, ""),
        ("right", 16384, Outcome.OK, ""),
        ("vector", 64, Outcome.WRONG, "expected"),
        ("vector", 16384, Outcome.WRONG, "expected"),
        ("large", 64, Outcome.OK, ""),
        ("large", 16384, Outcome.WRONG, "output at the timed inputs"),
        ("later", 64, Outcome.WRONG, "after the timed calls: output"),
        ("later", 16384, Outcome.WRONG, "after the timed calls: output"),
        ("everything", 64, Outcome.WRONG, "expected"),
        ("second", 64, Outcome.WRONG, "second call in one context: "),
    ],
)
def test_a_wrong_result_is_shown_never_timed_never_ranked(
    with_wrong_ones: tuple[Any, Any, CommandLine], library: str, size: int, outcome: Outcome, detail: str
) -> None:
    _, found, cli = with_wrong_ones
    case = next(one for one in found.cases if one.size_bytes == size)
    cell = cells(found, case.case)[f"{library}@1.0"]
    assert cell.outcome is outcome
    assert detail in cell.detail
    ranked = [lane for group in case.ranking for lane in group]
    if outcome is Outcome.OK:
        assert cell.lane in ranked and cell.ns is not None
        return
    assert cell.lane not in ranked and cell.ns is None and cell.passes_used == 0
    assert next(row.verdict for row in case.to_base if row.lane == cell.lane) is Verdict.WRONG
    assert not any(
        samples.lane == cell.lane for one in passes(newest(cli.runs)) if one.case == case.case for samples in one.lanes
    )


def test_a_run_with_a_wrong_result_says_so(with_wrong_ones: tuple[Any, Any, CommandLine]) -> None:
    done, found, cli = with_wrong_ones
    assert done.code == 4
    assert "Traceback" not in done.err
    assert any("wrong result" in warning for warning in found.warnings)
    text = cli("show").out
    assert "WRONG" in text and "large" in text


def test_an_accepted_forgery_is_a_wrong_result(cli: CommandLine, tmp_path: Path) -> None:
    """A decryption that takes every tag computes every plaintext right, and is wrong all the same."""
    honest = write_worker(tmp_path, "honest", {OPEN: cost(2000)})
    forgiving = write_worker(tmp_path, "forgiving", {OPEN: cost(1000)}, forgiving=True)
    done = cli.measure("--base", "honest", "--op", OPEN, "--size", "16", "--worker", honest, "--worker", forgiving)
    lanes = cells(summary(done))
    assert done.code == 4
    assert lanes["honest@1.0"].outcome is Outcome.OK and lanes["honest@1.0"].proof_rejected > 10
    assert lanes["forgiving@1.0"].outcome is Outcome.WRONG
    assert "must be rejected" in lanes["forgiving@1.0"].detail
    assert summary(done).cases[0].ranking == (("honest@1.0",),)


def test_a_wrong_base_takes_its_second_lane_with_it(cli: CommandLine, tmp_path: Path) -> None:
    wrong = write_worker(tmp_path, "alpha", {HASH: cost(500)}, wrong=[{"min_bytes": 4096}])
    right = write_worker(tmp_path, "beta", {HASH: cost(1000)})
    done = cli.measure("--base", "alpha", "--op", HASH, "--worker", wrong, "--worker", right)
    lanes = cells(summary(done))
    assert done.code == 4
    assert lanes["alpha@1.0"].outcome is lanes["alpha@1.0#2"].outcome is Outcome.WRONG
    assert lanes["beta@1.0"].ns.value == pytest.approx(1000)


def test_check_finds_what_run_would_find(cli: CommandLine, tmp_path: Path) -> None:
    """Proof without timing, of all sizes: exit code 4, the failing size named, and nothing is ever run."""
    right = write_worker(tmp_path, "right", {HASH: cost(1000), OPEN: cost(1000)}, log=True)
    wrong = write_worker(tmp_path, "wrong", {HASH: cost(1000)}, wrong=[{"min_bytes": 100_000}])
    done = cli("check", "--filter", f"op:{HASH}", "--worker", right, "--worker", wrong, "--format", "json")
    assert done.code == 4
    rows = {row["lane"]: row for row in done.json()}
    assert rows["right@1.0"]["outcome"] == "ok" and rows["right@1.0"]["oracle"] == 8
    assert rows["wrong@1.0"]["failures"] == [
        text for text in rows["wrong@1.0"]["failures"] if text.startswith(HASH + "/bytes=1048576: output")
    ]
    timed = [words for requests in conversation(right).values() for words in requests if words[0] == "run"]
    assert {words[1] for words in timed} == {f"case={rounds.HARNESS_CASE}"}  # the empty call only
