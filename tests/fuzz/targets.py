# SPDX-License-Identifier: Apache-2.0
"""What reads bytes of strangers, each as a function of those bytes: `TARGETS`. It returns, or raises the error that its parser promises; anything else is a finding.

A target also holds what was accepted against what is promised of it: it is within its bounds, and written out it reads the same.
"""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from cipherstone.build import archives
from cipherstone.catalogue.document import read_json, read_toml
from cipherstone.catalogue.filter import parse_filter
from cipherstone.catalogue.libraries import _LibraryFile
from cipherstone.host.ipc import IpcReferences
from cipherstone.host.spectrum import SpectrumStore
from cipherstone.imports.bundles import PROGRAMS, manifest_of, read_publication, records_of
from cipherstone.labs.footprint.results import read_footprint
from cipherstone.labs.tls.interop.grid import agreed_of, said_of
from cipherstone.labs.tls.interop.mutated import MutationProgress
from cipherstone.labs.tls.network import Network
from cipherstone.labs.tls.networks.wire import Way, _take_all
from cipherstone.labs.tls.servers.load import checked
from cipherstone.model.errors import BuildError, CipherstoneError, DataError, StoreError, UsageError
from cipherstone.model.ids import Case, Lane, is_lane_id, parse_params
from cipherstone.model.records import Manifest, Record
from cipherstone.protocol import messages
from cipherstone.protocol.messages import Computed, ProtocolError, Refusal, decode_reply, one_line
from cipherstone.store import find, layout
from cipherstone.store.bundle import Bundle
from cipherstone.store.journal import JournalFile, read_records, unfinished_tail_bytes
from cipherstone.store.lines import LineReader, _checksum, encode_line
from cipherstone.store.seal import check_sums, sealed_names
from cipherstone.store.sealindex import SealIndex
from cipherstone.worker.conversation import BrokenProtocol, Conversation
from cipherstone.worker.replay import exchanges

LONGEST_MESSAGE = 2000  # characters of an error
SEQ = 7
ROOM = Path()  # of what a target writes; `enter` makes it
_REPLIES = sorted(
    (kind for kind in vars(messages).values() if isinstance(kind, type) and issubclass(kind, msgspec.Struct)),
    key=lambda kind: kind.__name__,
)
_RECORD: msgspec.json.Decoder[Record] = msgspec.json.Decoder(Record)
_KEYS = {
    "library": ("openssl", "nettle", "botan"),
    "algorithm": ("sha-256", "aes-128-gcm", "rsa-2048"),
    "verb": ("hash", "seal", "sign"),
    "op": ("sha-256/hash", "aes-128-gcm/seal", "rsa-2048/sign"),
    "bytes": ("16", "1024", "16384"),
    "impl": (),
    "family": ("hash", "aead"),
    "build": ("distribution", "4.0"),
    "bits": ("2048", "3072"),
}
_FACTS = {"library": "openssl", "op": "sha-256/hash", "bytes": "16384", "build": "4.0", "bits": "2048"}


class Target(NamedTuple):
    """`run`: raises one of `refusals` for what is not accepted."""

    run: Callable[[bytes], object]
    refusals: tuple[type[Exception], ...]


def enter() -> None:
    """Makes a folder for what the targets write, in memory where the system has such: a disk would be most of what a target costs."""
    global ROOM
    ROOM = Path(tempfile.mkdtemp(prefix="fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))


def leave() -> None:
    """Removes what the targets wrote."""
    shutil.rmtree(ROOM, ignore_errors=True)


def judge(target: Target, data: bytes) -> None:
    """Raises what is a finding: an exception that is not promised, or an error that is no line."""
    try:
        target.run(data)
    except target.refusals as error:
        said = error.message if isinstance(error, CipherstoneError) else str(error)
        if not said or len(said) > LONGEST_MESSAGE:
            raise AssertionError(f"an error of {len(said)} characters: {said[:200]!r}") from error
        if "\n" in said and not isinstance(error, BrokenProtocol):
            raise AssertionError(f"an error of several lines: {said[:200]!r}") from error


def _put(name: str, data: bytes) -> Path:
    path = ROOM / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


# -- what a worker says


def reply(data: bytes) -> None:
    """The first byte says which reply is due."""
    kind = _REPLIES[data[0] % len(_REPLIES)] if data else _REPLIES[0]
    found = decode_reply(data[1:], SEQ, kind)
    again = msgspec.json.encode(found)
    # A name or a text that is none is cleaned later: here it must only be bounded by its line.
    assert msgspec.json.decode(again, type=kind) == found
    for number in _numbers(msgspec.to_builtins(found)):
        assert abs(number) <= 1 << 60 or kind in (messages.Head, messages.Hello), number


def _numbers(value: object) -> list[float]:
    if isinstance(value, dict):
        return [one for part in value.values() for one in _numbers(part)]
    if isinstance(value, list | tuple):
        return [one for part in value for one in _numbers(part)]
    return [value] if isinstance(value, int | float) and not isinstance(value, bool) else []


def conversation(data: bytes) -> None:
    """A reply as it is read from a worker, without a process."""
    talk = Conversation.__new__(Conversation)
    talk.read_line = lambda seconds=None: data  # type: ignore[method-assign]
    talk.reply()


def transcript(data: bytes) -> None:
    for exchange in exchanges(_put("transcript.txt", data)):
        assert exchange.sent


def worker_text(data: bytes) -> None:
    """What is left of a text is one line, printable, no longer than asked."""
    text = data.decode("utf-8", "replace")
    for longest in (40, 400):
        line = one_line(text, longest)
        assert len(line) <= longest and line.isprintable()


# -- what lies on the disk


def journal_lines(data: bytes) -> None:
    """The first byte says whether each line gets its right checksum, which anyone who edits a journal can write."""
    summed = bool(data[:1]) and data[0] % 2 == 1
    reader = LineReader(Path("journal.jsonl"))
    for number, line in enumerate(data[1:].split(b"\n"), 1):
        if summed and line.endswith(b"}"):
            body = line[:-1]
            line = body + b',"crc":"' + _checksum(body, number) + b'"}'
        record = reader.record(line, number)
        again = encode_line(record, number, summed)[:-1]
        assert LineReader(Path("again")).record(again, number) == record


def journal_file(data: bytes) -> None:
    """The first byte says whether it is plain, packed, or to be packed."""
    kind = data[0] % 3 if data else 0
    content = gzip.compress(data[1:], 1) if kind == 2 else data[1:]
    path = _put("journal.jsonl" if kind == 0 else "journal.jsonl.gz", content)
    told: list[StoreError] = []
    kept = list(read_records(path, told.append))
    if kind == 0:
        assert 0 <= unfinished_tail_bytes(path) <= len(content)
    if not told:
        assert list(read_records(path)) == kept
        if kind == 0:
            JournalFile(path).close()
            assert path.read_bytes() == content[: content.rfind(b"\n") + 1]
            assert list(read_records(path)) == kept
    list(read_records(path))


def manifest(data: bytes) -> None:
    folder = _put("manifest/manifest.json", data).parent
    assert find._head(folder).moment.tzinfo is not None
    found = layout.read_manifest(folder)
    assert msgspec.json.decode(layout.encode_manifest(found), type=Manifest) == found


def summary(data: bytes) -> None:
    """The first byte says whether it is packed already."""
    packed = data[1:] if data[:1] == b"p" else gzip.compress(data[1:], 1)
    bundle = Bundle(_put("summary/summary.json.gz", packed).parent, None)  # type: ignore[arg-type]
    bundle._verified = True
    found = bundle.summary()
    assert msgspec.json.decode(msgspec.json.encode(found), type=type(found)) == found


def seal(data: bytes) -> None:
    folder = _put("seal/SHA256SUMS", data).parent
    assert check_sums(folder, lambda path: "0" * 64)
    sealed_names(folder)


def caches(data: bytes) -> None:
    """What is kept between commands is empty where it cannot be read."""
    path = _put("cache.json", data)
    SealIndex(path)
    IpcReferences(path)
    SpectrumStore(path, "cpu", None)


def documents(data: bytes) -> None:
    """What other commands of ours wrote and read again: the first byte says which."""
    path = _put("document.json", data[1:])
    kinds: tuple[Callable[[], object], ...] = (
        lambda: read_json(path, "document.json", _LibraryFile),
        lambda: read_toml(path, "library.toml", _LibraryFile),
        lambda: read_footprint(path),
        lambda: MutationProgress(path, 7),
    )
    kinds[data[0] % len(kinds) if data else 0]()


# -- what other programs published


def imports(data: bytes) -> None:
    """The first byte says of which program. What is accepted can be written, and read again."""
    program = sorted(PROGRAMS)[data[0] % len(PROGRAMS) if data else 0]
    publication = read_publication(_put("published.txt", data[1:]), program)
    for record in records_of(publication):
        assert _RECORD.decode(msgspec.json.encode(record)) == record
        assert Case.parse(record.case).id == record.case and Lane.parse(record.lane).id == record.lane
    found = manifest_of(publication, "import")
    assert msgspec.json.decode(layout.encode_manifest(found), type=Manifest) == found
    assert found.run_id == Path(found.run_id).name and len(found.run_id) < 256


# -- what is typed, copied from a page, or stands in a manifest


def filters(data: bytes) -> None:
    found = parse_filter(data.decode("utf-8", "replace"), _KEYS, ("library",))
    assert isinstance(found.may_match(_FACTS, ("impl",)), bool)
    again = parse_filter(found.written, _KEYS, ("library",))
    assert again.written == found.written and again.keys == found.keys and again.sizes == found.sizes
    if "/" not in found.text:  # a user's own expression may take any time
        assert again.matches(_FACTS) == found.matches(_FACTS)


def ids(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    parse: tuple[Callable[[str], object], ...] = (
        lambda text: Case.parse(text).id == text or _fail(text),
        lambda text: (Lane.parse(text).id == text or not is_lane_id(text)) or _fail(text),
        lambda text: parse_params(text),
    )
    for one in parse:
        try:
            one(text)
        except UsageError:
            continue


def _fail(text: str) -> None:
    raise AssertionError(f"reads as another: {text!r}")


# -- the laboratory of TLS


DUE = agreed_of(bytes.fromhex("03041301001d040301"))


def tls_answers(data: bytes) -> None:
    """What a peer says of a handshake: as an output, and as what both sides said."""
    said = data.decode("utf-8", "replace")
    for out in (said, data.hex()):
        try:
            assert checked(Computed("ok", out), DUE) >= 0
        except CipherstoneError:
            pass
    for read in (said_of, agreed_of):
        try:
            read(data)
        except ValueError:  # which their callers promise to tell
            pass


def tls_wire(data: bytes) -> None:
    """Packets through a wire: the first bytes say of which network, then each packet has its length before it. All that was not dropped comes out, in its order."""
    head, rest = data[:4].ljust(4, b"\0"), data[4:]
    way = Way(Network("x", head[0] / 16, 1 + head[1] / 2, head[2] / 255), head[3])
    read, write = os.pipe2(os.O_DIRECT | os.O_NONBLOCK)  # whose reads keep the writes apart
    sent = []
    try:
        while rest and len(sent) < 16:
            packet, rest = rest[1 : 2 + rest[0]], rest[2 + rest[0] :]
            if packet:
                os.write(write, packet)
                sent += [packet] if packet[0] >> 4 == 4 else []
                _take_all(read, way)
    finally:
        os.close(read)
        os.close(write)
    assert way.packets == len(sent) and len(way.waiting) == way.packets - way.dropped
    far = 1 << 62
    out = []
    while (packet_out := way.due(far)) is not None:
        out.append(packet_out)
    left = iter(sent)
    assert all(packet in left for packet in out) and len(out) == way.packets - way.dropped


# -- archives


def archive(data: bytes) -> None:
    """The first byte says whether it is packed here, so that its checksums are right."""
    kind = data[0] % 3 if data else 0
    content = gzip.compress(data[1:], 1, mtime=0) if kind == 1 else _mended_tar(data[1:]) if kind == 2 else data[1:]
    target = ROOM / "unpacked"
    shutil.rmtree(target, ignore_errors=True)
    archives.unpack(_put("archive", content), target)
    for folder, folders, files in os.walk(target):
        for name in (*folders, *files):
            path = Path(folder) / name
            assert path.resolve().is_relative_to(target.resolve()) or path.is_symlink(), path
            if path.is_symlink():
                assert not path.readlink().is_absolute(), path


def _mended_tar(data: bytes) -> bytes:
    """Each block that could be a header gets the checksum that it is due."""
    blocks = [data[at : at + 512] for at in range(0, len(data), 512)]
    return b"".join(_with_sum(block) if block[257:262] == b"ustar" and len(block) == 512 else block for block in blocks)


def _with_sum(block: bytes) -> bytes:
    blank = block[:148] + b" " * 8 + block[156:]
    return block[:148] + b"%06o\0 " % sum(blank) + block[156:]


TARGETS: dict[str, Target] = {
    "reply": Target(reply, (ProtocolError, Refusal)),
    "conversation": Target(conversation, (BrokenProtocol,)),
    "transcript": Target(transcript, (DataError,)),
    "worker-text": Target(worker_text, ()),
    "journal-lines": Target(journal_lines, (StoreError,)),
    "journal-file": Target(journal_file, (StoreError,)),
    "manifest": Target(manifest, (StoreError,)),
    "summary": Target(summary, (StoreError,)),
    "seal": Target(seal, ()),
    "caches": Target(caches, ()),
    "documents": Target(documents, (DataError, UsageError)),
    "imports": Target(imports, (DataError,)),
    "filter": Target(filters, (UsageError,)),
    "ids": Target(ids, ()),
    "tls-answers": Target(tls_answers, ()),
    "tls-wire": Target(tls_wire, ()),
    "archive": Target(archive, (BuildError,)),
}
