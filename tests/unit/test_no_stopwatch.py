# SPDX-License-Identifier: Apache-2.0
"""No busy machine decides a test: what the tests ask of time is found (`tests/stopwatches.py`), and what may be asked all the same stands here with its reason.

Looked at are the files that can reach a clock: that read one, start a process, or import what does. An entry that nothing needs is a mistake too.
"""

from __future__ import annotations

import ast
from functools import cache

import pytest
from stopwatches import (
    ABOVE,
    BESIDE,
    FIGURE,
    FILES,
    RATE_BOUND,
    ROOT,
    SHORT,
    SLEEPS,
    TESTS,
    Reach,
    findings,
    functions,
    limits_of,
    reads_a_clock,
    tree_of,
)

# Comparisons of times, by folder, file or function.
COMPARED = {
    # Written down in the test, or drawn from a seed: no clock is read.
    "tests/property": "generated times, held against slow versions of what reads them",
    "tests/unit/test_kernels_table.py": "cycles that a table promises",
    "tests/unit/test_measure_cases.py": "written down",
    "tests/unit/test_measure_clock.py": "a core of the test's own",
    "tests/unit/test_measure_rounds.py": "the same",
    "tests/unit/test_tls_latency.py": "written down",
    "tests/unit/test_views_instructions.py": "written down",
    "tests/labs/test_modexp_arm.py:test_exponentiations_on_a_cortex_m4_are_proven_and_few": "cycles of a model, by counted instructions",
    # What scripted workers say their calls take.
    "tests/engine/scripted_answers.py:spend": "the script",
    "tests/engine/scripted_worker.py": "the script",
    "tests/engine/test_engine_bound.py:test_the_time_bound_ends_a_run_in_order": "the run's own clock is that of the script, too",
    "tests/engine/test_engine_contention.py": "figures and waits of the script, and in the test of the bound the run's own clock",
    "tests/engine/test_engine_figures.py": "figures of the script",
    "tests/engine/test_engine_resume.py:whole": "a share of the script's",
    "tests/engine/test_engine_scout.py": "a share of the script's",
    "tests/engine/test_engine_speeds.py": "figures of the script",
    "tests/fault/test_damaged_bundles.py": "figures of the script",
    "tests/fault/test_hostile_claims.py": "figures of the script",
    # What holds at any load: two clocks that both run, a part and its whole, an interval and its figure.
    "tests/cli/test_cli_machine.py:test_machines_beside_each_other": "an interval holds its figure",
    "tests/labs/test_footprint_timed.py:test_a_real_ladder_is_timed_in_turns": "an interval holds its figure",
    "tests/labs/test_instructions_worker.py:test_the_spectrum_has_a_figure_or_a_reason_for_every_kernel": "an interval holds its figure",
    "tests/labs/test_servers.py:test_a_server_costs_more_than_its_library": "an interval holds its figure; and the end of one above the beginning of another",
    "tests/unit/test_tls_wire.py:test_packets_cross_it_both_ways_and_not_before_their_time": "two quantiles of the same",
    "tests/engine/test_engine_resume.py:test_an_interrupted_run_says_how_to_go_on_and_does": "a run that went on has taken longer than before",
    "tests/fault/test_hanging_workers.py:test_two_hangs_are_enough": "between two clocks that run at any load lie two hangs of ten seconds",
    "tests/fault/test_stopped_runs.py:test_time_in_which_a_run_was_stopped_is_not_counted": "between two clocks that run at any load lies the stop",
    "tests/labs/test_tls.py:test_all_threads_make_their_handshakes": "what is inside lasts no longer than what is around it",
    "tests/unit/test_bench_growth.py:test_a_scripted_worker_is_proven_and_lets_pass_what_it_claims": "the same",
    "tests/unit/test_measure_session.py:test_the_time_to_the_bound_is_told": "the least that is left, and the most",
    "tests/sdk/test_sdk_narrow.py:test_counters_and_times_are_plausible": "one thread has no more CPU time than passes",
    "tests/sdk/test_sdk_probes.py:test_clocks_agree": "the same",
    "tests/labs/test_tls_networks.py:test_handshakes_over_the_wire_take_the_models_round_trips": "a wire can be late, and never early",
    "tests/labs/test_servers.py:test_all_processes_of_a_server_are_counted_and_ended": "waits until the server has had its time",
    # The least of many readings of microseconds each: a neighbour would have to be in all of them.
    "tests/sdk/test_sdk_probes.py:test_hello_names_clocks_and_probes": "the least step of a clock",
    "tests/sdk/test_sdk_probes.py:test_both_ways_to_a_reading_agree": "the least of 650",
    "tests/sdk/test_sdk_probes.py:test_readings_are_not_in_the_time_of_the_batches": "the least of 40 turns",
    "tests/sdk/test_sdk_probes.py:test_waiting_for_what_is_usual_ends_before_its_time": "the least of ten waits, each of which may take a thousand readings",
    "tests/sdk/test_sdk_probes.py:test_multiplication_takes_a_few_additions": "the SDK takes the least of 15",
    # No assertion.
    "tests/fault/bundle_mutants.py:main": "the end of a campaign",
    "tests/contract/toy_worker.py:Worker.on_hello": "the step of a clock",
    "tests/kept.py:answered": "what is worth keeping",
}  # fmt: skip
# Limits below a minute and sleeps, by function.
HURRIED = {
    "tests/engine/scripted_answers.py:spend": "what the script says",
    "tests/engine/scripted_faults.py:Faults.daemon": "longer than any limit",
    "tests/engine/scripted_faults.py:Faults.hang": "longer than any limit",
    "tests/engine/scripted_faults.py:Faults.leave_child": "longer than the run needs it; it is killed before",
    "tests/engine/scripted_faults.py:Faults.orphan": "longer than any limit",
    "tests/engine/scripted_worker.py:Worker.on_run": "what the script says",
    "tests/engine/scripted_worker.py:Worker.wait": "what the script says",
    "tests/engine/scripted_worker.py:single": "what the script says",
    # To run out: who works has twelve seconds and more.
    "tests/engine/test_engine_processes.py:test_what_a_process_does_wrong_is_an_outcome": "it hangs; the others have twelve seconds",
    "tests/engine/test_engine_scout.py:test_a_scout_that_breaks_is_done_without": "it hangs; the others have ten seconds",
    "tests/fault/test_broken_workers.py:ran": "some hang; the others have ten seconds",
    "tests/fault/test_broken_workers.py:test_check_tells_what_breaks": "the same",
    "tests/fault/test_hanging_workers.py:test_two_hangs_are_enough": "it hangs; the other has ten seconds",
    "tests/fault/test_broken_workers.py:test_a_worker_that_never_reads_cannot_block_the_writer": "it never answers",
    "tests/fault/test_broken_workers.py:test_a_dead_worker_stays_dead": "it never answers",
    "tests/unit/test_worker_process.py:test_a_worker_whose_group_cannot_be_ended_is_ended_itself": "it never answers",
    "tests/unit/test_worker_process.py:test_one_that_complains_all_the_time_and_reads_nothing_has_its_time": "it never answers",
    "tests/unit/test_measure_pool.py:test_patience_is_a_factor_on_every_time_limit": "it answers too late, and in time for who waits a thousand times as long",
    # Any moment will do.
    "tests/fault/kills.py:Victim.hit": "the moment of a hit",
    "tests/cli/every_command.py:calls": "what is written, run and reached is looked at; that there may be no figure is allowed for",
    "tests/engine/test_engine_plans.py:test_a_plan_says_all_of_it": "refused before anything is measured",
    "tests/fault/test_signals.py:_signalled_twice": "whether it was in time is what it tells, and who asks tries again",
    "tests/fault/test_signals.py:_interrupted_after": "the same",
    "tests/fault/test_store_faults.py:test_a_kill_while_finishing_leaves_a_run_that_resumes_or_is_sealed": "tried until enough came in time",
    "tests/fault/test_stopped_runs.py:test_time_in_which_a_run_was_stopped_is_not_counted": "the time for which it is stopped",
    "tests/unit/test_awake_clock.py:test_a_real_stop_is_noticed": "the time for which it is stopped",
    "tests/unit/test_bench_growth.py:test_its_claims_hold_while_others_have_its_core": "the time for which it is stopped, wherever it is then",
    "tests/unit/test_build_debian.py:test_two_at_once_wait_for_each_other": "what must not come to pass; a busy machine makes it later",
    "tests/labs/test_interop.py:test_bytes_that_come_one_by_one_are_as_good": "looks at both ends in turns",
}  # fmt: skip


def allowed(where: str, function: str, hurried: bool, own: bool) -> str:
    """The entry for something that was found, or "". What reads a clock itself needs one of its own, and so do limits and sleeps."""
    by_function = f"{where}:{function}"
    if hurried or own:
        return by_function if by_function in (HURRIED if hurried else COMPARED) else ""
    folder = where.rpartition("/")[0]
    return next((key for key in (by_function, where, folder) if key in COMPARED), "")


@cache
def strangers() -> tuple[list[str], set[str]]:
    """(what is not allowed, the entries that something needed)."""
    reach, limits = Reach(), limits_of(tree_of(path) for path in FILES)
    found, used = [], set()
    for path in filter(reach.of, FILES):
        where, tree = path.relative_to(ROOT).as_posix(), tree_of(path)
        own = {name for name, function in functions(tree) if reads_a_clock(function)}
        for function, line, what in findings(tree, limits):
            hurried = what in (SHORT, SLEEPS)
            if key := allowed(where, function, hurried, function in own):
                used.add(("hurried " if hurried else "") + key)
            else:
                found.append(f"{where}:{line}: {function}: {what}")
    return found, used


def test_nothing_asks_how_fast_this_machine_is() -> None:
    """Count in its place, script the clock, or take the least of readings until it holds (`tests/undisturbed.py`). If a busy machine cannot decide it, say here why."""
    assert strangers()[0] == []


def test_every_entry_is_needed() -> None:
    assert strangers()[1] == set(COMPARED) | {f"hurried {key}" for key in HURRIED}


def what(body: str) -> list[str]:
    """What is found in a test with this body."""
    lines = "".join(f"    {line}\n" for line in body.split("; "))
    return [what for _, _, what in findings(ast.parse(f"LONG = 3\ndef test(talk, cli, rows):\n{lines}"), {"gone": 1})]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        # As they stood here, before they failed on a busy machine.
        ('reply = talk.ask("run"); assert sum(reply["each"]) == reply["ns"] < reply["aside_ns"]', BESIDE),
        ("began = time.monotonic(); cli(); assert time.monotonic() - began < 15", ABOVE),
        ("start = time.process_time(); run(); took = time.process_time() - start; assert took < 1.0", ABOVE),
        ('alone = min(talk.ask("run")["ns"] for _ in range(9)); assert talk.ask("other")["ns"] == approx(alone, rel=0.2)', BESIDE),
        ('short = talk.ask("a")["ns"]; long = talk.ask("b")["ns"]; assert 30 < long / short', RATE_BOUND),
        ("assert gone(folder, 2) == []", SHORT),
        ("reader.join(20)", SHORT),
        ("end = time.monotonic() + 30; while running() and time.monotonic() < end: pass", BESIDE),
        ("time.sleep(1.5)", SLEEPS),
        # Others of their kind.
        ("assert all(20 < cell.ns.value < 1e6 for cell in rows)", ABOVE),
        ('assert least(talk, "ns") <= 300', ABOVE),
        ("assert cell.ns.value == pytest.approx(1000, rel=0.1)", FIGURE),
        ("assert pair.ratio.value == pytest.approx(other.ratio.value)", BESIDE),
        ("found = []; found.append(row.wall_s); assert max(found) < 3", ABOVE),
        ("assert noise.disturbed_ratio < 0.5", RATE_BOUND),
        ("assert row.timed_share >= 0.5", RATE_BOUND),
        ("assert wall_s - cpu_s > 1", RATE_BOUND),
        ("done = cli('show', timeout_s=30)", SHORT),
        ("process.communicate(timeout=LONG)", SHORT),
        ('done = cli("run", "--patience", 0.1)', SHORT),
        ("worker = WorkerProcess(words, patience=0.1 if slow else 1.0)", SHORT),
        ('done = cli("run", "--max-time", "60s")', SHORT),
        ("assert 1.6 < over.value", RATE_BOUND),
        ('least(lambda ns: ns < 200, typical)', ABOVE),
        ("if took_s > limit_s: raise AssertionError", BESIDE),
    ],
)  # fmt: skip
def test_the_rule_sees_what_it_is_for(body: str, found: str) -> None:
    assert what(body) == [found]


@pytest.mark.parametrize(
    "body",
    [
        "assert cell.ns.value > 0 and reply['waited_ns'] >= 2_000_000",
        "assert 0 < min(reply['each'])",
        "assert cell.ns.value == pytest.approx(1000)",
        "assert reply['ns'] == 12_000",
        "assert len(row.pass_ns) < 9",
        "end = time.monotonic() + 600; while running() and time.monotonic() < end: time.sleep(0.01)",
        "began = time.monotonic(); cli(); assert time.monotonic() - began < 300",
        "began = time.monotonic(); cli(); assert time.monotonic() - began >= 0.01",
        "process.communicate(timeout=600)",
        "assert gone(folder) == []",
        "words = ', '.join(names)",
        'done = timed_by_script(cli).measure("--max-time", "7s")',
        "from undisturbed import least; least(lambda ns: ns < 200, typical)",
    ],
)
def test_the_rule_lets_pass_what_a_busy_machine_keeps(body: str) -> None:
    assert what(body) == []


def test_a_function_that_gives_a_time_is_one() -> None:
    text = "def typical(talk):\n    return min(talk.ask(1)['ns'], 7)\ndef test(talk):\n    assert typical(talk) < 30\n"
    assert [what for _, _, what in findings(ast.parse(text), {})] == [ABOVE]


def test_files_that_reach_a_clock_are_known() -> None:
    reach = Reach()
    assert reach.of(TESTS / "sdk/test_sdk_probes.py") and reach.of(TESTS / "engine/test_engine_figures.py")
    assert reach.of(TESTS / "unit/test_awake_clock.py") and reach.of(TESTS / "labs/test_servers.py")
    assert not reach.of(TESTS / "unit/test_views_noise.py") and not reach.of(TESTS / "unit/test_stats_levels.py")
