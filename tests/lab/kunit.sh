#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The lane kunit/ of tools/check believes only a test that reports its own success. The test uses a small tree, whose
# kernel is a script that prints the kernel's output.

fail() { echo "$*"; echo "$output"; exit 1; }

tree=$(mktemp -d /tmp/tally-kunit-XXXXXX)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/kernel/core"
cp -r tools "$tree"

cat > "$tree/kernel/core/some_test.c" << 'END'
static struct kunit_case some_cases[] = {
	KUNIT_CASE(good),
	KUNIT_CASE(bad),
	KUNIT_CASE_PARAM(half, half_gen_params),
	KUNIT_CASE(late),
	{}
};
static struct kunit_suite some_suite = {
	.name = "tally_some",
	.test_cases = some_cases,
};
END

# kernel CASE LINE STATUS: runs a kernel with this result of the last case, followed by this line and the exit status.
kernel() {
	printf '#!/bin/sh\ncat << "END"\n' > "$tree/tools/lab.d/kunit"
	cat >> "$tree/tools/lab.d/kunit" << END
Linux version 6.1
KTAP version 1
1..1
    KTAP version 1
    # Subtest: tally_some
    1..4
    ok 1 good
    # bad: EXPECTATION FAILED at kernel/core/some_test.c:9
    not ok 2 bad
        KTAP version 1
        # Subtest: half
        ok 1 one
        not ok 2 other
    # half: pass:1 fail:1 skip:0 total:2
    not ok 3 half
$1
$2
END
	printf 'END\nexit %s\n' "$3" >> "$tree/tools/lab.d/kunit"
	chmod +x "$tree/tools/lab.d/kunit"
	output=$("$tree/tools/check" kunit/ 2>&1)
	status=$?
}

says() { # patterns of lines in the output
	local line
	for line in "$@"; do
		grep -qE "$line" <<< "$output" || fail "no line matches '$line'"
	done
}

kernel "    ok 4 late" "" 0
[ $status -eq 1 ] || fail "exit status $status of failing tests, not 1"
says '^PASS kunit/tally_some.good' '^FAIL kunit/tally_some.bad: not ok' '^FAIL kunit/tally_some.half' 'EXPECTATION FAILED' \
	'^PASS kunit/tally_some.late' '^PASS kunit/kernel' '^3 passed, 2 failed'
kernel "" "Kernel panic - not syncing" 1
says '^FAIL kunit/tally_some.late: it has no verdict' '^FAIL kunit/kernel: the kernel complained'
kernel "    ok 4 late" "BUG: KASAN: use-after-free in late" 0
says '^FAIL kunit/kernel: the kernel complained' 'use-after-free in late'
kernel "    ok 4 late # SKIP no reason" "" 1
says '^SKIP kunit/tally_some.late: no reason' '^FAIL kunit/kernel: exit status 1'
