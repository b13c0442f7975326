# SPDX-License-Identifier: Apache-2.0
"""What every command keeps to: help in 80 columns, no colours where nobody sees them, results on standard output and words on standard error."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Callable
from pathlib import Path

import pytest
import scripts
from scripts import HASH, CommandLine, Done, cost, write_worker

from cipherstone.cli import environment as env

OPTIONS = {
    "run": "--suite --filter --library --algorithm --op --size --impl --quick --precise --target --max-time --base --name --worker --cpu --seed "
    "--passes --memory --no-memory --patience --report --resume --runs --cache --format",
    "show": "--sql --verify --runs --format",
    "compare": "--run --base --fail-above --force --runs --format",
    "report": "--output --markdown --runs",
    "export": "--as --output --runs",
    "list": "--operations --implementations --why --libraries --filter --library --impl --family --worker --cache --format",
    "check": "--filter --library --worker --patience --cache --format",
    "doctor": "--programs --count --seed --filter --max-time --cpu --cache --runs --seconds --format",
    "setup": "--install --no-install",
}


@pytest.fixture(scope="module")
def here(new_cli: Callable[..., CommandLine]) -> CommandLine:
    return new_cli("basics")


@pytest.fixture(scope="module")
def checkout(new_cli: Callable[..., CommandLine]) -> CommandLine:
    """The real checkout, for names of libraries; nothing is built."""
    return new_cli("checkout-home", scripts.ROOT)


@pytest.fixture(scope="module")
def measured(
    new_cli: Callable[..., CommandLine], tmp_path_factory: pytest.TempPathFactory
) -> tuple[CommandLine, list[Path]]:
    """One finished run of two lanes."""
    cli, folder = new_cli("measured"), tmp_path_factory.mktemp("workers")
    workers = [write_worker(folder, "alpha", {HASH: cost(1000)}), write_worker(folder, "beta", {HASH: cost(1300)})]
    done = cli.measure("--base", "alpha", "--op", HASH, "--worker", workers[0], "--worker", workers[1])
    assert done.code == 0, done.err
    return cli, workers


def one_line_and_a_hint(done: Done, *parts: str) -> None:
    done.no_trace()
    assert done.code == 2 and done.out == ""
    # Whoever asks first has the workers built, and is told of it.
    error, hint = (line for line in done.err.splitlines() if not line.startswith("built the worker of "))
    assert error.startswith("cipherstone: error: ") and hint.startswith("hint: ")
    for part in parts:
        assert part in done.err


@pytest.mark.parametrize("command", OPTIONS)
def test_help_names_every_option_in_80_columns(
    here: CommandLine, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = here.inside(command, "--help")
    assert done.code == 0 and done.err == ""
    assert max(map(len, done.out.splitlines())) <= 80
    assert "\x1b" not in done.out
    mentioned = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", done.out))
    assert set(OPTIONS[command].split()) | {"--help"} <= mentioned


@pytest.mark.parametrize(("asked", "columns"), [(None, 80), ("", 80), ("220", 220), ("3", 40), ("wide", 80), ("0", 80)])
def test_a_pipe_is_as_wide_as_columns_asks_for(
    monkeypatch: pytest.MonkeyPatch, asked: str | None, columns: int
) -> None:
    """`COLUMNS=220 cipherstone show | less -S` has the whole table."""
    monkeypatch.setattr("sys.stdout", io.StringIO())
    if asked is not None:
        monkeypatch.setenv("COLUMNS", asked)
    assert env.width() == columns


def test_help_lists_every_command(here: CommandLine) -> None:
    done = here("--help")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
    assert all(re.search(rf"^\W*{name} ", done.out, re.MULTILINE) for name in OPTIONS)


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(here: CommandLine, option: str) -> None:
    done = here(option)
    assert done.code == 0 and re.fullmatch(r"cipherstone \S+ \(method cbm-\d+\)\n", done.out)


def test_a_dry_run_says_what_would_be_done_and_does_nothing(checkout: CommandLine) -> None:
    done = checkout.inside(
        "run", "--dry-run", "openssl", "nettle", "--quick", "--cache", checkout.home / "new"
    ).no_trace()
    assert done.code == 0 and "measuring at most" in done.out
    assert "would measure 8 operations, 8 cases (suite quick), of what these offer: nettle, openssl\n" in done.out
    source = checkout.inside(
        "upgrade", "openssl", "--build", "openssl@4.0", "--dry-run", "--cache", checkout.home / "new"
    )
    assert "from upstream's source, about " in source.no_trace().out and "openssl@4.0" in source.out
    assert not (checkout.home / "new" / "workers").exists() and not (checkout.home / "new" / "sources").exists()
    assert not (checkout.home / "runs").exists()


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("run --library opensl", ("unknown library 'opensl'", "did you mean 'openssl'?")),
        ("run --op sha-256/hsh", ("unknown op 'sha-256/hsh'", "did you mean 'sha-256/hash'?")),
        ("run --algorithm sha255", ("unknown algorithm 'sha255'", "did you mean 'sha-256'?")),
        ("run -f opensl", ("'opensl'", "did you mean 'openssl'?")),
        ("run --name latest", ("--name: 'latest' is no name of a run",)),
        ("run --name 2026", ("--name: '2026'", "a letter")),
        ("run --name openssl", ("--name: 'openssl' is the name of a library",)),
        ("run --size 17x", ("'17x' is not a number of bytes", "16KiB")),
        ("run --filter op:(", ("position 5",)),
        ("run --filter colour:red", ("unknown key 'colour'", "library")),
        ("run --filter bytes:>=abc", ("'>=abc' is not a number of bytes",)),
        ("run --suite qick", ("suite: 'qick' does not exist", "did you mean 'quick'?")),
        ("run --target 7", ("--target: '7'", "0.5%")),
        ("run --target many", ("--target: 'many'",)),
        ("run --max-time soon", ("--max-time: 'soon'", "10min")),
        ("run --passes 0", ("--passes: '0'",)),
        ("run --cpu 8190", ("--cpu 8190: this process may use",)),
        ("check --library opnssl", ("unknown library 'opnssl'", "openssl")),
        ("list --library opnssl", ("unknown library 'opnssl'", "openssl")),
        ("list --family hsah", ("--family: 'hsah' is not a family", "did you mean 'hash'?")),
        ("list --filter licence:MTI", ("unknown licence 'MTI'", "did you mean 'MIT'?")),
        ("list opnssl", ("'opnssl' is no name, size or build", "did you mean 'openssl'?")),
        ("opnssl gcm", ("'opnssl' is neither a command nor a name", "did you mean 'openssl'?")),
        ("run -l boringssl", ("without a package here: boringssl", "--build boringssl@")),
        ("run openssl --siut quick", ("no such option: --siut", "did you mean '--suite'?")),
        ("list --libraries --filter licence:MTI", ("unknown licence 'MTI'", "did you mean 'MIT'?")),
        ("list --libraries --filter op:sha-256/hash", ("list: op selects no library", "upkeep")),
        ("check --filter upkeep:dead", ("unknown upkeep 'dead'", "ended")),
        ("compare a b --fail-above lots", ("--fail-above: 'lots'",)),
    ],
)
def test_what_is_unknown_gets_one_line_and_a_hint(checkout: CommandLine, words: str, parts: tuple[str, ...]) -> None:
    one_line_and_a_hint(checkout.inside(*words.split()), *parts)


def test_an_error_quotes_no_more_than_a_screen(here: CommandLine) -> None:
    """A name of any length, typed or read from a damaged run, leaves an error that can be read."""
    for text in ("x" * 50_000, "x" * 300, "/x" * 3000):
        done = here("show", text).no_trace()
        assert done.code == 1 and f"error: run: '{text[:50]}" in done.err
        assert max(map(len, done.err.splitlines())) < 300
    done = here("run", "--suite", "x" * 50_000).no_trace()
    assert done.code == 2 and max(map(len, done.err.splitlines())) < 2100


def test_unknown_names_beside_a_worker_made_elsewhere(here: CommandLine, tmp_path: Path) -> None:
    worker = write_worker(tmp_path, "alpha")
    common = ("run", "--worker", worker, "--cache", here.cache)
    one_line_and_a_hint(here(*common, "--base", "alhpa"), "--base alhpa: no such library", "did you mean 'alpha'?")
    one_line_and_a_hint(here(*common, "--base", "alpha", "--impl", "fastest"), "unknown impl 'fastest'")
    one_line_and_a_hint(here("run", "--worker", tmp_path / "nothing"), "no such file")
    nothing = here(*common, "--base", "alpha", "--op", "aes-128-gcm/seal").no_trace()
    assert nothing.code == 2 and "nothing to measure" in nothing.err
    assert not here.runs.exists()


@pytest.mark.parametrize(
    "words", ["show nosuch", "report nosuch", "export nosuch", "show latest~9", "compare latest nosuch"]
)
def test_an_unknown_run_is_named_with_what_there_is(measured: tuple[CommandLine, list[Path]], words: str) -> None:
    done = measured[0].inside(*words.split())
    assert done.code in (1, 2) and done.out == ""
    (error,) = [line for line in done.err.splitlines() if "error:" in line]
    assert "nosuch" in error or "latest~9" in error


@pytest.mark.parametrize(
    "words",
    [
        "run --format yaml",
        "export --as xml",
        "run --seed -1",
        "run --patience 0",
        "compare a",
        "run --nosuch",
        "nosuch",
    ],
)
def test_what_cannot_be_parsed_is_a_usage_error(here: CommandLine, words: str) -> None:
    done = here.inside(*words.split()).no_trace()
    assert done.code == 2 and done.out == "" and "rror" in done.err


def test_a_usage_error_of_a_process(here: CommandLine) -> None:
    done = here("run", "--nosuch").no_trace()
    assert done.code == 2 and done.out == "" and "rror" in done.err


def test_json_is_all_that_stands_on_standard_output(measured: tuple[CommandLine, list[Path]]) -> None:
    cli, (alpha, beta) = measured
    for words in (
        (
            "run",
            "--runs",
            "other",
            "--base",
            "alpha",
            "--op",
            HASH,
            "--passes",
            6,
            "--no-memory",
            "--worker",
            alpha,
            "--worker",
            beta,
            "--cache",
            cli.cache,
        ),
        ("show",),
        ("compare", "alpha", "beta"),
        ("list", "--cache", cli.cache),
        ("list", "--operations"),
        ("check", "--worker", alpha, "--cache", cli.cache, "--filter", f"op:{HASH}"),
        ("doctor", "--seconds", "0.1"),
    ):
        done = cli(*words, "--format", "json").no_trace()
        assert isinstance(json.loads(done.out), dict | list), words


def test_progress_and_notes_go_to_standard_error(measured: tuple[CommandLine, list[Path]]) -> None:
    cli, (alpha, _) = measured
    done = cli(
        "run",
        "--runs",
        "other",
        "--size",
        16384,
        "--base",
        "alpha",
        "--op",
        HASH,
        "--passes",
        6,
        "--no-memory",
        "--worker",
        alpha,
        "--cache",
        cli.cache,
    )
    assert done.code == 0
    assert "plan: 1 operation, 1 case, 1 library: 2 cells, 1 of them A/A (suite default)" in done.err
    assert "  sha-256/hash 16 KiB\n" in done.err
    assert re.search(
        r"^  until every ratio is known to ±1.0 %: 6 passes, \d+ min of measuring at most, on CPU \d",
        done.err,
        re.MULTILINE,
    )
    assert "pass 1/6" in done.err
    assert re.search(r"^run: other/\S+", done.err, re.MULTILINE) and "cipherstone show" in done.err
    assert done.err.index("plan:") < done.err.index("pass 1/6")
    assert "plan" not in done.out and "SHA-256" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.parametrize("words", ["show", "compare alpha beta", "list", "list --operations", "doctor --seconds 0.1"])
def test_no_colours_without_a_terminal(measured: tuple[CommandLine, list[Path]], words: str) -> None:
    done = measured[0](*words.split()).no_trace()
    assert "\x1b" not in done.out + done.err
    assert max(map(len, done.out.splitlines())) <= 80 or words == "doctor --seconds 0.1"


def on_a_terminal(cli: CommandLine, *words: str, columns: int = 80) -> str:
    """What a command prints on a terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {**cli.env(), "TERM": "xterm-256color", **cli.environment}
    process = subprocess.Popen(cli.command(*words), cwd=cli.home, env=env, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    output = b""
    while True:
        try:
            data = os.read(master, 1 << 16)
        except OSError:  # the other side is closed
            break
        if not data:
            break
        output += data
    os.close(master)
    process.wait()
    return output.decode()


def test_colours_on_a_terminal_unless_no_color(measured: tuple[CommandLine, list[Path]]) -> None:
    cli, _ = measured
    assert "\x1b[" in on_a_terminal(cli, "compare", "alpha", "beta")
    quiet = CommandLine(cli.root, cli.home, cli.cache, {"NO_COLOR": "1"})
    for words in (("compare", "alpha", "beta"), ("show",), ("doctor", "--seconds", "0.1"), ("list", "--operations")):
        assert not re.search(r"\x1b\[[0-9;]*3[0-9]", on_a_terminal(quiet, *words)), words


@pytest.mark.parametrize("words", ["show", "compare alpha beta", "list", "list --operations", "machine"])
def test_a_terminal_of_forty_columns(measured: tuple[CommandLine, list[Path]], words: str) -> None:
    cli, _ = measured
    quiet = CommandLine(cli.root, cli.home, cli.cache, {"NO_COLOR": "1"})
    lines = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", on_a_terminal(quiet, *words.split(), columns=40)).splitlines()
    assert len(lines) > 3
    assert [line for line in lines if len(line) > 40] == []


def test_a_standard_output_that_is_full(measured: tuple[CommandLine, list[Path]]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    with open("/dev/full", "w") as full:  # noqa: PTH123
        command = measured[0].command("show")
        done = subprocess.run(
            command,
            cwd=measured[0].home,
            env=measured[0].env(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1 and "Traceback" not in done.stderr and "No space left" in done.stderr


@pytest.mark.parametrize("words", ["show", "show --format json", "list --operations", "export"])
def test_a_reader_that_leaves_is_no_error(measured: tuple[CommandLine, list[Path]], words: str) -> None:
    """As in `cipherstone show | head -1`: the pipe is closed after a few bytes."""
    process = measured[0].start(*words.split())
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    process.wait()
    assert "Traceback" not in err and "BrokenPipe" not in err, err


def test_a_run_is_for_the_second_opinion_alone(here: CommandLine) -> None:
    done = here("doctor", "latest").no_trace()
    assert done.code == 2 and "a run is for --programs" in done.err
    missing = here("doctor", "latest", "--programs").no_trace()
    assert missing.code != 0 and "latest" in missing.err and "Traceback" not in missing.err
