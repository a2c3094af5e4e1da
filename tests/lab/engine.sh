#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The demo runs on NICs whose parser and encapsulator are Verilated hardware, and the driver says what they are.

fail() { echo "$*"; exit 1; }

scratch=$(mktemp -d /tmp/tally-engine-XXXXXX)
trap 'rm -rf "$scratch"' EXIT

tools/lab run --nics 4 --engine rtl --fault drop:rate=0.02 --log "$scratch/log" -- build/bin/tally_demo --short > "$scratch/out" 2>&1 ||
	fail "the demo fails: $(cat "$scratch/out")"
grep -q "^demo: PASS" "$scratch/out" || fail "the demo does not pass: $(cat "$scratch/out")"
[ "$(grep -c "engine [0-9]* (kind 1)" "$scratch/log")" -eq 4 ] || fail "not four NICs of kind 1: $(grep "(kind" "$scratch/log")"
