# SPDX-License-Identifier: Apache-2.0
"""Puts the data beside the code into the wheel, below `cipherstone/data`, so that an installation needs no checkout. Everything else stands in pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

DATA = ("algorithms", "labs", "libraries", "protocol", "references", "roofline", "sdk", "suites", "vectors")


class BuildWithData(build_py):
    """The package, and the folders that `catalogue.paths.data_root` looks for."""

    def run(self) -> None:
        """Copies them behind the modules; an editable installation finds them in the checkout."""
        super().run()
        if self.editable_mode:
            return
        target = Path(self.build_lib) / "cipherstone" / "data"
        shutil.rmtree(target, ignore_errors=True)
        for name in DATA:
            shutil.copytree(name, target / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc", "*.o"))


setup(cmdclass={"build_py": BuildWithData})
