#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# commits.sh TALLYSIM SOURCES: model and hardware commit the same in every mode, and tools/commits finds what differs.
set -euo pipefail
tallysim=$1
sources=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# bench ENGINE SEED OPTION...: writes ENGINE.SEED
bench() {
	"$tallysim" bench --params "$sources/sim/bench/params/ethernet100g.params" --no-host --iterations 3 --warmup 1 \
		--engine "$1" --seed "$2" --commits "$work/$1.$2" "${@:3}" > "$work/out" || { cat "$work/out"; exit 1; }
}
commits() { "$sources/tools/commits" "$@" > "$work/said"; }
# Both engines with the same options.
same() {
	echo "$*"
	bench model 1 "$@"
	bench rtl 1 "$@"
	commits "$work/model.1" "$work/rtl.1" || { cat "$work/said"; exit 1; }
	cat "$work/said"
}
# differs WHAT STREAM: tools/commits fails with the edited copy, and names the stream.
differs() {
	! commits "$work/model.1" "$work/edited" || { echo "not found: $1"; exit 1; }
	grep -q "^$2.* differs" "$work/said" || { echo "$1: $2 is not named"; cat "$work/said"; exit 1; }
}

same --op allreduce --size 20000 --nodes 4 --mode ring --type int32
same --op allreduce --size 64K --nodes 8 --mode tree --type int64 --ranks 2
same --op bcast --size 20K --nodes 8 --mode multicast
same --op reduce --size 4K --nodes 5 --mode tree --type uint8
same --op reduce_scatter --size 512 --nodes 6 --mode ring --type int16
same --op allgather --size 512 --nodes 6 --mode exchange
same --op barrier --nodes 8
same --op allreduce --size 8 --nodes 9 --mode exchange --type fp64
same --op allreduce --size 8 --nodes 2 --mode tree

# What is planted in a copy is found; repetitions and other times are not.
sed '/^edge/ { p; s/ [0-9]* / 5 / }' "$work/rtl.1" > "$work/edited"
commits "$work/model.1" "$work/edited" || { echo "a repetition counts"; cat "$work/said"; exit 1; }
sed '0,/^edge.*data 8:./s/\(^edge.*data 8:\)./\1x/' "$work/rtl.1" > "$work/edited"
differs "other data of a packet" edge
sed '0,/^memory/{/^memory/d}' "$work/rtl.1" > "$work/edited"
differs "a write that is missing" memory
sed '0,/^qp/{/^qp/p}' "$work/rtl.1" > "$work/edited"
differs "a completion twice" qp
bench rtl 2 --op allreduce --size 8 --nodes 2 --mode tree
cp "$work/rtl.2" "$work/edited"
differs "other values" memory
