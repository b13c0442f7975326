# SPDX-License-Identifier: Apache-2.0
"""The shipped catalogue, libraries and suites; and what is said about broken ones: one clear line."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherstone.catalogue.algorithms import Catalogue, load_catalogue
from cipherstone.catalogue.document import shown
from cipherstone.catalogue.libraries import load_libraries, load_library
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.suites import _labs, load_suite, suite_names
from cipherstone.catalogue.vectors import load_vectors
from cipherstone.model.errors import CipherstoneError, DataError, UsageError
from cipherstone.model.records import Settings

ROOT = data_root()
OPERATIONS = """
md5/hash sha-1/hash sha-256/hash sha-512/hash sha3-256/hash blake2b-512/hash
hmac-sha-256/mac cmac-aes-128/mac cmac-aes-256/mac ghash/mac poly1305/mac
aes-128-cbc/encrypt aes-128-cbc/decrypt aes-256-cbc/encrypt aes-256-cbc/decrypt 3des-cbc/encrypt 3des-cbc/decrypt
aes-128-ctr/encrypt aes-256-ctr/encrypt chacha20/encrypt
aes-128-gcm/seal aes-128-gcm/open aes-256-gcm/seal aes-256-gcm/open chacha20-poly1305/seal chacha20-poly1305/open
x25519/derive x25519/multiply-base x25519/keygen x25519/agree p-256/derive p-256/multiply-base p-256/keygen p-256/agree
secp256k1/derive secp256k1/multiply-base secp256k1/keygen
ed25519/sign ed25519/verify ed25519/keygen ecdsa-p256-sha256/sign ecdsa-p256-sha256/verify
ecdsa-secp256k1-sha256/sign ecdsa-secp256k1-sha256/verify rsa-2048/keygen
ml-kem-512/keygen ml-kem-512/encaps ml-kem-512/decaps ml-kem-768/keygen ml-kem-768/encaps ml-kem-768/decaps
ml-kem-1024/keygen ml-kem-1024/encaps ml-kem-1024/decaps
""".split()
ON_REQUEST = (  # of other suites: the default one has five minutes
    *("x25519/agree", "p-256/agree", "secp256k1/derive"),
    *("x25519/multiply-base", "p-256/multiply-base", "secp256k1/multiply-base"),
)
DISTRIBUTIONS = [name for name in OPERATIONS if name.endswith("/keygen")]
BIGNUM = [
    *(
        f"modexp/{which.format(bits)}"
        for bits in (512, 1024, 2048, 3072, 4096, 8192)
        for which in ("private/bits={},crt=no", "public/bits={}")
    ),
    *(f"modexp-word/{which}/bits=2048" for which in ("private", "public")),
    *(f"bignum/montmul/bits={bits}" for bits in (512, 1024, 2048, 4096)),
    *(
        f"bignum/{verb}/bits={bits}"
        for bits in (2048, 4096)
        for verb in ("mod-add", "mod-mul", "mod-sqr", "mod-inv", "mod-sqrt", "div-mod")
    ),
    *(f"modexp/private/bits={bits},crt=yes" for bits in (1024, 2048, 3072, 4096, 8192)),
]
# Other algorithms may come and go.
CONTRACT = {name.split("/")[0] for name in (*OPERATIONS, *BIGNUM)}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue(ROOT)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the catalogue and the suites, with one library and the vectors of one algorithm, to break."""
    shutil.copytree(ROOT / "algorithms", tmp_path / "algorithms", ignore=shutil.ignore_patterns("vectors.json"))
    shutil.copytree(ROOT / "suites", tmp_path / "suites")
    shutil.copy(ROOT / VECTORS, tmp_path / VECTORS)
    (tmp_path / "vectors").mkdir()
    shutil.copy(ROOT / "vectors" / "CLASSES.toml", tmp_path / "vectors")
    library = tmp_path / "libraries" / "examplelib"
    library.mkdir(parents=True)
    (library / "adapter.c").touch()
    (library / "library.toml").write_text(LIBRARY)
    return tmp_path


VECTORS = "algorithms/aes-128-gcm/vectors.json"
LIBRARY = """
id = "examplelib"
title = "Example"
homepage = "https://example.org/"
licence = "MIT"
language = "c"
sources = ["adapter.c"]
min_version = "1.0"
notes = "the only API"
not_measured = [
    { ops = ["ghash/mac"], reason = "not public" },
    { ops = ["md5/hash", "sha-1/hash"], reason = "left out" },
]
[distribution]
pkg_config = []
header = "example.h"
libs = ["-lexample"]
[distribution.packages]
debian = ["libexample-dev"]
"""


def test_the_operations_are_those_of_the_contract(catalogue: Catalogue) -> None:
    found = [name for name, operation in catalogue.operations.items() if operation.algorithm in CONTRACT]
    assert found[: len(OPERATIONS)] == OPERATIONS
    assert sorted(found[len(OPERATIONS) :]) == sorted(BIGNUM)
    assert all(catalogue.operations[name].family == "bignum" for name in BIGNUM)


def test_sizes_are_at_least_the_eight_and_blocks_divide_them(catalogue: Catalogue) -> None:
    assert {16, 64, 256, 1024, 1350, 8192, 16384, 1048576} <= set(catalogue.sizes)
    for operation in catalogue.operations.values():
        if operation.unit == "byte":
            if operation.algorithm in CONTRACT:  # sizes of their own are for what is used for one thing: sectors, keys
                assert len(operation.sizes) == 8 and operation.headline_size == 16384
            assert operation.headline_size in operation.sizes
            assert all(size % operation.block == 0 for size in operation.sizes)
        else:
            assert operation.sizes == () and operation.headline.size_bytes is None
        assert len(operation.cases) == max(1, len(operation.sizes))


def test_every_verb_of_the_catalogue_has_named_inputs(catalogue: Catalogue) -> None:
    verbs = {operation.verb for operation in catalogue.operations.values()}
    assert verbs <= set(catalogue.verbs) and "empty" in catalogue.verbs


def test_the_libraries_of_this_checkout_load(catalogue: Catalogue) -> None:
    libraries = load_libraries(ROOT, catalogue)
    assert libraries and list(libraries) == sorted(libraries)
    for library in libraries.values():
        assert library.source_paths and all(path.is_file() for path in library.source_paths)


def test_a_library_gives_a_reason_for_each_operation_that_it_lacks(copy: Path) -> None:
    library = load_libraries(copy)["examplelib"]
    own = {name: why for name, why in library.not_measured.items() if not name.startswith("tls/")}
    assert own == {"ghash/mac": "not public", "md5/hash": "left out", "sha-1/hash": "left out"}
    assert {why for name, why in library.not_measured.items() if name not in own} == {
        "measured by the workers of `cipherstone lab tls`"
    }
    assert library.distribution.packages.debian == ("libexample-dev",) and library.distribution.packages.arch == ()


def test_empty_and_hidden_folders_are_no_libraries(copy: Path) -> None:
    (copy / "libraries" / "planned").mkdir()
    (copy / "libraries" / ".cache").mkdir()
    (copy / "libraries" / ".cache" / "x").touch()
    assert list(load_libraries(copy)) == ["examplelib"]


def test_the_default_suite(catalogue: Catalogue) -> None:
    suite = load_suite(ROOT, "default", catalogue)
    overview, sizes, bearssl = suite.sections
    assert [section.id for section in suite.sections] == ["overview", "sizes", "bearssl"]
    listed = [case for case in suite.cases if case.algorithm in CONTRACT]
    expected = [o for o in OPERATIONS if o not in DISTRIBUTIONS and o not in ON_REQUEST]
    assert [case.operation for case in overview.cases if case.algorithm in CONTRACT] == expected
    assert len(sizes.cases) == 8 * 8 and len(set(listed)) == len(listed) == 40 + 8 * 7
    assert bearssl.selects({"library": "bearssl", "impl": "aes_ct"}, alone=False)
    assert not bearssl.selects({"library": "openssl", "impl": "default"}, alone=True)
    assert suite.apply(Settings()).max_time_s == 240 and suite.apply(Settings()).rounds == Settings().rounds
    assert {card.case.operation for card in suite.cards} >= {
        "sha-256/hash",
        "x25519/derive",
        "ml-dsa-65/sign",
    }


def test_distributions_are_measured_only_where_they_are_named(catalogue: Catalogue) -> None:
    drawn = [operation for operation in catalogue.operations.values() if operation.distribution]
    assert [one.id for one in drawn if one.algorithm in CONTRACT] == DISTRIBUTIONS
    named = {case.operation for case in load_suite(ROOT, "keys", catalogue).cases}
    assert {one.id for one in drawn} <= named and {"ml-kem-768/encaps", "ml-kem-768/decaps"} <= named


def test_laboratories_are_measured_only_where_they_are_named(catalogue: Catalogue) -> None:
    """ "all" of a suite does not mean the modexp laboratory's operations: they answer other questions and take minutes."""
    for name in ("default", "quick"):
        assert not any(case.operation in BIGNUM for case in load_suite(ROOT, name, catalogue).cases)


def test_the_only_implementation_of_a_library_counts_as_its_default(catalogue: Catalogue) -> None:
    overview = load_suite(ROOT, "default", catalogue).sections[0]
    assert overview.selects({"library": "openssl", "impl": "default"}, alone=False)
    assert overview.selects({"library": "bearssl", "impl": "sha2small"}, alone=True)
    assert not overview.selects({"library": "bearssl", "impl": "aes_ct"}, alone=False)


def test_the_other_suites(catalogue: Catalogue) -> None:
    assert {"default", "quick", "full"} <= set(suite_names(ROOT))
    quick, full = load_suite(ROOT, "quick", catalogue), load_suite(ROOT, "full", catalogue)
    assert len(quick.cases) == 8 and (quick.apply(Settings()).max_time_s or 0) < 60
    everything = {case for name in OPERATIONS for case in catalogue.operations[name].cases}
    modexp = {
        f"modexp/{which}" for which in ("private/bits=2048,crt=no", "private/bits=2048,crt=yes", "public/bits=2048")
    }
    assert {case for case in full.cases if case.operation in OPERATIONS} == everything
    others = {case.operation for case in full.cases if case.operation not in OPERATIONS and case.algorithm in CONTRACT}
    assert others == modexp | {f"modexp-word/{which}/bits=2048" for which in ("private", "public")}
    assert full.sections[0].selects({"library": "bearssl", "impl": "aes_ct"}, alone=False)


def test_unknown_suite_names_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        load_suite(ROOT, "defualt")
    assert "defualt" in caught.value.message and "default" in caught.value.hint


Load = Callable[[Path], object]
MD5, CBC, FAMILIES = (
    "algorithms/md5/algorithm.toml",
    "algorithms/aes-128-cbc/algorithm.toml",
    "algorithms/families.toml",
)
BREAK_CATALOGUE = [
    (MD5, 'id = "md5"', 'id = "MD5"', ["algorithm: is not 'md5' alone"]),
    ("algorithms/sha-1/algorithm.toml", 'id = "sha-1"', 'id = "md5"', ["algorithm: is not 'sha-1' alone", "[[algorithm]]"]),
    (MD5, 'verb = "hash"', 'verb = "hush"', ["operations[0].verb", "'hush'", "hash"]),
    (MD5, "standard =", "standart =", ["algorithm[0]", "'standart'", "standard"]),
    (MD5, 'standard = "RFC 1321"\n', "", ["algorithm[0]", "'standard' is missing"]),
    (MD5, 'title = "MD5"', "title = 5", ["algorithm[0].title", "'5'", "expected str"]),
    (MD5, 'title = "MD5" }', 'title = " " }', ["operations[0].title", "empty"]),
    (MD5, "digest = 16", "digest = 0", ["digest", "'0' is not positive"]),
    ("algorithms/sha-224/algorithm.toml", 'family = "hash"', 'family = "mac"', ["operations[0].verb", "'hash'", "mac"]),
    (MD5, "[[algorithm]]", "[verbs.hahs]\ntimed = 'a'\nuntimed = 'b'\nunit = 'call'\n[[algorithm]]", ["verbs", "'hahs'", "hash"]),
    (MD5, "[[algorithm]]", "[[algorithm]", ["not TOML", "line"]),
    (CBC, "1344", "1350", ["sizes", "'1350'", "block of 16"]),
    (CBC, "block = 16", "block = 0", ["block", "'0'"]),
    (FAMILIES, "[family.verbs.hash]", "[family.verbs.hahs]", ["family[0].verbs", "'hahs'", "hash"]),
    (FAMILIES, 'unit = "byte"', 'unit = "bit"', ["verbs", "unit", "'bit'"]),
    (FAMILIES, "sizes = [16, 64", "sizes = [17, 64", ["family[0].verbs.hash.sizes", "'17'", "known: 16"]),
    (FAMILIES, "sizes = [16, 64", "sizes = [64, 16", ["sizes", "rising"]),
    (FAMILIES, "headline_size = 16384", "headline_size = 1", ["headline_size", "'1'"]),
    (FAMILIES, 'unit = "call"', 'unit = "byte"', ["family[2].verbs.derive.sizes", "byte"]),
    (FAMILIES, 'unit = "call"', 'unit = "call"\nsizes = [16]', ["sizes", "[16]"]),
    (FAMILIES, 'unit = "call"', 'unit = "call"\nheadline_size = 16', ["headline_size", "'16'"]),
    (FAMILIES, 'id = "mac"', 'id = "hash"', ["family[1].id", "'hash'", "twice"]),
    (FAMILIES, '"md5", "sha-1"', '"md5", "md5"', ["family[0].first", "twice"]),
    (FAMILIES, '"md5", "sha-1"', '"md5", "sha-2"', ["family[0].first", "'sha-2'", "hash"]),
    (FAMILIES, '"md5", "sha-1"', '"md5", "ghash"', ["family[0].first", "'ghash'", "hash"]),
    ("algorithms/sizes.toml", "bytes = 64", "bytes = 16", ["size[2].bytes", "'16'", "twice"]),
    ("algorithms/sizes.toml", "bytes = 64", "bytes = -64", ["size[2].bytes", "'-64'"]),
    ("algorithms/sizes.toml", "bytes = 64", 'bytes = "64"', ["size[2].bytes", "'64'", "int"]),
]  # fmt: skip
BREAK_LIBRARY = [
    ('id = "examplelib"', 'id = "example"', ["id", "'example'", "examplelib"]),
    ('language = "c"', 'language = "rust"', ["language", "'rust'"]),
    ('"adapter.c"]', '"adaptor.c"]', ["sources[0]", "'adaptor.c'"]),
    ('"adapter.c"]', '"../examplelib/adapter.c"]', ["sources[0]", "adapter.c"]),
    ('sources = ["adapter.c"]', "sources = []", ["sources", "empty"]),
    ("homepage =", "home_page =", ["'home_page'", "homepage"]),
    ('licence = "MIT"\n', "", ["'licence' is missing"]),
    ('licence = "MIT"', 'licence = ""', ["licence", "empty"]),
    ("debian =", "debain =", ["distribution.packages", "'debain'", "debian"]),
    ('libs = ["-lexample"]', "libs = []", ["distribution.libs"]),
    ('header = "example.h"', 'header = ""', ["distribution.header"]),
    ('ops = ["ghash/mac"]', 'ops = ["gash/mac"]', ["not_measured[0]", "'gash/mac'", "ghash/mac"]),
    ('ops = ["ghash/mac"]', 'ops = ["md5/hash"]', ["not_measured[1]", "'md5/hash'", "twice"]),
    ('ops = ["ghash/mac"], ', "", ["not_measured[0]", "ops or families"]),
    ('ops = ["ghash/mac"], ', 'ops = ["ghash/mac"], families = ["hash"], ', ["not_measured[0]", "ops or families"]),
    ('reason = "not public"', 'reason = ""', ["not_measured[0].reason", "empty"]),
]
BREAK_SUITE = [
    ('"sha-256/hash",', '"sha-265/hash",', ["section[0].operations[2]", "'sha-265/hash'", "sha-256/hash"]),
    ('"sha3-256/hash",', '"sha-256/hash",', ["section[0].operations[4]", "twice"]),
    ('sizes = "all"', "sizes = [15]", ["section[1].sizes", "'15'", "16"]),
    ('sizes = "all"', 'sizes = "most"', ["section[1].sizes", "'most'"]),
    ('id = "sizes"', 'id = "overview"', ["section[1].id", "'overview'"]),
    ('lanes = "library:bearssl"', 'lanes = "libary:bearssl"', ["section[2].lanes", "'libary'", "library"]),
    ("question = ", "qestion = ", ["'qestion'", "question"]),
    ('case = "x25519/derive"', 'case = "x25591/derive"', ["card[3].case", "'x25591/derive'", "x25519/derive"]),
    ('case = "x25519/derive"', 'case = "x25519"', ["card[3].case", "'x25519'"]),
    ("max_time_s = 240", "max_time_s = -1", ["settings.max_time_s", "'-1"]),
    ("max_time_s = 240", "max_tims_s = 270", ["settings", "'max_tims_s'", "max_time_s"]),
    ("max_time_s = 240", 'max_time_s = "long"', ["settings.max_time_s", "'long'"]),
    ("max_time_s = 240", "min_passes = 99", ["settings.min_passes", "'99'"]),
]
BREAK_VECTORS = [
    ('"id": "seal-1"', '"id": "seal-2"', ["vectors[1].id", "'seal-2'", "twice"]),
    ('"verb": "seal"', '"verb": "seel"', ["vectors[0].verb", "'seel'", "seal"]),
    ('"verb": "seal"', '"verb": "hash"', ["vectors[0].verb", "'hash'"]),
    ('"aad": ', '"add": ', ["vectors[0].inputs", "'add'", "aad"]),
    ('"key": "5b', '"key": "5', ["vectors[0].inputs.key", "hexadecimal"]),
    ('"key": "5b', '"key": "5B', ["vectors[0].inputs.key", "hexadecimal"]),
    ('"brief": true', '"breif": true', ["'breif'", "brief"]),
    ('"output": ', '"expect": "rejected", "note": ', ["vectors[0].expect", "seal"]),
    ('"expect": "rejected"', '"expect": "refused"', ["expect", "'refused'"]),
    ('"expect": "rejected"', '"expect": "ok"', ["output", "missing"]),
    ('"algorithm": "aes-128-gcm"', '"algorithm": "aes-256-gcm"', ["algorithm", "'aes-256-gcm'"]),
    ('"vectors": [', '"vectors": ', ["not JSON"]),
    (
        '"flags": ["Pseudorandom"]',
        '"flags": ["Pseudorandon"]',
        ["flags", "'Pseudorandon'", "CLASSES.toml", "Pseudorandom"],
    ),
    (
        '"flags": ["ModifiedTag"]',
        '"flags": ["BerEncodedSignature"]',
        ["flags", "'BerEncodedSignature'", "class of aes"],
    ),
]
BREAK_CLASSES = [
    ('id = "modified-tag"', 'id = "ordinary"', ["class[", "'ordinary'", "twice"]),
    ('outcome = "lax"', 'outcome = "loose"', ["class[0].outcome", "'loose'"]),
    ('expect = "rejected"', 'expect = "ok"', ["class[0].expect", "'ok'", "'rejected'"]),
    ('expect = "rejected"\n', "", ["class[0].expect", "'all'", "'rejected'"]),
    ('does = "accepts signatures in BER that is not DER"', 'does = ""', ["class[0].does", "empty"]),
    ('means = "No', 'mean = "No', ["class[0]", "'mean'"]),
    (
        'vectors = ["verify-der-474", "verify-der-494", "verify-der-532"]',
        "vectors = []",
        ["class[1].vectors", "empty", "leave it out"],
    ),
    ('vectors = ["verify-der-474", "verify-der-494", "verify-der-532"]', 'vectors = "all"', ["class[1].vectors"]),
]


def _broken(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text, f"{old!r} is not in {path.name}: the test breaks nothing"
    path.write_text(text.replace(old, new, 1))


def _one_line(error: CipherstoneError, name: str, words: list[str]) -> None:
    said = f"{error.message} | {error.hint}"
    assert error.message.startswith(name) and "\n" not in said and len(said) < 500, said
    for word in words:
        assert word in said, f"{word!r} is not in: {said}"


@pytest.mark.parametrize(("name", "old", "new", "words"), BREAK_CATALOGUE)
def test_a_broken_catalogue_is_one_line(copy: Path, name: str, old: str, new: str, words: list[str]) -> None:
    _broken(copy / name, old, new)
    with pytest.raises(DataError) as caught:
        load_catalogue(copy)
    _one_line(caught.value, name, words)


def test_a_folder_that_is_no_id_is_one_line(copy: Path) -> None:
    (copy / "algorithms/sha-224").rename(copy / "algorithms/SHA")
    _broken(copy / "algorithms/SHA/algorithm.toml", 'id = "sha-224"', 'id = "SHA"')
    with pytest.raises(DataError) as caught:
        load_catalogue(copy)
    _one_line(caught.value, "algorithms/SHA/algorithm.toml", ["algorithm[0].id", "'SHA' is not an id"])


def test_the_order_is_of_families_then_first_ones_then_names(copy: Path, catalogue: Catalogue) -> None:
    _broken(copy / FAMILIES, 'first = ["md5", "sha-1", ', 'first = ["sha-224", "sha-1", "md5", ')
    found = [one for one in load_catalogue(copy).algorithms if load_catalogue(copy).listed(f"{one}/hash")]
    assert found[:3] == ["sha-224", "sha-1", "md5"]
    before = [one for one in catalogue.algorithms if catalogue.listed(f"{one}/hash")]
    assert found[3:] == [one for one in before if one not in found[:3]]
    behind = before[before.index("blake2b-512") + 1 :]
    assert behind == sorted(behind) and len(behind) > 5


def test_a_length_may_be_one_byte(copy: Path) -> None:
    _broken(copy / "algorithms/md5/algorithm.toml", "digest = 16", "digest = 1")
    assert load_catalogue(copy).lengths["md5"] == {"digest": 1}


@pytest.mark.parametrize(("old", "new", "words"), BREAK_LIBRARY)
def test_a_broken_library_is_one_line(copy: Path, old: str, new: str, words: list[str]) -> None:
    _broken(copy / "libraries/examplelib/library.toml", old, new)
    with pytest.raises(DataError) as caught:
        load_libraries(copy)
    _one_line(caught.value, "libraries/examplelib/library.toml", words)
    left_out: dict[str, DataError] = {}
    assert load_libraries(copy, left_out=left_out) == {}
    _one_line(left_out["examplelib"], "libraries/examplelib/library.toml", words)


@pytest.mark.parametrize(("old", "new", "words"), BREAK_SUITE)
def test_a_broken_suite_is_one_line(copy: Path, old: str, new: str, words: list[str]) -> None:
    _broken(copy / "suites/default.toml", old, new)
    with pytest.raises(DataError) as caught:
        load_suite(copy, "default")
    _one_line(caught.value, "suites/default.toml", words)


def test_a_laboratory_that_is_none_is_one_line() -> None:
    with pytest.raises(DataError) as caught:
        _labs(ROOT, "suites/x.toml: labs", ["modexp", "modexpp"])
    _one_line(caught.value, "suites/x.toml: labs[1]", ["'modexpp'", "labs/", "modexp"])
    assert _labs(ROOT, "labs", ["modexp"]) == ("modexp",)


def test_a_section_without_operations_is_one_line(copy: Path) -> None:
    path = copy / "suites/default.toml"
    path.write_text(re.sub(r"operations = \[[^]]*\]", "operations = []", path.read_text(), count=1))
    with pytest.raises(DataError) as caught:
        load_suite(copy, "default")
    _one_line(caught.value, "suites/default.toml", ["section[0].operations", "empty"])


@pytest.mark.parametrize(("old", "new", "words"), BREAK_VECTORS)
def test_broken_vectors_are_one_line(copy: Path, old: str, new: str, words: list[str]) -> None:
    _broken(copy / VECTORS, old, new)
    with pytest.raises(DataError) as caught:
        load_vectors(copy, "aes-128-gcm")
    _one_line(caught.value, VECTORS, words)


@pytest.mark.parametrize(("old", "new", "words"), BREAK_CLASSES)
def test_broken_classes_are_one_line(copy: Path, old: str, new: str, words: list[str]) -> None:
    _broken(copy / "vectors/CLASSES.toml", old, new)
    with pytest.raises(DataError) as caught:
        load_vectors(copy, "aes-128-gcm")
    _one_line(caught.value, "vectors/CLASSES.toml", words)


def test_missing_files_and_folders_are_one_line(copy: Path, catalogue: Catalogue) -> None:
    (copy / "libraries/examplelib/library.toml").unlink()
    with pytest.raises(DataError, match=r"library\.toml: cannot be read"):
        load_library(copy / "libraries/examplelib", catalogue)
    with pytest.raises(DataError, match=r"algorithms/md5/vectors\.json: cannot be read"):
        load_vectors(copy, "md5")
    with pytest.raises(DataError, match="'mb5' is not an algorithm"):
        load_vectors(copy, "mb5")
    shutil.rmtree(copy / "algorithms")
    with pytest.raises(DataError, match="algorithms"):
        load_catalogue(copy)


def test_bytes_that_are_not_utf_8_are_one_line(copy: Path) -> None:
    (copy / "algorithms/md5/algorithm.toml").write_bytes(b'family = "\xff"')
    with pytest.raises(DataError, match=r"algorithms/md5/algorithm\.toml: byte 10 is not UTF-8"):
        load_catalogue(copy)


@pytest.mark.parametrize(
    ("value", "text"),
    [("x" * 60, "x" * 60), ("x" * 61, "x" * 57 + "..."), ("  two\n words ", "two words"), (5, "5")],
)
def test_a_value_is_shown_in_one_line(value: object, text: str) -> None:
    assert shown(value) == f"'{text}'"
