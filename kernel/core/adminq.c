// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Transport of the admin queue. Commands go into a ring in host memory; the device writes answers
 * to another ring and announces them by vector 0. cmd.c implements the meaning of commands.
 */
#include "adminq.h"
#include "attach.h"
#include "debug/inject.h"
#include "opcode.h"
#include "pf.h"
#include "reset.h"
#include "ring.h"

#define AQ_INDEX_MASK (TALLY_AQ_DEPTH - 1)
/* Period at which a waiting command polls for its answer, in case an interrupt was lost. */
#define AQ_POLL_MS 50

static_assert(TALLY_AQ_DEPTH <= TALLY_MAX_AQ_DEPTH);
static_assert(TALLY_AQ_DEPTH <= 256, "the slot is the lower byte of a command's id");

/**
 * tally_adminq_alloc() - Allocate the rings.
 * @pf: device
 *
 * Return: 0 or -ENOMEM.
 */
int tally_adminq_alloc(struct tally_pf *pf)
{
	struct tally_adminq *aq = &pf->aq;
	unsigned int i;

	spin_lock_init(&aq->lock);
	init_waitqueue_head(&aq->wait);
	for (i = 0; i < TALLY_AQ_DEPTH; i++)
		init_completion(&aq->slots[i].done);
	aq->sq = dma_alloc_coherent(pf_dev(pf), TALLY_AQ_DEPTH * sizeof(*aq->sq), &aq->sq_dma,
				    GFP_KERNEL);
	if (!aq->sq)
		return -ENOMEM;
	aq->cq = dma_alloc_coherent(pf_dev(pf), TALLY_AQ_DEPTH * sizeof(*aq->cq), &aq->cq_dma,
				    GFP_KERNEL);
	if (!aq->cq) {
		dma_free_coherent(pf_dev(pf), TALLY_AQ_DEPTH * sizeof(*aq->sq), aq->sq,
				  aq->sq_dma);
		return -ENOMEM;
	}
	return 0;
}

/**
 * tally_adminq_free() - Free the rings.
 * @pf: device, reset
 */
void tally_adminq_free(struct tally_pf *pf)
{
	struct tally_adminq *aq = &pf->aq;

	dma_free_coherent(pf_dev(pf), TALLY_AQ_DEPTH * sizeof(*aq->cq), aq->cq, aq->cq_dma);
	dma_free_coherent(pf_dev(pf), TALLY_AQ_DEPTH * sizeof(*aq->sq), aq->sq, aq->sq_dma);
}

/**
 * tally_adminq_open() - Accept commands from now on, with empty rings.
 * @pf: device, just reset
 *
 * Waits for callers that posted a command before the queue was closed, because they still access
 * it.
 */
void tally_adminq_open(struct tally_pf *pf)
{
	struct tally_adminq *aq = &pf->aq;
	unsigned int i;

	wait_event(aq->wait, !READ_ONCE(aq->waiting));
	spin_lock_irq(&aq->lock);
	memset(aq->sq, 0, TALLY_AQ_DEPTH * sizeof(*aq->sq));
	memset(aq->cq, 0, TALLY_AQ_DEPTH * sizeof(*aq->cq));
	aq->posted = 0;
	aq->consumed = 0;
	for (i = 0; i < TALLY_AQ_DEPTH; i++)
		aq->slots[i].busy = false;
	/* An interrupt during the reset may have stored an old consumer index. */
	writeq(0, &pf_control(pf)->aq_ci);
	aq->open = true;
	spin_unlock_irq(&aq->lock);
}

/**
 * tally_adminq_close() - Accept no more commands, and fail those that wait for an answer.
 * @pf: device
 */
void tally_adminq_close(struct tally_pf *pf)
{
	struct tally_adminq *aq = &pf->aq;
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&aq->lock, flags);
	aq->open = false;
	for (i = 0; i < TALLY_AQ_DEPTH; i++)
		if (aq->slots[i].busy)
			complete(&aq->slots[i].done);
	spin_unlock_irqrestore(&aq->lock, flags);
	wake_up_all(&aq->wait);
}

/* Passes an answer to the command that waits for it. */
static void adminq_take_answer(struct tally_pf *pf, const struct tally_admin_cqe *answer)
{
	u16 id = le16_to_cpu(answer->id);
	struct tally_aq_slot *slot = &pf->aq.slots[id & AQ_INDEX_MASK];

	if ((id & 0xff) >= TALLY_AQ_DEPTH || !slot->busy || slot->answered ||
	    slot->gen != id >> 8) {
		dev_err_ratelimited(pf_dev(pf), "answer to an unknown command: id %#x, status %u\n", id,
				    le16_to_cpu(answer->status));
		return;
	}
	slot->answer = *answer;
	slot->answered = true;
	complete(&slot->done);
}

/**
 * tally_adminq_poll() - Consume all answers in the completion ring.
 * @pf: device
 *
 * Called on interrupt, and by commands that have waited for long. The device may not write more
 * than one ring of answers before it learns what was consumed, so one pass consumes no more than
 * that.
 */
void tally_adminq_poll(struct tally_pf *pf)
{
	struct tally_adminq *aq = &pf->aq;
	struct tally_admin_cqe answer;
	unsigned long flags;
	unsigned int n;

	spin_lock_irqsave(&aq->lock, flags);
	for (n = 0; n < TALLY_AQ_DEPTH; n++) {
		struct tally_admin_cqe *cqe = &aq->cq[aq->consumed & AQ_INDEX_MASK];

		if ((READ_ONCE(cqe->owner) & TALLY_OWNER_PHASE) !=
		    tally_ring_phase(aq->consumed, TALLY_AQ_DEPTH))
			break;
		/* The device wrote the rest of the entry before its owner byte. */
		dma_rmb();
		memcpy(&answer, cqe, sizeof(answer));
		aq->consumed++;
		adminq_take_answer(pf, &answer);
	}
	if (n)
		writeq(aq->consumed, &pf_control(pf)->aq_ci);
	spin_unlock_irqrestore(&aq->lock, flags);
}

/*
 * Posts a command if the next slot of the ring is free, and returns NULL otherwise. A slot is free
 * once its command was answered, so a command that the device may still fetch is never overwritten.
 */
static struct tally_aq_slot *adminq_try_post(struct tally_pf *pf, const struct tally_admin_cmd *cmd)
{
	struct tally_adminq *aq = &pf->aq;
	unsigned int index;
	struct tally_aq_slot *slot;

	spin_lock_irq(&aq->lock);
	index = aq->posted & AQ_INDEX_MASK;
	slot = &aq->slots[index];
	if (!aq->open || slot->busy) {
		slot = NULL;
		goto out;
	}
	reinit_completion(&slot->done);
	slot->busy = true;
	slot->answered = false;
	slot->gen++;
	aq->waiting++;
	aq->sq[index] = *cmd;
	aq->sq[index].id = cpu_to_le16(slot->gen << 8 | index);
	/*
	 * The answer then belongs to an earlier generation of the slot, and is dropped as a late
	 * one.
	 */
	if (tally_inject(pf, TALLY_FAULT_ADMIN_TIMEOUT, le16_to_cpu(cmd->opcode)))
		slot->gen++;
	/* writeq() makes the command visible before the doorbell. */
	writeq(++aq->posted, &pf_control(pf)->aq_db);
out:
	spin_unlock_irq(&aq->lock);
	return slot;
}

/* Waits for the answer, or for the device to fail. Returns false on timeout. */
static bool adminq_await(struct tally_pf *pf, struct tally_aq_slot *slot)
{
	unsigned long deadline = jiffies + tally_cmd_timeout();

	do {
		if (wait_for_completion_timeout(&slot->done, msecs_to_jiffies(AQ_POLL_MS)))
			return true;
		tally_adminq_poll(pf);
	} while (time_before(jiffies, deadline));
	return try_wait_for_completion(&slot->done);
}

/*
 * Copies the answer and frees the slot. Without an answer, returns false and leaves the slot in
 * use.
 */
static bool adminq_finish(struct tally_pf *pf, struct tally_aq_slot *slot, struct tally_admin_cqe *answer)
{
	struct tally_adminq *aq = &pf->aq;
	bool answered;

	spin_lock_irq(&aq->lock);
	answered = slot->answered;
	if (answered) {
		*answer = slot->answer;
		slot->busy = false;
	}
	aq->waiting--;
	spin_unlock_irq(&aq->lock);
	wake_up(&aq->wait);
	return answered;
}

/**
 * tally_adminq_exec() - Execute a command and wait for its answer.
 * @pf: device
 * @cmd: the command, except for its id
 * @answer: the answer, if 0 is returned; its fields are not checked
 *
 * A command without a timely answer takes the device out of service. Its slot stays in use, so that
 * a late answer is dropped. The device is reset, so that it no longer uses what the command named.
 *
 * Return: 0; -ETIMEDOUT, which is logged; -EIO if the device failed before.
 */
int tally_adminq_exec(struct tally_pf *pf, const struct tally_admin_cmd *cmd,
		      struct tally_admin_cqe *answer)
{
	struct tally_adminq *aq = &pf->aq;
	struct tally_aq_slot *slot = NULL;
	bool in_time;
	int err = -EIO;

	wait_event(aq->wait, (slot = adminq_try_post(pf, cmd)) || !READ_ONCE(aq->open));
	if (!slot)
		goto quiet;
	tally_wake(pf);
	in_time = adminq_await(pf, slot);
	if (!in_time) {
		dev_err(pf_dev(pf), "%s got no answer within %u ms\n",
			tally_opcode_name(le16_to_cpu(cmd->opcode)),
			jiffies_to_msecs(tally_cmd_timeout()));
		tally_fail(pf, "a command got no answer");
		err = -ETIMEDOUT;
	}
	if (adminq_finish(pf, slot, answer) && in_time)
		return 0;
quiet:
	tally_wait_quiet(pf);
	return err;
}
