/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The admin queue. */
#ifndef TALLY_ADMINQ_H
#define TALLY_ADMINQ_H

#include <linux/completion.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "tally.h"

/*
 * Entries of the admin queue. The lower byte of a command's id is its slot, the rest a generation.
 */
#define TALLY_AQ_DEPTH 64

struct tally_pf;

/**
 * struct tally_aq_slot - A pending command.
 * @done: completed by the answer, or when the device fails
 * @answer: copy of the answer
 * @gen: generation, so that a late answer to an earlier command of the slot is not accepted
 * @busy: the slot is in use; after a timeout it stays in use until the device is reset
 * @answered: answer is valid
 */
struct tally_aq_slot {
	struct completion done;
	struct tally_admin_cqe answer;
	u8 gen;
	bool busy;
	bool answered;
};

/**
 * struct tally_adminq - The admin queue.
 * @lock: guards everything below, also from interrupts
 * @wait: wait queue for a free slot
 * @sq: command ring
 * @cq: completion ring
 * @sq_dma: bus address of sq
 * @cq_dma: bus address of cq
 * @posted: commands posted since the last reset
 * @consumed: completions consumed since the last reset
 * @waiting: commands with a waiting caller
 * @open: whether commands are accepted
 * @slots: one for each entry of the command ring
 */
struct tally_adminq {
	spinlock_t lock;
	wait_queue_head_t wait;
	struct tally_admin_cmd *sq;
	struct tally_admin_cqe *cq;
	dma_addr_t sq_dma;
	dma_addr_t cq_dma;
	u64 posted;
	u64 consumed;
	unsigned int waiting;
	bool open;
	struct tally_aq_slot slots[TALLY_AQ_DEPTH];
};

int tally_adminq_alloc(struct tally_pf *pf);
void tally_adminq_free(struct tally_pf *pf);
void tally_adminq_open(struct tally_pf *pf);
void tally_adminq_close(struct tally_pf *pf);
void tally_adminq_poll(struct tally_pf *pf);
int tally_adminq_exec(struct tally_pf *pf, const struct tally_admin_cmd *cmd,
		      struct tally_admin_cqe *answer);

#endif
