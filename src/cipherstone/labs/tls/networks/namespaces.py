# SPDX-License-Identifier: Apache-2.0
"""Network namespaces without names: each lives as long as a thread, whose processes and sockets are in it, and nothing is left behind. Linux only; needs the right to administer networks."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from cipherstone.model.errors import CipherstoneError

# Of RFC 2544, for benchmarks: no host on a real network has them.
ADDRESSES = ("198.18.0.1", "198.18.0.2")
TUN = Path("/dev/net/tun")
_NAME = b"wire"
_CLONE_NEWNET = 0x40000000
_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
_SIOCSIFFLAGS, _SIOCSIFADDR, _SIOCSIFDSTADDR = 0x8914, 0x8916, 0x8918
_IFF_UP = 0x1
_QUEUE = 10_000  # packets; what is lost is the wire's to decide
_SIOCSIFTXQLEN = 0x8943

T = TypeVar("T")


class Namespace:
    """A network namespace. Use as a context manager. Raises CipherstoneError where there can be none."""

    def __init__(self, number: int) -> None:
        self.address, self.peer = ADDRESSES[number], ADDRESSES[1 - number]
        self.thread_id = 0
        self._thread = ThreadPoolExecutor(1)

    def __enter__(self) -> Namespace:
        try:
            self.run(self._enter)
        except BaseException:
            self._thread.shutdown()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.shutdown()

    def run(self, what: Callable[[], T]) -> T:
        """What it returns, done in the namespace: sockets and processes that it makes are there."""
        return self._thread.submit(what).result()

    def _enter(self) -> None:
        unshare = getattr(ctypes.CDLL(None, use_errno=True), "unshare", None)
        if unshare is None:
            raise CipherstoneError("--network: this system has no network namespaces", "it needs Linux")
        if unshare(_CLONE_NEWNET) != 0:
            why = os.strerror(ctypes.get_errno())
            raise CipherstoneError(f"--network: no network namespace: {why}", "it needs root")
        # What one connection learned of a network is not known to the next one, which may be on another.
        for name, value in (("tcp_no_metrics_save", 1), ("tcp_fastopen", 0)):
            place = Path(f"/proc/sys/net/ipv4/{name}")
            try:
                place.write_text(str(value), encoding="ascii")
            except OSError as error:
                raise CipherstoneError(
                    f"--network: {place}: {error.strerror}", "containers often have /proc/sys to read alone"
                ) from None
        self.thread_id = int(Path("/proc/thread-self").readlink().name)

    def tun(self) -> int:
        """A descriptor of packets between this namespace and its peer, the other end of which is an interface that is up. Raises CipherstoneError."""
        return self.run(self._tun)

    def _tun(self) -> int:
        try:
            end = os.open(TUN, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise CipherstoneError(f"--network wire: {TUN}: {error.strerror}", "it needs the kernel's TUN") from None
        try:
            fcntl.ioctl(end, _TUNSETIFF, struct.pack("16sH22x", _NAME, _IFF_TUN | _IFF_NO_PI))
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asks:
                for request, address in ((_SIOCSIFADDR, self.address), (_SIOCSIFDSTADDR, self.peer)):
                    fcntl.ioctl(asks, request, _address(_NAME, address))
                fcntl.ioctl(asks, _SIOCSIFTXQLEN, struct.pack("16si20x", _NAME, _QUEUE))
                fcntl.ioctl(asks, _SIOCSIFFLAGS, struct.pack("16sH22x", _NAME, _IFF_UP))
        except OSError as error:
            os.close(end)
            raise CipherstoneError(f"--network wire: no TUN interface: {error.strerror}", "it needs root") from None
        return end

    def bring_up(self, name: str) -> None:
        """Gives an interface that is there this end's address."""
        self.run(lambda: self._bring_up(name.encode()))

    def _bring_up(self, name: bytes) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asks:
            fcntl.ioctl(asks, _SIOCSIFADDR, _address(name, self.address))
            fcntl.ioctl(asks, _SIOCSIFFLAGS, struct.pack("16sH22x", name, _IFF_UP))


def _address(name: bytes, address: str) -> bytes:
    """A request (`struct ifreq`) with an address of IPv4."""
    return struct.pack("16sHH4s16x", name, socket.AF_INET, 0, socket.inet_aton(address))


def congestion_control() -> str:
    """What TCP of this machine begins with; new namespaces have the same."""
    try:
        return Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text(encoding="ascii").strip()
    except OSError:
        return ""
