# SPDX-License-Identifier: Apache-2.0
"""`[[build]]` of library.toml: what it says, and what is said about broken ones; lanes and filters that tell builds apart."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cipherstone.build.installed import find_installation
from cipherstone.build.toolchain import Toolchain, find_toolchain
from cipherstone.build.upstream import build_problem, prefix_of
from cipherstone.build.workers import WorkerJob, worker_path
from cipherstone.catalogue.algorithms import Catalogue, load_catalogue
from cipherstone.catalogue.filter import FILTER_KEYS, parse_filter
from cipherstone.catalogue.libraries import load_labs, load_libraries, load_library
from cipherstone.catalogue.paths import data_root
from cipherstone.model.errors import DataError
from cipherstone.model.ids import Lane, base_lane, is_lane_id

ROOT = data_root()
EXAMPLE = ROOT / "tests" / "engine" / "twobuilds"
SUM = "0" * 64


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue(ROOT)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A library with four builds, to break."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "libraries" / "twobuilds"))


def test_a_library_has_its_builds_in_order(folder: Path, catalogue: Catalogue) -> None:
    library = load_library(folder, catalogue)
    assert [build.name for build in library.builds] == ["crate", "O2", "O0", "absent"] and library.distribution is None
    assert [build.name for build in library.default_builds] == ["O2"]
    assert library.source_paths == (folder / "hash.c", folder / "core" / "hash.c") and not library.lab


def test_a_build_of_a_source_has_what_it_does_not_say_from_there(folder: Path, catalogue: Catalogue) -> None:
    path = folder / "library.toml"
    text = path.read_text().replace('variant = "absent"', 'variant = "absent"\nsource = "crate"')
    path.write_text(text.replace('version = "1.2"', 'version = "1.2"\nflags = ["-O1"]\ndefines = ["OF_ALL"]'))
    builds = {build.name: build for build in load_library(folder, catalogue).builds}
    found, source = builds["absent"], builds["crate"].source
    assert source is not None and found.source == source and builds["O0"].source is None
    assert (found.version, found.flags, found.defines) == ("1.2", ("-O1",), ("OF_ALL", 'BUILD_NAME="absent"'))
    assert (builds["O0"].version, builds["O0"].flags) == ("1.0", ("-O0",))


def share(folder: Path, name: str = "_both") -> Path:
    """Moves a source of the library into a folder that libraries share."""
    shared = folder.parent / name
    shared.mkdir()
    (folder / "core" / "hash.c").rename(shared / "core.c")
    path = folder / "library.toml"
    path.write_text(path.read_text().replace('"core/hash.c"', f'"{name}/core.c"'))
    return shared


def test_libraries_share_a_folder_beside_them(folder: Path, catalogue: Catalogue) -> None:
    """It is no library, and a source that names it is found in it."""
    shared = share(folder)
    (library,) = load_libraries(folder.parent.parent, catalogue).values()
    assert library.source_paths == (folder / "hash.c", shared / "core.c")
    assert library.code_folders == (folder, shared)
    (shared / "core.c").unlink()
    with pytest.raises(DataError, match=r"sources\[1\]: '_both/core.c' is not a file") as caught:
        load_library(folder, catalogue)
    assert "_NAME/FILE" in caught.value.hint


def test_a_worker_is_named_by_all_files_of_a_shared_folder(folder: Path, catalogue: Catalogue, tmp_path: Path) -> None:
    """Headers too, which no list names: a change of one makes every worker anew that includes it."""
    shared = share(folder)
    library = load_library(folder, catalogue)
    build = next(one for one in library.builds if one.name == "O2")
    toolchain = find_toolchain()

    def key() -> Path:
        installation = find_installation(library, toolchain, None, build)
        return worker_path(WorkerJob(library, installation, toolchain, ROOT, tmp_path, build))

    paths = [key()]
    for name in ("core.c", "core.h", "core.h"):
        (shared / name).write_text(f"/* {len(paths)} */\n")
        paths.append(key())
    assert len(set(paths)) == 4
    (shared / "README.md").touch()
    assert key() == paths[-1]


def test_a_systems_library_may_be_asked_for_by_pkg_config(
    folder: Path, catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where its headers lie in a folder of their own: flags before the build's, libraries too."""
    if shutil.which("pkg-config") is None and shutil.which("pkgconf") is None:
        pytest.skip("no pkg-config")
    path = folder / "library.toml"
    path.write_text(
        path.read_text().replace('variant = "O2"', 'variant = "O2"\npkg_config = ["example"]\nlibs = ["-lm"]')
    )
    library = load_library(folder, catalogue)
    build = next(one for one in library.builds if one.name == "O2")
    monkeypatch.setenv("PKG_CONFIG_PATH", str(tmp_path))
    assert "pkg-config knows no example" in find_installation(library, find_toolchain(), None, build).problem
    (tmp_path / "example.pc").write_text(
        "Name: example\nDescription: x\nVersion: 1\nCflags: -I/there/example\nLibs: -lexample\n"
    )
    found = find_installation(library, find_toolchain(), None, build)
    assert (found.problem, found.cflags[-1], found.libs) == ("", "-I/there/example", ("-lexample", "-lm"))


def test_upstreams_cxx_is_part_of_the_recipe_whatever_the_adapters_language(
    folder: Path, catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`cxx`: another C++ compiler makes another library, and without one it cannot be built."""
    one, other, none = (Toolchain("cc", "c++", "cc 1", version) for version in ("c++ 1", "c++ 2", None))
    client = tmp_path / "bin" / "cargo"  # the tool that comes first is there
    client.parent.mkdir()
    client.write_text("#!/bin/sh\n")
    client.chmod(0o755)
    monkeypatch.setenv("PATH", str(client.parent), prepend=":")

    def prefixes() -> set[Path]:
        library = load_library(folder, catalogue)
        build = next(build for build in library.builds if build.name == "crate")
        assert "c++" not in build_problem(library, build, one, tmp_path)
        assert ("c++" in build_problem(library, build, none, tmp_path)) == build.source.cxx  # type: ignore[union-attr]
        return {prefix_of(library, build, toolchain, tmp_path) for toolchain in (one, other)}

    assert len(prefixes()) == 1
    path = folder / "library.toml"
    path.write_text(path.read_text().replace('name = "crate"', 'name = "crate"\ncxx = true'))
    assert len(prefixes()) == 2


def test_the_distribution_is_the_first_build(catalogue: Catalogue) -> None:
    for library in load_libraries(ROOT, catalogue).values():
        first = library.builds[0]
        assert (first.name == "distribution" and first.default) == (
            library.distribution is not None or library.worker is not None
        )
        # Whatever takes minutes, or brings source from elsewhere, happens only when it is asked for.
        assert not any(build.default for build in library.builds if build.source), library.id


def test_a_glob_gives_a_reason_for_what_no_id_names(folder: Path, catalogue: Catalogue) -> None:
    reasons = load_library(folder, catalogue).not_measured
    assert reasons["hmac-sha-256/mac"] == reasons["bignum/mod-inv/bits=4096"] == "a hash and nothing else"
    assert reasons["ghash/mac"] == "named before the glob" and "sha-256/hash" not in reasons


def test_laboratories_are_libraries_in_another_folder(tmp_path: Path, catalogue: Catalogue) -> None:
    assert load_labs(tmp_path, catalogue) == {}
    shutil.copytree(EXAMPLE, tmp_path / "labs" / "twobuilds")
    (tmp_path / "labs" / "notes").mkdir()
    (tmp_path / "labs" / "notes" / "README.md").touch()
    labs = load_labs(tmp_path, catalogue)
    assert list(labs) == ["twobuilds"] and labs["twobuilds"].lab
    (tmp_path / "libraries" / "twobuilds").mkdir(parents=True)
    with pytest.raises(DataError, match="'twobuilds' is a library already"):
        load_labs(tmp_path, catalogue)


O2, CRATE = 'variant = "O2"', 'name = "cfg-if"'
BREAK = [
    (O2, 'variant = "O 2"', ["build[0].variant", "'O 2'"]),
    (O2, 'variant = "1+2"', ["build[0].variant", "'1+2'"]),
    (O2, 'variant = ""', ["build[0].variant", "''"]),
    (O2, 'variant = "distribution"', ["build[0].variant", "'distribution'"]),
    (O2, 'variant = "all"', ["build[0].variant", "'all'"]),
    (O2, 'variant = "O0"', ["build[1].variant", "'O0'", "twice"]),
    (O2, 'varient = "O2"', ["build[0]", "'varient'", "variant"]),
    ('why = "what distributions compile with"', "", ["build[0]", "'why' is missing"]),
    ('why = "what distributions compile with"', 'why = " "', ["build[0].why", "one line"]),
    ('why = "what distributions compile with"', 'why = "what\\ndistributions"', ["build[0].why", "one line"]),
    ('flags = ["-O2"]', 'flags = ["O2"]', ["build[0].flags", "'O2'", "-O3"]),
    ('flags = ["-O2"]', 'flags = ["-O2 -g"]', ["build[0].flags", "'-O2 -g'"]),
    ('flags = ["-O2"]', 'flags = "-O2"', ["build[0].flags", "array"]),
    ('flags = ["-O2"]', 'cxx = "g++ -O2"', ["build[0].cxx", "'g++ -O2'", "flags"]),
    ('flags = ["-O2"]', 'sources = ["../twobuilds/hash.c"]', ["build[0].sources[0]", "hash.c"]),
    ('flags = ["-O2"]', 'sources = ["core/hush.c"]', ["build[0].sources[0]", "'core/hush.c'"]),
    ('flags = ["-O2"]', 'libs = ["lib/libx.a"]', ["build[0].libs[0]", "'lib/libx.a'", "-l flag"]),
    ('flags = ["-O2"]', 'source = "crat"', ["build[0].source", "'crat'", "did you mean 'crate'?"]),
    ('flags = ["-O2"]', 'source = "crate"\noptions = ["plan"]', ["build[0].options", "'plan'", "plain"]),
    ('flags = ["-O2"]', 'options = ["plain"]', ["build[0].options", "'plain'"]),
    ('version = "1.0"', 'version = "1+0"', ["build[0].version", "'1+0'"]),
    ('defines = ["BUILD_NAME=\\"fast\\""]', 'defines = ["-DX"]', ["build[0].defines", "'-DX'", "NAME"]),
    (CRATE, 'name = "cfg if"', ["source[0].crate.name", "'cfg if'"]),
    ('version = "1.0.0"', 'version = "1.0"', ["source[0].crate.version", "'1.0'", "lock file"]),
    ('version = "1.0.0"', 'version = "*"', ["source[0].crate.version", "'*'"]),
    (SUM, "46eb8fb9", ["source[0].crate.sha256", "'46eb8fb9'", "64"]),
    ("crate = {", "tarball = true\ncrate = {", ["source[0].tarball", "tried"]),
    ('name = "crate"', 'name = "crate+x"', ["source[0].name", "'crate+x'"]),
    ('version = "1.2"', 'version = "1 2"', ["source[0].version", "'1 2'"]),
    ('script = "upstream', 'folder = "../x"\nscript = "upstream', ["source[0].folder", "'../x'"]),
    ('plain = "', 'Plain = "', ["source[0].options", "'Plain'"]),
    ('script = "upstream', 'tools = ["a b"]\nscript = "upstream', ["source[0].tools", "'a b'"]),
    (O2, O2 + '\nsources = ["_both/../twobuilds/hash.c"]', ["build[0].sources[0]", "'_both/../twobuilds/hash.c'"]),
    ('script = "upstream/build.sh"', 'script = "build.sh"', ["source[0].script", "'build.sh'"]),
    ('script = "upstream/build.sh"', 'script = "/bin/true"', ["source[0].script", "'/bin/true'"]),
    ('libs = ["lib/libnothing.a"]', "", ["source[0]", "'libs' is missing"]),
    ('libs = ["lib/libnothing.a"]', "libs = []", ["source[0].libs", "empty"]),
    ('libs = ["lib/libnothing.a"]', 'libs = ["lib/../x.a"]', ["source[0].libs[0]", "'lib/../x.a'"]),
    ('libs = ["lib/libnothing.a"]', 'libs = ["-Wl,x"]', ["source[0].libs[0]", "'-Wl,x'"]),
    ('libs = ["lib/libnothing.a"]', 'libs = ["-lm"]\ninclude = ["/usr"]', ["source[0].include[0]", "'/usr'"]),
    (O2, O2 + '\nenv = { "A B" = "1" }', ["build[0].env", "'A B'", "letters"]),
    (O2, O2 + '\nenv = { LC_ALL = "de" }', ["build[0].env", "'LC_ALL'", "every worker"]),
    (O2, O2 + '\nenv = { CS_PAD = "x" }', ["build[0].env", "'CS_PAD'"]),
    (O2, O2 + '\nenv = { A = "1\\n2" }', ["build[0].env.A", "one line"]),
    (O2, O2 + "\nenv = { A = 1 }", ["build[0].env", "expected str"]),
    ('"*/mac"', '"*/mak"', ["not_measured[0]", "'*/mak'", "nothing of the catalogue"]),
    ('sources = ["hash.c", "core/hash.c"]', 'sources = ["core"]', ["sources[0]", "'core'"]),
    ('language = "c"', 'language = "c"\ngenerated = "kernel"', ["generated", "'kernel'"]),
]


def test_a_build_has_its_environment_and_the_distributions(folder: Path, catalogue: Catalogue) -> None:
    """What is built from upstream's source is not the distribution's."""
    path = folder / "library.toml"
    text = path.read_text().replace(O2, O2 + '\nenv = { B = "own", C = "3" }')
    shared = (
        '\n[distribution]\npkg_config = []\nheader = "x.h"\nlibs = ["-lx"]\npackages = {}\nenv = { A = "1", B = "2" }\n'
    )
    path.write_text(text.replace('language = "c"', 'language = "c"\nmin_version = "1"') + shared)
    library = load_library(folder, catalogue)
    found = {build.name: library.environment(build) for build in library.builds}
    assert found["distribution"] == found["O0"] == {"A": "1", "B": "2"}
    assert found["O2"] == {"A": "1", "B": "own", "C": "3"} and found["crate"] == {}
    path.write_text(path.read_text().replace('A = "1"', '"9" = "1"'))
    with pytest.raises(DataError, match=r"distribution\.env: '9' cannot be set"):
        load_library(folder, catalogue)


@pytest.mark.parametrize(("old", "new", "words"), BREAK)
def test_a_broken_build_is_one_line(folder: Path, catalogue: Catalogue, old: str, new: str, words: list[str]) -> None:
    path = folder / "library.toml"
    text = path.read_text()
    assert old in text, f"{old!r} is not there: the test breaks nothing"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(DataError) as caught:
        load_library(folder, catalogue)
    said = f"{caught.value.message} | {caught.value.hint}"
    assert caught.value.message.startswith("libraries/twobuilds/library.toml") and "\n" not in said and len(said) < 300
    for word in words:
        assert word in said, f"{word!r} is not in: {said}"


def test_a_library_without_any_build_is_one_line(folder: Path, catalogue: Catalogue) -> None:
    path = folder / "library.toml"
    path.write_text(path.read_text().partition("[[build]]")[0])
    with pytest.raises(DataError, match=r"neither \[distribution\] nor \[\[source\]\], \[\[build\]\]"):
        load_library(folder, catalogue)


def test_labels_tell_builds_apart() -> None:
    for text, label in (
        ("openssl@3.0.19", "openssl"),
        ("openssl@3.6.3+noasm", "openssl@noasm"),
        ("openssl@3.6.3+noasm#2", "openssl@noasm (again)"),
        ("modexp@1.0+gcc-O3:cios-64-fw5", "modexp@gcc-O3:cios-64-fw5"),
        ("bearssl@0.6:aes_ct64", "bearssl:aes_ct64"),
    ):
        lane = Lane.parse(text)
        assert is_lane_id(text) and lane.id == text and lane.label == label
    assert Lane.parse("openssl@3.6.3+noasm").variant == "noasm" and Lane.parse("openssl@3.6.3").variant == ""


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("openssl", "openssl@3.0.19"),
        ("openssl@noasm", "openssl@3.6.3+noasm"),
        ("openssl@3.6.3+noasm", "openssl@3.6.3+noasm"),
        ("openssl+noasm", "openssl@3.6.3+noasm"),  # as it was printed before
        ("openssl@asm", None),
        ("modexp@O3:fast", "modexp@1.0+O3:fast"),
        ("modexp+O3:fast", "modexp@1.0+O3:fast"),
        ("modexp@O2", "modexp@1.0+O2:fast"),  # its only implementation
        ("modexp@O3", None),  # which of the two?
        ("modexp", None),
        ("mbedtls", "mbedtls@3.6.5+w5"),  # the only build there is
    ],
)
def test_a_library_means_the_build_of_the_distribution(name: str, meant: str | None) -> None:
    lanes = ["openssl@3.6.3+noasm", "openssl@3.0.19", "openssl@3.0.19:fast", "openssl@3.0.19#2", "mbedtls@3.6.5+w5"]
    lanes += ["modexp@1.0+O3:fast", "modexp@1.0+O3:small", "modexp@1.0+O2:fast"]
    assert base_lane(name, lanes) == meant


@pytest.mark.parametrize(
    ("text", "asks", "may"),
    [
        ("build:noasm", True, True),
        ("build:(noasm OR w5)", True, True),
        ("build:/asm/", True, True),
        ("-build:noasm", False, False),
        ("library:openssl", False, True),
        ("library:openssl impl:foo", False, True),
        ("library:openssl -impl:foo", False, True),
        ("library:botan impl:foo", False, False),
        ("library:botan OR impl:foo", False, True),
        ("-(library:openssl impl:foo)", False, True),
        ("-(library:openssl OR impl:foo)", False, False),
        ("", False, True),
    ],
)
def test_what_a_filter_asks_for_and_what_it_can_leave(text: str, asks: bool, may: bool) -> None:
    """By name, so that `-build:noasm` does not build every other one; and before a worker has told its implementations."""
    found = parse_filter(text, dict.fromkeys(FILTER_KEYS, ()))
    assert found.asks("build", "noasm") is asks
    assert found.may_match({"library": "openssl", "build": "noasm"}, ("impl",)) is may
