# SPDX-License-Identifier: BSD-2-Clause
# Common function of the demo's tests, which source this file.
run_demo() {
	local out last
	out=$(build/bin/tally_demo "$@" 2>&1) || fail "tally_demo $*: $out"
	last=$(tail -n 1 <<< "$out")
	[ "$last" = "demo: PASS" ] || fail "tally_demo $* ends with '$last': $out"
}
