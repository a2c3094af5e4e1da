#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# MPI programs run on the VMs of tools/lab mpirun, with Open MPI and with MPICH: the ranks are spread evenly, get the
# user's variables and know their own VM, and their exit status is passed on. VMs reach each other by ssh.

fail() { echo "$*"; echo "$output"; exit 1; }

# The program must be below the checkout, because VMs have their own /tmp.
mkdir -p build
scratch=$(mktemp -d build/lab-mpirun-XXXXXX)
trap 'rm -rf "$scratch"' EXIT
for mpi in openmpi mpich; do
	output=$("mpicc.$mpi" -Wall -Wextra -Werror -O2 -o "$scratch/hello.$mpi" tests/mpi/hello.c 2>&1) ||
		fail "mpicc.$mpi cannot compile: run tools/setup mpi"
done

ranks_are() { # ranks, VM and number of each, separated by blanks
	local ranks=$1 place
	shift
	for place; do
		grep -qx "rank ${place#*/} of $ranks on vm${place%/*} in VM ${place%/*}, probe a b, sum $((ranks * (ranks + 1) / 2))" \
			<<< "$output" || fail "no rank ${place#*/} on VM ${place%/*}"
	done
	[ "$(grep -c ^rank <<< "$output")" -eq "$ranks" ] || fail "not $ranks ranks"
}
export TALLY_PROBE="a b" TALLY_VM=9

output=$(tools/lab mpirun --vms 2 --nics 1 -np 4 "$scratch/hello.openmpi" 2>&1) || fail "Open MPI: exit status $?"
ranks_are 4 0/0 0/1 1/2 1/3

# In a lab with a network, programs run one after the other. A rank that fails is on the other VM.
output=$(tools/lab run --net --vms 2 --nics 0 --cpus 2 --mem 1024 --sockets 2 -- sh -c '
	mpirun=tools/lab.d/guest-mpirun
	ssh vm1 "echo vm1 is \$(hostname), VM \$TALLY_VM"
	ssh vm1 "exit 3"; echo "ssh ends with $?"
	echo "$(sort -u /sys/devices/system/cpu/cpu*/topology/physical_package_id | wc -l) sockets"
	$mpirun openmpi 2 "$0/hello.openmpi" 1 5 > /dev/null; echo "openmpi ends with $?"
	$mpirun mpich 4 "$0/hello.mpich" 2 7; echo "mpich ends with $?"' "$scratch" 2>&1) || fail "a lab with a network: exit status $?"
for line in "vm1 is vm1, VM 1" "ssh ends with 3" "2 sockets" "openmpi ends with 5" "mpich ends with 7"; do
	grep -qx "$line" <<< "$output" || fail "no line '$line'"
done
ranks_are 4 0/0 0/1 1/2 1/3

# One VM needs no network. The status of a rank is that of the lab.
output=$(tools/lab mpirun --nics 0 -np 3 --mpi mpich "$scratch/hello.mpich" 1 6 2>&1)
status=$?
[ $status -eq 6 ] || fail "a rank ends with 6: exit status $status"
ranks_are 3 0/0 0/1 0/2
