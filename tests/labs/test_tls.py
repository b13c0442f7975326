# SPDX-License-Identifier: Apache-2.0
"""The TLS laboratory's workers, built and run with the libraries that are here: what is proven, what is counted, what nonsense does, and what the room makes of it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import cache
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from kept import answered
from scripts import ROOT, CommandLine, skip_or_fail

from cipherstone.build.installed import find_installation
from cipherstone.build.systems import this_system
from cipherstone.build.toolchain import find_toolchain
from cipherstone.build.workers import WorkerJob, build_worker, heap_preload
from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.catalogue.libraries import load_labs
from cipherstone.catalogue.suites import load_suite
from cipherstone.catalogue.vectors import Vector, load_vectors
from cipherstone.labs.tls.command import narrowed
from cipherstone.labs.tls.results import CLIENT, LAB, READ, SERVER, THREADS, WRITE, Idle, Nonsense, Wire
from cipherstone.measure.proof import Capability, Expectations, case_texts, prove_operation
from cipherstone.model.ids import Case
from cipherstone.model.outcomes import Outcome
from cipherstone.operations.certificate import elements
from cipherstone.operations.handshakes import EACH_THREAD, agreed, timed
from cipherstone.operations.inputs import timed_inputs
from cipherstone.protocol.messages import Computed, Empty, Listed, Refusal
from cipherstone.worker import WorkerProcess
from cipherstone.worker.environment import preloading

LABORATORY = load_labs(ROOT, catalogue_of_checkout())[LAB]
BUILDS = [build.name for build in LABORATORY.default_builds]
TOOLCHAIN = find_toolchain()
USUAL = "version=1.2,group=x25519,cert=p-256,mode=full"
# One of each set of parameters, that every library has: known answers are those of all of its combinations.
DATA = "version=1.2,suite=aes-128-gcm,write=1024"
USUALS = (
    USUAL,
    f"{USUAL},suite=aes-256-gcm",
    f"{USUAL},chain=3",
    f"{USUAL},ca=rsa-2048",
    f"{USUAL},suite=aes-256-gcm,chain=1,ca=rsa-2048",
    f"{USUAL},auth=mutual",
    f"{USUAL},threads=1,contexts=thread",
    DATA,
    "version=1.2,suite=chacha20-poly1305,write=100",
    "mode=psk",
    "mode=early",
    "mode=psk,suite=chacha20-poly1305",
)
KEPT = "x25519"  # the group of connections that are kept open
WITHOUT_A_LIBRARY = {"s2n", "s2n-aws-lc"}  # TLS alone, on another's libcrypto


@cache
def known(verb: str) -> tuple[Vector, ...]:
    return load_vectors(ROOT, LAB).of(verb)


@pytest.fixture(scope="module", params=BUILDS)
def command(request: pytest.FixtureRequest, worker_cache: Path) -> tuple[str, ...]:
    """What starts the worker of a build."""
    (build,) = (one for one in LABORATORY.builds if one.name == request.param)
    installation = find_installation(LABORATORY, TOOLCHAIN, this_system(), build)
    if installation.problem:
        skip_or_fail(f"{build.name}: {installation.problem}")
    return build_worker(WorkerJob(LABORATORY, installation, TOOLCHAIN, ROOT, worker_cache, build)).words


@pytest.fixture
def worker(command: tuple[str, ...]) -> Iterator[WorkerProcess]:
    with WorkerProcess(command) as process:
        process.hello()
        yield process


def row_of(worker: WorkerProcess, case: Case) -> Listed:
    rows = [row for row in worker.operations() if row.op == case.listed and row.fits(dict(case.params))]
    return rows[0]


def prepared(worker: WorkerProcess, case: Case, number: int = 0) -> Expectations:
    """The case at its timed inputs."""
    expected = Expectations()
    worker.prepare(number, case.listed, "default", expected.of(case, None).texts)
    return expected


def mapped(worker: WorkerProcess) -> list[Path]:
    """The code of a worker: itself and the objects that its library consists of, as they are in its memory."""
    lines = Path(f"/proc/{worker._process.pid}/maps").read_text().splitlines()
    return sorted({Path(line.split()[5]) for line in lines if "r-xp" in line and "/" in line})


def proven(
    name: str, worker: WorkerProcess, rows: Callable[[], dict[str, str]]
) -> AbstractContextManager[dict[str, str]]:
    """What was found wrong of each row, kept while worker, library, known answers and our own code are the same."""
    inputs = (*mapped(worker), ROOT / "src", ROOT / "vectors", ROOT / "algorithms", Path(__file__))
    return answered(name, inputs, dict[str, str], rows, lambda: mapped(worker))


def wrong_rows(worker: WorkerProcess) -> dict[str, str]:
    found = {}
    for operation in catalogue_of_checkout().operations.values():
        if operation.algorithm != LAB:
            continue
        row = row_of(worker, operation.headline)
        if row.status != "ok":
            found[operation.id] = "" if row.reason and "\n" not in row.reason else f"no reason: {row.reason!r}"
        elif operation.id.endswith(USUALS):
            proof = prove_operation(worker, Capability(operation.id, "default"), known(operation.verb))
            refuses = operation.verb != SERVER or operation.id.endswith("auth=mutual")
            least = 20 if operation.verb == CLIENT and operation.id.endswith(USUAL) else 10 if refuses else 0
            least = 5 if "mode=psk" in operation.id else 0 if "mode=early" in operation.id else least
            right = proof.outcome is Outcome.OK and proof.rejected >= least
            found[operation.id] = "" if right else f"{proof.outcome}, {proof.rejected} rejected: {proof.failures}"
    return found


def test_every_row_is_right_or_says_why_not(worker: WorkerProcess) -> None:
    """All known answers: what was negotiated, and certificates that a client must refuse."""
    with proven("tls-rows", worker, lambda: wrong_rows(worker)) as found:
        assert {name: wrong for name, wrong in found.items() if wrong} == {}
        assert len(found) > len(USUALS)


def disagreeing(worker: WorkerProcess) -> dict[str, str]:
    found = {}
    for operation in catalogue_of_checkout().operations.values():
        if operation.algorithm == LAB and row_of(worker, operation.headline).status == "ok":
            case = operation.headline
            expected = prepared(worker, case).of(case, None)
            # Three times: a ticket that serves once only would be seen.
            problems = [expected.problem(expected.compute(worker, 0)) for _ in range(3)]
            failed = worker.run(0, 3, 1).failed
            problems += [f"{failed} failed" if failed else "", expected.problem_left(worker, 0)]
            found[case.id] = next(filter(None, problems), "")
    return found


def test_every_timed_case_agrees_on_what_was_asked_for(worker: WorkerProcess) -> None:
    with proven("tls-agreed", worker, lambda: disagreeing(worker)) as found:
        assert {name: wrong for name, wrong in found.items() if wrong} == {}
        assert len(found) >= 4


def test_both_sides_are_timed_apart(worker: WorkerProcess) -> None:
    """What one side's run times is what the other's leaves out, and the other way round: by the two parts of the shortest of many requests, in which nobody else had the core, or least."""
    for number, verb in enumerate((CLIENT, SERVER)):
        prepared(worker, Case.parse(f"tls/{verb}/{USUAL}"), number)
    parts: dict[int, list[tuple[float, float]]] = {0: [], 1: []}
    for _ in range(80):
        for number in parts:
            batch = worker.run(number, 1, 1)
            assert batch.ns > 5_000 and batch.aside_ns
            parts[number].append((batch.ns + batch.aside_ns, batch.ns / batch.aside_ns))
    client_over_server, server_over_client = (min(found)[1] for found in parts.values())
    assert 0.6 < client_over_server * server_over_client < 1 / 0.6


@pytest.mark.parametrize("contexts", ["shared", "thread", "connection"])
def test_all_threads_make_their_handshakes(worker: WorkerProcess, contexts: str) -> None:
    """The count is the output's; the time of a call is that of the clock, so that it holds what the asker saw at most, although the process computes on two processors."""
    for number, threads in enumerate((1, 2)):
        case = Case.parse(f"tls/{THREADS}/{USUAL},threads={threads},contexts={contexts}")
        if row_of(worker, case).status != "ok":
            pytest.skip(row_of(worker, case).reason or "")
        expected = prepared(worker, case, number).of(case, None)
        assert expected.problem(expected.compute(worker, number)) == ""
        assert int((worker.compute(number).out or "")[-4:], 16) == threads * EACH_THREAD
        batch = worker.run(number, 2, 1, batches=2)
        assert batch.failed == 0 and batch.cpu_ns is None and batch.aside_ns
        assert 0 < batch.ns + (batch.aside_ns or 0) < worker.seen.longest_ns
        assert expected.problem_left(worker, number) == ""
    worker.close_case(1)
    assert worker.compute(0).result == "ok"


def test_more_threads_than_processors_are_not_tried(command: tuple[str, ...]) -> None:
    with WorkerProcess(command, environment={"CS_CPUS": "0"}) as process:
        process.hello()
        status = {}
        for threads in (1, 2):
            row = row_of(process, Case.parse(f"tls/{THREADS}/{USUAL},threads={threads},contexts=thread"))
            status[threads] = (row.status, row.reason)
        assert status[2][0] == "unavailable" and status[2][1]
        assert status[1][0] == "ok" or status[1] == status[2]


def test_data_are_timed_by_the_side_that_works(worker: WorkerProcess) -> None:
    """A writer and a reader of one library are each what the other leaves out."""
    for number, verb in enumerate((WRITE, READ)):
        prepared(worker, Case("tls", verb, 16384, Case.parse(f"tls/{verb}/{DATA}").params), number)
    for number in (0, 1):
        batch = worker.run(number, 4, 4)
        assert batch.failed == 0 and batch.ns > 4 * 500 and batch.aside_ns


def test_data_on_the_wire_are_counted(worker: WorkerProcess) -> None:
    """TLS 1.2 with AES-GCM: 5 bytes of head, 8 of nonce, 16 of tag. TLS 1.3: 5, 1 of type, 16."""
    for version, each in (("1.2", 29), ("1.3", 22)):
        for write in (16384, 1024, 100):
            params = (("version", version), ("suite", "aes-128-gcm"), ("write", str(write)))
            case = Case("tls", WRITE, 16384, params)
            if row_of(worker, case).status != "ok":
                continue
            prepared(worker, case)
            facts = worker.facts(0)
            records = facts["wire_records"]
            assert isinstance(records, int) and records >= -(-16384 // write)
            assert facts["payload_bytes"] == 16384 and facts["wire_bytes"] == 16384 + each * records
            assert facts["wire_sends"]


def test_a_changed_bit_is_refused_and_the_next_call_is_right(worker: WorkerProcess) -> None:
    for vector in known(READ):
        case = Case("tls", READ, len(vector.inputs["msg"]), tuple(vector.params.items()))
        if vector.expect != "rejected" or row_of(worker, case).status != "ok":
            continue
        fields: dict[str, object] = {name: f"hex:{data.hex()}" for name, data in vector.inputs.items()}
        fields |= {"case": 0, "op": case.listed, "impl": "default", **case_texts(case, vector.inputs)}
        worker.ask_many([("prepare", fields, Empty)])
        assert [worker.compute(0).result for _ in range(2)] == ["rejected", "rejected"], vector.id
    case = Case("tls", READ, 16384, Case.parse(f"tls/{READ}/{DATA}").params)
    expected = prepared(worker, case).of(case, None)
    assert expected.problem(expected.compute(worker, 0)) == ""


def test_what_an_open_connection_keeps_repeats(command: tuple[str, ...]) -> None:
    """To what the heap hands out beyond what it was asked for: 16 bytes a block, where the rest would be too small for another."""
    preload = heap_preload(TOOLCHAIN, ROOT, Path(command[0]).parents[2])
    seen = []
    for _ in range(2):
        with WorkerProcess(command, environment=preloading({}, preload)) as worker:
            worker.hello()
            prepared(worker, Case.parse(f"tls/{CLIENT}/version=1.2,group={KEPT},cert=p-256,mode=full"))
            facts = worker.facts(0)
            seen.append({name: value for name, value in facts.items() if name.startswith("idle_")})
    assert len(seen[0]) == len(Idle.__struct_fields__), seen
    for name, value in seen[0].items():
        assert value == pytest.approx(seen[1][name], abs=64), seen
    assert all(1000 < seen[0][f"idle_{side}_bytes"] < 200_000 for side in ("client", "server"))  # type: ignore[operator]
    assert seen[0]["idle_connections"] >= 200  # type: ignore[operator]


def test_what_is_counted_repeats_exactly(command: tuple[str, ...]) -> None:
    """Bytes, records, sends and flights of two processes; allocations too, but for those of numbers whose length is drawn."""
    case = Case.parse(f"tls/{CLIENT}/{USUAL}")
    preload = heap_preload(TOOLCHAIN, ROOT, Path(command[0]).parents[2])
    seen = []
    for _ in range(2):
        with WorkerProcess(command, environment=preloading({}, preload)) as worker:
            worker.hello()
            prepared(worker, case)
            worker.memory(0)
            warm = worker.memory(0)
            facts = worker.facts(0)
            wire = {name: value for name, value in facts.items() if name.startswith(("client_", "server_", "flights"))}
            seen.append((wire, warm.allocations))
    wire, allocations = seen[0]
    assert all(one[0] == wire for one in seen)
    assert allocations is not None
    # NSS: 3 of 892 more in one of forty handshakes with ECDSA, none with RSA.
    drawn = 0.01 if "mbedtls" in command[0] or "tls-nss" in command[0] else 0.0
    assert all(one[1] == pytest.approx(allocations, rel=drawn) for one in seen), seen
    assert len(wire) == len(Wire.__struct_fields__) and wire["flights"] == 4
    assert wire["client_bytes"] > wire["client_hello_bytes"] > 50 and wire["server_bytes"] > 700


@pytest.mark.parametrize(("verb", "least"), [(CLIENT, 60), (SERVER, 10)])
def test_a_side_is_who_refuses(worker: WorkerProcess, verb: str, least: int) -> None:
    """What must be refused gets as far as the handshake: set-up refuses nothing that a known answer holds. A server has somebody to refuse where clients may have certificates."""
    if verb == SERVER and row_of(worker, Case.parse(f"tls/{verb}/{USUAL},auth=mutual")).status != "ok":
        pytest.skip("no client certificates")
    tried = 0
    for vector in known(verb):
        case = Case("tls", verb, None, tuple(vector.params.items()))
        if vector.expect != "rejected" or row_of(worker, case).status != "ok":
            continue
        fields: dict[str, object] = {name: f"hex:{data.hex()}" for name, data in vector.inputs.items()}
        fields |= {"case": 0, "op": case.listed, "impl": "default", **case_texts(case, vector.inputs)}
        prepared, computed = worker.ask_many([("prepare", fields, Empty), ("compute", {"case": 0}, Computed)])
        assert isinstance(prepared, Empty), (vector.id, prepared)
        assert isinstance(computed, Computed) and computed.result == "rejected", (vector.id, computed)
        tried += 1
    assert tried >= least


def test_nonsense_has_an_outcome(worker: WorkerProcess) -> None:
    prepared(worker, Case.parse(f"tls/{CLIENT}/{USUAL}"))
    facts = worker.facts(0)
    assert facts["garbage_client"] == facts["garbage_server"] == "refused"
    changed, completed = facts["changed_flights"], facts["changed_completed"]
    assert isinstance(changed, int) and isinstance(completed, int)
    # The version in a record's head and the like: two bytes in a hundred.
    assert changed > 200 and completed < changed / 10
    assert worker.compute(0).result == "ok", "it is as good afterwards"
    assert set(Nonsense.__struct_fields__) == {"garbage_client", "garbage_server", "changed", "completed"}


@pytest.mark.parametrize(
    "change",
    [
        {"key": b"\x30\x00"},
        {"leaf": b"\x30\x03\x02\x01\x00"},
        {"intermediates": b"\x30\x82\xff"},
        {"root": b""},
        {"host": b"x" * 300},
    ],
)
def test_what_cannot_be_used_is_one_line(worker: WorkerProcess, change: dict[str, bytes]) -> None:
    """Refused at set-up, or by the handshake where a server sends what it was given without a look."""
    case = Case.parse(f"tls/{SERVER}/{USUAL}")
    inputs = {name: value.data for name, value in timed_inputs(case).items()} | change
    fields: dict[str, object] = {name: f"hex:{data.hex()}" for name, data in inputs.items()}
    fields |= {"case": 0, "op": case.listed, "impl": "default", **case_texts(case, inputs)}
    prepared, computed = worker.ask_many([("prepare", fields, Empty), ("compute", {"case": 0}, Computed)])
    if isinstance(prepared, Refusal):
        assert prepared.code == "setup-failed" and prepared.detail and "\n" not in prepared.detail
    else:
        assert isinstance(computed, Computed) and computed.result in ("rejected", "error")


# ---- without a library ----


def test_what_must_be_agreed_on() -> None:
    for text, due in {
        "version=1.3,group=x25519,cert=rsa-2048,mode=full": "0304 1301 001d 0804 0000 00",
        "version=1.2,group=p-256,cert=p-256,mode=ticket": "0303 c02b 0000 0000 0000 01",
        "version=1.2,group=p-256,cert=p-256,mode=session": "0303 c02b 0000 0000 0000 05",
        "version=1.3,group=p-256,cert=p-384,mode=retry": "0304 1301 0017 0503 0000 02",
        "version=1.3,group=x25519mlkem768,cert=p-256,mode=full": "0304 1301 11ec 0403 0000 00",
        "version=1.2,group=x25519,cert=rsa-3072,mode=full,suite=chacha20-poly1305": "0303 cca8 001d 0401 0000 00",
        "version=1.3,group=x25519mlkem768,cert=ml-dsa-65,mode=full": "0304 1301 11ec 0905 0000 00",
        "version=1.3,group=x25519,cert=ed25519,mode=full,auth=mutual": "0304 1301 001d 0807 0807 00",
        "version=1.3,group=x25519,cert=ed25519,mode=full,ca=rsa-2048": "0304 1301 001d 0807 0000 00",
        "version=1.3,group=x25519,cert=p-256,mode=early": "0304 1301 001d 0000 0000 11",
        "version=1.3,group=x25519,mode=psk": "0304 1301 001d 0000 0000 08",
        "version=1.2,group=p-256,mode=psk,suite=chacha20-poly1305": "0303 ccac 0017 0000 0000 08",
    }.items():
        params = dict(Case.parse(f"tls/{CLIENT}/{text}").params)
        assert agreed(timed(params), params) == 2 * bytes.fromhex(due), text


@pytest.mark.parametrize("chain", ["1", "2", "3"])
@pytest.mark.parametrize(
    ("cert", "ca"),
    [(cert, "") for cert in ("p-256", "p-384", "rsa-2048", "rsa-3072", "ed25519")]
    + [("p-256", "rsa-2048"), ("ed25519", "rsa-2048")],
)
def test_a_second_library_reads_the_certificates(cert: str, ca: str, chain: str) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_private_key

    chosen = timed({"cert": cert, "chain": chain, "auth": "mutual", **({"ca": ca} if ca else {})})
    between = [one.whole for one in elements(chosen.get("intermediates", b""))]
    path = [x509.load_der_x509_certificate(one) for one in (chosen["leaf"], *between, chosen["root"])]
    assert len(path) == int(chain) + 1
    if ca:
        keys = [one.public_key() for one in path]
        assert [isinstance(one, rsa.RSAPublicKey) for one in keys] == [False, *[True] * int(chain)]
    for one, issuer in pairwise(path):
        one.verify_directly_issued_by(issuer)
    client = x509.load_der_x509_certificate(chosen["client"])
    client.verify_directly_issued_by(path[1])
    spki = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    for certificate, pkcs8 in ((path[0], chosen["key"]), (client, chosen["client-key"])):
        key = load_der_private_key(pkcs8, None)
        assert key.public_key().public_bytes(*spki) == certificate.public_key().public_bytes(*spki)


def test_sources_are_those_of_the_libraries() -> None:
    """The same release, pinned by the same hash, whether it is built with or without its TLS half."""
    pinned = set()
    for path in sorted((ROOT / "libraries").glob("*/library.toml")):
        for source in tomllib.loads(path.read_text()).get("source", []):
            pinned |= {tuple(sorted(source[kind].items())) for kind in ("crate", "debian") if kind in source}
    for source in LABORATORY.upstream:
        if source.name not in WITHOUT_A_LIBRARY:
            assert tuple(sorted(msgspec.structs.asdict(source.archive.origin).items())) in pinned, source.name


def test_the_suite_measures_both_sides_of_each_handshake() -> None:
    suite = load_suite(ROOT, LAB)
    for quick, text in ((True, ""), (False, ""), (False, "suite:/./")):
        cases = narrowed(suite, quick, text).cases
        sides = {verb: [case.params for case in cases if case.verb == verb] for verb in (CLIENT, SERVER, WRITE, READ)}
        assert sides[CLIENT] == sides[SERVER] and sides[WRITE] == sides[READ]
        threads = sum(case.verb == THREADS for case in cases)
        assert len(cases) == 2 * len(sides[CLIENT]) + 2 * len(sides[WRITE]) + threads
    assert len(narrowed(suite, False, "").cases) == 22
    assert narrowed(suite, False, "build:/./").cases == narrowed(suite, False, "").cases
    axes = {name for case in narrowed(suite, False, "auth:mutual").cases for name, _ in case.params}
    assert axes == {"version", "group", "cert", "mode", "suite", "chain", "ca", "auth", "write", "threads", "contexts"}


def test_a_filter_knows_the_builds_that_are_put_together(new_cli: Callable[..., CommandLine]) -> None:
    words = ("lab", "tls", "--build", "tls@openssl~noaccel", "-f", "build:openssl~noaccl")
    done = new_cli("masked", ROOT)(*words).no_trace()
    assert done.code == 2 and "did you mean 'openssl~noaccel'?" in done.err
