#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Output, exit status, folder and arguments of the command pass through the lab unchanged.

fail() { echo "$*"; cat "$scratch/err"; exit 1; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cd tests || exit 1
TALLY_PASSED="a 'b'" ../tools/lab run --nics 0 -- sh -c \
	'pwd; echo "$1|$2"; echo "$TALLY_PASSED"; echo "$TALLY_VM $TALLY_VMS $TALLY_NICS"; printf "x\0y"; echo oops >&2; exit 7' \
	sh 'one  word' '$HOME' > "$scratch/out" 2> "$scratch/err"
status=$?

[ $status -eq 7 ] || fail "exit status $status, not 7"
{ pwd -P; echo 'one  word|$HOME'; echo "a 'b'"; echo "0 1 0"; printf 'x\0y'; } > "$scratch/expected"
cmp "$scratch/expected" "$scratch/out" || fail "wrong output: $(cat "$scratch/out")"
grep -qx oops "$scratch/err" || fail "standard error is lost"

# The programs of the checkout are in the PATH.
found=$(../tools/lab run --nics 0 -- sh -c 'echo "$PATH"' 2> "$scratch/err") || fail "exit status $?"
case $found in
*:"$(cd .. && pwd -P)/build/bin") ;;
*) fail "wrong PATH: $found" ;;
esac

# A large output arrives completely, and a process left in the background does not delay the lab.
../tools/lab run --nics 0 -- sh -c 'sleep 1000 & seq 200000' > "$scratch/out" 2> "$scratch/err" || fail "exit status $?"
seq 200000 | cmp - "$scratch/out" || fail "a large output is damaged"
