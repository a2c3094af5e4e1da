/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hostile processes get errors for their attempts. Meanwhile the victim beside them gets right
 * results in untouched memory, within a bounded time of the device, and new objects when it asks
 * for them.
 */
#include "isolation.h"

#include <unistd.h>

#define MIN_OPS 12	     /* messages of the victim under every attack */
#define BOUND_NS 1000000
#define KILLS 3
#define LOOK_US 2000

struct stage *stage;

static const struct {
	const char *name;
	void (*run)(void);
	bool killed; /* killed during the attack */
} attacks[] = {
	{ "nothing", NULL, false },
	{ "foreign memory", foreign_memory, false },
	{ "foreign groups", foreign_groups, false },
	{ "impostor", impostor, false },
	{ "foreign pages", foreign_pages, false },
	{ "rings overwritten", rings_overwritten, false },
	{ "changed after the doorbell", changed_after_doorbell, false },
	{ "events flooded", events_flooded, false },
	{ "everything taken", everything_taken, false },
	{ "pages taken", pages_taken, false },
	{ "heavy load", heavy_load, false },
	{ "killed amid all that", rings_overwritten, true },
};

#define NUM_ATTACKS (sizeof(attacks) / sizeof(attacks[0]))

static uint64_t random_state = 0x9e3779b97f4a7c15ULL;

uint64_t random64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

bool under_way(void)
{
	return look(&stage->of[look(&stage->attack)].ops) < MIN_OPS;
}

static void hostile(void *arg)
{
	void (*run)(void) = attacks[*(const unsigned int *)arg].run;

	run();
}

static void wait_for_ops(unsigned int i, unsigned int ops)
{
	while (look(&stage->of[i].ops) < ops)
		usleep(LOOK_US);
}

static void attack(unsigned int i)
{
	unsigned int kills = attacks[i].killed ? KILLS : 0;

	__atomic_store_n(&stage->attack, i, __ATOMIC_RELEASE);
	for (unsigned int k = 0; k < kills; k++) {
		pid_t pid = spawn(hostile, &i);

		wait_for_ops(i, (k + 1) * (MIN_OPS - 1) / KILLS);
		slay(pid);
	}
	if (attacks[i].run && !kills)
		reap(spawn(hostile, &i));
	wait_for_ops(i, MIN_OPS);
}

static void report(unsigned int i, unsigned int refused)
{
	uint32_t worst = stage->of[i].worst_ns;

	printf("%-28s %5u refused, victim: %4u messages, %8.1f us at worst\n", attacks[i].name,
	       refused, look(&stage->of[i].ops), worst / 1000.0);
	fflush(stdout);
	REQUIRE(worst && worst <= BOUND_NS, "%s: the victim waited for %u ns of the device's time",
		attacks[i].name, worst);
}

/* Returns whether the attack's name contains one of the arguments, or there are none. */
static bool chosen(unsigned int i, char **wanted)
{
	bool all = !*wanted;

	for (; *wanted; wanted++)
		all |= !!strstr(attacks[i].name, *wanted);
	return all;
}

int main(int argc, char **argv)
{
	pid_t pid;

	(void)argc;
	_Static_assert(NUM_ATTACKS <= MAX_ATTACKS, "each has its place");
	stage = share(sizeof(*stage));
	stage->ready = meeting_new(2);
	pid = spawn(victim, NULL);
	meet(stage->ready);
	for (unsigned int i = 0; i < NUM_ATTACKS; i++) {
		unsigned int refused = look(&stage->refused);

		if (!chosen(i, argv + 1))
			continue;
		attack(i);
		report(i, look(&stage->refused) - refused);
	}
	add(&stage->over, 1);
	reap(pid);
	return 0;
}
