#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Checks every text file of the tree: licence line, white space, unfinished work, and the syntax of scripts.

status=0
bad() { echo "$*"; status=1; }

# The kernel's side, the provider and their shared sources are dual-licensed. The hardware and the rest are not.
# Sets `licence`.
licence_of() {
	case $1 in
	*.sv) licence="BSD-2-Clause" ;;
	Kbuild | kernel/* | plan/* | providers/* | uapi/*) licence="GPL-2.0 OR Linux-OpenIB" ;;
	*) licence="BSD-2-Clause" ;;
	esac
}

# The licence line is the first line, or the second one of a script with #!. Prose, licences and data have none.
check_licence() {
	local line
	case $1 in
	LICENSE | LICENSES/* | *.md | *.svg | *.json | *.csv | *.txt) [ "${1##*/}" = CMakeLists.txt ] || return ;;
	esac
	{
		IFS= read -r line
		[[ $line != '#!'* ]] || IFS= read -r line
	} < "$1"
	[[ ! $line =~ ^[^S]*SPDX-License-Identifier:\ (.*)$ ]] || line=${BASH_REMATCH[1]}
	[[ ! $line =~ ^(.*[^ ])\ *(\*/|--\>)$ ]] || line=${BASH_REMATCH[1]}
	licence_of "$1"
	[ "$line" = "$licence" ] || bad "$1: first line is not SPDX-License-Identifier: $licence"
}

# The functions below read names from their input and run one program for all of them: a fork for each file takes a
# minute on a busy machine. They print what is bad.
white_space() {
	xargs -d '\n' grep -nHm 1 -E '[[:blank:]]+$|'$'\r' | sed -E 's/^([^:]*):([^:]*):.*/\1: white space at the end of line \2/'
}

# The pattern is split so that it does not find itself.
unfinished() {
	xargs -d '\n' grep -nHwE 'TO''DO|FIX''ME|XX''X' | sed -E 's/^([^:]*):/\1: unfinished: line /'
}

ends_and_python() {
	/usr/bin/python3 -c '
import ast, sys
for name in sys.stdin.read().splitlines():
    with open(name, "rb") as file:
        text = file.read()
    if not text.endswith(b"\n"):
        print(f"{name}: no newline at the end")
    first = text.split(b"\n", 1)[0]
    if first.startswith(b"#!") and first.endswith(b"python3"):
        try:
            ast.parse(text)
        except (SyntaxError, ValueError) as error:
            print(f"{name}: does not parse: {error}")
'
}

check_script() {
	local first
	IFS= read -r first < "$1"
	case $first in
	'#!'*/sh | '#!'*/busybox\ sh) sh -n "$1" || bad "$1: does not parse" ;;
	'#!'*bash) bash -n "$1" || bad "$1: does not parse" ;;
	esac
}

# Seeds hold arbitrary text. Files without text are left out.
files=$(tests/host/list-files | grep -v '^tests/fuzz/seeds/' | xargs -d '\n' grep -Il .)
[ -n "$files" ] || { echo "no source files found"; exit 1; }
ours=$(grep -v '^LICENSES/' <<< "$files")
while IFS= read -r file; do
	check_licence "$file"
done <<< "$files"
while IFS= read -r file; do
	check_script "$file"
done <<< "$ours"
found=$(unfinished <<< "$files"; white_space <<< "$ours"; ends_and_python <<< "$ours")
[ -z "$found" ] || bad "$found"
exit $status
