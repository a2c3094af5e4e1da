#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Wireshark finds valid RoCEv2 in the captures of the demo: BTH with our opcode, right checksums, no complaint. The
# dissector has no remark either, and finds the packets that every link of a tree carries.

fail() { echo "$*"; exit 1; }

nics=4
opcode=192	# 0xc0, the first of the manufacturer's range
scratch=$(mktemp -d /tmp/tally-pcap-XXXXXX)
trap 'rm -rf "$scratch"' EXIT

tools/lab run --nics $nics --pcap "$scratch" -- build/bin/tally_demo --short > "$scratch/out" 2>&1 ||
	fail "the demo fails: $(cat "$scratch/out")"
captures=("$scratch"/*.pcap)
[ ${#captures[@]} -eq $nics ] || fail "${#captures[@]} captures of $nics links: ${captures[*]}"

for capture in "${captures[@]}"; do
	frames=$(tshark -o udp.check_checksum:TRUE -r "$capture" -T fields -e infiniband.bth.opcode -e udp.dstport \
		-e udp.checksum.status -e _ws.malformed -e _ws.expert 2> "$scratch/messages") ||
		fail "$capture: $(cat "$scratch/messages")"
	[ -n "$frames" ] || fail "$capture is empty"
	# Opcode, port, checksum good (1), nothing malformed, no remark.
	odd=$(grep -vnP "^$opcode\t4791\t1\t\t$" <<< "$frames")
	[ -z "$odd" ] || fail "$capture: frames that are not as they should be: $odd"

	found=$(tshark -X lua_script:tools/dissector/tally.lua -r "$capture" -T fields -e _ws.col.Info -e _ws.expert \
		2> "$scratch/messages") || fail "$capture: $(cat "$scratch/messages")"
	odd=$(grep -vnP "^[A-Z]+ jid 0x[0-9a-f]{8} .*\t$" <<< "$found")
	[ -z "$odd" ] || fail "$capture: the dissector remarks: $odd"
	for kind in OPEN REDUCE RESULT ACK; do
		grep -q "^$kind " <<< "$found" || fail "$capture: no $kind among: $found"
	done
done
