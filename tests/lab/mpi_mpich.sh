#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# MPICH's collectives by the NICs of two VMs, with two ranks on each NIC.
layer=$PWD/build/lib/libtallycoll_mpich.so
[ -e "$layer" ] || { echo "MPICH is missing"; exit 77; }
# Of MPICH's own collectives in shared memory, MPI_Reduce() in place crashes, and all spin without giving up the processor.
export MPIR_CVAR_DEVICE_COLLECTIVES=none MPIR_CVAR_POLLS_BEFORE_YIELD=10 TALLY_COLL_SUMMARY=1 TALLY_COLL_TUNE=all=nic

fail() { echo "$*"; exit 1; }
output=$(tools/lab run --vms 2 --nics 2 --net --cpus 2 --mem 1024 -- \
	env LD_PRELOAD="$layer" tools/lab.d/guest-mpirun mpich 8 build/bin/tests/mpich/forms barriers types many movements 2>&1) ||
	{ echo "$output"; fail "exit status $?"; }
echo "$output"
grep -q ", 0 wrong$" <<< "$output" || fail "results are wrong"
for operation in allreduce bcast barrier allgather gather scatter; do
	grep -Eq "^$operation +[1-9]" <<< "$output" || fail "no $operation has been offloaded"
done
