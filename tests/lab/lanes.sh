#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tools/check runs scripts in parallel, and prints each verdict once and in one piece. When it is interrupted, it ends
# its processes without a verdict on them. The test uses a small tree of its own.

fail() { echo "$*"; echo "$output"; exit 1; }

tree=$(mktemp -d /tmp/tally-lanes-XXXXXX)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tests/host"
cp -r tools "$tree"

script() { # name, commands
	printf '#!/bin/sh\n%s\n' "$2" > "$tree/tests/host/$1.sh"
	chmod +x "$tree/tests/host/$1.sh"
}

# Each of two tests waits for the other one.
meeting() { # own name, other's name
	echo "touch $1; until [ -e $2 ]; do sleep 0.1; done"
}
script left "$(meeting left right)"
script right "$(meeting right left)"
for number in $(seq 20); do
	script "many_$number" "seq 2000 | sed s/^/$number-/; exit 1"
done

output=$("$tree/tools/check" --lanes 2 host/left host/right 2>&1) || fail "two tests that wait for each other: exit status $?"
grep -qx '2 passed, 0 failed, 0 skipped' <<< "$output" || fail "wrong counts"

output=$("$tree/tools/check" --lanes 4 host/many_ 2>&1)
[ "$(tail -n 1 <<< "$output")" = '0 passed, 20 failed, 0 skipped' ] || fail "wrong counts"
for number in $(seq 20); do
	expected=$(echo "FAIL host/many_$number: exit status 1"; seq 2000 | sed "s/^/     | $number-/")
	[ "$(grep -A 2000 "^FAIL host/many_$number: " <<< "$output")" = "$expected" ] ||
		{ output=; fail "the verdict on many_$number is not in one piece"; }
done

script endless "echo \$\$ > endless; echo begun; while :; do sleep 1; done"
"$tree/tools/check" --lanes 2 host/endless host/left > "$tree/out" 2>&1 &
check=$!
until [ -s "$tree/endless" ]; do sleep 0.1; done
kill -TERM $check
wait $check
status=$?
output=$(cat "$tree/out")
[ $status -eq 130 ] || fail "interrupted: exit status $status, not 130"
! grep -q '^FAIL\|endless' "$tree/out" || fail "a verdict on a test that was interrupted"
! kill -0 "$(cat "$tree/endless")" 2> /dev/null || fail "a script still runs"

output=$("$tree/tools/check" --lanes 0 2>&1)
[ $? -eq 2 ] && [[ $output == *--lanes* ]] || fail "--lanes 0 is accepted"
