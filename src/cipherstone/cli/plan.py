# SPDX-License-Identifier: Apache-2.0
"""`cipherstone plan`: what `run` would measure, or what a stored run was asked for, as a file."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from cipherstone.cli import environment as env
from cipherstone.cli.files import write_result
from cipherstone.cli.planfile import plan_text
from cipherstone.cli.requests import checked
from cipherstone.cli.run_options import absolute, takes_request
from cipherstone.model.errors import UsageError
from cipherstone.model.request import RunRequest
from cipherstone.store.bundle import Bundle


@takes_request
def plan(
    request: RunRequest,
    of: Annotated[
        str | None, typer.Option("--of", help="Instead: what this stored run was asked for.", show_default=False)
    ] = None,
    runs: env.OutputOption = env.DEFAULT_OUTPUT,
    to: env.FileOption = None,
    cache: env.CacheOption = None,
) -> None:
    """Write what `run` would measure with these options as a file, for `run --plan` here or elsewhere."""
    if of is not None:
        if more := request.given:
            raise UsageError(f"--of {of}: with other options ({', '.join(more)})", "edit the file that it writes")
        request = _request_of(env.chosen_run(runs, of).name, Bundle.open(env.chosen_run(runs, of)))
    else:
        request = msgspec.structs.replace(request, worker=tuple(map(absolute, request.worker)))
        checked(env.workshop(cache), request)
    write_result(plan_text(request), to)


def _request_of(name: str, bundle: Bundle) -> RunRequest:
    """What a run was asked for. Raises UsageError for one that no request made."""
    found = bundle.manifest.request
    if found is None:
        raise UsageError(
            f"--of {name}: the run does not say what it was asked for", f"it was: {bundle.manifest.command}"
        )
    return found
