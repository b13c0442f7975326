# SPDX-License-Identifier: Apache-2.0
"""What the pages tell people to type works, and prints what they say. Names of commands, options and targets exist."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from console import Home, Step, matches, steps
from pages import PAGES, ROOT, fences, name, spans

from cipherstone.cli.commands import names_of_catalogue
from cipherstone.cli.main import app
from cipherstone.cli.question import as_question
from cipherstone.model.errors import UsageError

SELECTION = "-f 'op:(sha-256/hash OR aes-128-gcm/seal) bytes:(1024 OR 16384) library:(openssl OR nettle OR bearssl)'"
RUN = f"cipherstone run {SELECTION} --passes 6 --no-memory --seed 1"
# Kinds of fenced blocks. `sh` is for what takes long or changes the system: it is read here, not run.
KINDS = {"console", "sh", "text", "toml", "json", "c", "python", "sql", "sql views", "yaml", "markdown", ""}


def blocks(page: Path) -> list[list[Step]]:
    return [steps(fence.lines) for fence in fences(page.read_text(encoding="utf-8")) if fence.kind == "console"]


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory, worker_cache: Path) -> Home:
    made = Home.make(tmp_path_factory.mktemp("docs"), worker_cache)
    place = made.checkout("first")
    # The list first: it builds every worker, so that no page shows one being built.
    done = made.shell(f"cipherstone list >list.txt 2>&1 && {RUN} && {RUN}", place)
    (place / "runs").rename(made.folder / "runs") if (place / "runs").exists() else None
    if done.returncode != 0:
        if "without " in done.stdout and os.environ.get("CS_REQUIRE_LIBRARIES") != "1":
            pytest.skip(f"a library is missing: {done.stdout}")
        pytest.fail(done.stdout)
    return made


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=name)
def test_console_blocks_work(page: Path, home: Home) -> None:
    place = home.checkout(name(page).replace("/", "-"))
    problems = [problem for block in blocks(page) for problem in home.play(block, place)]
    assert not problems, "\n\n".join([name(page), *problems])


def test_there_are_blocks_to_run() -> None:
    assert sum(len(blocks(page)) for page in PAGES) >= 15


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_fences_are_of_a_known_kind(page: Path) -> None:
    for fence in fences(page.read_text(encoding="utf-8")):
        assert fence.kind in KINDS, f"{name(page)}:{fence.line}: '{fence.kind}'"


# -- names ------------------------------------------------------------------------------------------------------------------------


def options() -> dict[str, set[str]]:
    """Options by subcommand, those of `cipherstone` itself under "", those of a command inside a group under both names."""
    group = typer.main.get_command(app)
    commands = {"": group, **getattr(group, "commands", {})}
    for outer, command in list(commands.items()):
        if outer:
            commands |= {f"{outer} {inner}": part for inner, part in getattr(command, "commands", {}).items()}
    found = {
        key: {o for p in command.params for o in (*p.opts, *p.secondary_opts)} for key, command in commands.items()
    }
    return {key: {o for o in names if o.startswith("-")} | {"-h", "--help"} for key, names in found.items()}


def targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def lines_of_code(page: Path) -> Iterator[str]:
    """Commands of shell blocks, and code spans."""
    text = page.read_text(encoding="utf-8")
    for fence in fences(text):
        if fence.kind in ("console", "sh"):
            joined = "\n".join(fence.lines).replace("\\\n> ", " ").replace("\\\n", " ")
            yield from (
                line.removeprefix("$ ") for line in joined.splitlines() if fence.kind == "sh" or line[:2] == "$ "
            )
    yield from spans(text)


def unknown_names(line: str, known: dict[str, set[str]], made: set[str]) -> Iterator[str]:
    """Targets, subcommands and options in a line of code that do not exist."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        words = line.split()
    for index, word in enumerate(words):
        rest = words[index + 1 :]
        if word == "make":
            yield from (f"make {w}" for w in rest if re.fullmatch(r"[a-z-]+", w) and w not in made)
        if word != "cipherstone" or not rest:
            continue
        command = "" if rest[0].startswith("-") else rest[0]
        if not re.fullmatch(r"[a-z-]*", command):
            continue
        if command == "help":  # of a command, or of all
            rest = rest[1:]
            command = rest[0] if rest and rest[0] in known else ""
        if len(rest) > 1 and f"{command} {rest[1]}" in known:
            command = f"{command} {rest[1]}"
        if command not in known:
            try:
                command = as_question(rest[:1], known, names_of_catalogue())[0]
            except UsageError:
                yield f"cipherstone {command}"
                continue
        for argument in rest:
            if argument in ("|", "&&", ";", ">"):
                break
            option = argument.partition("=")[0]
            if re.fullmatch(r"--?[a-z][a-z-]*", option) and option not in known[command]:
                yield f"cipherstone {command} {option}"


@pytest.mark.parametrize("page", [p for p in PAGES if not p.is_relative_to(ROOT / "libraries")], ids=name)
def test_commands_options_and_targets_exist(page: Path) -> None:
    known, made = options(), targets()
    wrong = [w for line in lines_of_code(page) for w in unknown_names(line, known, made)]
    assert not wrong, f"{name(page)}: {wrong}"


def test_every_command_and_option_has_its_place_in_the_reference() -> None:
    text = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    for command, names in options().items():
        section = text.split(f"## cipherstone {command}\n" if command else "## cipherstone\n", 1)[1].split("\n## ", 1)[
            0
        ]
        for option in names:
            assert re.search(rf"{re.escape(option)}\b", section), f"{command} {option}"


# -- these tests --------------------------------------------------------------------------------------------------------------------


def test_unknown_names_are_seen() -> None:
    known, made = options(), targets()
    lines = ("make benhc", "cipherstone runn", "cipherstone run --quik", "cipherstone compare a b --fail-over 5%")
    assert [len(list(unknown_names(line, known, made))) for line in lines] == [1, 1, 1, 1]
    fine = ("make bench RUN=--quick", "cipherstone run -f 'op:/x/' --quick | head --lines 3", "INSTALL=no make test")
    assert [list(unknown_names(line, known, made)) for line in fine] == [[], [], []]


def test_expected_output_is_compared() -> None:
    printed = ("one", "two 2 three", "", "four")
    assert matches(("one", "two...three", "...", "four"), printed)
    assert matches(("...",), printed) and matches(("one", "..."), printed)
    assert not matches(("one",), printed) and not matches(("one", "...", "five"), printed)
    assert not matches(("one", "two"), ("one",)) and matches((), ("",))


def test_a_failing_command_is_told(home: Home) -> None:
    place = home.checkout("failing")
    assert home.play([Step("false", ())], place)
    assert home.play([Step("echo a", ("b",))], place)
    assert not home.play([Step("false", ()), Step("echo $?", ("1",))], place)
