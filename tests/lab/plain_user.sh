#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The lab finds modprobe though a plain user's PATH has no /usr/sbin, and says in a sentence what is not there at all.

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "$*"; cat "$scratch/err"; exit 1; }

mkdir "$scratch/bin"
# The programs that a plain user finds.
for path in /usr/bin/* /bin/*; do
	ln -sf "$path" "$scratch/bin"
done
PATH=$scratch/bin tools/lab run --nics 0 -- true 2> "$scratch/err" || fail "a plain user: exit status $?"

rm "$scratch/bin/cpio"
PATH=$scratch/bin tools/lab run --nics 0 -- true 2> "$scratch/err"
status=$?
[ $status -eq 125 ] || fail "without cpio: exit status $status, not 125"
grep -qx 'lab: there is no cpio: run tools/setup lab' "$scratch/err" || fail "no such message"
