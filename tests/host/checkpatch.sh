#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The drivers and the ABI header pass checkpatch.pl, which tools/setup keeps in the cache. Files
# that have passed are not checked again until they change.

# Lists of X macros are neither expressions nor statements. style.sh checks the licence lines.
ignored=COMPLEX_MACRO,MULTISTATEMENT_MACRO_USE_DO_WHILE,MACRO_WITH_FLOW_CONTROL,TRAILING_SEMICOLON
ignored+=,DO_WHILE_MACRO_WITH_TRAILING_SEMICOLON,SPDX_LICENSE_TAG,FILE_PATH_CHANGES,BRACKET_SPACE
# compat.h compares versions, and checkpatch reports each comparison with LINUX_VERSION_CODE twice.
ignored+=,LINUX_VERSION_CODE,CONSTANT_COMPARISON
# The first two are reported only for "LIST(ENTRY) + 1" in list macros and for "case LIST:". The last one comes from a
# KUnit test that observes dev_err() by a macro of that name.
noise="need consistent spacing around '\+' \(ctx:WxV\)|spaces required around that ':' \(ctx:VxE\)|ident_test.c:[0-9]+: WARNING:PREFER_DEV_LEVEL"

cache=${XDG_CACHE_HOME:-$HOME/.cache}/tally
checkpatch=$(printf '%s\n' "$cache"/checkpatch/*/checkpatch.pl | sort -V | tail -n 1)
[ -e "$checkpatch" ] || { echo "no $checkpatch: run tools/setup tests"; exit 1; }

sources=$(tests/host/list-files | grep -E '^(kernel|uapi)/([a-z]+/)?[^/]*\.[ch]$')
[ -n "$sources" ] || { echo "no sources found"; exit 1; }

# Each file that has passed has an empty file of the name of its hash.
passed=$cache/checkpatch-passed
mkdir -p "$passed" || exit 1
new=() marks=()
while read -r file; do
	mark=$passed/$({ echo "$checkpatch $ignored $noise $file"; cat "$file"; } | sha256sum | cut -d' ' -f1)
	[ -e "$mark" ] || { new+=("$file"); marks+=("$mark"); }
done <<< "$sources"
[ ${#new[@]} -gt 0 ] || exit 0
pass() { touch "${marks[@]}"; exit 0; }
output=$(perl "$checkpatch" --no-tree --file --terse --show-types --max-line-length=100 --ignore "$ignored" "${new[@]}" 2>&1) &&
	pass
complaints=$(grep -E ': (ERROR|WARNING):' <<< "$output") || { echo "checkpatch failed: $output"; exit 1; }
left=$(grep -vE "$noise" <<< "$complaints") || pass
echo "$left"
exit 1
