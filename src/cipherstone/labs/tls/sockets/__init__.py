# SPDX-License-Identifier: Apache-2.0
"""The table of a published comparison over blocking sockets on this machine: clients of several libraries, one server."""
