# SPDX-License-Identifier: Apache-2.0
"""L2: run bundles on disk. One folder is one run: manifest, journal, and Parquet tables once it is finished (docs/reference/bundle.md). May import L0 and L1."""

from cipherstone.store.bundle import Bundle
from cipherstone.store.find import find_bundle
from cipherstone.store.layout import new_run_id
from cipherstone.store.writer import BundleWriter

__all__ = ["Bundle", "BundleWriter", "find_bundle", "new_run_id"]
