#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Long commands show their progress on a terminal, but not in a pipe.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
bad() { echo "$*"; status=1; }

# Prints the output of a command on a terminal.
on_terminal() {
	script -qec "$1" /dev/null < /dev/null
}

shows() { # command, text of its progress
	on_terminal "$1" > "$work/terminal" 2>&1 || bad "$1: exit status $?: $(cat "$work/terminal")"
	grep -qE "$2" "$work/terminal" || bad "$1 shows no progress: $(cat -v "$work/terminal")"
	sh -c "$1" > "$work/pipe" 2>&1 || bad "$1: exit status $? in a pipe"
	! grep -q $'\r' "$work/pipe" || bad "$1 shows progress in a pipe"
}

sim=build/bin/tallysim
[ -x $sim ] || { echo "build/ is not built: run make stack"; exit 1; }
shows "$sim bench --op barrier --nodes 2:4 --topology switch --params sim/bench/params/ethernet100g.params" "line 2 of 2"
shows "$sim stream --size 64K" "stream: [0-9.]+ ms of virtual time"
shows "$sim ordered --orders 10" "ordered: order 1 of 10"

# Replaces the make of a kernel.
cat > "$work/make" <<'END'
#!/bin/sh
for argument; do [ "$argument" != -s ] || exit 0; done
echo "  CC      a.o"; echo "  LD      b.o"; echo "  AS      c.o"
END
chmod +x "$work/make"
shows "bash -c 'program=debug-kernel; . tools/lab.d/kernel-source.sh; run_make $work/make; wait'" "debug-kernel: 2 files compiled"

# Results of the hardware's blocks.
shows "/usr/bin/python3 -B -c 'import sys; sys.path.insert(0, \"tools/rtl.d\"); import blocks
list(blocks.results(lambda x: x, [(1,), (2,)], 1))'" "2 of 2 done"
exit $status
