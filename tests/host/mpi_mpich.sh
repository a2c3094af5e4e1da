#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The layer for MPICH on a machine without NICs: programs run as without it, and with a libtallycoll that performs what it
# is given by MPICH's own means (tests/mpi/fake_tallycoll.c), all results and errors are right, from C and Fortran.

lib=$PWD/build/lib programs=$PWD/build/bin/tests/mpich
[ -e "$lib/libtallycoll_mpich.so" ] || { echo "MPICH is missing"; exit 77; }
fail() { echo "$*"; echo "$output"; exit 1; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# MPICH 4.0's own MPI_Reduce() in place crashes in shared memory if its root is not rank 0. Ranks that wait give up their
# processor soon.
export UCX_TLS=self,posix,sysv MPIR_CVAR_REDUCE_DEVICE_COLLECTIVE=0 MPIR_CVAR_POLLS_BEFORE_YIELD=10
layer=$lib/libtallycoll_mpich.so
fake=$layer:$lib/libfake_tallycoll_mpich.so

run() { # libraries, VARIABLE=VALUE..., ranks, program, argument...
	local libraries=$1 variables=()
	shift
	while [[ $1 == *=* ]]; do
		variables+=("$1")
		shift
	done
	output=$(timeout 300 mpiexec.mpich -np "$1" env "${variables[@]}" LD_PRELOAD="$libraries" "${@:2}" 2>&1)
}
passes() { # the same
	run "$@" || fail "exit status $? of $*"
}
has() {
	grep -Eq -- "$1" <<< "$output" || fail "no line like '$1'"
}

# Without a device everything is MPICH's.
passes "$layer" TALLY_COLL_SUMMARY=1 2 "$programs/forms"
has ", 0 wrong$"
has "^allreduce +0  NO_DEVICE [1-9]"
passes "$layer" 2 "$programs/beside" threads
passes "$layer" TALLY_COLL=of 2 "$programs/forms" barriers
has 'nothing is offloaded: TALLY_COLL is "of"'

# With the fake library as much is offloaded as types and operations permit.
passes "$fake" TALLY_COLL_SUMMARY=1 2 "$programs/forms"
has ", 0 wrong$"
has "^fake: [1-9][0-9]{2,} offloaded, [0-9]+ refused, 0 alone"
passes "$fake" TALLY_COLL_SUMMARY=1 2 "$programs/forms" types
has "^fake: [1-9][0-9]{2,} offloaded, 6 refused, 0 alone"	# those of long double, and two complex products
passes "$fake" 2 "$programs/beside"
passes "$fake" FAKE_LAZY=1 2 "$programs/beside"
passes "$fake" FAKE_LATE=5 2 "$programs/beside" threads
passes "$fake" FAKE_NO_CONTEXT=2 2 "$programs/beside"
has "rank 1: nothing is offloaded"

passes "$fake" FAKE_REASON=11 2 "$programs/errors" refused
[ -z "$output" ] || fail "memory is left"

# Errors: of blocking and non-blocking operations, one and several, with the handlers of MPI_COMM_WORLD and a communicator.
expected="wrong root: MPI_ERR_ROOT, by MPI itself.
first: success, No MPI error
ibarrier: success, No MPI error
wait: MPI_ERR_ARG, The test's sentence.
barrier: MPI_ERR_ARG, The test's sentence.
ibarrier: MPI_ERR_ARG, The test's sentence.
waitall: MPI_ERR_IN_STATUS, See the MPI_ERROR field in MPI_Status for the error code
its first status: MPI_ERR_ARG, The test's sentence.
its second status: success, No MPI error
testall: success, No MPI error"
for handlers in "fatal return" "return return"; do
	passes "$fake" FAKE_FAIL=2 2 "$programs/errors" $handlers
	[ "$output" = "$expected" ] || fail "errors with the handlers: $handlers"
done
passes "$fake" FAKE_FAIL=2 2 "$programs/errors" fatal own
[ "$(grep -c "^the handler was called" <<< "$output")" -eq 4 ] || fail "the handler is not called four times"
run "$fake" FAKE_FAIL=2 2 "$programs/errors" return fatal && fail "a fatal error ends no program"
has "The test's sentence."

# Fortran. The old bindings have no interface, so the compiler objects to buffers of two types.
for binding in MPIF MPI F08; do
	output=$(mpifort.mpich -fallow-argument-mismatch -w -D$binding tests/mpi/fortran.F90 -o "$scratch/$binding" 2>&1) ||
		fail "mpifort.mpich cannot compile: run tools/setup mpi"
	passes "$fake" TALLY_COLL_SUMMARY=1 2 "$scratch/$binding"
	has "^fortran: PASS"
	has "^fake: 8 offloaded, 0 refused"
done
