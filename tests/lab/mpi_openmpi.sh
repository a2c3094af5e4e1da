#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Open MPI's collectives by the NICs of two VMs, with two ranks on each NIC.
component=$PWD/build/lib/openmpi
[ -e "$component/mca_coll_tally.so" ] || { echo "Open MPI is missing"; exit 77; }
export OMPI_MCA_mca_base_component_path=SYS_DEFAULT:$component TALLY_COLL_SUMMARY=1 TALLY_COLL_TUNE=all=nic

output=$(tools/lab mpirun --vms 2 --nics 2 -np 8 build/bin/tests/openmpi/forms barriers types many movements 2>&1) ||
	{ echo "$output"; echo "exit status $?"; exit 1; }
echo "$output"
for operation in allreduce bcast barrier allgather gather scatter; do
	grep -Eq "^$operation +[1-9]" <<< "$output" || { echo "no $operation has been offloaded"; exit 1; }
done
