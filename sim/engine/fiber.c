// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fibers on stacks of their own. ucontext(3) begins a fiber; later switches are jumps, which need no
 * system call. A jump to another stack is what _FORTIFY_SOURCE takes for a mistake.
 */
#undef _FORTIFY_SOURCE
#include "engine/fiber.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>

#ifdef __has_feature
#define ASAN_OF_CLANG __has_feature(address_sanitizer)
#else
#define ASAN_OF_CLANG 0
#endif

#if defined(__SANITIZE_ADDRESS__) || ASAN_OF_CLANG
#include <sanitizer/common_interface_defs.h>
#define SWITCH_BEGINS(save, bottom, size) __sanitizer_start_switch_fiber(save, bottom, size)
#define SWITCH_ENDS(save, bottom, size) __sanitizer_finish_switch_fiber(save, bottom, size)
#else
#define SWITCH_BEGINS(save, bottom, size) ((void)(save), (void)(bottom), (void)(size))
#define SWITCH_ENDS(save, bottom, size) ((void)(save), (void)(bottom), (void)(size))
#endif

#define STACK_BYTES (256 * 1024) /* of addresses; only the pages that are used take memory */
#define GUARD_BYTES 4096
#define MAX_FREE 1024 /* as many as NICs of a large fabric have at the same time */

/* What is in use of the stack shares pages with the members behind it. */
struct fiber {
	_Alignas(4096) uint8_t stack[STACK_BYTES];
	jmp_buf own, caller;
	ucontext_t first; /* where it begins */
	void (*body)(void *arg);
	void *arg;
	bool begun; /* it is somewhere in run() */
	bool ended;
	struct fiber *next_free;
	/* what the address sanitizer knows of both stacks */
	void *own_fake, *caller_fake;
	const void *caller_bottom;
	size_t caller_size;
};

static _Thread_local struct fiber *free_fibers;
static _Thread_local unsigned int num_free;

/* Go back to the caller of fiber_resume(). */
static void leave(struct fiber *f, void **fake)
{
	SWITCH_BEGINS(fake, f->caller_bottom, f->caller_size);
	_longjmp(f->caller, 1);
}

/* A fiber whose body has ended waits for the next one, because to begin takes system calls. */
static void run(unsigned int high, unsigned int low)
{
	struct fiber *f = (struct fiber *)((uintptr_t)high << 32 | low);

	SWITCH_ENDS(NULL, &f->caller_bottom, &f->caller_size);
	for (;;) {
		f->body(f->arg);
		f->ended = true;
		fiber_yield(f);
	}
}

static struct fiber *take(void)
{
	struct fiber *f = free_fibers;

	if (f) {
		free_fibers = f->next_free;
		num_free--;
		return f;
	}
	f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (f == MAP_FAILED)
		return NULL;
	/* A stack that overflows must not reach other memory. */
	mprotect(f->stack, GUARD_BYTES, PROT_NONE);
	return f;
}

static bool prepare(struct fiber *f)
{
	if (getcontext(&f->first))
		return false;
	f->first.uc_stack.ss_sp = f->stack + GUARD_BYTES;
	f->first.uc_stack.ss_size = sizeof(f->stack) - GUARD_BYTES;
	f->first.uc_link = NULL;
	makecontext(&f->first, (void (*)(void))run, 2, (unsigned int)((uintptr_t)f >> 32),
		    (unsigned int)(uintptr_t)f);
	return true;
}

struct fiber *fiber_new(void (*body)(void *arg), void *arg)
{
	struct fiber *f = take();

	if (!f || (!f->begun && !prepare(f)))
		return NULL;
	f->body = body;
	f->arg = arg;
	f->ended = false;
	return f;
}

/* Switch to the fiber. It comes back by a jump to f->caller. */
static void enter(struct fiber *f)
{
	SWITCH_BEGINS(&f->caller_fake, f->first.uc_stack.ss_sp, f->first.uc_stack.ss_size);
	if (f->begun)
		_longjmp(f->own, 1);
	f->begun = true;
	setcontext(&f->first);
}

bool fiber_resume(struct fiber *f)
{
	if (!_setjmp(f->caller))
		enter(f);
	SWITCH_ENDS(f->caller_fake, NULL, NULL);
	if (!f->ended)
		return true;
	fiber_free(f);
	return false;
}

void fiber_yield(struct fiber *f)
{
	if (!_setjmp(f->own))
		leave(f, &f->own_fake);
	SWITCH_ENDS(f->own_fake, &f->caller_bottom, &f->caller_size);
}

void fiber_free(struct fiber *f)
{
	f->begun = f->ended; /* one that has not ended begins anew */
	if (num_free == MAX_FREE) {
		munmap(f, sizeof(*f));
		return;
	}
	num_free++;
	f->next_free = free_fibers;
	free_fibers = f;
}
