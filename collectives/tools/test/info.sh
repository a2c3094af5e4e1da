#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# info.sh PROGRAM: tallycoll_info prints rules and choices, and names what is wrong with its options and the rules.

info=$1
status=0
bad() { echo "$*"; status=1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TALLY_COLL_TUNE_FILE=
unset TALLY_COLL TALLY_COLL_TUNE TALLY_COLL_TRACE TALLY_COLL_SUMMARY

prints() { # pattern arguments...
	local pattern=$1
	shift
	"$info" "$@" > "$work/out" 2>&1 || bad "$*: exit status $?: $(cat "$work/out")"
	grep -Eq -- "$pattern" "$work/out" || bad "$*: no line $pattern: $(cat "$work/out")"
}

refuses() { # status pattern arguments...
	local want=$1 pattern=$2 got
	shift 2
	"$info" "$@" > "$work/out" 2>&1
	got=$?
	[ $got -eq "$want" ] || bad "$*: exit status $got, not $want"
	grep -Eq -- "$pattern" "$work/out" || bad "$*: no line $pattern: $(cat "$work/out")"
}

# The model leaves short operations of a node to the host, and offloads those of many nodes.
prints '^allreduce +1-[0-9]+ +host SLOWER ' --nodes 1 --ranks 4
prints '^allreduce +1-[0-9]* +direct ' --nodes 16
prints '^barrier +0 +direct ' --nodes 16 --ops barrier,bcast
[ "$(grep -c '^allreduce' "$work/out")" -eq 0 ] || bad "--ops prints other operations"
prints '^gather +4096 +' --nodes 16 --ranks 4 --size 4K
prints '^allreduce +1- +host ONE_RANK ' --nodes 1 --ranks 1
prints '^allgather +1- +host TOO_MANY_RANKS ' --ranks 65
prints '^reduce +1-[0-9]* +node ' --ranks 65
prints '^Usage: tallycoll_info' --help

# Rules: the variable is stronger than the runtime's, and these than the file's; each is printed with its source.
printf 'all=direct # everything\n\nbcast:1k-=host;bcast:-10=node\n' > "$work/rules"
export TALLY_COLL_TUNE_FILE=$work/rules TALLY_COLL_TUNE=reduce=nic
prints '^  all:0-=direct.\(the file\)' --nodes 2 --ranks 2 --tune 'gather=host'
for line in '  bcast:0-10=node.\(the file\)' '  gather:0-=host.\(the runtime\)' '  reduce:0-=nic.\(TALLY_COLL_TUNE\)' \
	'bcast +1-10 +node ' 'bcast +11-1023 +direct ' 'bcast +1024- +host OVERRIDDEN ' 'gather +1- +host OVERRIDDEN '; do
	grep -Eq "^$line" "$work/out" || bad "no line $line: $(cat "$work/out")"
done
echo 'bcast=hots' >> "$work/rules"
refuses 1 "^tallycoll_info: $work/rules:4: \"bcast=hots\": there is no way \"hots\"\.$"
TALLY_COLL_TUNE_FILE=$work/none refuses 1 "^tallycoll_info: TALLY_COLL_TUNE_FILE: $work/none: No such file or directory\.$"
export TALLY_COLL_TUNE_FILE=
refuses 1 "The runtime's parameter \(coll_tally_tune\): \"x=host\": there is no operation \"x\"" --tune x=host
TALLY_COLL=off prints '^allreduce +1- +host DISABLED '
TALLY_COLL=maybe refuses 1 'TALLY_COLL is "maybe"'

refuses 2 '--nodes 0: not a number from 1 to' --nodes 0
refuses 2 '--nodes 5000: not a number' --nodes 5000
refuses 2 '--ranks 4x: not a number' --ranks 4x
refuses 2 '--ranks -1: not a number' --ranks -1
refuses 2 '--size 1T: not a number' --size 1T
refuses 2 '--size 99999999999999999999: not a number' --size 99999999999999999999
refuses 2 '--ops: there is no operation "barriers"' --ops barriers
refuses 2 '--ops: there is no operation ""' --ops allreduce,
refuses 2 'unrecognized option' --what
refuses 2 'requires an argument' --nodes
refuses 2 'extra: there are no arguments' extra
exit $status
