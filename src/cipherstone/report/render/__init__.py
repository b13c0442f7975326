# SPDX-License-Identifier: Apache-2.0
"""Reports as a person reads them: terminal, Markdown, HTML."""
