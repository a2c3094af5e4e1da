/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * For the KUnit tests: a device made of memory. A test includes the source that it tests, so it
 * reaches static functions too; what main.c and reset.c do for those sources is in fake.c.
 */
#ifndef TALLY_FAKE_H
#define TALLY_FAKE_H

#include <kunit/test.h>

#include "core/pf.h"

/* The sources are compiled into one module, beside the drivers: nothing is exported twice. */
#undef EXPORT_SYMBOL_GPL
#define EXPORT_SYMBOL_GPL(symbol)

/* Room for each opcode of the admin queue. */
#define FAKE_NUM_OPCODES (TALLY_ADMIN_QUERY_ARRIVALS + 1)

struct tally_fake;

/**
 * typedef tally_fake_reply - How the device answers a command.
 * @fake: device
 * @cmd: the command
 * @answer: the answer: the command's id, status OK and zeros, to be changed
 *
 * Return: false if it never answers.
 */
typedef bool tally_fake_reply(struct tally_fake *fake, const struct tally_admin_cmd *cmd,
			      struct tally_admin_cqe *answer);

/**
 * struct tally_fake - A device made of memory, and what the driver knows of it.
 * @pf: the driver's part
 * @pdev: a PCI function that is on no bus
 * @bar: what the driver sees at pf.bar2
 * @calls: where tests make calls that wait
 * @thread: answers the admin queue while it runs
 * @reply: how
 * @status: what the default way of answering says, an enum tally_admin_status
 * @deaf: the driver gets no interrupts
 * @fetched: commands fetched
 * @produced: answers written
 * @events: event queue 0
 * @raised: events written there
 * @resets: resets carried out
 * @state_after_reset: what the identification page says then, an enum tally_device_state
 * @seen: commands fetched, by opcode
 * @last: the last one of each opcode
 * @group: what the last CREATE_GROUP named in host memory
 * @info: what queries are answered
 * @failures: how often the driver gave the device up
 * @waits: how often it waited for the device to be quiet
 */
struct tally_fake {
	struct tally_pf pf;
	struct pci_dev *pdev;
	u8 *bar;
	struct workqueue_struct *calls;
	struct task_struct *thread;
	tally_fake_reply *reply;
	u16 status;
	bool deaf;
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

/* How long the driver waits for an answer; each new device sets it to more than a test takes. */
extern unsigned int tally_fake_timeout_ms;

struct tally_fake *tally_fake_new(struct kunit *test);
void tally_fake_free(struct tally_fake *fake);
int tally_fake_init(struct kunit *test);
void tally_fake_exit(struct kunit *test);

/* Of all suites, counted in quota_test.c: quotas that there are, and that ended with debts. */
extern atomic_t tally_fake_quotas;
extern atomic_t tally_fake_debts;
void tally_fake_expect_no_quotas(struct kunit *test);
/* Number of the groups that the driver knows, draining ones too. */
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
