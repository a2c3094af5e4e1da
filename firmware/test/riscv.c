// SPDX-License-Identifier: BSD-2-Clause
/* Runs the tests of the firmware on riscv32, by system calls of Linux, which qemu-riscv32 has. */
#include "firmware/test/test.h"

enum { SYS_WRITE = 64, SYS_EXIT = 93 };

int main(void);

static const char *running;

static long system_call(long number, long a, long b, long c)
{
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a7 __asm__("a7") = number;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
	return a0;
}

static _Noreturn void stop(int status)
{
	for (;;)
		system_call(SYS_EXIT, status, 0, 0);
}

static void print(const char *text)
{
	unsigned int n = 0;

	while (text[n])
		n++;
	system_call(SYS_WRITE, 1, (long)text, n);
}

static void print_number(uint64_t v)
{
	static const char digits[] = "0123456789abcdef";
	char text[19] = "0x";
	unsigned int i;

	for (i = 0; i < 16; i++)
		text[2 + i] = digits[v >> (60 - 4 * i) & 15];
	print(text);
}

void test_fail(const char *what, uint64_t value, uint64_t wanted)
{
	print(running);
	print(": ");
	print(what);
	print(": ");
	print_number(value);
	print(", not ");
	print_number(wanted);
	print("\n");
	stop(1);
}

int main(void)
{
	unsigned int i;

	for (i = 0; i < firmware_num_tests; i++) {
		running = firmware_tests[i].name;
		firmware_tests[i].run();
		print(running);
		print("\n");
	}
	stop(0);
}
