#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Sources include only headers that the list of arrows in docs/architecture.md allows, and each arrow of the list is
# needed.
exec python3 tests/host/architecture.d/check_includes.py docs/architecture.md
