/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A device in memory for the KUnit tests. A test includes the source that it tests, so it also
 * reaches static functions. fake.c replaces main.c and reset.c for these sources.
 */
#ifndef TALLY_FAKE_H
#define TALLY_FAKE_H

#include <kunit/test.h>

#include "core/pf.h"

/* All sources are compiled into one module beside the drivers, so nothing may be exported twice. */
#undef EXPORT_SYMBOL_GPL
#define EXPORT_SYMBOL_GPL(symbol)

/* Number of opcodes of the admin queue, from 0. */
#define FAKE_NUM_OPCODES (TALLY_ADMIN_QUERY_ARRIVALS + 1)

struct tally_fake;

/**
 * typedef tally_fake_reply - Answers a command on behalf of the device.
 * @fake: device
 * @cmd: the command
 * @answer: the answer, which this may change; contains the command's id, status OK and zeros
 *
 * Return: false to never answer.
 */
typedef bool tally_fake_reply(struct tally_fake *fake, const struct tally_admin_cmd *cmd,
			      struct tally_admin_cqe *answer);

/**
 * struct tally_fake - A device in memory, with the driver's state of it.
 * @pf: state of the driver
 * @pdev: PCI function, which is on no bus
 * @bar: memory behind pf.bar2
 * @calls: workqueue for calls of tests that wait
 * @thread: answers the admin queue while it runs
 * @reply: function that answers commands
 * @status: enum tally_admin_status of the default answer
 * @no_interrupts: the driver gets no interrupts
 * @fetched: commands fetched
 * @produced: answers written
 * @events: event queue 0
 * @raised: events written to it
 * @resets: resets carried out
 * @state_after_reset: enum tally_device_state in the identification page after a reset
 * @seen: commands fetched, by opcode
 * @last: last command of each opcode
 * @group: memory that the last CREATE_GROUP named
 * @info: answer to queries
 * @failures: number of times that the driver called tally_fail()
 * @waits: number of times that the driver waited for the device to be quiet
 */
struct tally_fake {
	struct tally_pf pf;
	struct pci_dev *pdev;
	u8 *bar;
	struct workqueue_struct *calls;
	struct task_struct *thread;
	tally_fake_reply *reply;
	u16 status;
	bool no_interrupts;
	u64 fetched;
	u64 produced;
	struct tally_eqe *events;
	u64 raised;
	unsigned int resets;
	u32 state_after_reset;
	unsigned int seen[FAKE_NUM_OPCODES];
	struct tally_admin_cmd last[FAKE_NUM_OPCODES];
	u8 group[TALLY_PAGE_SIZE];
	u8 info[2 * TALLY_PAGE_SIZE];
	atomic_t failures;
	atomic_t waits;
};

static inline struct tally_fake *pf_fake(struct tally_pf *pf)
{
	return container_of(pf, struct tally_fake, pf);
}

/* Time limit for an answer. Each new device sets it to more than a test takes. */
extern unsigned int tally_fake_timeout_ms;

struct tally_fake *tally_fake_new(struct kunit *test);
void tally_fake_free(struct tally_fake *fake);
int tally_fake_init(struct kunit *test);
void tally_fake_exit(struct kunit *test);

/*
 * Counts of all suites, kept in quota_test.c: existing quotas, and quotas freed with objects
 * charged.
 */
extern atomic_t tally_fake_quotas;
extern atomic_t tally_fake_debts;
void tally_fake_expect_no_quotas(struct kunit *test);
/* Returns the number of groups that the driver knows, including draining ones. */
unsigned int tally_fake_num_groups(struct kunit *test);

void tally_fake_serve(struct tally_fake *fake);
bool tally_fake_fetch(struct tally_fake *fake, struct tally_admin_cmd *cmd);
void tally_fake_write(struct tally_fake *fake, const struct tally_admin_cqe *answer);
void tally_fake_answer(struct tally_fake *fake, u16 id, u16 status);
void tally_fake_event(struct tally_fake *fake, u8 type, u32 id, u64 data);
bool tally_fake_reply_status(struct tally_fake *fake, const struct tally_admin_cmd *cmd,
			     struct tally_admin_cqe *answer);
bool tally_fake_reply_never(struct tally_fake *fake, const struct tally_admin_cmd *cmd,
			    struct tally_admin_cqe *answer);

/* bar.c */
void __iomem *tally_fake_map(void *bar);
void tally_fake_unmap(void __iomem *addr);

static inline struct tally_ident *fake_ident(struct tally_fake *fake)
{
	return (struct tally_ident *)(fake->bar + TALLY_BAR_IDENT_OFFSET);
}

static inline struct tally_control *fake_control(struct tally_fake *fake)
{
	return (struct tally_control *)(fake->bar + TALLY_BAR_CONTROL_OFFSET);
}

static inline struct tally_uar_slot *fake_slot(struct tally_fake *fake, u32 uar, u32 slot)
{
	return (struct tally_uar_slot *)(fake->bar + TALLY_BAR_UAR_OFFSET +
					 uar * TALLY_PAGE_SIZE) + slot;
}

#endif
