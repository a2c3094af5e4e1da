/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that arrive at a unit alone, and whether they are dropped. */
#ifndef TALLY_SIM_ENGINE_TEST_ALONE_ARRIVE_H
#define TALLY_SIM_ENGINE_TEST_ALONE_ARRIVE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "engine/test/alone.h"

#define KEY 0x80000001u
#define PORT 3

/* Edges 0 and 1 are children, and there is a parent. The firmware is busy with something else. */
extern struct alone a;

struct packet {
	struct tally_tch w;
	uint8_t payload[128];
	size_t len;
	struct engine_addr from;
};

int arrive_setup(void **state);
int arrive_teardown(void **state);

/* Packets of child 1, or for a result of the parent, that are admitted. */
struct packet arriving_reduce(void);
struct packet arriving_result(void);
/* The result by multicast, from the root of the tree. The group gets the flag MULTICAST. */
struct packet arriving_multicast(void);
struct packet arriving_trigger(void);
struct packet arriving_ack(void);
struct packet arriving_kill_ack(void);
struct packet arriving_kill(void);
struct packet arriving_open(void);
struct packet arriving_busy(void);
struct packet arriving_query(void);
struct packet arriving_notify(void);

void arrive(const struct packet *p);
/* The number of packets that were dropped. */
uint64_t arrive_drops(void);

/* Let a packet like that of `make`, but changed, arrive. It must be dropped for one reason, or not. */
#define ARRIVE(make, counter, num, ...)                                                  \
	do {                                                                             \
		struct packet p = arriving_##make();                                     \
		struct tally_tch *w = &p.w;                                              \
                                                                                         \
		(void)w;                                                                 \
		__VA_ARGS__;                                                             \
		memset(a.counters, 0, sizeof(a.counters));                               \
		arrive(&p);                                                              \
		if (arrive_drops() != (num) || a.counters[TALLY_CTR_##counter] != (num)) \
			fail_msg("%s", #make ": " #__VA_ARGS__);                         \
	} while (0)
#define DROPPED(counter, make, ...) ARRIVE(make, counter, 1, __VA_ARGS__)
/* Each test begins anew, so that what was taken before does not matter. */
#define TAKEN(make, ...)                                \
	do {                                            \
		arrive_teardown(NULL);                  \
		arrive_setup(NULL);                     \
		ARRIVE(make, drop_tch, 0, __VA_ARGS__); \
	} while (0)

#endif
