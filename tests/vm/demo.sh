# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the tests of the demo.
run_demo() {
	local out last
	out=$(build/bin/tally_demo "$@" 2>&1) || fail "tally_demo $*: $out"
	last=$(tail -n 1 <<< "$out")
	[ "$last" = "demo: PASS" ] || fail "tally_demo $* ends with '$last': $out"
}
