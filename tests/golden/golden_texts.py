# SPDX-License-Identifier: Apache-2.0
"""Texts that are committed beside this file so that a change of them is a diff: what two small tables of kernels become. As a program (`make golden`) it writes them anew."""

from __future__ import annotations

import sys
import tempfile
from itertools import groupby
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "engine")]


from cipherstone.isa.sources import generated_sources, loop_mnemonics  # noqa: E402
from cipherstone.isa.table import FOLDER, ISAS, Isa  # noqa: E402

# One kernel for each thing that the assembly has a case for.
TABLES: dict[Isa, str] = {
    "x86-64": """
[[kernel]]
name = "chains"
group = "scalar"
why = "chains, registers that the function saves, the lower half"
latency = { code = "add {d}, {s}; imul {d32}, {t32}", cycles = 4, block = 6 }
throughput = { code = "add {d}, {s}", chains = 8, cycles = 0.25, block = 8 }

[[kernel]]
name = "words"
group = "memory"
why = "memory that is written, a register without a name, one of the row's own"
throughput = { code = "mulx {h}, {l}, [{m}]; ror {d}, cl; mov [{m1}], {h}", chains = 2, memory = 2, cycles = 1, block = 12, per = 1, unit = "product" }

[[kernel]]
name = "ring"
group = "memory"
why = "addresses of addresses"
features = ["avx2"]
latency = { code = "mov {d}, [{d}]", memory = 8, ring = true, cycles = 4, block = 2 }

[[kernel]]
name = "aesenc-xmm"
group = "aes"
why = "a published example"
features = ["aes"]
throughput = { code = "aesenc {x}, {xs}", chains = 2, cycles = 1, block = 2 }

[[kernel]]
name = "wide"
group = "aes"
why = "a vector of 32 bytes"
features = ["avx", "vaes"]
latency = { code = "vaesenc {y}, {y}, {ys}", cycles = 4, block = 1 }

[[kernel]]
name = "widest"
group = "vector"
why = "one of 64, with a label and a directive"
features = ["avx512f"]
latency = { code = ".p2align 4; 1:; vpaddq {z}, {z}, {zs}; jmp 1f; 1:", cycles = 1, block = 2, padding = true }

[[kernel]]
name = "turning"
group = "sequence"
why = "registers that change places"
sequence = { code = "add {a0}, {a1}; adc {a1}, {a2}", rotate = ["a0", "a1", "a2"], cycles = 1, block = 12 }

[[kernel]]
name = "turning-low"
group = "sequence"
why = "the same with another instruction"
like = "turning"
replace = { adc = "add %0, %1" }

[[kernel]]
name = "unknown"
group = "sha"
why = "no assembler here knows it"
assembled = false
latency = { code = "vsha512msg1 {y}, {xs}", cycles = 3, block = 1 }
""",
    "aarch64": """
[[kernel]]
name = "chains"
group = "scalar"
why = "chains, registers that the function saves, the lower half"
throughput = { code = "mul {d32}, {s32}, {t32}; add {d}, {d}, {s}", chains = 12, cycles = 1, block = 24 }

[[kernel]]
name = "saved"
group = "scalar"
why = "as many registers as it takes for one that is saved"
latency = { code = "add {a}, {b}, {c}; add {d}, {e}, {f}; add {g}, {h}, {i}; add {j}, {k}, {l}; add {n}, {o}, {p}; add {q}, {r}, {x}", cycles = 1, block = 6 }

[[kernel]]
name = "words"
group = "memory"
why = "memory that is read and written"
throughput = { code = "ldr {d}, [{m}]; str {d}, [{m1}]", chains = 2, memory = 2, cycles = 1, block = 4 }

[[kernel]]
name = "pmull"
group = "carry-less"
why = "a published example"
features = ["pmull"]
throughput = { code = "pmull {v}.1q, {v}.1d, {vs}.1d", chains = 2, cycles = 1, block = 2 }

[[kernel]]
name = "halves"
group = "sha"
why = "a vector that is called q"
features = ["sha2"]
latency = { code = "sha256h {vq}, {vsq}, {vt}.4s", cycles = 4, block = 1 }
""",
}


def kernels(isa: Isa, root: Path) -> str:
    """What is assembled and compiled of a small table, and what a loop adds to it."""
    folder = root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{isa}-small.toml").write_text(TABLES[isa], encoding="utf-8")
    texts = (f"// {name}\n{text}" for name, text in generated_sources(root, isa).items())
    lines = f"// loop: {' '.join(loop_mnemonics(isa))}\n{''.join(texts)}".splitlines()
    counted = [(line, sum(1 for _ in same)) for line, same in groupby(lines)]
    return "".join(f"{line} // {count} times\n" if count > 1 else f"{line}\n" for line, count in counted)


def outputs(root: Path) -> dict[str, str]:
    """Name of the golden file -> text. `root`: an empty folder."""
    return {f"kernels-{isa}.txt": kernels(isa, root) for isa in ISAS}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        for written, said in outputs(Path(temporary)).items():
            (HERE / written).write_text(said, encoding="utf-8")
            print(f"tests/golden/{written}")
