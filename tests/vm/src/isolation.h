/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A victim and, one after the other, hostile processes on the same NICs. The victim works without a
 * pause and looks at every byte; each attack goes on until the victim has done enough beside it.
 */
#ifndef TALLY_TEST_ISOLATION_H
#define TALLY_TEST_ISOLATION_H

#include "tally.h" /* the provider's own: rings, doorbell slots and handles as they really are */

#include "check.h"
#include "procs.h"
#include "work.h"

#define MAX_ATTACKS 16
#define MARK 0x5ec4e7da7a0ff1ceULL /* what the victim's memory is full of, and nobody else's */

/* What the processes share. Its numbers go up only. */
struct stage {
	/* What an attacker may have heard of the victim; of its key it takes only wrong ones. */
	struct {
		uint32_t jid;
		uint64_t join_key;
		unsigned int nodes; /* NICs of its group, the first ones */
		uint64_t addr[MAX_NICS];
		uint32_t lkey[MAX_NICS];
		uint64_t secret_addr;
		uint32_t secret_lkey;
	} victim;
	struct meeting *ready;
	unsigned int attack;     /* the one that goes on; 0: none */
	unsigned int over;
	unsigned int refused;    /* what hostile processes were told no about */
	unsigned int made;       /* sets of objects that the victim made */
	struct {
		unsigned int ops;
		uint32_t worst_ns; /* from the last rank's doorbell to the first completion */
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

/* Random numbers, in each process the same from run to run. */
uint64_t random64(void);
/* Has the victim still to do something under the attack? */
bool under_way(void);

/* isolation_victim.c */
void victim(void *arg);

/* A process's own group of one node, with a queue pair. */
struct lone {
	struct nic *nic;
	struct tallydv_seg *seg;
	struct tallydv_group *group;
	struct port port, spare; /* the latter keeps the group alive when the former is refused */
	uint32_t mid;
};

/* isolation_lone.c */
void lone_open(struct lone *lone, struct nic *nic);
void lone_close(struct lone *lone);
/* Takes the queue pair out of its error. Fails if its completion queue has overrun. */
int lone_revive(struct lone *lone);
/* Posts, and is refused with this status. */
void lone_refused(struct lone *lone, struct request *r, enum tally_coll_status coll);
/* Nothing of the victim's memory is in the NIC's buffer. */
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
