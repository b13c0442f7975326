# SPDX-License-Identifier: Apache-2.0
"""Which for what: what is first in most tasks of a published table, here and as published, with its figures."""

from __future__ import annotations

import json

import msgspec
from test_published_figures import without_cases
from test_published_pages import survey_run

from cipherstone.catalogue.paths import data_root
from cipherstone.model.estimate import Estimate
from cipherstone.model.published import Beside, PublishedCell, PublishedLine, PublishedPlatform, PublishedTables
from cipherstone.report.export.json import export_json
from cipherstone.report.render.html import render_html
from cipherstone.report.render.markdown import render_markdown
from cipherstone.report.render.terminal import render_terminal
from cipherstone.report.words.advice import advice_lines
from cipherstone.views.derive import derive


def line(task: str, name: str, printed: str, ours: Estimate | None = None) -> PublishedLine:
    cell = PublishedCell(printed, float(printed))
    return PublishedLine(f"{task}, {name}", (cell,), ours, case="md5/hash")


def page(unit: str, *rows: PublishedLine) -> Beside:
    table = PublishedTables("Hashes", unit, (unit,), rows)
    return Beside("A page", "its source", "its conditions", (), (PublishedPlatform("arm", "Cortex", "gcc"),), (table,))


def test_the_first_is_named_with_its_largest_lead() -> None:
    """Of rates more is better: small leads by 2 in one task and by 3 in another, big is ahead in none on the page."""
    found = page(
        "MB/s",
        line("md5", "small", "200.0", Estimate(50, 49, 51)),
        line("md5", "big", "100.0", Estimate(100, 99, 101)),
        line("sha1", "small", "300.0", Estimate(40, 39, 41)),
        line("sha1", "big", "100.0", Estimate(44, 43, 45)),
    )
    assert advice_lines(found) == [
        "Hashes: here big is first in 2 of 2 tasks, by most in md5: 100 MB/s, a factor of 2.00 over small; "
        "on the page small is first in 2 of 2 tasks, by most in sha1: 300.0 MB/s, a factor of 3.00 over big."
    ]


def test_of_times_less_is_better_and_intervals_that_overlap_tie() -> None:
    rows = (line("md5", "small", "2.0", Estimate(50, 40, 60)), line("md5", "big", "1.0", Estimate(55, 45, 65)))
    assert advice_lines(page("us", *rows)) == [
        "Hashes: here no task has a first; on the page big is first in its one task, by most in md5: 1.0 us, a factor of 2.00 over small."
    ]


def test_one_way_alone_is_no_choice() -> None:
    assert advice_lines(page("us", line("md5", "small", "2.0"))) == []


def test_the_survey_chose_boringssl_and_a_repeated_table_counts_once() -> None:
    """Its text: better memory across the board, better speed in four of six tasks, of which one repeats another's figures."""
    time, memory = advice_lines(derive(survey_run(), data_root(), {}).published)  # type: ignore[arg-type]
    assert "on the page BoringSSL is first in 3 of 5 tasks, by most in P-256 key: 0.39 ms/process" in time
    assert "on the page BoringSSL is first in 4 of 5 tasks" in memory


def test_every_form_ends_with_it() -> None:
    run = without_cases("tls-blog")
    told = "BoringSSL is first in 2 of 2 tasks, by most in ECDSA P-256, 200 handshakes: 1.38 s/200"
    assert told in " ".join(render_terminal(run, 80, False).split())
    assert told in render_markdown(run) and told in render_html(run, (), "")
    assert any(told in text for text in json.loads(export_json(run))["advice"])
    none = msgspec.structs.replace(run, published=None)
    assert "Which for what?" not in render_terminal(none, 80, False) and "advice" not in json.loads(export_json(none))


def test_a_figure_of_0_is_no_factor() -> None:
    """Published or edited: what is 0 takes no part, and the others are compared without it."""
    found = page("MB/s", line("md5", "small", "200.0"), line("md5", "big", "100.0"), line("md5", "none", "0.000"))
    (told,) = advice_lines(found)
    assert "small is first in its one task" in told and "a factor of 2.00 over big" in told
    assert advice_lines(page("us", line("md5", "small", "0.000"), line("md5", "big", "1.0"))) == []
