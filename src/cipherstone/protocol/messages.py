# SPDX-License-Identifier: Apache-2.0
"""The messages of protocol version 2, typed. Field meanings and units: protocol/PROTOCOL.md section 3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeVar

import msgspec

from cipherstone.model.text import UNREADABLE, unreadable_text

PROTOCOL_VERSION = 2
MAX_LINE_BYTES = 8 * 1024 * 1024
MAX_CASES = 1024


# What every JSON reader holds exactly, and 64-bit sums over a pass hold too: 104 days of nanoseconds. A worker that counts further is broken.
MAX_INTEGER = 1 << 53
Integer = Annotated[int, msgspec.Meta(ge=-MAX_INTEGER, le=MAX_INTEGER)]
Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_INTEGER)]
MAX_BYTES = 1 << 48  # an address space
Bytes = Annotated[int, msgspec.Meta(ge=0, le=MAX_BYTES)]
HeldBytes = Annotated[int, msgspec.Meta(ge=-MAX_BYTES, le=MAX_BYTES)]
Reading = Annotated[float, msgspec.Meta(ge=0, le=1e12)]  # ns per addition; 0 counts as a reading that failed
Crc32 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{8}\Z")]  # it is shown beside the expected one
MAX_DETAIL = 400  # characters of a worker's own words that are kept


class ProtocolError(Exception):
    """A reply that breaks the protocol; the text says how."""


class Refusal(Exception):
    """A well-formed reply with `ok` false."""

    def __init__(self, code: str, detail: str) -> None:
        self.code = one_line(code, 40)
        self.detail = one_line(detail)
        super().__init__(f"{self.code}: {self.detail}")


class Head(msgspec.Struct):
    """What every reply has."""

    seq: int
    ok: bool
    error: str = ""
    detail: str = ""


class Hello(msgspec.Struct, frozen=True):
    """Who a worker is."""

    protocol: int
    sdk: str
    library: str
    version: str
    version_from: str
    compiler: str
    flags: str
    clock: str
    clock_step_ns: Count
    cpu_path: str | None = None
    cpu_clock: str | None = None
    ref_counter: str | None = None
    probe: str | None = None
    counter: str | None = None
    heap: bool = False
    stack: bool = False
    capabilities: tuple[str, ...] = ()


class Listed(msgspec.Struct, frozen=True):
    """One operation that a worker has. `form`: the signature encoding it takes and makes. `facts`: the verb `facts` has something to tell of it. `params`: parameters that it is made for (`crt=yes,bits=1024|2048`), all if None. `rekey`: how it takes a new key, `function` or `setup`, None if it does not. `cannot`: conditions that it does not allow, with reasons."""

    op: str
    impl: str
    status: str
    name: str = ""
    form: str | None = None
    reason: str | None = None
    facts: bool = False
    params: str | None = None
    rekey: str | None = None
    cannot: str | None = None

    def why_not(self, condition: str) -> str:
        """Why the row cannot be called under a condition, as it says itself; "" if it says nothing."""
        told = (part.partition(": ") for part in (self.cannot or "").split("; "))
        return next((why or "the interface does not allow it" for name, _, why in told if name == condition), "")

    def fits(self, params: Mapping[str, str]) -> bool:
        """Whether the row is made for these parameters: each one that it names has one of the values there."""
        for part in self.params.split(",") if self.params else ():
            name, _, values = part.partition("=")
            if params.get(name) not in values.split("|"):
                return False
        return True


class Listing(msgspec.Struct, frozen=True):
    """Reply to `list`."""

    operations: list[Listed]


class Computed(msgspec.Struct, frozen=True):
    """Reply to `compute` and `output`. `result` is ok, rejected, bad-key or error."""

    result: str
    out: str | None = None
    len: Bytes | None = None
    crc32: Crc32 | None = None
    detail: str = ""


class Batch(msgspec.Struct, frozen=True):
    """Reply to `run`. `chain_ns` and `tput_ns`: with `probe=1` one reading before the first batch and one after each; null from a worker without probes. `aside_ns`: what calls did within their batches that is not the operation's, and not in `ns`."""

    ns: Integer
    failed: Integer
    each: tuple[Integer, ...] = ()
    cpu_ns: Count | None = None
    ref: Count | None = None
    cycles: Count | None = None
    nivcsw: Count | None = None
    chain_ns: tuple[Reading | None, ...] | None = None
    tput_ns: tuple[Reading | None, ...] | None = None
    waited_ns: Count | None = None
    aside_ns: Count | None = None


class Readings(msgspec.Struct, frozen=True):
    """Reply to `probe`."""

    chain_ns: tuple[Reading | None, ...] | None = None
    tput_ns: tuple[Reading | None, ...] | None = None
    waited_ns: Count | None = None


class Prepared(msgspec.Struct, frozen=True):
    """Reply to `prepare`: how long each step took that this request, or the start of the process, was the first to need. None: there is no such step, an earlier reply gave it, or the worker cannot tell. `held_bytes`: allocated in it and not freed."""

    open_ns: Count | None = None
    available_ns: Count | None = None
    seed_ns: Count | None = None
    fetch_ns: Count | None = None
    setup_ns: Count | None = None
    held_bytes: HeldBytes | None = msgspec.field(name="heap_live_bytes", default=None)


class Closed(msgspec.Struct, frozen=True):
    """Reply to `close`: how long giving back contexts and erasing keys took; None: there is nothing to do, or the worker cannot tell."""

    teardown_ns: Count | None = None


class ProbeCheck(msgspec.Struct, frozen=True):
    """Reply to `check-probe`."""

    imul_ratio: Annotated[float, msgspec.Meta(gt=0, le=1e6)] | None


class Memory(msgspec.Struct, frozen=True):
    """Reply to `memory`."""

    held_bytes: HeldBytes | None = msgspec.field(name="heap_live_bytes", default=None)
    heap_peak_bytes: Bytes | None = None
    allocations: Count | None = None
    stack_bytes: Bytes | None = None
    max_rss_kib: Bytes | None = None
    random_bytes: Count | None = None
    system_random_bytes: Count | None = None
    system_random_before: Count | None = None


MAX_FACTS = 64
MAX_FACT_TEXT = 4096
FactKey = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9_]+$", max_length=63)]
FactNumber = Annotated[int, msgspec.Meta(ge=0, le=MAX_INTEGER)]
FactText = Annotated[str, msgspec.Meta(pattern=r"^[^\n\r]*$", max_length=MAX_FACT_TEXT)]


class Facts(msgspec.Struct, frozen=True):
    """Reply to `facts`: counts and labels of a prepared case."""

    facts: Annotated[dict[FactKey, FactNumber | FactText], msgspec.Meta(max_length=MAX_FACTS)]


MAX_OBJECTS = 1024
MAX_PATH = 4096


class Mapped(msgspec.Struct, frozen=True):
    """One file that a worker's code was mapped from. `build_id`: the linker's, lower-case hexadecimal digits."""

    path: Annotated[str, msgspec.Meta(pattern=r"^/[^\n\r\x00]*$", max_length=MAX_PATH)]
    role: Literal["worker", "library", "runtime", "other"]
    build_id: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]+$", max_length=128)] | None = None


class Objects(msgspec.Struct, frozen=True):
    """Reply to `objects`; None from a worker that cannot tell."""

    objects: Annotated[list[Mapped], msgspec.Meta(max_length=MAX_OBJECTS)] | None = None


class Empty(msgspec.Struct, frozen=True):
    """Reply to `close` and `bye`."""


Reply = TypeVar("Reply")


def one_line(text: str, longest: int = MAX_DETAIL) -> str:
    """What a worker says, fit for a terminal: one line, nothing that is not printable, at most `longest` characters."""
    text = text.strip()
    line = "".join(c if c.isprintable() else " " for c in text[:longest])
    return line.strip() if len(text) <= longest else line[: longest - 3] + "..."


# All made before a thread can ask for one: msgspec prepares a type at its first use, and ends the process if a second thread uses it meanwhile (0.22).
_DECODERS: dict[type, msgspec.json.Decoder[object]] = {
    kind: msgspec.json.Decoder(kind)
    for kind in tuple(globals().values())
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct)
}
_HEAD = msgspec.json.Decoder(Head)


def encode_request(seq: int, verb: str, fields: Mapping[str, object]) -> bytes:
    """One request line. Values must not hold spaces or line ends; raises ValueError, a mistake of the caller, if one does."""
    parts = [str(seq), verb]
    for key, value in fields.items():
        if value is None:
            continue
        text = str(value)  # inputs have megabytes: every copy and every look counts
        if " " in text or "\n" in text:
            raise ValueError(f"request holds a space or a line end: {key}={text[:120]!r}")
        parts.append(f"{key}={text}")
    if " " in verb or "\n" in verb or any(" " in key or "\n" in key for key in fields):
        raise ValueError(f"request holds a space or a line end: {verb[:120]!r} {list(fields)}")
    parts[-1] += "\n"
    data = " ".join(parts).encode("ascii")
    if len(data) > MAX_LINE_BYTES:
        raise ValueError(f"request of {len(data)} bytes is over the line limit")
    return data


def decode_reply(line: bytes, seq: int, kind: type[Reply]) -> Reply:
    """The reply to request `seq`, of the given kind. Raises Refusal for `ok` false, ProtocolError for anything that breaks the protocol."""
    try:
        head = _HEAD.decode(line)
    except UNREADABLE as error:
        raise ProtocolError(f"not a reply: {_shown(line)} ({unreadable_text(error)})") from None
    if head.seq != seq and not (head.seq == 0 and not head.ok):
        raise ProtocolError(f"answered request {head.seq}, expected {seq}")
    if not head.ok:
        raise Refusal(head.error or "error", head.detail)
    try:
        return _DECODERS[kind].decode(line)  # type: ignore[return-value]
    except UNREADABLE as error:
        raise ProtocolError(f"incomplete reply: {unreadable_text(error)}: {_shown(line)}") from None


def _shown(line: bytes) -> str:
    text = one_line(line[:80].decode("utf-8", "replace"))
    return f"'{text}{'...' if len(line) > 80 else ''}'"
