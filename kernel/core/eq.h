/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Event queues. */
#ifndef TALLY_EQ_H
#define TALLY_EQ_H

#include <linux/spinlock.h>

#include "tally.h"

/* Entries of every event queue: enough for several events of each object. */
#define TALLY_EQ_DEPTH TALLY_MAX_EQ_DEPTH

struct tally_pf;

/**
 * struct tally_eq - An event queue and its interrupt.
 * @pf: device
 * @num: number of the queue and of its MSI-X vector
 * @irq: Linux interrupt
 * @lock: guards ring and consumed, also from interrupts
 * @ring: the ring, NULL before eq_setup()
 * @ring_dma: bus address of ring
 * @consumed: entries consumed since the last reset
 * @irq_name: name in /proc/interrupts
 */
struct tally_eq {
	struct tally_pf *pf;
	unsigned int num;
	int irq;
	spinlock_t lock;
	struct tally_eqe *ring;
	dma_addr_t ring_dma;
	u64 consumed;
	char irq_name[2 * TALLY_NAME_SIZE];
};

/**
 * struct tally_client - Receiver of the events.
 * @events: handlers
 * @ctx: first argument of the handlers
 */
struct tally_client {
	const struct tally_events *events;
	void *ctx;
};

int tally_eqs_setup(struct tally_pf *pf);
void tally_eqs_free(struct tally_pf *pf);
int tally_eqs_create(struct tally_pf *pf);
void tally_event_fatal(struct tally_pf *pf);

#endif
