#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Kernel style by checkpatch.pl, which tools/setup keeps in the cache. Errors and warnings fail.

# Lists of X macros are no expressions and no statements; licence lines have a check of their own.
everywhere=COMPLEX_MACRO,MULTISTATEMENT_MACRO_USE_DO_WHILE,MACRO_WITH_FLOW_CONTROL,TRAILING_SEMICOLON
everywhere+=,DO_WHILE_MACRO_WITH_TRAILING_SEMICOLON,SPDX_LICENSE_TAG,FILE_PATH_CHANGES,BRACKET_SPACE
# User space has other macros and types than the kernel, and queue.h's entries look like statements.
user=PREFER_DEFINED_ATTRIBUTE_MACRO,ARRAY_SIZE,USE_NEGATIVE_ERRNO,VOLATILE,STATIC_CONST_CHAR_ARRAY,LINE_SPACING
user+=,EMBEDDED_FUNCTION_NAME,SPLIT_STRING,MISSING_SPACE,PREFER_KERNEL_TYPES,CONST_STRUCT,AVOID_EXTERNS,NEW_TYPEDEFS
# Reported for "LIST(ENTRY) + 1" in list macros and for bit-field-like designators only.
noise="need consistent spacing around '\+' \(ctx:WxV\)|spaces required around that ':' \(ctx:VxE\)"

cache=${XDG_CACHE_HOME:-$HOME/.cache}/tally
checkpatch=$(printf '%s\n' "$cache"/checkpatch/*/checkpatch.pl | sort -V | tail -n 1)
[ -e "$checkpatch" ] || { echo "no $checkpatch: run tools/setup"; exit 77; }

sources() {
	git -c safe.directory='*' ls-files -co --exclude-standard -- "$@" | grep -E '\.[ch]$' | grep -v '^uapi/gen/'
}

# Ignored types, then the files: prints what is left.
complaints() {
	local ignored=$1
	shift
	[ $# -eq 0 ] || printf '%s\0' "$@" | xargs -0 -n 16 -P "$(nproc)" \
		perl "$checkpatch" --no-tree --file --terse --show-types --max-line-length=100 --ignore "$ignored" 2>&1 |
		grep -E ': (ERROR|WARNING):' | grep -vE "$noise"
}

mapfile -t kernel < <(sources kernel uapi)
mapfile -t rest < <(sources . ':!kernel' ':!uapi')
found=$(complaints "$everywhere" "${kernel[@]}"; complaints "$everywhere,$user" "${rest[@]}")
[ -z "$found" ] || { echo "$found"; exit 1; }
