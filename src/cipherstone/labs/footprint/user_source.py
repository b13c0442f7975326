# SPDX-License-Identifier: Apache-2.0
"""`footprint --library mbedtls=git:DIR@COMMIT`: the user's source down the ladder of a library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from cipherstone.cli.user_library import own_source, own_version
from cipherstone.labs.footprint.ladder import Ladder
from cipherstone.model.errors import UsageError, nearest


def with_own(words: Sequence[str], ladders: Mapping[str, Ladder]) -> tuple[list[str], dict[str, Ladder]]:
    """(the words of `--library` as names alone, the ladders, of the user's source where a word is NAME=WHERE). WHERE: `git:DIR[@COMMIT]` or an archive of source. Raises UsageError."""
    names, changed = [], dict(ladders)
    for word in words:
        name, given, where = word.partition("=")
        names.append(name)
        if not given:
            continue
        if name not in ladders:
            raise UsageError(f"--library {word}: no ladder has '{name}'", nearest(name, ladders))
        if changed[name].own is not None:
            raise UsageError(f"--library {word}: {name} is brought twice", "one a command, then `footprint diff`")
        own = own_source(word, where)
        if own is None:
            raise UsageError(
                f"--library {word}: '{where}' is no source, of which every step is built", "git:DIR@COMMIT, or *.tar.*"
            )
        source = msgspec.structs.replace(ladders[name].source, version=own_version(own))
        changed[name] = msgspec.structs.replace(ladders[name], source=source, own=own)
    return names, changed
