// SPDX-License-Identifier: BSD-2-Clause
/* Random numbers of an engine, which depend on its seed only. */
#include "engine/random.h"
#include "engine/common.h"

uint64_t engine_random(struct engine *e)
{
	uint64_t z = (e->seed += 0x9e3779b97f4a7c15ULL); /* splitmix64 */

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

uint32_t engine_key(struct engine *e)
{
	uint32_t key;

	do
		key = engine_random(e) >> 32;
	while (!key);
	return key;
}
