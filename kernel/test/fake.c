// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The fake device, and replacements for main.c and reset.c. */
#include <linux/dma-mapping.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/pci.h>

#include "fake.h"

/* Longer than any test takes on a busy machine. */
#define TIMEOUT_MS 60000

unsigned int tally_fake_timeout_ms;

/* ---- Replacements for main.c and reset.c ---- */

unsigned long tally_cmd_timeout(void)
{
	return msecs_to_jiffies(tally_fake_timeout_ms);
}

void tally_fail(struct tally_pf *pf, const char *why)
{
	atomic_inc(&pf_fake(pf)->failures);
	if (cmpxchg(&pf->state, TALLY_PF_UP, TALLY_PF_QUIET) == TALLY_PF_UP)
		tally_adminq_close(pf);
}

void tally_wait_quiet(struct tally_pf *pf)
{
	atomic_inc(&pf_fake(pf)->waits);
}

bool tally_is_dead(struct tally_dev *tdev)
{
	return READ_ONCE(to_pf(tdev)->state) != TALLY_PF_UP;
}

/* ---- Device side of the admin queue ---- */

/**
 * tally_fake_fetch() - Fetch the next command from the ring.
 * @fake: device
 * @cmd: the command
 *
 * Return: false if there is no command.
 */
bool tally_fake_fetch(struct tally_fake *fake, struct tally_admin_cmd *cmd)
{
	u64 posted = le64_to_cpu(READ_ONCE(fake_control(fake)->aq_db));
	u16 opcode;

	if (fake->fetched == posted)
		return false;
	/* The driver wrote the command before the doorbell. */
	rmb();
	*cmd = fake->pf.aq.sq[fake->fetched % TALLY_AQ_DEPTH];
	opcode = le16_to_cpu(cmd->opcode);
	if (opcode < FAKE_NUM_OPCODES) {
		fake->last[opcode] = *cmd;
		fake->seen[opcode]++;
	}
	/* A reader of the count must find the command. */
	smp_store_release(&fake->fetched, fake->fetched + 1);
	return true;
}

/**
 * tally_fake_write() - Write an answer to the completion ring, without an interrupt.
 * @fake: device
 * @answer: the answer, without owner byte
 */
void tally_fake_write(struct tally_fake *fake, const struct tally_admin_cqe *answer)
{
	struct tally_admin_cqe *entry = &fake->pf.aq.cq[fake->produced % TALLY_AQ_DEPTH];

	memcpy(entry, answer, offsetof(struct tally_admin_cqe, owner));
	wmb(); /* the owner byte must be last */
	WRITE_ONCE(entry->owner, fake->produced & TALLY_AQ_DEPTH ? 0 : TALLY_OWNER_PHASE);
	fake->produced++;
}

/**
 * tally_fake_answer() - Write an answer with an id and a status, and interrupt.
 * @fake: device
 * @id: id of a command, or an unknown one
 * @status: enum tally_admin_status
 */
void tally_fake_answer(struct tally_fake *fake, u16 id, u16 status)
{
	struct tally_admin_cqe answer = {
		.id = cpu_to_le16(id),
		.status = cpu_to_le16(status),
	};

	tally_fake_write(fake, &answer);
	tally_adminq_poll(&fake->pf);
}

/* Accesses the host memory of a command. The driver has no IOMMU here. */
static void access_memory(struct tally_fake *fake, const struct tally_admin_cmd *cmd)
{
	const struct tally_cmd_group *group = (const void *)cmd->body;
	const struct tally_cmd_query *query = (const void *)cmd->body;

	switch (le16_to_cpu(cmd->opcode)) {
	case TALLY_ADMIN_CREATE_GROUP:
		memset(fake->group, 0, sizeof(fake->group));
		memcpy(fake->group, phys_to_virt(le64_to_cpu(group->addr)),
		       min_t(u32, le32_to_cpu(group->length), sizeof(fake->group)));
		break;
	case TALLY_ADMIN_QUERY_GROUP:
	case TALLY_ADMIN_QUERY_COUNTERS:
	case TALLY_ADMIN_QUERY_EDGES:
	case TALLY_ADMIN_QUERY_SEGS:
	case TALLY_ADMIN_QUERY_ARRIVALS:
		memcpy(phys_to_virt(le64_to_cpu(query->addr)), fake->info,
		       min_t(u32, le32_to_cpu(query->length), sizeof(fake->info)));
		break;
	}
}

/* Default reply: executes every command, or refuses it with fake->status. */
bool tally_fake_reply_status(struct tally_fake *fake, const struct tally_admin_cmd *cmd,
			     struct tally_admin_cqe *answer)
{
	answer->status = cpu_to_le16(fake->status);
	return true;
}

/* Reply of a silent device. */
bool tally_fake_reply_never(struct tally_fake *fake, const struct tally_admin_cmd *cmd,
			    struct tally_admin_cqe *answer)
{
	return false;
}

static void serve_one(struct tally_fake *fake, const struct tally_admin_cmd *cmd)
{
	struct tally_admin_cqe answer = { .id = cmd->id };

	if (!fake->reply(fake, cmd, &answer))
		return;
	if (!answer.status)
		access_memory(fake, cmd);
	tally_fake_write(fake, &answer);
	if (!fake->no_interrupts)
		tally_adminq_poll(&fake->pf);
}

/* Device side of the reset handshake. Returns false if the driver requests no reset. */
static bool serve_reset(struct tally_fake *fake)
{
	struct tally_ident *ident = fake_ident(fake);
	__le32 req = READ_ONCE(fake_control(fake)->reset_req);

	if (req == ident->reset_ack)
		return false;
	/* The driver wrote the control page before the request. */
	rmb();
	fake->fetched = 0;
	fake->produced = 0;
	fake->raised = 0;
	fake->resets++;
	ident->state = cpu_to_le32(fake->state_after_reset);
	le32_add_cpu(&ident->epoch, 1);
	wmb(); /* the acknowledgement must be last */
	WRITE_ONCE(ident->reset_ack, req);
	return true;
}

static int serve(void *data)
{
	struct tally_fake *fake = data;
	struct tally_admin_cmd cmd;

	while (!kthread_should_stop()) {
		if (serve_reset(fake))
			continue;
		if (tally_fake_fetch(fake, &cmd))
			serve_one(fake, &cmd);
		else
			usleep_range(100, 200);
	}
	return 0;
}

/**
 * tally_fake_serve() - Answer the admin queue and resets in a thread until the test ends.
 * @fake: device
 */
void tally_fake_serve(struct tally_fake *fake)
{
	struct task_struct *thread = kthread_run(serve, fake, "tally_fake");

	if (!IS_ERR(thread))
		fake->thread = thread;
}

/* ---- The device itself ---- */

static void pdev_release(struct device *dev)
{
	kfree(to_pci_dev(dev));
}

/* Creates a function that is on no bus, with a name for the log and memory for DMA. */
static struct pci_dev *pdev_new(void)
{
	struct pci_dev *pdev = kzalloc(sizeof(*pdev), GFP_KERNEL);
	static unsigned int number;

	if (!pdev)
		return NULL;
	device_initialize(&pdev->dev);
	pdev->dev.release = pdev_release;
	pdev->dma_mask = DMA_BIT_MASK(64);
	pdev->dev.dma_mask = &pdev->dma_mask;
	pdev->dev.coherent_dma_mask = DMA_BIT_MASK(64);
	pdev->resource[2] = (struct resource)DEFINE_RES_MEM(0x7a11000000, TALLY_BAR_SIZE);
	/* The verbs device needs a parent in sysfs. */
	if (dev_set_name(&pdev->dev, "tally_fake%u", number++) || device_add(&pdev->dev)) {
		put_device(&pdev->dev);
		return NULL;
	}
	return pdev;
}

static void pdev_free(struct pci_dev *pdev)
{
	device_del(&pdev->dev);
	put_device(&pdev->dev);
}

/* Sets the capabilities that an identification page would have. */
static void set_caps(struct tally_caps *caps)
{
	*caps = (struct tally_caps){
		.caps = TALLY_CAP_TREE | TALLY_CAP_EXCHANGE | TALLY_CAP_RING | TALLY_CAP_ORDERED |
			TALLY_CAP_MULTICAST,
		.num_uars = TALLY_NUM_UARS,
		.max_eq = TALLY_MAX_EQ,
		.max_cq = TALLY_MAX_CQ,
		.max_qp = TALLY_MAX_QP,
		.max_requests = TALLY_MAX_REQUESTS,
		.max_mr = TALLY_MAX_MR,
		.max_pd = TALLY_MAX_PD,
		.max_group = TALLY_MAX_GROUP,
		.max_edges = TALLY_MAX_EDGES,
		.max_seg = TALLY_MAX_SEG,
		.max_contributors = TALLY_MAX_CONTRIBUTORS,
		.max_ranks = TALLY_MAX_RANKS,
		.max_sq_depth = TALLY_MAX_SQ_DEPTH,
		.max_cq_depth = TALLY_MAX_CQ_DEPTH,
		.mtu = TALLY_MAX_MTU,
		.mac = { 0x02, 0x00, 0x00, 0x00, 0x00, 0x01 },
	};
}

/* Sets up event queue 0, which every caller of tally_events_flush() needs. */
static void eq_init(struct tally_pf *pf, struct tally_eqe *ring)
{
	struct tally_eq *eq = &pf->eqs[0];

	eq->pf = pf;
	spin_lock_init(&eq->lock);
	eq->ring = ring;
	pf->num_eqs = 1;
}

/**
 * tally_fake_event() - Write an event to event queue 0, without an interrupt.
 * @fake: device
 * @type: enum tally_eqe_type
 * @id: object
 * @data: data of the event
 */
void tally_fake_event(struct tally_fake *fake, u8 type, u32 id, u64 data)
{
	struct tally_eqe *entry = &fake->pf.eqs[0].ring[fake->raised % TALLY_EQ_DEPTH];

	entry->etype = type;
	entry->id = cpu_to_le32(id);
	entry->data = cpu_to_le64(data);
	wmb(); /* the owner byte must be last */
	WRITE_ONCE(entry->owner, fake->raised & TALLY_EQ_DEPTH ? 0 : TALLY_OWNER_PHASE);
	fake->raised++;
}

/*
 * The memory of a BAR that no device has. A BAR consists of a thousand pages, which a kernel with
 * KASAN takes far longer to allocate and free than to clear.
 */
static u8 *spare_bar;

static u8 *bar_new(void)
{
	u8 *bar = spare_bar;

	if (!bar)
		return kvzalloc(TALLY_BAR_SIZE, GFP_KERNEL);
	spare_bar = NULL;
	memset(bar, 0, TALLY_BAR_SIZE);
	return bar;
}

static void bar_free(u8 *bar)
{
	if (spare_bar)
		kvfree(bar);
	else
		spare_bar = bar;
}

static void __exit tally_fake_unload(void)
{
	kvfree(spare_bar);
}
module_exit(tally_fake_unload);

static void pf_init(struct tally_pf *pf)
{
	spin_lock_init(&pf->group_lock);
	mutex_init(&pf->inspecting);
	mutex_init(&pf->resetting);
	mutex_init(&pf->recovery.lock);
	init_waitqueue_head(&pf->settled);
	tally_inject_init(pf);
	set_caps(&pf->pub.caps);
	pf->pub.bar2_phys = 0x7a11000000;
	pf->state = TALLY_PF_UP;
}

/**
 * tally_fake_new() - Create a device with an open admin queue, which nothing answers yet.
 * @test: test
 *
 * Return: the device, or NULL.
 */
struct tally_fake *tally_fake_new(struct kunit *test)
{
	struct tally_fake *fake = kvzalloc(sizeof(*fake), GFP_KERNEL);

	if (!fake)
		return NULL;
	tally_fake_timeout_ms = TIMEOUT_MS;
	fake->reply = tally_fake_reply_status;
	fake->state_after_reset = TALLY_DEVICE_READY;
	pf_init(&fake->pf);
	fake->pdev = pdev_new();
	fake->bar = bar_new();
	fake->calls = alloc_workqueue("tally_fake", WQ_UNBOUND, 0);
	fake->events = kvcalloc(TALLY_EQ_DEPTH, sizeof(*fake->events), GFP_KERNEL);
	if (!fake->pdev || !fake->bar || !fake->calls || !fake->events)
		goto err_free;
	eq_init(&fake->pf, fake->events);
	fake->pf.pub.pdev = fake->pdev;
	fake->pf.bar2 = tally_fake_map(fake->bar);
	if (!fake->pf.bar2)
		goto err_free;
	if (tally_adminq_alloc(&fake->pf))
		goto err_unmap;
	tally_adminq_open(&fake->pf);
	return fake;

err_unmap:
	tally_fake_unmap(fake->pf.bar2);
err_free:
	if (fake->calls)
		destroy_workqueue(fake->calls);
	kvfree(fake->events);
	bar_free(fake->bar);
	if (fake->pdev)
		pdev_free(fake->pdev);
	kvfree(fake);
	return NULL;
}

/**
 * tally_fake_free() - Undo tally_fake_new(). Wakes callers that wait for an answer.
 * @fake: device
 */
void tally_fake_free(struct tally_fake *fake)
{
	tally_adminq_close(&fake->pf);
	destroy_workqueue(fake->calls);
	if (fake->thread)
		kthread_stop(fake->thread);
	tally_adminq_free(&fake->pf);
	tally_fake_unmap(fake->pf.bar2);
	kvfree(fake->events);
	bar_free(fake->bar);
	pdev_free(fake->pdev);
	kvfree(fake);
}

/* ---- Setup of suites whose tests each have such a device as priv ---- */

int tally_fake_init(struct kunit *test)
{
	struct tally_fake *fake = tally_fake_new(test);

	KUNIT_ASSERT_NOT_NULL(test, fake);
	test->priv = fake;
	return 0;
}

/**
 * tally_fake_expect_no_quotas() - Expect that no quota remains, and that none was freed with
 * charges.
 * @test: test
 */
void tally_fake_expect_no_quotas(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, atomic_xchg(&tally_fake_quotas, 0), 0);
	KUNIT_EXPECT_EQ(test, atomic_xchg(&tally_fake_debts, 0), 0);
}

unsigned int tally_fake_num_groups(struct kunit *test)
{
	struct tally_fake *fake = test->priv;
	unsigned int n = 0, i;

	for (i = 0; i < TALLY_MAX_GROUP; i++)
		n += !!fake->pf.groups[i];
	return n;
}

/* Expects that nothing remains of the objects of the test. */
static void expect_empty(struct kunit *test, const struct tally_pf *pf)
{
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(pf->groups, 0, sizeof(pf->groups)), NULL);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(pf->segs, 0, sizeof(pf->segs)), NULL);
	KUNIT_EXPECT_TRUE(test, bitmap_empty(pf->seg_map, TALLY_MAX_SEG));
	tally_fake_expect_no_quotas(test);
}

void tally_fake_exit(struct kunit *test)
{
	struct tally_fake *fake = test->priv;

	if (!fake)
		return;
	expect_empty(test, &fake->pf);
	tally_fake_free(fake);
}

MODULE_DESCRIPTION("KUnit tests of the Tally drivers");
MODULE_AUTHOR("Tally developers");
MODULE_LICENSE("Dual BSD/GPL");
