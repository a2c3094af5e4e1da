#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The models of the protocol (tests/model, docs/model.md) hold with all rules, and fail without any one of them. Prints
# a line for each run: verdict, model, states, seconds, and the assertion that failed.
# A run is not repeated if the same programs have made it with the same files.

models=$PWD/tests/model
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
known=${XDG_CACHE_HOME:-$HOME/.cache}/tally/models
mkdir -p "$known" || exit 1
export models scratch known

# Columns: verdict, model, flags. holds: with all rules. fails: without this rule. spare: holds without this rule, as
# docs/model.md explains.
runs() {
	cat <<-'END'
	holds slot CHAIN SEGS=2 KINDS=2 LOSSES=0
	holds slot SEGS=2
	holds slot STAR
	holds slot CHAIN
	holds slot SPARSE
	holds slot LOSSES=0
	fails slot NO_WINDOW_CHECK
	fails slot NO_LOCAL_WINDOW
	fails slot SEGS=2 DONE_WITH_GAPS
	fails slot FREE_SLOT_BEFORE_ACK
	fails slot FREE_SLOT_BEFORE_WRITE
	fails slot FREE_SLOT_BEFORE_POST
	fails slot NO_PROBE
	fails slot LOSSES=0 NO_ANNOUNCE
	fails slot LOSSES=0 NO_SERIAL_MAXIMUM
	spare slot NO_ANNOUNCE
	spare slot NO_SERIAL_MAXIMUM
	holds exchange CHUNKS=4
	holds exchange SEGS=2 CHUNKS=2
	fails exchange NO_WINDOW_CHECK
	fails exchange FIRST_ROUND_WINDOW
	fails exchange NO_LOCAL_WINDOW
	fails exchange ROUNDS_SHARE_SEGMENT
	fails exchange DONE_OF_FIRST_ROUND
	fails exchange FREE_SLOT_BEFORE_ACK
	fails exchange FREE_SLOT_BEFORE_WRITE
	fails exchange NO_PROBE
	fails exchange LOSSES=0 NO_ANNOUNCE
	fails exchange LOSSES=0 NO_SERIAL_MAXIMUM
	holds ring SEGS=2
	holds ring SEGS=2 KINDS
	fails ring NO_WINDOW_CHECK
	fails ring NO_LOCAL_WINDOW
	fails ring SEGS=2 DONE_WITH_GAPS
	fails ring FREE_SLOT_BEFORE_ACK
	fails ring FREE_SLOT_BEFORE_WRITE
	fails ring NO_PROBE
	fails ring LOSSES=0 NO_ANNOUNCE
	fails ring LOSSES=0 NO_SERIAL_MAXIMUM
	holds modes
	holds modes SHIFT=1
	holds modes SHIFT=2
	fails modes NO_WINDOW_CHECK
	fails modes NO_LOCAL_WINDOW
	fails modes SEGS=2 DONE_WITH_GAPS
	fails modes FREE_SLOT_BEFORE_ACK
	fails modes FREE_SLOT_BEFORE_WRITE
	fails modes NO_PROBE
	fails modes LOSSES=0 NO_ANNOUNCE
	fails modes LOSSES=0 NO_SERIAL_MAXIMUM
	holds limit LOSSES=0
	holds limit GROUPS=1 CHUNKS=3
	holds limit GROUPS=1 CHUNKS=3 LAZY
	holds limit GROUPS=1 CHUNKS=3 LAZY LOSSES=0
	fails limit LOSSES=0 NO_GUARANTEE
	fails limit LOSSES=0 BORROW_UNPOSTED
	fails limit LOSSES=0 CHUNKS=3 GAPS
	fails limit LOSSES=0 LOWERED_LIMIT
	fails limit GROUPS=1 CHUNKS=3 NO_LOCAL_LIMIT
	fails limit GROUPS=1 NO_LIMIT_CHECK
	fails limit GROUPS=1 CHUNKS=3 LOSSES=0 TELL_WHEN_IDLE
	holds limit JOIN=2 NODES=2 LOSSES=0
	fails limit JOIN=1 NODES=2 LOSSES=0 NO_SLOT_KEPT
	fails limit JOIN=2 NODES=2 LOSSES=0 WAITS_FOR_ALL
	holds room
	holds room KINDS=1 WINDOW=2
	holds room CELLS=0 WINDOW=2
	fails room NO_NUMBER_KEPT
	fails room OLDEST_TAKES_CELLS
	holds drain
	fails drain RETURN_BEFORE_FENCE
	spare drain WRITE_AFTER_FREEZE
	holds multicast EARLY_REPAIR
	holds multicast SEGS=2 CHUNKS=2
	fails multicast NO_SUBTREE_MINIMUM
	fails multicast NO_REPAIR
	fails multicast OVER_IS_NOT_ACKNOWLEDGED
	fails multicast ACK_OF_ANY_CHUNK
	fails multicast TAKES_OLD_COPIES
	fails multicast FREE_SLOT_BEFORE_ACK
	holds edge LOSSES=2
	holds edge WINDOW=2 LOSSES=2
	fails edge NO_ANTI_REPLAY
	fails edge MARK_SEEN_BEFORE_STORE
	fails edge FULL_WINDOW_AHEAD
	fails edge ACK_IS_CUMULATIVE
	fails edge NO_DUPLICATE_ACK
	fails edge NO_RETRANSMIT
	fails edge BUSY_COSTS_RETRY
	fails edge NO_TURN
	holds epoch
	fails epoch NO_NONCE
	fails epoch NO_EPOCH_CHECK
	fails epoch CHALLENGE_TELLS_EPOCH
	fails epoch OLD_LIFE_IS_KEPT
	fails epoch QUICK_RESTART
	spare epoch NO_FIRST_NUMBER
	spare epoch OPEN_IS_SILENT
	holds kill
	holds kill SHORT_COLLECT
	fails kill NO_KILL_REPEAT
	fails kill ACK_NAMES_DETECTOR
	fails kill FIRST_REPORT_STAYS
	fails kill NO_OWN_VIEW
	fails kill SHORT_COLLECT NO_WAIT_FOR_WRITE
	fails kill SHORT_COLLECT ABORT_NOT_LAST
	END
}

# Messages of an incomplete search, which proves nothing.
incomplete='max search depth too small|Search not completed|out of memory'

# Run and print a model, or print what is known from the same run.
run() {
	local name made
	name=$known/$({ echo "$*" "$versions"; declare -f search; cat "$models/$2.pml" "$models"/{common,flow}.pml; } | sha256sum | cut -d' ' -f1)
	if [ -e "$name" ]; then
		echo "$(< "$name") (found before)"
		return 0
	fi
	made=$(search "$@") || { echo "$made"; return 1; }
	echo "$made"
	echo "$made" > "$name.$$" && mv "$name.$$" "$name"
}

search() {
	local verdict=$1 model=$2 out errors states why start expected=0 compiler=tcc
	shift 2
	[ "$verdict" = fails ] && expected=1
	# gcc takes longer for the 16,000 lines of spin than most searches last. These models have a million states.
	[[ "$verdict $model" =~ ^holds\ (exchange|limit|multicast|room)$ ]] && compiler="gcc -Og"
	out=$(mktemp -d -p "$scratch") && cd "$out" || return 1
	start=$EPOCHREALTIME
	spin -a "${@/#/-D}" "$models/$model.pml" > log 2>&1 &&
		$compiler -DSAFETY -DSFH -DNOREDUCE -DMEMLIM=1500 -o pan pan.c >> log 2>&1 &&
		./pan -w20 -m100000 >> log 2>&1
	errors=$(sed -n 's/.*errors: \([0-9]*\)$/\1/p' log)
	states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' log)
	why=$(sed -n 's/^pan:1: \(.*\) (at depth .*/\1/p' log)
	[ "$expected" = 0 ] && grep -qE "$incomplete" log && errors=incomplete
	printf '%-5s %-45s %9s states %5.1f s  %s\n' "$verdict" "$model $*" "$states" \
		"$(bc <<< "$EPOCHREALTIME - $start")" "$why"
	[ "$errors" = "$expected" ] && return 0
	echo "FAIL: $model $*: errors ${errors:-none reported}, expected $expected"
	tail -n 20 log
	return 1
}
export -f run search
export incomplete

for tool in spin tcc gcc bc; do
	command -v $tool > /dev/null || { echo "no $tool: run tools/setup tests"; exit 1; }
done
versions=$(spin -V; tcc -v; gcc --version)
export versions
runs | xargs -P 2 -L 1 bash -c 'run "$@"' run
