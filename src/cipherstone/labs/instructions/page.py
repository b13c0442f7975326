# SPDX-License-Identifier: Apache-2.0
"""The page of the instruction laboratory: the table as optimisation guides have it, sequences with their ablation, calibration, and what is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cipherstone.isa.table import GROUPS
from cipherstone.labs.instructions.results import (
    NOT_MEASURED,
    OK,
    KernelRow,
    MeasuredInstructions,
    cheapest,
    kernel_ratio,
)
from cipherstone.model.outcomes import Outcome, Verdict
from cipherstone.model.summary import Estimate
from cipherstone.model.units import significant
from cipherstone.report.blocks.figure import Figure, Sketchbook
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import NO_FIGURE, LabCard, LabPage, LabSection, ratio_item
from cipherstone.report.blocks.tables import Item, Table, csv_text, item
from cipherstone.report.charts.measures import Amount, amounts
from cipherstone.report.words.numbers import estimate_text, interval_text
from cipherstone.report.words.sentences import list_words
from cipherstone.stats.verdictwords import beside_one

HEAD = ("operation", "kernel", "verb", "group", "unit", "state", "cycles", "cycles_low", "cycles_high", "per_second", "agreement", "reason", "note")  # fmt: skip
# The ablation of the publication: the same loop, with one thing changed. (kernel, what changed)
ABLATION = (
    ("mont-inner", "as it is: mulx, two carry chains"),
    ("mont-inner-plain", "plain additions: no carries"),
    ("mont-inner-nomul", "without multiplications"),
    ("mont-inner-imul", "a low multiplication in its place"),
)
AES_BYTES = {"aesenc-xmm": 16, "vaesenc-xmm": 16, "vaesenc-ymm": 32, "vaesenc-zmm": 64}
AES_ROUNDS = 10


def instructions_page(view: RunView, table: MeasuredInstructions, book: Sketchbook, footer: str) -> LabPage:
    """The page. Where the calibration failed it has no cycles, and says so first."""
    told = [row for row in table.rows if row.state == OK]
    lacking = [row for row in table.rows if row.state not in (OK, NOT_MEASURED)]
    sections = [
        LabSection(
            "lab-instructions",
            "Instructions",
            "What does an instruction cost?",
            "Latency: core cycles until its result can be used. Reciprocal throughput: core cycles from one to the next where none waits for another. Both against a chain of additions that takes one cycle each.",
            [f for f in (_instructions_figure(table, footer),) if f is not None],
        ),
        LabSection(
            "lab-sequences",
            "Sequences",
            "What makes big-number code as fast as it is?",
            "Cycles of a whole sequence, per product unless it says otherwise. The ablation changes one thing in the inner loop of Montgomery multiplication and shows what that thing cost.",
            [
                f
                for f in (_ablation_figure(table, book, footer), _sequences_figure(table, book, footer))
                if f is not None
            ],
        ),
        LabSection(
            "lab-calibration",
            "Calibration",
            "Can these cycles be believed?",
            "Two chains whose length in cycles is known, additions and rotations, run beside every kernel. Where they are more than 1 % apart, no cycles are given.",
            [_calibration_figure(table, footer), *([_missing_figure(lacking, footer)] if lacking else [])],
        ),
    ]
    return LabPage(
        "What do this processor's instructions cost?",
        _cards(view, table, told),
        [s for s in sections if s.figures],
        competition=False,
    )


def _csv(rows: Sequence[KernelRow]) -> str:
    return csv_text(
        HEAD,
        (
            (
                r.operation, r.kernel, r.verb, r.group, r.unit, r.state, r.cycles.value if r.cycles else None, r.cycles.low if r.cycles else None,
                r.cycles.high if r.cycles else None, r.per_second, r.agreement, r.reason, r.note,
            )
            for r in rows
        ),
    )  # fmt: skip


def _by_kernel(rows: Sequence[KernelRow]) -> dict[str, dict[str, KernelRow]]:
    found: dict[str, dict[str, KernelRow]] = {}
    for row in rows:
        found.setdefault(row.kernel, {})[row.verb] = row
    return found


def _cycles_item(row: KernelRow | None) -> Item:
    """Cycles, or in one word why there are none."""
    if row is None:
        return item(NO_FIGURE)
    if row.cycles is None:
        return item(row.state)
    return item(cycles_figure(row.cycles), row.cycles.value)


def cycles_figure(cycles: Estimate) -> str:
    """As many decimals as the interval supports, three at most: `3.99`, `0.503`."""
    return estimate_text(cycles, 3)


def _rate(per_second: float | None) -> Item:
    if per_second is None:
        return item(NO_FIGURE)
    return item(f"{significant(per_second / 1e9, 3)} G/s", per_second)


def _clock(table: MeasuredInstructions) -> str:
    ghz = table.calibration.ghz
    return f"a second at {ghz:.2f} GHz" if ghz is not None else "a second"


def _instructions_figure(table: MeasuredInstructions, footer: str) -> Figure | None:
    kernels = _by_kernel([r for r in table.rows if r.verb != "sequence"])
    measured = {name: verbs for name, verbs in kernels.items() if any(r.state != NOT_MEASURED for r in verbs.values())}
    if not measured:
        return None
    lines = []
    for name, verbs in measured.items():
        latency, throughput = verbs.get("latency"), verbs.get("throughput")
        first = throughput or latency
        notes = [r.note or (r.reason if r.state != OK else "") for r in verbs.values()]
        lines.append(
            (
                item(name),
                _cycles_item(latency),
                _cycles_item(throughput),
                _rate(throughput.per_second if throughput is not None and throughput.cycles is not None else None),
                item(GROUPS.get(first.group, first.group) if first is not None else ""),
                item("; ".join(dict.fromkeys(n for n in notes if n)) or NO_FIGURE),
            )
        )
    rows = [row for verbs in measured.values() for row in verbs.values()]
    told = sum(r.state == OK for r in rows)
    return Figure(
        "lab-instruction-table",
        "Latency and reciprocal throughput, in core cycles",
        Table(
            "instructions",
            ("instruction", "latency", "1/throughput", _clock(table), "class", "note"),
            tuple(lines),
            tail=2,
        ),
        _csv(rows),
        answer=f"{told} of {len(rows)} figures have cycles.",
        footer=footer,
        notes=[
            "Figures are medians over passes, with as many decimals as their interval supports; the CSV has the intervals."
        ],
    )


def _ablation_figure(table: MeasuredInstructions, book: Sketchbook, footer: str) -> Figure | None:
    rows = {r.kernel: r for r in table.rows if r.verb == "sequence"}
    whole = rows.get(ABLATION[0][0])
    if whole is None or whole.cycles is None:
        return None
    lines, marks = [], []
    for name, what in ABLATION:
        row = rows.get(name)
        if row is None:
            continue
        share = kernel_ratio(row, whole)
        lines.append(
            (
                item(what),
                _cycles_item(row),
                ratio_item(share[0] if share is not None else None),
                item(interval_text(row.cycles) if row.cycles is not None else row.reason or NO_FIGURE),
                item(name),
            )
        )
        if row.cycles is not None:
            marks.append(Amount(what, "ablation", row.cycles))
    question = "What holds Montgomery multiplication back?"
    return Figure(
        "lab-ablation",
        question,
        Table(
            "ablation", ("inner loop", "cycles a product", "of the whole", "interval", "kernel"), tuple(lines), tail=1
        ),
        _csv([rows[name] for name, _ in ABLATION if name in rows]),
        book.draw("labs", amounts(marks, ["ablation"], "cycles a product (left is better)"), question),
        answer=_ablation_answer(rows, whole),
        footer=footer,
        notes=["A changed loop computes something else; it is proven to compute exactly that."],
    )


def _ablation_answer(rows: dict[str, KernelRow], whole: KernelRow) -> str:
    """What the loop costs without its carries and without its multiplications, as far as that differs from the whole."""
    total = f"{cycles_figure(whole.cycles)} cycles a product" if whole.cycles is not None else "no figure"
    words = []
    for name, _ in ABLATION[1:3]:
        found = kernel_ratio(rows[name], whole) if name in rows else None
        if found is not None:
            words.append(
                f"without {'carries' if name.endswith('plain') else 'multiplications'} it takes {_change(*found)}"
            )
    return f"{total}; {' and '.join(words)}." if words else f"{total}."


def _change(ratio: Estimate, found: Verdict) -> str:
    if found is Verdict.EQUAL:
        return f"{interval_text(ratio)} times as long" if beside_one(ratio) else "as long"
    if found not in (Verdict.FASTER, Verdict.SLOWER):
        return f"{interval_text(ratio)} times as long" + ("" if beside_one(ratio) else ", which is not told apart")
    return f"{abs(1 - ratio.value) * 100:.0f} % {'less' if found is Verdict.FASTER else 'more'}"


def _sequences_figure(table: MeasuredInstructions, book: Sketchbook, footer: str) -> Figure | None:
    rows = [r for r in table.rows if r.verb == "sequence" and r.state != NOT_MEASURED]
    if not rows:
        return None
    question = "Which sequence costs how much?"
    marks = [Amount(r.kernel, "sequence", r.cycles) for r in rows if r.cycles is not None]
    lines = tuple(
        (
            item(r.kernel),
            _cycles_item(r),
            item(r.unit),
            item(interval_text(r.cycles) if r.cycles is not None else r.reason or NO_FIGURE),
            item("; ".join(t for t in (r.why, r.note) if t)),
        )
        for r in rows
    )
    svgs = book.draw("labs", amounts(marks, ["sequence"], "cycles a unit (left is better)"), question) if marks else []
    return Figure(
        "lab-sequence-table",
        question,
        Table("sequences", ("sequence", "cycles", "per", "interval", "what for"), lines, tail=1),
        _csv(rows),
        svgs,
        footer=footer,
    )


def _calibration_figure(table: MeasuredInstructions, footer: str) -> Figure:
    c = table.calibration
    rows = [
        (
            "rotation over addition, per instruction",
            "unknown" if c.agreement is None else f"{c.agreement:.4f}",
            c.agreement,
        ),
        ("cases that tell", str(c.cases), float(c.cases)),
        ("of them more than 1 % apart", str(c.apart), float(c.apart)),
        ("core clock by the first chain", "unknown" if c.ghz is None else f"{c.ghz:.2f} GHz", c.ghz),
    ]
    return Figure(
        "lab-calibration-table",
        "Do the two calibrating chains agree?",
        Table("calibration", ("what", "figure"), tuple((item(w), item(t, n)) for w, t, n in rows)),
        _csv(table.rows),
        answer=c.refused[:1].upper() + c.refused[1:] + "." if c.refused else "They do: cycles are core cycles.",
        footer=footer,
    )


def _missing_figure(rows: Sequence[KernelRow], footer: str) -> Figure:
    lines = tuple((item(r.operation), item(r.state), item(r.reason or NO_FIGURE)) for r in rows)
    gone = sum(r.state == Outcome.UNAVAILABLE for r in rows)
    return Figure(
        "lab-missing",
        "Which kernels have no cycles here, and why?",
        Table("missing", ("kernel", "state", "reason"), lines, tail=1),
        _csv(rows),
        answer=f"{gone} are not there on this processor; {len(rows) - gone} were measured or tried and have no cycles.",
        footer=footer,
    )


def _cards(view: RunView, table: MeasuredInstructions, told: Sequence[KernelRow]) -> list[LabCard]:
    c, kernels = table.calibration, _by_kernel(told)
    clock = f"{c.ghz:.2f} GHz" if c.ghz is not None else "clock unknown"
    cards = [
        LabCard(
            "Are these core cycles?",
            "no" if c.refused else "yes",
            clock,
            c.refused
            or f"rotations and additions agree to {abs((c.agreement or 1.0) - 1) * 100:.2f} % in the median of {c.cases} cases",
            f"{table.isa}, {len(told)} figures",
            "lab-calibration",
        )
    ]

    def cycles(kernel: str, verb: str) -> float | None:
        row = kernels.get(kernel, {}).get(verb)
        return row.cycles.value if row is not None and row.cycles is not None else None

    cards += _arithmetic_cards(kernels, cycles)
    rounds = [kernels[k]["throughput"] for k in AES_BYTES if cycles(k, "throughput") is not None]
    aes = cheapest(rounds, {k: float(v) for k, v in AES_BYTES.items()})
    latency = cycles("aesenc-xmm", "latency")
    if aes and aes[0].cycles is not None:
        each = aes[0].cycles.value
        rate = AES_BYTES[aes[0].kernel] / each
        name = list_words([row.kernel for row in aes])
        speed = f", {rate / AES_ROUNDS * c.ghz:.1f} GB/s" if c.ghz is not None else ""
        chained = f"; chained, as CBC needs it, {16 / latency / AES_ROUNDS:.2f} bytes a cycle" if latency else ""
        of = "" if len(aes) == 1 else f" ({aes[0].kernel}; the others are not told from it)"
        cards.append(LabCard("How fast can AES-128 be?", f"{rate / AES_ROUNDS:.2f} bytes a cycle", name, f"{significant(each, 3)} cycles a round instruction{of}{speed}{chained}", "the bound, not a result", "lab-instructions"))  # fmt: skip
    lacking = sum(row.state == Outcome.UNAVAILABLE for row in table.rows)
    if lacking:
        cards.append(LabCard("What does this processor lack?", f"{lacking} kernels", "unavailable", "each says which feature is missing", "", "lab-missing"))  # fmt: skip
    return cards


def _arithmetic_cards(
    kernels: dict[str, dict[str, KernelRow]], cycles: Callable[[str, str], float | None]
) -> list[LabCard]:
    cards = []
    alone, carried = cycles("mulx-only", "sequence"), cycles("mulx-adcx-adox", "sequence")
    plain = cycles("mul-add-adc", "sequence")
    if alone and carried:
        by = f"the multiplier alone would allow {significant(alone, 3)}"
        by += f"; plain additions, as compilers make them, take {significant(plain, 3)}" if plain else ""
        cards.append(LabCard("What does a 64-bit product cost?", f"{significant(carried, 3)} cycles", "mulx, adcx, adox", by, "throughput, with its carries", "lab-sequences"))  # fmt: skip
    umulh, mul_adds = cycles("mul-umulh", "sequence"), cycles("mul-adcs-umulh-adcs", "sequence")
    if umulh and mul_adds:
        cards.append(LabCard("What does a 64-bit product cost?", f"{significant(mul_adds, 3)} cycles", "mul, adcs, umulh, adcs", f"the multiplier alone would allow {significant(umulh, 3)}", "throughput, with its carries", "lab-sequences"))  # fmt: skip
    whole, without = cycles("mont-inner", "sequence"), cycles("mont-inner-nomul", "sequence")
    no_carries = cycles("mont-inner-plain", "sequence")
    if whole and without and no_carries:
        found = kernel_ratio(kernels["mont-inner-nomul"]["sequence"], kernels["mont-inner-plain"]["sequence"])
        told = {Verdict.FASTER: "multiplications", Verdict.SLOWER: "carries"}
        winner = told.get(found[1], "multiplications and carries, not told apart") if found is not None else "not told"
        by = f"per product: {significant(whole, 3)} cycles; {significant(without, 3)} without multiplications, {significant(no_carries, 3)} without carries"
        cards.append(LabCard("What holds Montgomery multiplication back?", winner, f"{significant(whole, 3)} cycles", by, "inner loop, 8 words", "lab-ablation"))  # fmt: skip
    return cards
