# SPDX-License-Identifier: Apache-2.0
"""L4: a run as other programs read it: CSV, JSON, and the Go benchmark format for `benchstat`."""

from cipherstone.report.export.benchfmt import export_benchfmt
from cipherstone.report.export.csv import export_csv
from cipherstone.report.export.json import export_json

__all__ = ["export_benchfmt", "export_csv", "export_json"]
