#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A run leaves no process, no run folder and no memory file behind, whether it ends by itself or by a signal.

fail() { echo "$*"; cat "$scratch/messages"; exit 1; }

scratch=$(mktemp -d /tmp/tally-cleanup-XXXXXX)
trap 'rm -rf "$scratch"' EXIT
export XDG_RUNTIME_DIR=$scratch/run
mkdir "$XDG_RUNTIME_DIR"

# Uses a pattern file, so that grep does not find its own command line.
echo "$XDG_RUNTIME_DIR/" > "$scratch/pattern"
processes() {
	grep -lF -f "$scratch/pattern" /proc/[0-9]*/cmdline 2>/dev/null
}

nothing_left() { # event
	local file
	[ -z "$(ls -A "$XDG_RUNTIME_DIR")" ] || fail "after $1: run folder left: $(ls -A "$XDG_RUNTIME_DIR")"
	[ -z "$(processes)" ] || fail "after $1: processes left: $(processes)"
	for file in "${memory[@]}"; do
		[ ! -e "$file" ] || fail "after $1: memory file $file left"
	done
}

# Starts a run, waits until the guest's command runs, then sends a signal to the run.
interrupt() { # signal, expected status, lab options
	local signal=$1 expected=$2 pid status link
	shift 2
	: > "$scratch/out"
	tools/lab run "$@" -- sh -c 'echo started; sleep 1000' > "$scratch/out" 2> "$scratch/messages" &
	pid=$!
	until grep -q started "$scratch/out"; do
		kill -0 "$pid" 2>/dev/null || fail "the lab ended early"
		sleep 0.2
	done
	memory=()
	for link in "$XDG_RUNTIME_DIR"/*/vm*.mem; do
		[ -L "$link" ] && memory+=("$(readlink "$link")")
	done
	[ -n "$(processes)" ] || fail "no process found while the lab runs: this test cannot see them"
	kill "-$signal" "$pid"
	wait "$pid"
	status=$?
	[ $status -eq "$expected" ] || fail "$signal: exit status $status, not $expected"
	nothing_left "$signal"
}

memory=()
tools/lab run --nics 0 -- true 2> "$scratch/messages" || fail "exit status $?"
nothing_left "a run"
interrupt TERM 143 --nics 0
interrupt TERM 143 --nics 2
[ ${#memory[@]} -eq 1 ] || fail "no memory file found while the lab runs: this test cannot see it"

# After SIGKILL the lab cannot clean up, but its processes end.
tools/lab run --nics 0 -- sleep 1000 2> "$scratch/messages" &
pid=$!
until [ -n "$(processes)" ]; do sleep 0.2; done
kill -KILL "$pid"
wait "$pid" 2>/dev/null
for _ in $(seq 50); do
	[ -n "$(processes)" ] || exit 0
	sleep 0.1
done
fail "after KILL: processes left: $(processes)"
