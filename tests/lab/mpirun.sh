#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# MPI programs run on the VMs of tools/lab mpirun, with Open MPI and with MPICH: the ranks are spread evenly, get the
# user's variables and know their own VM, and their exit status is passed on. VMs reach each other by ssh. The collectives
# of both are performed by the NICs of two VMs, with two ranks on each NIC.

fail() { echo "$output"; echo "$*"; exit 1; }

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

forms_are_right() { # MPI
	local operation
	grep -q "^forms: .*, 0 wrong$" <<< "$output" || fail "$1: there are wrong results"
	for operation in allreduce bcast barrier allgather gather scatter; do
		grep -Eq "^$operation +[1-9]" <<< "$output" || fail "$1: no $operation has been offloaded"
	done
}

export TALLY_PROBE="a b" TALLY_VM=9 TALLY_COLL_SUMMARY=1 TALLY_COLL_TUNE=all=nic
# Of MPICH's own collectives in shared memory, MPI_Reduce() in place crashes, and all spin without giving up the processor.
export MPIR_CVAR_DEVICE_COLLECTIVES=none MPIR_CVAR_POLLS_BEFORE_YIELD=10
export OMPI_MCA_mca_base_component_path=SYS_DEFAULT:$PWD/build/lib/openmpi
parts="barriers many movements"

output=$(tools/lab mpirun --vms 2 --nics 2 -np 8 build/bin/tests/openmpi/forms $parts 2>&1) || fail "Open MPI: exit status $?"
forms_are_right "Open MPI"

# In a lab with a network, programs run one after the other. A rank that fails is on the other VM. The launcher then ends
# the other ranks, and may lose what they have printed.
network() {
	output=$(tools/lab run --net --vms 2 --nics 2 --cpus 2 --mem 1024 --sockets 2 -- sh -c '
		mpirun=tools/lab.d/guest-mpirun
		ssh vm1 "echo vm1 is \$(hostname), VM \$TALLY_VM"
		ssh vm1 "exit 3"; echo "ssh ends with $?"
		echo "$(sort -u /sys/devices/system/cpu/cpu*/topology/physical_package_id | wc -l) sockets"
		$mpirun openmpi 2 "$0/hello.openmpi" 1 5 > /dev/null; echo "openmpi ends with $?"
		$mpirun mpich 5 "$0/hello.mpich" 2 7 > /dev/null; echo "mpich ends with $?"
		$mpirun mpich 5 "$0/hello.mpich"
		LD_PRELOAD=$PWD/build/lib/libtallycoll_mpich.so $mpirun mpich 8 build/bin/tests/mpich/forms '"$parts" "$scratch" 2>&1) ||
		fail "a lab with a network: exit status $?"
	for line in "vm1 is vm1, VM 1" "ssh ends with 3" "2 sockets" "openmpi ends with 5" "mpich ends with 7"; do
		grep -qx "$line" <<< "$output" || fail "no line '$line'"
	done
	ranks_are 5 0/0 0/1 0/2 1/3 1/4
	forms_are_right MPICH
}

# This lab has failed once on a busy machine, for a reason that is not known: the log did not show it. A second attempt is
# permitted, and the runner shows the reason of the first. There is none after a wrong result.
first=$(network 2>&1) || {
	echo "$first"
	! grep -Eq "^forms: .*, [1-9][0-9]* wrong$|^rank .* of 8: " <<< "$first" || exit 1
	echo "again: the lab with a network, because of: $(tail -n 1 <<< "$first")"
	network
}

# One VM needs no network. The status of a rank is that of the lab.
output=$(tools/lab mpirun --nics 0 -np 3 --mpi mpich "$scratch/hello.mpich" 1 6 2>&1)
status=$?
[ $status -eq 6 ] || fail "a rank ends with 6: exit status $status"
output=$(tools/lab mpirun --nics 0 -np 3 --mpi mpich "$scratch/hello.mpich" 2>&1) || fail "one VM: exit status $?"
ranks_are 3 0/0 0/1 0/2
