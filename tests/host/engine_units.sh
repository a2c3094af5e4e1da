#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# docs/engine.md names every file of the engine and the tests of every unit, which drive it alone, and the headers of the
# units include each other without a circle.
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

# rows TITLE: the rows of the table in a section of docs/engine.md, as lines NAME|COLUMN2.
rows() {
	awk -F ' *[|] *' -v title="## $1" '/^##/ { inside = $0 == title } inside && /^[|]/ { print $2 "|" $3 }' ../../docs/engine.md |
		sed '1,2d'
}

# names PATTERN: the names in backquotes that match a pattern, one a line.
names() { grep -o "\`$1\`" | tr -d '\`' || true; }

units=$(rows Units)
tests=$(rows "Tests of the units")
[ "$(wc -l <<< "$units")" -gt 8 ] || { echo "docs/engine.md has few units"; failed=1; }
while IFS='|' read -r unit files; do
	row=$(grep -F "$unit|" <<< "$tests" || true)
	programs=$(names 'alone_[a-z]*' <<< "$row" | sed 's|.*|test/&_test.c|')
	[ -n "$programs" ] || { echo "docs/engine.md names no test of the unit \"$unit\""; failed=1; continue; }
	for file in $(names '[a-z_]*\.c' <<< "$files"); do
		header=${file%.c}.h
		# shellcheck disable=SC2086
		[ ! -f "$header" ] || grep -qs "#include \"engine/$header\"" $programs ||
			{ echo "no test of the unit \"$unit\" uses $header"; failed=1; }
	done
done <<< "$units"
for name in $(names 'alone_[a-z]*' <<< "$tests"); do
	[ -f "test/${name}_test.c" ] || { echo "docs/engine.md names a test $name that does not exist"; failed=1; }
done
for file in test/alone_*_test.c; do
	name=$(basename "$file" _test.c)
	grep -qF "\`$name\`" <<< "$tests" || { echo "docs/engine.md does not say whose test $name is"; failed=1; }
	grep -qE "^foreach\(name .*\<${name#alone_}\>" CMakeLists.txt || { echo "CMakeLists.txt does not build $name"; failed=1; }
done
[ -z "$failed" ]
