#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The demo runs on Verilated NICs, and the driver says what they are and gives them more time to answer.

fail() { echo "$*"; exit 1; }

scratch=$(mktemp -d /tmp/tally-engine-XXXXXX)
trap 'rm -rf "$scratch"' EXIT

in_guest='echo "limit: $(($(cat /sys/module/tally/parameters/cmd_timeout_ms) / TALLY_SLOWNESS)) ms"; build/bin/tally_demo --short'
tools/lab run --nics 4 --engine rtl --fault drop:rate=0.02 --log "$scratch/log" -- sh -c "$in_guest" > "$scratch/out" 2>&1 ||
	fail "the demo fails: $(cat "$scratch/out")"
grep -q "^demo: PASS" "$scratch/out" || fail "the demo does not pass: $(cat "$scratch/out")"
[ "$(grep -c "engine [0-9]* (kind 1)" "$scratch/log")" -eq 4 ] || fail "not four NICs of kind 1: $(grep "(kind" "$scratch/log")"
grep -q "^limit: 10000 ms" "$scratch/out" || fail "cmd_timeout_ms is not longer by the factor of this engine: $(cat "$scratch/out")"
