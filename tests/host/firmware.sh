#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The firmware compiles and links for riscv32 without any library, and has bounds for stack and memory. Planted
# mistakes show that each of these checks can fail.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
bad() { echo "$*"; status=1; }

stack_limit=4096 memory_limit=65536
riscv=(clang --target=riscv32-unknown-elf -march=rv32imac -mabi=ilp32 -ffunction-sections -ffreestanding -nostdlib -nostdlibinc -std=gnu11
	-Os -Wall -Wextra -Werror -fstack-usage -fno-jump-tables -fno-asynchronous-unwind-tables -I. -Iuapi -Ifirmware/riscv)

compile() { # folder of the objects, sources
	local folder=$1 source
	shift
	mkdir -p "$folder"
	for source; do
		"${riscv[@]}" -c "$source" -o "$folder/$(basename "${source%.*}").o" || return 1
	done
}

link() { # folder of the objects
	ld.lld -static -e _start -Ttext 0x10000 -o "$1/image" "$1"/*.o
}

sizes() { # folder of the objects
	llvm-size "$1/image" | awk -v limit="$memory_limit" 'NR == 2 {
		printf "text %d, data %d, bss with the stack %d, together %d of %d bytes\n", $1, $2, $3, $1 + $2 + $3, limit
		exit $1 + $2 + $3 > limit
	}'
}

check() { # folder of the objects, sources
	compile "$@" && link "$1" && sizes "$1" && python3 tests/host/firmware.d/stack.py $stack_limit "$1"/*.o
}

port=(firmware/riscv/start.S firmware/riscv/builtins.c)
check "$work/image" firmware/*.c firmware/riscv/main.c "${port[@]}" || bad "the firmware does not pass"

# The unit tests, on riscv32.
run_tests() { # folder of the objects, sources
	compile "$@" && link "$1" && qemu-riscv32 "$1/image"
}

tests=(firmware/*.c "${port[@]}" firmware/test/{riscv,groups,group_cases}.c)
run_tests "$work/tests" "${tests[@]}" firmware/test/{tests,*_test}.c > "$work/said" || { bad "the unit tests fail on riscv32"; cat "$work/said"; }
echo "$(wc -l < "$work/said") unit tests passed on riscv32"
cat > "$work/failing.c" <<< '#include "firmware/test/test.h"
	static void fails(void) { test_equal("planted", 1, 2); }
	const struct firmware_test firmware_tests[] = { { "fails", fails } }; const unsigned int firmware_num_tests = 1;'
run_tests "$work/failing" "${tests[@]}" "$work/failing.c" > "$work/said" && bad "a test that fails passes"
grep -q 'fails: planted: 0x0*1, not 0x0*2$' "$work/said" || bad "a test that fails says: $(cat "$work/said")"

# A planted mistake is refused with this message.
planted() { # name, text of the message; the source is on stdin
	local said
	cat > "$work/$1.c"
	if said=$(check "$work/$1" "$work/$1.c" "${port[@]}" 2>&1); then
		bad "$1 passes: $said"
	elif [[ $said != *$2* ]]; then
		bad "$1 is refused with: $said"
	fi
}

planted library 'string.h' <<< '#include <string.h>'
planted undefined '__udivdi3' <<< 'unsigned long long f(unsigned long long a, unsigned long long b);
	unsigned long long f(unsigned long long a, unsigned long long b) { return a / b; }'
planted recursion 'recursion: ' <<< 'void g(volatile int *p); void f(volatile int *p);
	void f(volatile int *p) { g(p); *p = 1; } void g(volatile int *p) { if (*p) f(p); *p = 2; }'
planted itself 'recursion: ' <<< 'int f(int n); int f(int n) { return n ? f(n - 1) * f(n / 2) + 3 : 1; }'
planted indirect 'an indirect call' <<< 'void f(void (*g)(void)); void f(void (*g)(void)) { g(); g(); }'
planted table 'recursion: ' <<< 'void f(int i); void g(int i); extern void (*const table[2])(int i);
	void (*const table[])(int i) = { f, g }; void f(int i) { (void)i; } void g(int i) { table[i](i); table[i](i); }'
planted frame 'the stack is too small' <<< 'void g(volatile char *p); void f(void); static volatile int n;
	__attribute__((noinline)) void g(volatile char *p) { volatile char a[3000]; a[n] = *p; *p = a[n + 1]; }
	void f(void) { volatile char a[1200]; g(a); n = a[1]; }'
planted dynamic 'is dynamic' <<< 'void g(char *p); void f(int n); void g(char *p) { (void)p; }
	void f(int n) { volatile char a[n]; a[0] = 1; }'
planted large 'together' <<< 'char large[65536];'
exit $status
