#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Kernel style by checkpatch.pl, which tools/setup keeps in the cache. Errors and warnings fail.
# checkpatch is slow: what it found clean is remembered in build/checkpatch-clean by its content.

# Lists of X macros are no expressions and no statements; licence lines have a check of their own.
everywhere=COMPLEX_MACRO,MULTISTATEMENT_MACRO_USE_DO_WHILE,MACRO_WITH_FLOW_CONTROL,TRAILING_SEMICOLON
everywhere+=,DO_WHILE_MACRO_WITH_TRAILING_SEMICOLON,SPDX_LICENSE_TAG,FILE_PATH_CHANGES,BRACKET_SPACE
# User space has other macros and types than the kernel, and queue.h's entries look like statements.
user=PREFER_DEFINED_ATTRIBUTE_MACRO,ARRAY_SIZE,USE_NEGATIVE_ERRNO,VOLATILE,STATIC_CONST_CHAR_ARRAY,LINE_SPACING
user+=,EMBEDDED_FUNCTION_NAME,SPLIT_STRING,MISSING_SPACE,PREFER_KERNEL_TYPES,CONST_STRUCT,AVOID_EXTERNS,NEW_TYPEDEFS
# Reported for "LIST(ENTRY) + 1" in list macros and for "case LIST:" only.
export noise="need consistent spacing around '\+' \(ctx:WxV\)|spaces required around that ':' \(ctx:VxE\)"

cache=${XDG_CACHE_HOME:-$HOME/.cache}/tally
checkpatch=$(printf '%s\n' "$cache"/checkpatch/*/checkpatch.pl | sort -V | tail -n 1)
[ -e "$checkpatch" ] || { echo "no $checkpatch: run tools/setup"; exit 77; }
export checkpatch
tools=$(cat "$checkpatch" tests/host/checkpatch.sh | sha256sum)
export tools
export clean=build/checkpatch-clean
mkdir -p "$clean"
found=$(mktemp)
trap 'rm -f "$found"' EXIT

sources() {
	git -c safe.directory='*' ls-files -co --exclude-standard -- "$@" | grep -E '\.[ch]$' | grep -v '^uapi/gen/'
}

# Ignored types, file: prints what is left, or remembers that the file is clean.
check_file() {
	local stamp left
	[ -e "$2" ] || return 0		# deleted, not yet committed
	stamp=$clean/$( (echo "$1 $tools"; cat "$2") | sha256sum | cut -c1-64)
	[ ! -e "$stamp" ] || return 0
	left=$(perl "$checkpatch" --no-tree --file --terse --show-types --max-line-length=100 --ignore "$1" "$2" 2>&1 |
		grep -E ': (ERROR|WARNING):' | grep -vE "$noise")
	if [ -n "$left" ]; then
		echo "$left"
	else
		touch "$stamp"
	fi
}
export -f check_file

check_files() { # ignored types; files on standard input
	xargs -d '\n' -P "$(nproc)" -I {} bash -c 'check_file "$@"' check_file "$1" {}
}

sources kernel uapi | check_files "$everywhere" >> "$found"
sources . ':!kernel' ':!uapi' | check_files "$everywhere,$user" >> "$found"
[ ! -s "$found" ] || { cat "$found"; exit 1; }
