# SPDX-License-Identifier: Apache-2.0
"""Real faults: a writer that is killed, a full disk, a folder that refuses, a second writer. Nothing that was acknowledged may be lost."""

from __future__ import annotations

import errno
import os
import random
import resource
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

UNIT = Path(__file__).parents[1] / "unit"
sys.path.insert(0, str(UNIT))

import store_example as example  # noqa: E402

from cipherstone.model.errors import StoreError  # noqa: E402
from cipherstone.model.outcomes import RunStatus  # noqa: E402
from cipherstone.model.records import NoiseRecord, PassRecord  # noqa: E402
from cipherstone.store import Bundle, BundleWriter  # noqa: E402

KILLS = 20

APPENDER = """
    import os, random, sys
    import store_example as example
    from pathlib import Path
    from cipherstone.store import BundleWriter

    writer = BundleWriter.create(Path(sys.argv[1]), example.manifest())
    rng = random.Random(7)
    for index in range(1_000_000):
        writer.append(example.pass_record(rng, example.HASH, (example.OPENSSL, example.BEARSSL), index))
        os.write(1, b"%d\\n" % index)
"""

FINISHER = """
    import os, sys
    import store_example as example
    from pathlib import Path
    from cipherstone.store import BundleWriter
    from cipherstone.store.summary_tables import result_tables
    import duckdb

    writer = BundleWriter.resume(Path(sys.argv[1]))
    os.write(1, b"go\\n")
    writer.finish(result_tables(example.summary()))
    os.write(1, b"done\\n")
"""


def start(program: str, argument: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(UNIT), *sys.path])}
    command = [sys.executable, "-c", textwrap.dedent(program), str(argument)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)


def kill(process: subprocess.Popen[bytes]) -> bytes:
    """Kills at once; what the process had said until then."""
    process.send_signal(signal.SIGKILL)
    said, _ = process.communicate()
    return said


def test_a_killed_writer_loses_no_completed_line(tmp_path: Path) -> None:
    rng = random.Random(20260131)
    most = 0
    for attempt in range(KILLS):
        root = tmp_path / str(attempt)
        process = start(APPENDER, root)
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first == b"0\n"
        heard = 1 + sum(process.stdout.readline() != b"" for _ in range(rng.randrange(60)))
        acknowledged = heard + kill(process).count(b"\n")
        (path,) = root.iterdir()
        kept = list(Bundle.open(path).records())
        # at most one record can be on disk without its word having come through
        assert len(kept) in (acknowledged, acknowledged + 1)
        assert [record.index for record in kept if isinstance(record, PassRecord)] == list(range(len(kept)))
        with BundleWriter.resume(path) as writer:
            writer.append(NoiseRecord(0, 0.0, 0.0))
        assert len(list(Bundle.open(path).records())) == len(kept) + 1
        most = max(most, acknowledged)
    assert most > 3, "the kills came before the writer wrote: nothing was tested"


def test_a_kill_while_finishing_leaves_a_run_that_resumes_or_is_sealed(tmp_path: Path) -> None:
    rng = random.Random(7)
    sealed = resumed = 0
    whole_s: float | None = None
    for attempt in range(10 * KILLS):
        if attempt >= KILLS and resumed >= 3:  # where the first took long, most of the kills come too late
            break
        with BundleWriter.create(tmp_path / str(attempt), example.manifest()) as writer:
            for record in example.records():
                writer.append(record)
        process = start(FINISHER, writer.path)
        assert process.stdout is not None
        assert process.stdout.readline() == b"go\n"
        begun = time.monotonic()
        if whole_s is None:  # the first one runs to its end, to know how long that takes here
            assert process.communicate()[0] == b"done\n"
            whole_s = time.monotonic() - begun
        else:
            time.sleep(rng.uniform(0, whole_s))
            kill(process)
        bundle = Bundle.open(writer.path)
        assert list(bundle.records()) == example.records()
        if bundle.finished:
            assert bundle.verify() == []
            sealed += 1
        else:
            with BundleWriter.resume(writer.path) as again:
                again.finish({})
            assert Bundle.open(writer.path).verify() == []
            assert not list(writer.path.glob("*.tmp"))
            resumed += 1
    assert resumed >= 3 and sealed >= 1


@contextmanager
def largest_file(limit_bytes: int) -> Iterator[None]:
    """Within, a write beyond `limit_bytes` is refused by the kernel half way through, as on a disk that runs full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def append_until_refused(writer: BundleWriter) -> tuple[int, StoreError]:
    rng = random.Random(3)
    for index in range(100_000):
        try:
            writer.append(example.pass_record(rng, example.HASH, (example.OPENSSL, example.BEARSSL), index))
        except StoreError as error:
            return index, error
    raise AssertionError("the limit was never reached")


def check_refusal(writer: BundleWriter, kept: int, error: StoreError, reason: int) -> None:
    assert os.strerror(reason) in error.message and "journal.jsonl" in error.message and "\n" not in error.message
    assert f"{kept} records" in error.hint and f"--resume {writer.path}" in error.hint
    content = (writer.path / "journal.jsonl").read_bytes()
    assert content.endswith(b"\n") and content.count(b"\n") == kept > 1


def test_a_write_that_is_refused_half_way_is_cut_off_again(tmp_path: Path) -> None:
    writer = BundleWriter.create(tmp_path, example.manifest())
    with largest_file(50_001):
        kept, error = append_until_refused(writer)
        check_refusal(writer, kept, error, errno.EFBIG)
        # a short record may still fit, and goes right behind the last complete one
    writer.append(NoiseRecord(0, 0.0, 0.0))
    writer.set_status(RunStatus.INTERRUPTED, 1.0)
    writer.close()
    assert len(list(Bundle.open(writer.path).records())) == kept + 1


def test_tables_that_do_not_fit_leave_a_run_that_resumes(tmp_path: Path) -> None:
    with BundleWriter.create(tmp_path, example.manifest()) as writer:
        for record in example.records():
            writer.append(record)
        with largest_file(1000), pytest.raises(StoreError) as error:
            writer.finish({})
        assert "safe" in error.value.hint and "\n" not in error.value.message
        assert sorted(path.name for path in writer.path.iterdir()) == ["journal.jsonl", "manifest.json"]
        writer.finish({})
    assert Bundle.open(writer.path).verify() == []


def test_no_space_for_the_manifest_leaves_nothing(tmp_path: Path) -> None:
    with largest_file(100), pytest.raises(StoreError) as error:
        BundleWriter.create(tmp_path, example.manifest())
    assert example.manifest().run_id in error.value.message and error.value.hint
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("mounting a small disk needs root; the tests with a file size limit cover the rest")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_that_is_really_full(small_disk: Path) -> None:
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * 65536)
    with BundleWriter.create(small_disk, example.manifest()) as writer:
        kept, error = append_until_refused(writer)
        check_refusal(writer, kept, error, errno.ENOSPC)
        with pytest.raises(OSError, match="No space"), (small_disk / "rest").open("wb") as stream:
            while True:
                stream.write(b"x" * 4096)
                stream.flush()
        with pytest.raises(StoreError, match="No space left"):
            writer.finish({})
        with pytest.raises(StoreError, match="No space left"):
            writer.set_status(RunStatus.INTERRUPTED, 1.0)
        with pytest.raises(StoreError, match="No space left"):
            BundleWriter.create(small_disk, example.manifest("another"))
    filler.unlink()
    assert len(list(Bundle.open(writer.path).records())) == kept
    with BundleWriter.resume(writer.path) as again:
        assert again.warnings == []


def test_folders_that_refuse(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for root in (Path("/proc/cipherstone"), tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StoreError) as error:
            BundleWriter.create(root, example.manifest())
        assert str(root) in error.value.message and "\n" not in error.value.message and error.value.hint
    with pytest.raises(StoreError, match=r"No such file or directory|Permission denied|Read-only"):
        BundleWriter.create(Path("/proc"), example.manifest())


def test_two_writers_of_one_run(tmp_path: Path) -> None:
    with BundleWriter.create(tmp_path, example.manifest()) as writer:
        program = """
            import sys
            from pathlib import Path
            from cipherstone.model.errors import StoreError
            from cipherstone.store import BundleWriter
            try:
                BundleWriter.resume(Path(sys.argv[1]))
            except StoreError as error:
                print(error.message)
        """
        said = start(program, writer.path).communicate()[0].decode()
        assert said.strip().endswith("another process is writing this run")
        writer.append(NoiseRecord(0, 0.0, 0.0))
    with BundleWriter.resume(writer.path) as again:
        again.append(NoiseRecord(1, 0.0, 0.0))
    assert len(list(Bundle.open(writer.path).records())) == 2
