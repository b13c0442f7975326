# SPDX-License-Identifier: Apache-2.0
"""The interpreter of the kernel table against published examples and against arithmetic that shares nothing with it."""

from __future__ import annotations

import hashlib
import random

import pytest
from Crypto.Cipher import AES
from scripts import ROOT

from cipherstone.isa.examples import EXAMPLES
from cipherstone.isa.interpreter import final_state
from cipherstone.isa.program import IMPLEMENTATIONS, KERNEL, KernelProgram, Register, program
from cipherstone.isa.table import ISAS, Isa, load_table
from cipherstone.model.errors import DataError, UsageError
from cipherstone.model.ids import Case
from cipherstone.operations.kernel_proof import kernel_inputs, kernel_output, kernel_vectors

M64 = (1 << 64) - 1
RANDOM = random.Random(1)
K256 = [
    int(h, 16)
    for h in (
        "428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5 d807aa98 12835b01 243185be 550c7dc3 72be5d74 80deb1fe 9bdc06a7 c19bf174 "
        "e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da 983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967 "
        "27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85 a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070 "
        "19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3 748f82ee 78a5636f 84c87814 8cc70208 90befffa a4506ceb bef9a3f7 c67178f2"
    ).split()
]
H256 = [int(h, 16) for h in "6a09e667 bb67ae85 3c6ef372 a54ff53a 510e527f 9b05688c 1f83d9ab 5be0cd19".split()]
H1 = [int(h, 16) for h in "67452301 efcdab89 98badcfe 10325476 c3d2e1f0".split()]


def execute(isa: Isa, lines: str, registers: dict[str, int], widths: dict[str, int] | None = None) -> dict[str, int]:
    """Runs lines once; general registers have 8 bytes, others 16 unless `widths` says."""
    general = ("r", "x") if isa == "aarch64" else ("r",)
    sizes = {
        name: (widths or {}).get(name, 8 if name.startswith(general) and not name.startswith("xmm") else 16)
        for name in registers
    }
    one = KernelProgram(
        isa,
        "test",
        KERNEL,
        "test",
        tuple(lines.split("; ")),
        1,
        1,
        tuple(Register(name, size, False) for name, size in sizes.items()),
        0,
        False,
        False,
        (),
    )
    state = b"".join(registers[name].to_bytes(size, "little") for name, size in sizes.items())
    left, at, out = final_state(one, state, 1), 0, {}
    for name, size in sizes.items():
        out[name] = int.from_bytes(left[at : at + size], "little")
        at += size
    return out


def block(text: str) -> int:
    """Sixteen bytes as FIPS 197 prints them."""
    return int.from_bytes(bytes.fromhex(text), "little")


def words(*high_first: int) -> int:
    """Four 32-bit words, the most significant first."""
    value = 0
    for word in high_first:
        value = value << 32 | word
    return value


def test_one_aes_round_of_the_standard() -> None:
    """FIPS 197, appendix B: the state at the start of round 1, its round key, and the start of round 2."""
    start, key, after = (
        "193de3bea0f4e22b9ac68d2ae9f84808",
        "a0fafe1788542cb123a339392a6c7605",
        "a49c7ff2689f352b6b5bea43026a5049",
    )
    left = execute("x86-64", "aesenc xmm1, xmm2", {"xmm1": block(start), "xmm2": block(key)})
    assert left["xmm1"] == block(after)
    left = execute("aarch64", "aese v1.16b, v2.16b; aesmc v1.16b, v1.16b", {"v1": block(start), "v2": 0})
    assert left["v1"] ^ block(key) == block(after)


def test_ten_rounds_are_aes_and_can_be_undone() -> None:
    """Rounds with a key schedule by definition of the instructions; the equivalent inverse cipher decrypts with AESDEC."""
    key = bytes(range(16))
    schedule = expand(key)
    plain = RANDOM.randbytes(16)
    state = int.from_bytes(plain, "little") ^ schedule[0]
    for number in range(1, 11):
        word = "aesenc" if number < 10 else "aesenclast"
        state = execute("x86-64", f"{word} xmm1, xmm2", {"xmm1": state, "xmm2": schedule[number]})["xmm1"]
    assert state.to_bytes(16, "little") == AES.new(key, AES.MODE_ECB).encrypt(plain)
    # AESDEC undoes the substitution and the rows of AESENCLAST, then mixes the columns backwards: with a zero key AESENC and AESDEC cancel but for the mix.
    x = RANDOM.getrandbits(128)
    last = execute("x86-64", "aesenclast xmm1, xmm2", {"xmm1": x, "xmm2": 0})["xmm1"]
    unmixed = execute("x86-64", "aesdec xmm1, xmm2", {"xmm1": last, "xmm2": 0})["xmm1"]
    assert execute("aarch64", "aesmc v1.16b, v1.16b", {"v1": unmixed})["v1"] == x


def expand(key: bytes) -> list[int]:
    """The key schedule of AES-128, with the S-box from AESENCLAST."""
    four = [key[i : i + 4] for i in range(0, 16, 4)]
    rcon = 1
    for i in range(4, 44):
        word = bytearray(four[i - 1])
        if i % 4 == 0:
            column = int.from_bytes(bytes(word[1:] + word[:1]) * 4, "little")
            # Four equal columns: rows move, the bytes do not.
            word = bytearray(
                execute("x86-64", "aesenclast xmm1, xmm2", {"xmm1": column, "xmm2": 0})["xmm1"].to_bytes(16, "little")[
                    :4
                ]
            )
            word[0] ^= rcon
            rcon = rcon << 1 ^ (0x11B if rcon & 0x80 else 0)
        four.append(bytes(a ^ b for a, b in zip(four[i - 4], word, strict=True)))
    return [int.from_bytes(b"".join(four[i : i + 4]), "little") for i in range(0, 44, 4)]


def padded(message: bytes) -> list[int]:
    data = message + b"\x80" + bytes(55 - len(message)) + (8 * len(message)).to_bytes(8, "big")
    return [int.from_bytes(data[i : i + 4], "big") for i in range(0, 64, 4)]


def test_the_sha256_instructions_compute_sha256() -> None:
    """A message of one block, with rounds and schedule by the instructions alone, on both instruction sets."""
    message = b"abc"
    due = hashlib.sha256(message).hexdigest()
    w = padded(message)
    four = [words(*reversed(w[i : i + 4])) for i in range(0, 16, 4)]
    arm = list(four)
    for i in range(4, 16):
        part = execute("x86-64", "sha256msg1 xmm1, xmm2", {"xmm1": four[i - 4], "xmm2": four[i - 3]})["xmm1"]
        middle = (four[i - 2] >> 32 | four[i - 1] << 96) & (1 << 128) - 1
        part = execute("x86-64", "paddd xmm1, xmm2", {"xmm1": part, "xmm2": middle})["xmm1"]
        four.append(execute("x86-64", "sha256msg2 xmm1, xmm2", {"xmm1": part, "xmm2": four[i - 1]})["xmm1"])
        lines = "sha256su0 v1.4s, v2.4s; sha256su1 v1.4s, v3.4s, v4.4s"
        arm.append(
            execute("aarch64", lines, {"v1": arm[i - 4], "v2": arm[i - 3], "v3": arm[i - 2], "v4": arm[i - 1]})["v1"]
        )
    assert arm == four
    a, b, c, d, e, f, g, h = H256
    abef, cdgh = words(a, b, e, f), words(c, d, g, h)
    abcd, efgh = words(d, c, b, a), words(h, g, f, e)
    for i in range(16):
        constants = words(*reversed(K256[4 * i : 4 * i + 4]))
        wk = execute("x86-64", "paddd xmm1, xmm2", {"xmm1": four[i], "xmm2": constants})["xmm1"]
        for half in (wk, wk >> 64):
            registers = {"xmm1": cdgh, "xmm2": abef, "xmm0": half & (1 << 128) - 1}
            cdgh, abef = abef, execute("x86-64", "sha256rnds2 xmm1, xmm2", registers)["xmm1"]
        lines = "sha256h q1, q2, v3.4s; sha256h2 q2, q4, v3.4s"
        left = execute("aarch64", lines, {"v1": abcd, "v2": efgh, "v3": wk, "v4": abcd})
        abcd, efgh = left["v1"], left["v2"]
    state = [abef >> 96, abef >> 64, cdgh >> 96, cdgh >> 64, abef >> 32, abef, cdgh >> 32, cdgh]
    assert "".join(f"{x + start & 0xFFFFFFFF:08x}" for x, start in zip(state, H256, strict=True)) == due
    other = [x >> shift for x in (abcd, efgh) for shift in (0, 32, 64, 96)]
    assert "".join(f"{x + start & 0xFFFFFFFF:08x}" for x, start in zip(other, H256, strict=True)) == due


def test_the_sha1_instructions_compute_sha1() -> None:
    message = b"abc"
    w = padded(message)
    four = [words(*w[i : i + 4]) for i in range(0, 16, 4)]
    for i in range(4, 20):
        part = execute("x86-64", "sha1msg1 xmm1, xmm2", {"xmm1": four[i - 4], "xmm2": four[i - 3]})["xmm1"]
        part ^= four[i - 2]
        four.append(execute("x86-64", "sha1msg2 xmm1, xmm2", {"xmm1": part, "xmm2": four[i - 1]})["xmm1"])
    a, b, c, d, e = H1
    abcd, before = words(a, b, c, d), 0
    for i in range(20):
        if i == 0:
            wk = execute("x86-64", "paddd xmm1, xmm2", {"xmm1": four[0], "xmm2": e << 96})["xmm1"]
        else:
            wk = execute("x86-64", "sha1nexte xmm1, xmm2", {"xmm1": before, "xmm2": four[i]})["xmm1"]
        before, abcd = abcd, execute("x86-64", f"sha1rnds4 xmm1, xmm2, {i // 5}", {"xmm1": abcd, "xmm2": wk})["xmm1"]
    e = execute("x86-64", "sha1nexte xmm1, xmm2", {"xmm1": before, "xmm2": e << 96})["xmm1"] >> 96
    state = [abcd >> 96, abcd >> 64, abcd >> 32, abcd]
    found = [x + start & 0xFFFFFFFF for x, start in zip(state, H1[:4], strict=True)] + [e]
    assert "".join(f"{x:08x}" for x in found) == hashlib.sha1(message).hexdigest()


def test_carry_less_products() -> None:
    """Intel's white paper on PCLMULQDQ (revision 2.02), figure of all four halves, and a product of polynomials by definition."""
    a, b = 0x7B5B54657374566563746F725D53475D, 0x48692853686179295B477565726F6E5D
    due = {0x00: 0x1D4D84C85C3440C0929633D5D36F0451, 0x11: 0x1D1E1F2C592E7C45D66EE03E410FD4ED}
    for immediate, product in due.items():
        lines = f"pclmulqdq xmm1, xmm2, {immediate:#04x}"
        assert execute("x86-64", lines, {"xmm1": a, "xmm2": b})["xmm1"] == product
    assert execute("aarch64", "pmull v1.1q, v1.1d, v2.1d", {"v1": a, "v2": b})["v1"] == due[0x00]


def test_galois_instructions() -> None:
    identity = 0x0102040810204080
    x = RANDOM.getrandbits(128)
    lines = "gf2p8affineqb xmm1, xmm2, 0x63"
    left = execute("x86-64", lines, {"xmm1": x, "xmm2": identity << 64 | identity})["xmm1"]
    assert left == x ^ int.from_bytes(b"\x63" * 16, "little")
    # {57} x {83} = {c1}: FIPS 197, section 4.2.
    left = execute("x86-64", "gf2p8mulb xmm1, xmm2", {"xmm1": 0x57, "xmm2": 0x83})["xmm1"]
    assert left == 0xC1


@pytest.mark.parametrize("width", [16, 32, 64])
def test_lanes_do_not_touch_each_other(width: int) -> None:
    letter = {16: "x", 32: "y", 64: "z"}[width]
    a, b, c = (RANDOM.getrandbits(8 * width) for _ in range(3))
    names = {f"{letter}mm{i}": value for i, value in ((1, a), (2, b), (3, c))}
    widths = dict.fromkeys(names, width)

    def lanes(bits: int, function: object) -> int:
        mask = (1 << bits) - 1
        return sum(
            (function(a >> s & mask, b >> s & mask, c >> s & mask) & mask) << s  # type: ignore[operator]
            for s in range(0, 8 * width, bits)
        )

    def one(text: str) -> int:
        return execute("x86-64", text.replace("?", f"{letter}mm"), names, widths)[f"{letter}mm1"]

    m32, m52 = (1 << 32) - 1, (1 << 52) - 1
    assert one("vpaddd ?1, ?1, ?2") == lanes(32, lambda x, y, z: x + y)
    assert one("vpaddq ?1, ?1, ?2") == lanes(64, lambda x, y, z: x + y)
    assert one("vpxord ?1, ?1, ?2") == a ^ b
    assert one("vpslld ?1, ?1, 1") == lanes(32, lambda x, y, z: x << 1)
    assert one("vprold ?1, ?1, 7") == lanes(32, lambda x, y, z: x << 7 | x >> 25)
    assert one("vprolq ?1, ?1, 7") == lanes(64, lambda x, y, z: x << 7 | x >> 57)
    assert one("vpmuludq ?1, ?1, ?2") == lanes(64, lambda x, y, z: (x & m32) * (y & m32))
    assert one("vpternlogd ?1, ?2, ?3, 0x96") == a ^ b ^ c
    assert one("vpternlogd ?1, ?2, ?3, 0xca") == (a & b) | (~a & c & (1 << 8 * width) - 1)
    assert one("vpmadd52luq ?1, ?2, ?3") == lanes(64, lambda x, y, z: x + ((y & m52) * (z & m52) & m52))
    assert one("vpmadd52huq ?1, ?2, ?3") == lanes(64, lambda x, y, z: x + ((y & m52) * (z & m52) >> 52))


def test_carries_and_products_of_scalar_instructions() -> None:
    high, low = RANDOM.getrandbits(64), M64
    left = execute("x86-64", "add r8, r10; adc r9, r11", {"r8": low, "r9": high, "r10": 5, "r11": 7})
    assert left["r9"] << 64 | left["r8"] == (high << 64 | low) + (7 << 64 | 5) & (1 << 128) - 1
    left = execute("x86-64", "add r8, r8; adox r9, r9; adcx r10, r10", {"r8": M64, "r9": M64, "r10": 0})
    assert (left["r9"], left["r10"]) == (M64 - 1, 1)
    left = execute("x86-64", "mul r8", {"r8": high, "rax": low, "rdx": 0})
    assert left["rdx"] << 64 | left["rax"] == high * low
    left = execute("x86-64", "mulx r9, r10, r8", {"r8": high, "rdx": low, "r9": 0, "r10": 0})
    assert left["r9"] << 64 | left["r10"] == high * low
    left = execute("aarch64", "mul x3, x1, x2; umulh x4, x1, x2", {"x1": high, "x2": low, "x3": 0, "x4": 0})
    assert left["x4"] << 64 | left["x3"] == high * low
    left = execute(
        "aarch64",
        "adds x1, x1, x2; adcs x3, x3, x4; adc x5, x5, xzr",
        dict.fromkeys(("x1", "x2", "x3", "x4", "x5"), M64),
    )
    assert (left["x1"], left["x3"], left["x5"]) == (M64 - 1, M64, 0)


@pytest.mark.parametrize(("isa", "limbs"), [("x86-64", 8), ("aarch64", 4)])
def test_the_montgomery_step_is_one(isa: Isa, limbs: int) -> None:
    """(t + a b + m n) / 2^64 with m = t' n' mod 2^64, for every step of a block, against integers."""
    one = program(load_table(ROOT, isa), f"{isa}.mont-inner", "sequence")
    n = RANDOM.getrandbits(64 * limbs - 2) | 1 | 1 << 64 * limbs - 2
    a, b, t = RANDOM.randrange(n), RANDOM.getrandbits(64), RANDOM.randrange(n)
    inverse = -pow(n, -1, 1 << 64) & M64
    carries = [line for line in one.block if line.startswith(("adcx", "adds", "adcs"))]
    order = [destination(line) for line in carries[:limbs]]  # the words of t, the least significant first
    memory: list[int] = []
    numbers: dict[str, int] = {}
    if isa == "x86-64":
        memory = [*split(a, limbs), *split(n, limbs), inverse, b]
        order.append(destination([line for line in one.block if line.startswith("adox")][limbs - 1]))
    else:
        order.append(destination(next(line for line in one.block if line.endswith("xzr"))))
        products = [line.replace(",", " ").split() for line in one.block if line.startswith("mul ")]
        numbers = dict(zip([p[2] for p in products[:limbs]], split(a, limbs), strict=True))
        numbers |= dict(zip([p[2] for p in products[limbs + 1 : 2 * limbs + 1]], split(n, limbs), strict=True))
        numbers |= {products[0][3]: b, products[limbs][3]: inverse}
    registers = (
        {register.name: 0 for register in one.registers} | numbers | dict(zip(order, split(t, limbs + 1), strict=True))
    )
    words8 = [*memory, *(registers[register.name] for register in one.registers)]
    left = final_state(one, b"".join(word.to_bytes(8, "little") for word in words8), 1)
    found = {
        register.name: int.from_bytes(left[8 * (len(memory) + i) : 8 * (len(memory) + i) + 8], "little")
        for i, register in enumerate(one.registers)
    }
    steps = one.units // (2 * limbs)
    for _ in range(steps):
        t += a * b
        t = (t + (t * inverse & M64) * n) >> 64
    turned = order[steps % (limbs + 1) :] + order[: steps % (limbs + 1)]
    assert sum(found[name] << 64 * i for i, name in enumerate(turned)) == t


def destination(line: str) -> str:
    return line.split()[1].rstrip(",")


def split(value: int, count: int) -> list[int]:
    return [value >> 64 * i & M64 for i in range(count)]


def test_what_the_interpreter_does_not_know_is_an_error() -> None:
    with pytest.raises(DataError) as failure:
        execute("x86-64", "popcnt r8, r9", {"r8": 1, "r9": 2})
    assert "does not know 'popcnt'" in failure.value.message
    with pytest.raises(DataError):
        execute("aarch64", "clz x1, x2", {"x1": 1, "x2": 2})


def test_a_state_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(UsageError):
        kernel_output("x86-64.add/latency", {"msg": b"short"}, KERNEL)
    with pytest.raises(UsageError):
        kernel_inputs(Case("x86-64.add", "latency"), "kernal")


@pytest.mark.parametrize("isa", ISAS)
def test_every_operation_has_two_known_answers_for_each_implementation(isa: Isa) -> None:
    for kernel in load_table(ROOT, isa).kernels.values():
        vectors = [v for v in kernel_vectors(kernel.algorithm) if v.inputs["key"] != bytes(2)]
        forms = IMPLEMENTATIONS if kernel.assembled else IMPLEMENTATIONS[1:]
        assert [(v.verb, v.form) for v in vectors] == [
            (verb, form) for verb in kernel.forms for form in forms for _ in range(2)
        ]
        for vector in vectors:
            assert vector.output is not None and vector.source == "interpreter of the kernel table"
            assert len(vector.output) == len(vector.inputs["msg"]) > 0
            assert kernel_output(f"{kernel.algorithm}/{vector.verb}", vector.inputs, vector.form) == vector.output


def test_published_examples_are_what_the_interpreter_says() -> None:
    """Two sources that know nothing of each other; the worker has to agree with both."""
    for operation in EXAMPLES:
        algorithm, _, verb = operation.partition("/")
        (vector,) = [v for v in kernel_vectors(algorithm) if v.inputs["key"] == bytes(2) and v.verb == verb]
        assert vector.brief and vector.form == KERNEL and not vector.source.startswith("interpreter")
        assert vector.output != vector.inputs["msg"]
        assert kernel_output(operation, vector.inputs, KERNEL) == vector.output, operation
    assert len(EXAMPLES) >= 12
