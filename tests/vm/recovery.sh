# SPDX-License-Identifier: BSD-2-Clause
# Common functions of the recovery tests, which source this file after common.sh.

# hand REQUEST: makes tests/vm/host_hand perform a request on the host.
hand() {
	local n
	n=$(($(cat "$TALLY_SHARE/hand.count" 2> /dev/null || echo 0) + 1))
	echo "$n" > "$TALLY_SHARE/hand.count"
	echo "$*" > "$TALLY_SHARE/hand.new"
	mv "$TALLY_SHARE/hand.new" "$TALLY_SHARE/hand.$n"
	until [ -e "$TALLY_SHARE/hand.$n.done" ]; do
		sleep 0.1
	done
	[ "$(cat "$TALLY_SHARE/hand.$n.done")" = 0 ] || fail "the host did not: $*"
}

# handles: prints the devlink handles of all NICs in order.
handles() {
	devlink dev show | sort
}

# reporter HANDLE: prints the state of its health reporter, on one line.
reporter() {
	devlink health show "$1" reporter device | tail -n +2 | xargs
}

# diagnose HANDLE: stores the reporter's diagnosis in the array `diagnosis`, by key.
declare -A diagnosis
diagnose() {
	local text
	text=$(devlink health diagnose "$1" reporter device -j)
	diagnosis=()
	while [[ $text =~ \"([a-z_]+)\":(\"([^\"]*)\"|[0-9]+)(.*) ]]; do
		diagnosis[${BASH_REMATCH[1]}]=${BASH_REMATCH[3]:-${BASH_REMATCH[2]}}
		text=${BASH_REMATCH[4]}
	done
}

# await SECONDS WHAT COMMAND...: waits until the command succeeds.
await() {
	local limit=$(($1 * TALLY_SLOWNESS)) what=$2
	local end=$((SECONDS + limit))
	shift 2
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || fail "$what: not within $limit s; $(dmesg -t | tail -5)"
		sleep 0.2
	done
}

# failed_because HANDLE WHY: checks that the reason for its last failure contains this text.
failed_because() {
	diagnose "$1"
	[[ ${diagnosis[last_failure]} == *"$2"* ]] || fail "$1 failed because ${diagnosis[last_failure]}, not $2"
}

declare -A come_back

# remember: stores the number of recoveries of each device.
remember() {
	local handle
	for handle in $(handles); do
		diagnose "$handle"
		come_back[$handle]=${diagnosis[recoveries]}
	done
}

# back_again HANDLE: checks that it has recovered once since remember, and that its verbs device exists.
back_again() {
	[ -e /sys/bus/pci/devices/"${1#pci/}"/infiniband ] && diagnose "$1" &&
		[ "${diagnosis[recoveries]:-}" = $((come_back[$1] + 1)) ] && [ "${diagnosis[state]:-}" = "in service" ]
}

all_back_again() {
	local handle
	for handle in $(handles); do
		back_again "$handle" || return
	done
}
