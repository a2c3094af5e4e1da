#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# guest.sh TALLYCTL: the commands for a machine's devices, on samples of sysfs and debugfs.
set -u
ctl=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
sys=$root/sys
dbg=$root/debug
out=$root/out
err=$root/err
failures=0

complain() {
	echo "$*"
	sed 's/^/  out: /' "$out"
	sed 's/^/  err: /' "$err"
	failures=$((failures + 1))
}

# run STATUS ARGUMENTS...: expects STATUS; writes the output to $out and the messages to $err.
run() {
	local wanted=$1 status
	shift
	"$ctl" --sysfs "$sys" --debugfs "$dbg" "$@" > "$out" 2> "$err"
	status=$?
	[ "$status" = "$wanted" ] || complain "tallyctl $*: status $status, not $wanted"
}

# Blanks between columns are ignored here; lines_test checks them.
says() {
	tr -s ' ' < "$out" | grep -qF -- "$1" || complain "the output does not contain: $1"
}

silent_on() {
	! tr -s ' ' < "$out" | grep -qF -- "$1" || complain "the output contains: $1"
}

warns() {
	grep -qF -- "$1" "$err" || complain "no message contains: $1"
}

# device NAME PCI DRIVER: makes a verbs device whose counters are all 0.
device() {
	local dir=$sys/devices/$2 port=$sys/devices/$2/infiniband/$1/ports/1
	mkdir -p "$port/hw_counters" "$port/gids" "$sys/bus/pci/drivers/$3" "$sys/class/infiniband"
	ln -s "$sys/bus/pci/drivers/$3" "$dir/driver"
	ln -s "$dir" "$dir/infiniband/$1/device"
	ln -s "$dir/infiniband/$1" "$sys/class/infiniband/$1"
	echo "4: ACTIVE" > "$port/state"
	echo "fe80:0000:0000:0000:0054:41ff:fe00:0000" > "$port/gids/0"
	echo "0054:41ff:fe00:0000" > "$dir/infiniband/$1/node_guid"
	echo 10 > "$port/hw_counters/lifespan"
	for counter in rx_frames tx_frames retransmits future_one; do
		echo 0 > "$port/hw_counters/$counter"
	done
}

run 1 devices
warns "there is no Tally device (are the modules tally and tally_ib loaded?)"
device rxe0 0000:00:02.0 virtio-pci
run 1 groups
warns "there is no Tally device"
device tally0 0000:00:04.0 tally
device tally1 0000:00:05.0 tally
device tally10 0000:00:06.0 tally

# ---- sysfs alone ----

run 0 devices
says "tally0 0000:00:04.0 - fe80:0000:0000:0000:0054:41ff:fe00:0000 4: ACTIVE -"
silent_on rxe0
[ "$(awk 'NR > 1 { print $1 }' "$out" | xargs)" = "tally0 tally1 tally10" ] || complain "the devices are not in order"
run 0 devices tally1
silent_on tally0
run 1 devices tally7
warns "tally7: no such Tally device"
run 1 devices rxe0
warns "rxe0: no such Tally device"
run 2 devices tally0 tally1
warns "unexpected argument tally1"

echo 17 > "$sys/class/infiniband/tally1/ports/1/hw_counters/retransmits"
run 0 counters
says "counter tally0 tally1 tally10"
says "retransmits 0 17 0"
silent_on rx_frames
run 0 --all counters tally1
says "rx_frames 0"
says "future_one 0"
silent_on lifespan
run 0 --json counters tally1
[ "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["counters"]["tally1"]["retransmits"])' < "$out")" = 17 ] ||
	complain "JSON does not have 17"
echo many > "$sys/class/infiniband/tally1/ports/1/hw_counters/retransmits"
run 1 counters
warns "hw_counters/retransmits: not a number"
rm -r "$sys/class/infiniband/tally1/ports/1/hw_counters"
run 1 counters tally1
warns "hw_counters: No such file or directory"

# ---- debugfs ----

run 1 groups tally0
warns "$dbg/tally/0000:00:04.0/groups: no such file; is debugfs mounted"
for pci in 0000:00:04.0 0000:00:05.0 0000:00:06.0; do
	mkdir -p "$dbg/tally/$pci"
	touch "$dbg/tally/$pci"/{device,groups,segs,edges,arrivals}
done
run 0 groups
[ "$(wc -l < "$out")" = 1 ] || complain "the output is more than a header"
run 0 --json arrivals
[ "$(tr -d ' \n' < "$out")" = '{"arrivals":[]}' ] || complain "the list is not empty"

first=$dbg/tally/0000:00:04.0
cat > "$first/device" << 'END'
device name=tally0 pci=0000:00:04.0 guid=0x54 mac=02:54:41:00:00:00 abi=1 engine=1 wire=1 kind=0 caps=TREE,TRIGGERED link_up=1 dead=0 more=x
END
cat > "$first/groups" << 'END'
group group=0 jid=0x1234 life=LIVE mode=TREE flags=0x1 level=0 node=0 num_nodes=4 rank_mask=0x1 owner_ranks=0x1 total_ranks=4 rank_first=0 held=0x1 num_segs=4 max_segs=32 msg_cells=0 mtu=4096 timeout_ms=10000 pid=123 comm=tally\040demo epoch=0x77 state=OPEN status=OK done=17 open_edges=0x6 parent_open=1 attached=0x1 gone=0x0 detector=0 missing_contributors=0x0 missing_ranks=0x0 rounds=0
group group=3 jid=0xbeef life=DRAINING mode=EXCHANGE flags=0x0 level=1 node=2 num_nodes=4 rank_mask=0x3 owner_ranks=0x1 total_ranks=4 rank_first=2 held=0x0 num_segs=8 max_segs=8 msg_cells=0 mtu=4096 timeout_ms=10000 pid=9 comm=gone rounds=3 modes=TREE,EXCHANGE,RING plan=0x77
END
cat > "$first/segs" << 'END'
range base=0 count=4 state=GROUP group=0 jid=0x1234 pid=123 comm=tally_demo
range base=4 count=4 state=HELD pid=124 comm=other
range base=8 count=8 state=FREE
seg group=0 jid=0x1234 index=0 state=BUSY opcode=ALLREDUCE op=SUM type=INT32 num=17 mid=9 sid=1 contributors=0x2 ranks=0x0 receivers=0x0 deliver=0x0
END
cat > "$first/edges" << 'END'
edge group=0 jid=0x1234 index=0 role=CHILD state=OPEN gid=fe80:0000:0000:0000:0054:41ff:fe00:0001 mac=02:54:41:00:00:01 subtree_first=1 subtree_count=2 peer_done=16 outstanding=1 retries=3 sent=10 retransmits=4 received=11 duplicates=5 busy=6 round=0 position=0 roles=-
edge group=3 jid=0xbeef index=1 role=PEER state=OPEN gid=:: mac=02:54:41:00:00:03 subtree_first=0 subtree_count=0 peer_done=7 outstanding=0 retries=0 sent=1 retransmits=0 received=2 duplicates=0 busy=0 round=2 position=1 roles=IN,OUT
edge group=3 jid=0xbeef index=64 role=PARENT state=OPENING gid=:: mac=02:54:41:00:00:02 subtree_first=0 subtree_count=0 peer_done=0 outstanding=0 retries=0 sent=0 retransmits=0 received=0 duplicates=0 busy=0
END
cat > "$first/arrivals" << 'END'
arrival group=0 jid=0x1234 n=0 mid=9 opcode=ALLREDUCE op=SUM type=INT32 count=1000 ranks=0x1 contributors=0x1 last=RANK:0 first_ns=1000 last_ns=1500 done_ns=0 skew_ns=500
arrival group=0 jid=0x1234 n=1 mid=8 opcode=BARRIER op=NONE type=NONE count=0 ranks=0x1 contributors=0x3 last=CHILD:1 first_ns=100 last_ns=350 done_ns=400 skew_ns=250
END

run 0 devices tally0
says "tally0 0000:00:04.0 02:54:41:00:00:00 fe80:0000:0000:0000:0054:41ff:fe00:0000 4: ACTIVE 0 1 1 1 0 TREE,TRIGGERED"
run 0 groups
says "tally0 0 0x1234 LIVE OPEN OK TREE - 0 0 4 0x1 0x1 4 32 0x77 17 123 tally demo"
says "tally0 3 0xbeef DRAINING - - EXCHANGE TREE,EXCHANGE,RING 3 2 4 0x3 0x0 8 8 - - 9 gone"
run 0 --group 3 groups
silent_on 0x1234
run 0 groups tally0 --group 0x1234
silent_on 0xbeef
run 2 --group x groups
run 2 --group 3 devices
warns "devices: --group does not apply to this command"
run 0 segs tally0
says "tally0 4 4 HELD - - 124 other"
says "tally0 8 8 FREE"
says "tally0 0 0 0x1234 BUSY ALLREDUCE SUM INT32 17 9 1 0x2 0x0 0x0 0x0"
run 0 --json segs tally0
[ "$(python3 -c 'import json, sys; t = json.load(sys.stdin); print(len(t["ranges"]), t["segs"][0]["sid"])' < "$out")" = "3 1" ] ||
	complain "JSON does not have 3 ranges and sid 1"
run 0 edges
says "tally0 0 0x1234 CHILD 0 0 0 - OPEN 02:54:41:00:00:01 1 2 16 1 3 10 4 11 5 6"
says "tally0 3 0xbeef PARENT 64 - - - OPENING"
says "tally0 3 0xbeef PEER 1 2 1 IN,OUT OPEN 02:54:41:00:00:03"
run 0 arrivals
says "tally0 0 0x1234 9 ALLREDUCE SUM INT32 1000 0x1 0x1 RANK:0 1000 500 -"
says "tally0 0 0x1234 8 BARRIER NONE NONE 0 0x1 0x3 CHILD:1 100 250 50"
echo "arrival group" >> "$first/arrivals"
run 1 arrivals
warns "arrivals: line 3: \"group\" is not key=value"

[ "$failures" = 0 ] || echo "$failures complaints"
exit $((failures > 0))
