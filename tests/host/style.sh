#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Checks every text file of the tree: licence line, white space, unfinished work, and the syntax of scripts.

status=0
bad() { echo "$*"; status=1; }

# The kernel's side, the provider and their shared sources are dual-licensed. The hardware and the rest are not.
licence_of() {
	case $1 in
	*.sv) echo "BSD-2-Clause" ;;
	Kbuild | kernel/* | plan/* | providers/* | uapi/*) echo "GPL-2.0 OR Linux-OpenIB" ;;
	*) echo "BSD-2-Clause" ;;
	esac
}

# The licence line is the first line, or the second one of a script with #!. Prose, licences and data have none.
check_licence() {
	local line
	case $1 in
	LICENSE | LICENSES/* | *.md | *.svg | *.json | *.csv | *.txt) [ "${1##*/}" = CMakeLists.txt ] || return ;;
	esac
	line=$(awk 'NR == 1 && /^#!/ { next } { print; exit }' "$1")
	line=$(sed -E 's/^[^S]*SPDX-License-Identifier: //; s/ *(\*\/|-->)$//' <<< "$line")
	[ "$line" = "$(licence_of "$1")" ] || bad "$1: first line is not SPDX-License-Identifier: $(licence_of "$1")"
}

check_white_space() {
	local found
	found=$(grep -nE '[[:blank:]]+$|'$'\r' "$1") && bad "$1: white space at the end of line ${found%%:*}"
	[ -z "$(tail -c 1 "$1")" ] || bad "$1: no newline at the end"
}

# The pattern is split so that it does not find itself.
check_finished() {
	local found
	found=$(grep -nwE 'TO''DO|FIX''ME|XX''X' "$1") && bad "$1: unfinished: line $found"
}

check_script() {
	case $(head -n 1 "$1") in
	'#!'*/sh | '#!'*/busybox\ sh) sh -n "$1" || bad "$1: does not parse" ;;
	'#!'*bash) bash -n "$1" || bad "$1: does not parse" ;;
	'#!'*python3) /usr/bin/python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$1" ||
		bad "$1: does not parse" ;;
	esac
}

files=$(tests/host/list-files)
[ -n "$files" ] || { echo "no source files found"; exit 1; }
while IFS= read -r file; do
	[[ $file = tests/fuzz/seeds/* ]] && continue	# seeds hold arbitrary text
	[ -s "$file" ] && grep -qI . "$file" || continue
	check_licence "$file"
	check_finished "$file"
	[[ $file = LICENSES/* ]] && continue
	check_white_space "$file"
	check_script "$file"
done <<< "$files"
exit $status
