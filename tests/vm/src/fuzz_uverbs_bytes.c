/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include <sys/mman.h>

#include "check.h"
#include "fuzz_uverbs.h"

#define PAGE 4096UL
#define KERNEL_ADDRESS 0xffff888000001000ULL

uint8_t *arena;

void arena_new(void)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | (arena ? MAP_FIXED : 0);

	arena = mmap(arena, ARENA_SIZE, PROT_READ | PROT_WRITE, flags, -1, 0);
	REQUIRE(arena != MAP_FAILED, "%lu bytes", ARENA_SIZE);
}

uint8_t take8(struct bytes *b)
{
	if (!b->left)
		return 0;
	b->left--;
	return *b->at++;
}

uint64_t take64(struct bytes *b)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < sizeof(value); i++)
		value = value << 8 | take8(b);
	return value;
}

uint32_t pick(struct bytes *b, uint32_t n)
{
	return take8(b) % n;
}

/* Returns a boundary value, or an address that is valid, invalid or outside of the process. */
static uint64_t strange(struct bytes *b)
{
	uint64_t few = take8(b);

	switch (few % 10) {
	case 0:
		return few / 10;
	case 1:
		return -1ULL - few / 10;
	case 2:
		return 1ULL << few / 10;
	case 3:
		return (1ULL << few / 10) - 1;
	case 4:
		return (uintptr_t)arena + few / 10 * PAGE;
	case 5:
		return (uintptr_t)arena + ARENA_SIZE - few / 10;
	case 6:
		return KERNEL_ADDRESS + few;
	case 7:
		return 1ULL << (32 + few / 10);
	case 8:
		return 1ULL << (63 - few / 10);
	default:
		return take64(b);
	}
}

static void spoil_one(struct bytes *b, uint8_t *p, size_t size)
{
	size_t width = 1U << pick(b, 4);
	size_t at = (take8(b) * (size_t)8 + pick(b, 8)) % size / width * width;
	uint64_t value = strange(b);

	if (at + width > size)
		width = size - at;
	memcpy(p + at, &value, width);
}

void spoil(struct bytes *b, void *p, size_t size)
{
	uint8_t how = take8(b);

	if (how < 128)
		return;
	for (unsigned int n = 1 + how % 3; n; n--)
		spoil_one(b, p, size);
}
