# SPDX-License-Identifier: Apache-2.0
"""Machine facts. Each is read where the system tells it and None where it does not; nothing here changes the machine."""

from __future__ import annotations

import hashlib
import os
import platform
import re
from collections.abc import Sequence
from pathlib import Path

from cipherstone.host.emulation import emulation
from cipherstone.host.reading import cpuinfo_field, read_text
from cipherstone.model.records import NOT_AFFECTED, Machine


def cpu_model(cpuinfo: str) -> str:
    """Vendor's name, with family and model where known, because hypervisors shorten the name (`AMD EPYC`)."""
    name = cpuinfo_field(cpuinfo, "model name", "Model", "Hardware") or platform.processor() or platform.machine()
    family, model = cpuinfo_field(cpuinfo, "cpu family"), cpuinfo_field(cpuinfo, "model")
    if family and model and model.isdecimal():
        return f"{name} (family {family} model {model})"
    implementer, part = cpuinfo_field(cpuinfo, "CPU implementer"), cpuinfo_field(cpuinfo, "CPU part")
    if implementer and part:
        return f"{name} (implementer {implementer} part {part})"
    return name


def hypervisor(cpuinfo: str) -> str | None:
    """The hypervisor's name, `yes` if only its presence is known, None on bare metal as far as one can see."""
    product = read_text("/sys/class/dmi/id/sys_vendor")
    kind = read_text("/sys/hypervisor/type")
    flags = cpuinfo_field(cpuinfo, "flags", "Features") or ""
    if kind:
        return kind
    if "hypervisor" in flags.split():
        if product and any(word in product for word in ("QEMU", "Amazon", "Google", "Microsoft", "VMware", "Xen")):
            return product
        return (
            "kvm"
            if "kvmclock"
            in (read_text("/sys/devices/system/clocksource/clocksource0/available_clocksource") or "").replace("-", "")
            else "yes"
        )
    return None


def counters() -> str:
    """Whether hardware performance counters can be opened: `perf-events`, or `none` with the reason."""
    devices = Path("/sys/bus/event_source/devices")
    if not devices.is_dir():
        return "none (no perf events in this kernel)"
    if not any((devices / name).exists() for name in ("cpu", "cpu_core", "armv8_pmuv3", "armv8_pmuv3_0")):
        return "none (no PMU is given to this system)"
    paranoid = read_text("/proc/sys/kernel/perf_event_paranoid")
    if paranoid and paranoid.lstrip("-").isdecimal() and int(paranoid) > 2 and os.geteuid() != 0:
        return f"none (perf_event_paranoid is {paranoid})"
    return "perf-events"


def cpu_features(cpuinfo: str | None = None) -> tuple[str, ...]:
    """Names of the processor's features as the kernel lists them, in `cpuinfo` (None: the system's); none where it does not."""
    text = read_text("/proc/cpuinfo") or "" if cpuinfo is None else cpuinfo
    return tuple(sorted((cpuinfo_field(text, "flags", "Features") or "").split()))


def machine_facts() -> Machine:
    """Everything that the manifest says about the host."""
    cpuinfo = read_text("/proc/cpuinfo") or ""
    features = cpu_features(cpuinfo)
    memory: int | None
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        memory = None
    model, hyper = cpu_model(cpuinfo), hypervisor(cpuinfo)
    system = _system_name()
    base = "/sys/devices/system/cpu/"
    turbo = read_text(base + "intel_pstate/no_turbo")
    boost = read_text(base + "cpufreq/boost")
    # The fingerprint leaves out what changes from boot to boot (kernel build, free memory), so that runs of one machine compare.
    digest = hashlib.sha256(
        "|".join([model, platform.machine(), str(os.cpu_count()), " ".join(features), str(hyper), system]).encode()
    )
    return Machine(
        fingerprint=digest.hexdigest()[:16],
        cpu_model=model,
        architecture=platform.machine(),
        logical_cpus=os.cpu_count() or 1,
        cpu_features=features,
        hypervisor=hyper,
        memory_bytes=memory,
        system=system,
        kernel=f"{platform.system()} {platform.release()}",
        governor=read_text(base + "cpu0/cpufreq/scaling_governor"),
        turbo=("off" if turbo == "1" else "on")
        if turbo is not None
        else ("on" if boost == "1" else "off" if boost == "0" else None),
        smt=read_text(base + "smt/control"),
        autogroup=read_text("/proc/sys/kernel/sched_autogroup_enabled"),
        counters=counters(),
        own_cache_bytes=own_cache_bytes(),
        emulated=emulation(cpuinfo),
        microcode=cpuinfo_field(cpuinfo, "microcode"),
        mitigations=mitigations(),
    )


def mitigations(folder: Path = Path("/sys/devices/system/cpu/vulnerabilities")) -> dict[str, str]:
    """Flaw of the processor -> what the kernel does about it (`Mitigation: ...`, `Vulnerable`), in its words; those that the processor is not affected by are left out. Empty where the system does not tell."""
    said = {path.name: read_text(str(path)) for path in sorted(folder.glob("*"))}
    return {name: text for name, text in said.items() if text and text != NOT_AFFECTED}


def own_cache_bytes(cpu: int = 0) -> int | None:
    """Size of the second-level cache of `cpu`, as the system tells it (`1024K`); None where it does not."""
    found = re.fullmatch(r"(\d+)([KM])", read_text(f"/sys/devices/system/cpu/cpu{cpu}/cache/index2/size") or "")
    return int(found[1]) << {"K": 10, "M": 20}[found[2]] if found else None


def _system_name() -> str:
    for line in (read_text("/etc/os-release") or "").splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip().strip('"')
    return f"{platform.system()} {platform.release()}"


def allowed_cpus() -> list[int]:
    """CPUs that this process may run on; empty where the system cannot tell."""
    try:
        return sorted(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        return []


def thread_siblings(cpu: int) -> list[int]:
    """CPUs that are threads of the same core as `cpu`, itself included, as the system tells it; only itself where it does not. Guests are often told nothing, or less than the truth."""
    text = read_text(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list") or ""
    found = {cpu}
    for part in text.split(","):
        first, _, last = part.partition("-")
        if first.isdecimal() and (last or first).isdecimal():
            found |= set(range(int(first), int(last or first) + 1))
    return sorted(found)


def cpus_like(cpu: int, allowed: Sequence[int]) -> list[int]:
    """Those of `allowed` whose core is of the same kind as that of `cpu`, itself included: the same capacity where the system tells one, the same first- and second-level caches. Passes on large and small cores have nothing in common."""
    kind = _core_kind(cpu)
    return [one for one in allowed if one == cpu or _core_kind(one) == kind]


def _core_kind(cpu: int) -> tuple[str | None, ...]:
    folder = f"/sys/devices/system/cpu/cpu{cpu}"
    caches = (f"cache/index{index}/size" for index in range(3))  # data, instructions, second level
    return tuple(read_text(f"{folder}/{name}") for name in ("cpu_capacity", *caches))


def measuring_cpu(asked: int | None = None) -> int | None:
    """The CPU that workers are pinned to: the one asked for, else the last allowed one (CPU 0 takes most interrupts), else None."""
    allowed = allowed_cpus()
    if asked is not None:
        return asked
    return allowed[-1] if allowed else None


def steal_and_total_ticks() -> tuple[int, int] | None:
    """(stolen, all) CPU ticks since boot from /proc/stat, or None."""
    text = read_text("/proc/stat")
    if not text or not text.startswith("cpu "):
        return None
    fields = [int(field) for field in text.splitlines()[0].split()[1:9]]
    return (fields[7], sum(fields)) if len(fields) == 8 else None


def load_1min() -> float | None:
    """Load average of the last minute, or None."""
    try:
        return os.getloadavg()[0]
    except OSError:
        return None


def steal_ratio(before: tuple[int, int] | None, after: tuple[int, int] | None) -> float | None:
    """Share of the time between two readings of `steal_and_total_ticks` that the host took away, 0..1; None where the system does not tell."""
    if before is None or after is None or after[1] <= before[1]:
        return None
    return round((after[0] - before[0]) / (after[1] - before[1]), 5)
