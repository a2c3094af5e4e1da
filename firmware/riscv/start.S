/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets up the stack, and runs main(), which does not return in the firmware. */
	.section .text.start, "ax"
	.globl _start
	.type _start, @function
_start:
	la sp, stack_top
	.weak main
	la t0, main
	beqz t0, wait
	call main
wait:
	wfi
	j wait
	.size _start, . - _start

	.bss
	.balign 16
	.space 4096
stack_top:
