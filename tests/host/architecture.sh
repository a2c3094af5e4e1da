#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Sources include only what the list of arrows in docs/architecture.md allows, and the list has no arrow too many.
exec python3 tests/host/architecture.d/check_includes.py docs/architecture.md
