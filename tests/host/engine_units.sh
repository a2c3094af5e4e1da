#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# docs/engine.md names every file of the engine, and the headers of its units include each other without a circle.
set -euo pipefail
cd sim/engine
failed=

for file in *.c; do
	grep -q "$file" ../../docs/engine.md || { echo "docs/engine.md does not name $file"; failed=1; }
done

# A unit is a source with its header, so both count as one node of the graph. engine.h is the interface of the whole.
dependencies() {
	grep -H '^#include "engine/' ./*.[ch] |
		sed 's|^\./\(.*\)\.[ch]:#include "engine/\(.*\)\.h"|\1 \2|' | awk '$1 != $2 && $2 != "engine"'
}
dependencies | tsort > /dev/null || { echo "the units named above include each other in a circle"; failed=1; }
[ "$(dependencies | wc -l)" -gt 100 ] || { echo "few includes were found"; failed=1; }
[ -z "$failed" ]
