/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A victim and a sequence of hostile processes on the same NICs. The victim works without a pause
 * and checks every byte. Each attack continues until the victim has done enough work beside it.
 */
#ifndef TALLY_TEST_ISOLATION_H
#define TALLY_TEST_ISOLATION_H

#include "tally.h" /* the provider's own: rings, doorbell slots and handles as they really are */

#include "check.h"
#include "procs.h"
#include "work.h"

#define MAX_ATTACKS 16
#define MARK 0x5ec4e7da7a0ff1ceULL /* fills the memory of the victim only */

/* Data shared by the processes. Its counters only increase. */
struct stage {
	/*
	 * Facts about the victim that an attacker may know. An attacker uses wrong join keys only.
	 */
	struct {
		uint32_t jid;
		uint64_t join_key;
		unsigned int nodes; /* number of NICs in its group */
		uint64_t addr[MAX_NICS];
		uint32_t lkey[MAX_NICS];
		uint64_t secret_addr;
		uint32_t secret_lkey;
	} victim;
	struct meeting *ready;
	unsigned int attack;     /* current attack; 0: none */
	unsigned int over;
	unsigned int refused;    /* number of refusals to hostile processes */
	unsigned int made;       /* sets of objects that the victim created */
	struct {
		unsigned int ops;
		uint32_t worst_ns; /* longest, from the last doorbell to the first completion */
	} of[MAX_ATTACKS];
};

extern struct stage *stage;

static inline unsigned int look(const unsigned int *at)
{
	return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

static inline void add(unsigned int *at, unsigned int n)
{
	__atomic_fetch_add(at, n, __ATOMIC_ACQ_REL);
}

/* Returns a random number. Each process gets the same sequence in every run. */
uint64_t random64(void);
/* Returns whether the victim has work left to do under the attack. */
bool under_way(void);

/* isolation_victim.c */
void victim(void *arg);

/* A group of one node that only its process uses, with a queue pair. */
struct lone {
	struct nic *nic;
	struct tallydv_seg *seg;
	struct tallydv_group *group;
	struct port port, spare; /* `spare` keeps the group alive when `port` is refused */
	uint32_t mid;
};

/* isolation_lone.c */
void lone_open(struct lone *lone, struct nic *nic);
void lone_close(struct lone *lone);
/* Takes the queue pair out of the error state. Fails if its completion queue has overrun. */
int lone_revive(struct lone *lone);
/* Posts a request, and expects it to be refused with this status. */
void lone_refused(struct lone *lone, struct request *r, enum tally_coll_status coll);
/* Checks that the NIC's buffer holds no data of the victim. */
void lone_read_nothing(const struct lone *lone);

/* Attacks: isolation_names.c, isolation_pages.c, isolation_rings.c, isolation_greed.c */
void foreign_memory(void);
void foreign_groups(void);
void impostor(void);
void foreign_pages(void);
void rings_overwritten(void);
void changed_after_doorbell(void);
void events_flooded(void);
void everything_taken(void);
void pages_taken(void);
void heavy_load(void);

#endif
