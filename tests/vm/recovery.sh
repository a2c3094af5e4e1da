# SPDX-License-Identifier: BSD-2-Clause
# What tests of recovery share; sourced by them, behind common.sh.

# hand REQUEST: has tests/vm/host_hand do something on the host.
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

# The devlink handles of all NICs, in their order.
handles() {
	devlink dev show | sort
}

# reporter HANDLE: what devlink says of its health reporter, in words.
reporter() {
	devlink health show "$1" reporter device | tail -n +2 | xargs
}

# diagnosis HANDLE KEY: a value of the reporter's diagnosis.
diagnosis() {
	devlink health diagnose "$1" reporter device -j | sed -n "s/.*[{,]\"$2\":\"\?\([^\",}]*\).*/\1/p"
}

# await SECONDS WHAT COMMAND...: the command succeeds before long.
await() {
	local end=$((SECONDS + $1 * ${TALLY_SLOWNESS:-1})) what=$2
	shift 2
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || fail "$what: not within $1 s; $(dmesg -t | tail -5)"
		sleep 0.2
	done
}

declare -A come_back

# Notes how often each device has come back so far.
remember() {
	local handle
	for handle in $(handles); do
		come_back[$handle]=$(diagnosis "$handle" recoveries)
	done
}

# back_again HANDLE: it has come back once since remember, and its verbs device is there.
back_again() {
	[ "$(diagnosis "$1" recoveries)" = $((come_back[$1] + 1)) ] && [ "$(diagnosis "$1" state)" = "in service" ] &&
		[ -e /sys/bus/pci/devices/"${1#pci/}"/infiniband ]
}

all_back_again() {
	local handle
	for handle in $(handles); do
		back_again "$handle" || return
	done
}
