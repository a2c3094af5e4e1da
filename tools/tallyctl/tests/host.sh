#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# host.sh TALLYCTL TALLYSIM: the commands for a simulator, on a running one.
set -u
ctl=$1
sim=$2
dir=$(mktemp -d /tmp/tallyctl-XXXXXX)
out=$(mktemp)
err=$(mktemp)
failures=0
pid=
unset TALLY_CONTROL

clean_up() {
	[ -z "$pid" ] || kill "$pid"
	wait
	rm -rf "$dir" "$out" "$err"
}
trap clean_up EXIT

complain() {
	echo "$*"
	sed 's/^/  out: /' "$out"
	sed 's/^/  err: /' "$err"
	failures=$((failures + 1))
}

run() {
	local wanted=$1 status
	shift
	"$ctl" "$@" > "$out" 2> "$err"
	status=$?
	[ "$status" = "$wanted" ] || complain "tallyctl $*: status $status, not $wanted"
}

says() {
	tr -s ' ' < "$out" | grep -qF -- "$1" || complain "the output does not contain: $1"
}

warns() {
	grep -qF -- "$1" "$err" || complain "no message contains: $1"
}

json() {
	[ "$(python3 -c "import json, sys; print(json.load(sys.stdin)$1)" < "$out")" = "$2" ] ||
		complain "JSON: $1 is not $2"
}

run 1 links
warns "no simulator given"
run 1 --control "$dir" links
warns "$dir/control.sock: No such file or directory (is a tallysim running there?)"
run 1 --control "/tmp/$(printf 'x%.0s' {1..120})" links
warns "path is too long"
run 2 --control "$dir" bogus
warns "bogus: unknown command"
run 2
warns "no command"
run 2 --bogus
run 0 --help
says "fault add SPEC..."
run 0 --version
says "tallyctl $(sed -nE 's/^project\(tally VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)"

"$sim" serve --dir "$dir" --vms 2 --nics 2 --mem-mb 64 --seed 1 --die-with-parent --fault drop:nth=3,link=vm1-nic0 \
	> "$dir.log" 2>&1 &
pid=$!
for ((i = 0; i < 400; i++)); do
	[ ! -e "$dir/ready" ] || break
	sleep 0.05
done
[ -e "$dir/ready" ] || { cat "$dir.log"; exit 1; }
rm "$dir.log"

export TALLY_CONTROL=$dir
run 2 fault
warns "fault: use fault add SPEC..."
run 2 --group 0 links
warns "links: --group does not apply"
run 0 fault list
says "1 active 0 0 drop:nth=3,link=vm1-nic0"
run 0 fault add corrupt:rate=0.5 down:nic=3,at=100s
says "fault 2"
says "fault 3"
run 1 fault add drop:kind=nonsense
warns "kind=nonsense: unknown kind; there are: reduce"
run 1 fault add drop:link=vm9-nic9
warns "no such link"
run 0 --json fault list
json '["faults"][2]["state"]' waiting
json '["faults"][1]["fault"]' corrupt:rate=0.5
run 0 fault clear 2
run 1 fault clear 2
warns "fault clear 2: there is no such fault"
run 0 fault clear
says "faults cleared: 2"
run 2 fault
run 2 fault add
run 2 fault list 1
run 2 fault add $'drop\nfault clear'
run 2 links now

run 0 --control "$dir/control.sock" links
says "port peer up tx_frames"
says "vm1-nic1 switch yes 0"
run 0 links --json

# A command whose output cannot be written prints an error and fails.
lost() {
	local status
	"$ctl" "$@" 2> "$err"
	status=$?
	[ "$status" = 1 ] || complain "tallyctl $*: status $status, not 1"
	warns "stdout cannot be written to"
}
for words in --help links "fault list --json"; do
	# shellcheck disable=SC2086 # several words
	lost $words > /dev/full
	# shellcheck disable=SC2086
	lost $words >&-
done
run 0 links --json
json '["links"][7]["port"]' switch
run 0 switches
says "switch yes 0"
run 0 nics
says "2 vm1-nic0 02:54:41:01:00:00 NEEDS_RESET 1 0"
run 0 nics vm1-nic1 --all
says "mac 02:54:41:01:00:01"
says "retransmits 0"
run 0 --json nics 3
json '["counters"]["drop_icrc"]' 0
run 1 nics 4
warns "nics 4: the simulator has no such NIC"
run 0 fault add nic-reset:nic=2
for ((i = 0; i < 400; i++)); do
	run 0 --json nics 2
	! grep -q '"epoch": 2' "$out" || break
	sleep 0.05
done
json '["epoch"]' 2

[ "$failures" = 0 ] || echo "$failures complaints"
exit $((failures > 0))
