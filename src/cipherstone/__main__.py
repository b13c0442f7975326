# SPDX-License-Identifier: Apache-2.0
"""`python -m cipherstone`."""

from cipherstone.cli.main import main

main()
