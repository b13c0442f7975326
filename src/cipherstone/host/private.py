# SPDX-License-Identifier: Apache-2.0
"""What is private about this machine: a bundle is mailed, and holds paths and a command line."""

from __future__ import annotations

import os
import platform
import pwd
import re
from pathlib import Path

import msgspec

from cipherstone.model.counts import Count, CountedTarget
from cipherstone.model.instruments import TurnRecord
from cipherstone.model.records import Build, OutcomeRecord, Record
from cipherstone.model.request import RunRequest

HOME, USER, HOST = "~", "USER", "HOST"
# Names that say nothing about anybody, and words that stand in paths of every machine.
_NOBODY = frozenset({"root", "user", "home", "runner", "localhost", "debian", "ubuntu", ""})
_AFTER_NAME = r"(?![\w.-])"


class Private(msgspec.Struct, frozen=True):
    """`homes`: folders of whom this runs for, longest first. `user` and `hosts`: names that are replaced where they stand alone."""

    homes: tuple[str, ...]
    user: str
    hosts: tuple[str, ...]

    @staticmethod
    def here() -> Private:
        """Of this process."""
        homes = {os.path.expanduser("~")}  # noqa: PTH111 - where HOME is unset, Path.home() may raise
        user = ""
        try:
            entry = pwd.getpwuid(os.getuid())
            homes.add(entry.pw_dir)
            user = entry.pw_name
        except KeyError:
            pass  # a container's number without a name
        homes |= {str(Path(home).resolve()) for home in homes}
        known = sorted((home.rstrip("/") for home in homes if home.count("/") and home != "/"), key=len, reverse=True)
        node = platform.node()
        hosts = tuple(name for name in dict.fromkeys((node, node.partition(".")[0])) if len(name) > 2)
        return Private(
            tuple(home for home in known if home), user if user not in _NOBODY else "", _without(hosts, _NOBODY)
        )

    def path(self, text: str) -> str:
        """`text` with `~` for a home folder, and `USER` for a folder of the user's name elsewhere."""
        for home in self.homes:
            # Also right behind an option's letter: -I/home/name/include.
            text = re.sub(rf"(?:(?<![\w.~/-])|(?<=-[A-Za-z])){re.escape(home)}{_AFTER_NAME}", HOME, text)
        if self.user:
            text = re.sub(rf"(?<=/){re.escape(self.user)}{_AFTER_NAME}", USER, text)
            text = re.sub(rf"(?<=-of-){re.escape(self.user)}{_AFTER_NAME}", USER, text)
        return text

    def text(self, text: str) -> str:
        """The same, and `HOST` for the machine's name."""
        for host in self.hosts:
            text = re.sub(rf"(?<![\w.-]){re.escape(host)}(?![\w-])", HOST, text)
        return self.path(text)

    def build(self, build: Build) -> Build:
        """A build as it is stored: where its files lie below a home folder is not told."""
        return msgspec.structs.replace(
            build,
            package=self.path(build.package),
            compiler=self.path(build.compiler),
            flags=self.path(build.flags),
            note=self.path(build.note),
            objects=tuple(msgspec.structs.replace(one, path=self.path(one.path)) for one in build.objects),
            environment={name: self.path(value) for name, value in build.environment.items()},
        )

    def request(self, request: RunRequest) -> RunRequest:
        """A request as it is stored: libraries, workers and files of the user's own lie somewhere."""
        options = {name: self.path(of) if isinstance(of, str) else of for name, of in request.options.items()}
        return msgspec.structs.replace(
            request,
            library=tuple(map(self.text, request.library)),
            worker=tuple(map(self.text, request.worker)),
            options=options,
        )

    def record(self, record: Record) -> Record:
        """A record as it is stored: what a worker printed when it broke may name its files."""
        match record:
            case OutcomeRecord():
                return msgspec.structs.replace(record, detail=self.text(record.detail), stderr=self.text(record.stderr))
            case Count():
                return msgspec.structs.replace(record, reason=self.text(record.reason))
            case CountedTarget():
                made = {name: self.path(getattr(record, name)) for name in ("compiler", "flags", "emulator")}
                return msgspec.structs.replace(record, **made, problem=self.text(record.problem))
            case TurnRecord():
                words = {name: self.text(text) for name, text in record.words.items()}
                return msgspec.structs.replace(record, words=words, failed=self.text(record.failed))
            case _:
                return record


def _without(names: tuple[str, ...], others: frozenset[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in others)
