#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tools/check distinguishes and counts tests that pass, are skipped, fail, exceed the time limit, complain or crash. The
# test uses a small tree below /tmp, which the guest also covers with a tmpfs.

fail() { echo "$*"; echo "$output"; exit 1; }

tree=$(mktemp -d /tmp/tally-runner-XXXXXX)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/tests/{host,lab,vm}
cp -r tools "$tree"

script() { # path, commands
	printf '#!/bin/sh\n# lab: --nics 0\n# timeout: 2\n%s\n' "$2" > "$tree/tests/$1"
	chmod +x "$tree/tests/$1"
}

script host/good.sh 'echo not shown; echo again: it was late'
script host/poor.sh 'echo said so; exit 1'
script host/unable.sh 'echo first; echo no such thing here; exit 77'
script vm/a_good.test '[ -e tests/vm/a_good.test ] && echo fine'
script vm/b_poor.test 'echo said so; exit 3'
script vm/c_unable.test 'echo no such thing here; exit 77'
script vm/d_late.test 'sleep 100'
script vm/e_noisy.test 'echo "WARNING: planted" > /dev/kmsg'
script vm/f_fatal.test 'echo before; echo c > /proc/sysrq-trigger'
script vm/g_good.test 'exit 0'

output=$("$tree/tools/check" host/ vm/ 2>&1)
status=$?
[ $status -eq 1 ] || fail "exit status $status, not 1"
expected='PASS host/good (
     | again: it was late
FAIL host/poor: exit status 1
     | said so
SKIP host/unable: no such thing here
PASS vm/a_good (
FAIL vm/b_poor: exit status 3
SKIP vm/c_unable: no such thing here
FAIL vm/d_late: not done within 6 s
FAIL vm/e_noisy: the guest'"'"'s kernel complained
FAIL vm/f_fatal: the boot ended meanwhile
PASS vm/g_good (
passed: host/good: again: it was late
failed: host/poor: exit status 1: said so
3 passed, 5 failed, 2 skipped'
while IFS= read -r line; do
	grep -qF "$line" <<< "$output" || fail "no line '$line'"
done <<< "$expected"
! grep -q 'not shown' <<< "$output" || fail "the output of a test that passes is shown"

output=$("$tree/tools/check" vm/a_good 2>&1) || fail "one good test: exit status $?"
grep -qx '1 passed, 0 failed, 0 skipped' <<< "$output" || fail "wrong counts"
output=$("$tree/tools/check" --list no-such-test 2>&1) && fail "--list of a name without a test passes"
grep -qx 'check: no test matches no-such-test' <<< "$output" || fail "--list does not name the pattern without a test"
output=$("$tree/tools/check" no-such-test 2>&1) && fail "a name without a test passes"
grep -qx 'check: no test matches no-such-test' <<< "$output" || fail "the pattern without a test is not named"

# tools/check names tests that are not built, and the command that builds them.
grep -qx 'check: build/asan has no tests of asan/: run make sanitized' <<< "$output" || fail "the missing tests of asan/ are not named"
output=$("$tree/tools/check" unit/sim/wire 2>&1) && fail "a test that is not built passes"
grep -q '^FAIL unit/ctest: .*/build has no tests of unit/: run make build$' <<< "$output" || fail "the message does not name make build"
output=$("$tree/tools/check" host/good 2>&1) || fail "a script needs a build: exit status $?"

# The programs of a test with NICs are built first, which fails in this tree.
printf '#!/bin/sh\n' > "$tree/tests/vm/h_nics.test"
chmod +x "$tree/tests/vm/h_nics.test"
output=$("$tree/tools/check" vm/h_nics 2>&1) && fail "a test passes without its programs"
grep -q '^FAIL vm/h_nics: make vm-programs failed$' <<< "$output" || fail "the message does not name make vm-programs"
rm "$tree/tests/vm/h_nics.test"

# A test that says so also runs on Verilated NICs, is told, and has more time there.
script vm/i_both.test '. "$TALLY_SHARE/guest.conf"; echo "$ENGINE, $TALLY_SLOWNESS"; sleep 100'
sed -i 's/^# timeout: 2/# timeout: 1\n# engines: model rtl/' "$tree/tests/vm/i_both.test"
output=$("$tree/tools/check" vm/i_both vm-rtl/ 2>&1) && fail "a test that is late passes"
for expected in 'vm/i_both: not done within 3 s|model, 3' 'vm-rtl/i_both: not done within 15 s|rtl, 15'; do
	grep -F -A 2 "FAIL ${expected%|*}" <<< "$output" | grep -qF "| ${expected#*|}" || fail "no '$expected'"
done
output=$("$tree/tools/check" --list _both 2> /dev/null) || fail "--list: exit status $?"
[ "$output" = "$(printf '%s\n' {vm,vm-debug,vm-rtl}/i_both)" ] || fail "wrong list of a test for both engines"
sed -i 's/^# engines: .*/# engines: rtl/' "$tree/tests/vm/i_both.test"
output=$("$tree/tools/check" vm/i_both 2>&1) && fail "an unknown list of engines is accepted"
grep -q "^FAIL vm/i_both: '# engines: rtl' is not " <<< "$output" || fail "the message does not name the engines"
rm "$tree/tests/vm/i_both.test"

output=$("$tree/tools/check" --list _good host 2> /dev/null) || fail "--list: exit status $?"
expected=$(printf '%s\n' host/{good,poor,unable} {vm,vm-debug}/{a,g}_good)
[ "$output" = "$expected" ] || fail "wrong list"
