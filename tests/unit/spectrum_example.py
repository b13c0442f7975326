# SPDX-License-Identifier: Apache-2.0
"""A spectrum written by hand, near to a current server core: enough for every roofline model of x86-64."""

from __future__ import annotations

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.roofline import load_models
from cipherstone.model.records import KernelFigure, Spectrum

CYCLES = {
    "add/latency": 1.0, "add/throughput": 0.2, "adc/latency": 1.0, "ror/latency": 1.0, "ror/throughput": 0.5, "imul/throughput": 0.38, "mul/latency": 3.0, "mul/throughput": 0.67,
    "load/latency": 4.0, "load/throughput": 0.33, "aesenc-xmm/latency": 3.99, "aesenc-xmm/throughput": 0.503, "vaesenc-ymm/throughput": 0.503, "vaesenc-zmm/throughput": 0.503,
    "pclmulqdq-xmm/throughput": 2.0, "vpclmulqdq-ymm/throughput": 2.0, "vpclmulqdq-zmm/throughput": 2.0, "sha256rnds2/latency": 3.99, "sha256rnds2/throughput": 2.0,
    "sha1rnds4/latency": 5.0, "mul-adc/sequence": 2.2, "mulx-adcx-adox/sequence": 1.48, "mulx-only/sequence": 0.67,
}  # fmt: skip


def spectrum(refused: str = "") -> Spectrum:
    """Every kernel that a model names; those not in the table above at half a cycle."""
    kernels = sorted({k for m in load_models(data_root()) for k in m.kernels if k.startswith("x86-64.")})
    figures = [KernelFigure(k, CYCLES.get(k.partition(".")[2], 0.5)) for k in kernels]
    return Spectrum("x86-64", () if refused else tuple(figures), agreement=1.001, refused=refused, ghz=3.0)


FEATURES = tuple(
    "aes avx2 pclmulqdq sha_ni ssse3 bmi2 adx vaes vpclmulqdq avx512f avx512vl avx512bw avx512ifma gfni sse4_1".split()
)
