#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The lab finds modprobe although a plain user's PATH has no /usr/sbin, and names a program that is missing.

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "$*"; cat "$scratch/err"; exit 1; }

mkdir "$scratch/bin"
# The programs in a plain user's PATH.
for path in /usr/bin/* /bin/*; do
	ln -sf "$path" "$scratch/bin"
done
PATH=$scratch/bin tools/lab run --nics 0 -- true 2> "$scratch/err" || fail "a plain user: exit status $?"

mv "$scratch/bin/cpio" "$scratch"
PATH=$scratch/bin tools/lab run --nics 0 -- true 2> "$scratch/err"
status=$?
[ $status -eq 125 ] || fail "without cpio: exit status $status, not 125"
grep -qx 'lab: there is no cpio: run tools/setup lab' "$scratch/err" || fail "the message does not name cpio"
mv "$scratch/cpio" "$scratch/bin"

# Programs of the group mpi are only needed for a network or an MPI.
rm "$scratch/bin/mpiexec.mpich"
PATH=$scratch/bin tools/lab mpirun --nics 0 -np 2 --mpi mpich true 2> "$scratch/err"
status=$?
[ $status -eq 125 ] || fail "without mpiexec.mpich: exit status $status, not 125"
grep -qx 'lab: there is no mpiexec.mpich: run tools/setup mpi' "$scratch/err" || fail "the message does not name mpiexec.mpich"
rm "$scratch/bin/ssh-keygen"
PATH=$scratch/bin tools/lab run --nics 0 --net -- true 2> "$scratch/err"
grep -qx 'lab: there is no ssh-keygen: run tools/setup mpi' "$scratch/err" || fail "the message does not name ssh-keygen"
