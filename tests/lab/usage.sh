#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Invalid arguments give a sentence that names the fault, after it the usage, and exit status 2. No VM is booted.

refused() { # text of the message, arguments
	named=$1
	shift
	message=$(tools/lab "$@" 2>&1)
	status=$?
	[ $status -eq 2 ] || { echo "tools/lab $*: exit status $status, not 2"; exit 1; }
	case $message in
	"lab: "*"$named"*usage:*) ;;
	*) echo "tools/lab $*: no sentence on '$named' before the usage: $message"; exit 1 ;;
	esac
}

refused --no-such-option run --no-such-option -- true
refused CMD run --nics 2
refused CMD run -- ""
refused --nics run --nics 17 -- true
refused --nics run --nics x -- true
refused --mem run --mem 99999 -- true
refused --vms run --vms 0 -- true
refused --engine run --engine magic -- true
refused --kernel run --kernel magic -- true
refused --fault run --nics 0 --fault drop -- true
refused --root run --root / --kernel debug -- true
refused --root run --root / --net -- true
refused --kernel run --kernel debug --net -- true
refused "--sockets 3 does not divide --cpus 4" run --cpus 4 --sockets 3 -- true
refused --sockets run --sockets 0 -- true
refused PROGRAM mpirun -np 2
refused -np mpirun true
refused -np mpirun -np 0 true
refused --mpi mpirun -np 2 --mpi magic true
refused --kernel mpirun -np 2 --kernel debug true
refused run jump
refused run
# A program must exist where the VMs see it.
no_program() { # text of the message, program
	message=$(tools/lab mpirun --nics 0 -np 2 "$2" 2>&1)
	status=$?
	[ $status -eq 125 ] || { echo "mpirun $2: exit status $status, not 125"; exit 1; }
	[ "$message" = "lab: mpirun: $1" ] || { echo "mpirun $2: $message"; exit 1; }
}
no_program "there is no program no-such-program" no-such-program
no_program "there is no program tests/no-such" tests/no-such
no_program "./README.md is not executable" ./README.md
# A folder without a Debian is a failure of the lab, not a usage error.
message=$(tools/lab run --root tests/lab -- true 2>&1)
[ $? -eq 125 ] || { echo "--root of another folder: exit status is not 125"; exit 1; }
case $message in
*"tests/lab has no boot/vmlinuz-*"*) ;;
*) echo "--root of another folder: $message"; exit 1 ;;
esac
# A shell cannot wait for input from a file.
message=$(tools/lab shell < /dev/null 2>&1)
[ $? -eq 125 ] || { echo "a shell without input: exit status is not 125"; exit 1; }
case $message in
"lab: shell: standard input must be a terminal or a pipe"*) ;;
*) echo "a shell without input: $message"; exit 1 ;;
esac
# The simulator refuses what only it knows, which is a usage error, too.
message=$(tools/lab run --nics 1 --fault magic -- true 2>&1)
status=$?
[ $status -eq 2 ] || { echo "--fault magic: exit status $status, not 2"; exit 1; }
case $message in
*magic*) ;;
*) echo "--fault magic is not named: $message"; exit 1 ;;
esac
# A folder for captures that cannot be made.
message=$(tools/lab run --nics 1 --pcap /proc/none -- true 2>&1)
[ $? -eq 125 ] || { echo "--pcap /proc/none: exit status is not 125"; exit 1; }
case $message in
*"lab: --pcap /proc/none: "*) ;;
*) echo "--pcap /proc/none: $message"; exit 1 ;;
esac
# The program that builds the modules says what it needs.
for arguments in "" stock "stock /tmp more"; do
	# shellcheck disable=SC2086
	message=$(tools/lab.d/build-modules $arguments 2>&1)
	status=$?
	[ $status -eq 2 ] || { echo "build-modules $arguments: exit status $status, not 2"; exit 1; }
	case $message in
	"build-modules: usage: build-modules stock|debug|gcov FOLDER") ;;
	*) echo "build-modules $arguments: $message"; exit 1 ;;
	esac
done
tools/lab --help | grep -q 'Exit status' || { echo "no help"; exit 1; }
