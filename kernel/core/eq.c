// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Event queues. MSI-X vector n serves queue n. Queue 0 carries asynchronous events, and shares its
 * vector with the admin queue. The other queues carry completion events. With a single vector,
 * queue 0 carries these too.
 */
#include "adminq.h"
#include "cmd.h"
#include "debug/inject.h"
#include "eq.h"
#include "group.h"
#include "pf.h"
#include "reset.h"
#include "ring.h"

#define EQ_BYTES (TALLY_EQ_DEPTH * sizeof(struct tally_eqe))

/* Calls a handler of the client, if there is one. */
#define tally_notify(pf, handler, ...) do { \
	struct tally_client *client; \
\
	rcu_read_lock(); \
	client = rcu_dereference((pf)->client); \
	if (client) \
		client->events->handler(client->ctx, ##__VA_ARGS__); \
	rcu_read_unlock(); \
} while (0)

/**
 * tally_event_fatal() - Tell the client that the device has failed.
 * @pf: device
 */
void tally_event_fatal(struct tally_pf *pf)
{
	tally_notify(pf, fatal);
}

static void eq_report_fatal(struct tally_pf *pf, u64 code)
{
	dev_err(pf_dev(pf), "device stopped, fatal code %llu\n", code);
	tally_fail(pf, "it stopped");
}

static void eq_port_event(struct tally_pf *pf, bool up)
{
	WRITE_ONCE(pf->pub.link_up, up);
	tally_notify(pf, port, up);
}

static void eq_deliver(struct tally_eq *eq, const struct tally_eqe *eqe)
{
	struct tally_pf *pf = eq->pf;
	u32 id = le32_to_cpu(eqe->id);
	u64 data = le64_to_cpu(eqe->data);

	switch (eqe->etype) {
	case TALLY_EQE_CQ:
		tally_notify(pf, cq, id);
		break;
	case TALLY_EQE_CQ_ERROR:
		tally_notify(pf, cq_error, id);
		break;
	case TALLY_EQE_QP_FATAL:
		tally_notify(pf, qp_fatal, id);
		break;
	case TALLY_EQE_GROUP_DRAINED:
		tally_group_drained(pf, id);
		break;
	case TALLY_EQE_GROUP_DEAD:
		tally_notify(pf, group_dead, id, data);
		break;
	case TALLY_EQE_PORT:
		eq_port_event(pf, data == 1);
		break;
	case TALLY_EQE_DEVICE_FATAL:
		eq_report_fatal(pf, data);
		break;
	default:
		dev_err_ratelimited(pf_dev(pf), "event queue %u: unknown event %u, object %u\n",
				    eq->num, eqe->etype, id);
	}
}

/*
 * Handles all events in the queue. As in tally_adminq_poll(), one pass looks at no more than the
 * device may write before it learns what was consumed. Later events cause another interrupt.
 */
static void eq_poll(struct tally_eq *eq)
{
	struct tally_eqe eqe;
	unsigned long flags;
	unsigned int n;

	spin_lock_irqsave(&eq->lock, flags);
	for (n = 0; n < TALLY_EQ_DEPTH; n++) {
		struct tally_eqe *entry = &eq->ring[eq->consumed & (TALLY_EQ_DEPTH - 1)];

		if ((READ_ONCE(entry->owner) & TALLY_OWNER_PHASE) !=
		    tally_ring_phase(eq->consumed, TALLY_EQ_DEPTH))
			break;
		/* The device wrote the rest of the entry before its owner byte. */
		dma_rmb();
		memcpy(&eqe, entry, sizeof(eqe));
		eq->consumed++;
		eq_deliver(eq, &eqe);
	}
	if (n)
		writeq(eq->consumed, &pf_control(eq->pf)->eq_db[eq->num].ci);
	spin_unlock_irqrestore(&eq->lock, flags);
}

static irqreturn_t eq_interrupt(int irq, void *data)
{
	struct tally_eq *eq = data;

	if (tally_inject(eq->pf, TALLY_FAULT_LOST_INTERRUPT, eq->num))
		return IRQ_HANDLED;
	if (eq->num == 0)
		tally_adminq_poll(eq->pf);
	eq_poll(eq);
	return IRQ_HANDLED;
}

static int eq_setup(struct tally_pf *pf, unsigned int num)
{
	struct tally_eq *eq = &pf->eqs[num];
	int err;

	eq->pf = pf;
	eq->num = num;
	eq->irq = pci_irq_vector(pf->pub.pdev, num);
	spin_lock_init(&eq->lock);
	snprintf(eq->irq_name, sizeof(eq->irq_name), "%s-%s%u", pf->pub.name,
		 num ? "comp" : "async", num);
	eq->ring = dma_alloc_coherent(pf_dev(pf), EQ_BYTES, &eq->ring_dma, GFP_KERNEL);
	if (!eq->ring)
		return -ENOMEM;
	err = request_irq(eq->irq, eq_interrupt, 0, eq->irq_name, eq);
	if (err) {
		dev_err(pf_dev(pf), "cannot request interrupt %s: error %d\n", eq->irq_name, err);
		dma_free_coherent(pf_dev(pf), EQ_BYTES, eq->ring, eq->ring_dma);
	}
	return err;
}

static void eq_free(struct tally_pf *pf, struct tally_eq *eq)
{
	free_irq(eq->irq, eq);
	dma_free_coherent(pf_dev(pf), EQ_BYTES, eq->ring, eq->ring_dma);
}

/**
 * tally_eqs_setup() - Allocate interrupt vectors and event queues.
 * @pf: device, its admin queue allocated
 *
 * Fewer vectors than requested are sufficient, down to one.
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_eqs_setup(struct tally_pf *pf)
{
	const struct tally_caps *caps = &pf->pub.caps;
	unsigned int want = min3(caps->num_vectors, caps->max_eq, num_online_cpus() + 1);
	int err;

	err = pci_alloc_irq_vectors(pf->pub.pdev, 1, want, PCI_IRQ_MSIX);
	if (err < 0) {
		dev_err(pf_dev(pf), "cannot get MSI-X vectors: error %d\n", err);
		return err;
	}
	for (want = err; pf->num_eqs < want; pf->num_eqs++) {
		err = eq_setup(pf, pf->num_eqs);
		if (err)
			goto err_free;
	}
	pf->pub.num_comp_vectors = want > 1 ? want - 1 : 1;
	return 0;

err_free:
	tally_eqs_free(pf);
	return err;
}

/**
 * tally_eqs_free() - Undo tally_eqs_setup().
 * @pf: device, which no longer knows any event queue
 */
void tally_eqs_free(struct tally_pf *pf)
{
	while (pf->num_eqs)
		eq_free(pf, &pf->eqs[--pf->num_eqs]);
	pci_free_irq_vectors(pf->pub.pdev);
}

/* Clears the ring, because the device fills it from the beginning after a reset. */
static void eq_empty(struct tally_eq *eq)
{
	spin_lock_irq(&eq->lock);
	memset(eq->ring, 0, EQ_BYTES);
	eq->consumed = 0;
	/* An interrupt during the reset may have stored an old consumer index. */
	writeq(0, &pf_control(eq->pf)->eq_db[eq->num].ci);
	spin_unlock_irq(&eq->lock);
}

/**
 * tally_eqs_create() - Clear the event queues and create them in the device.
 * @pf: device, just reset, its admin queue open
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_eqs_create(struct tally_pf *pf)
{
	unsigned int i;
	int err;

	for (i = 0; i < pf->num_eqs; i++) {
		struct tally_cmd_create_eq body = {
			.eqn = cpu_to_le32(i),
			.depth = cpu_to_le32(TALLY_EQ_DEPTH),
			.vector = cpu_to_le32(i),
			.ring = {
				.addr = cpu_to_le64(pf->eqs[i].ring_dma),
				.length = cpu_to_le64(EQ_BYTES),
				.page_shift = ilog2(TALLY_PAGE_SIZE),
			},
		};

		eq_empty(&pf->eqs[i]);
		err = tally_exec(pf, TALLY_ADMIN_CREATE_EQ, i, &body, sizeof(body));
		if (err)
			return err;
	}
	return 0;
}

/**
 * tally_events_register() - Register for the events of a device, which has one client at a time.
 * @tdev: device
 * @events: handlers, all of them set
 * @ctx: first argument of the handlers
 *
 * Return: 0, -EBUSY or -ENOMEM.
 */
int tally_events_register(struct tally_dev *tdev, const struct tally_events *events, void *ctx)
{
	struct tally_pf *pf = to_pf(tdev);
	struct tally_client *client;

	if (rcu_access_pointer(pf->client))
		return -EBUSY;
	client = kmalloc(sizeof(*client), GFP_KERNEL);
	if (!client)
		return -ENOMEM;
	client->events = events;
	client->ctx = ctx;
	rcu_assign_pointer(pf->client, client);
	return 0;
}
EXPORT_SYMBOL_GPL(tally_events_register);

/**
 * tally_events_unregister() - Stop events. No handler runs any more when this returns.
 * @tdev: device
 */
void tally_events_unregister(struct tally_dev *tdev)
{
	struct tally_client *client = rcu_replace_pointer(to_pf(tdev)->client, NULL, true);

	synchronize_rcu();
	kfree(client);
}
EXPORT_SYMBOL_GPL(tally_events_unregister);

/**
 * tally_events_flush() - Handle all events that the device has written so far.
 * @tdev: device
 *
 * When this returns, no handler that was called before is still running, and no pending event names
 * an object that was destroyed before the call.
 */
void tally_events_flush(struct tally_dev *tdev)
{
	struct tally_pf *pf = to_pf(tdev);
	unsigned int i;

	for (i = 0; i < pf->num_eqs; i++)
		eq_poll(&pf->eqs[i]);
}
EXPORT_SYMBOL_GPL(tally_events_flush);

/**
 * tally_link_refresh() - Read the state of the port, and tell the client if it changed.
 * @tdev: device
 *
 * Used when an event may have been missed. The function holds the lock of the queue that carries
 * port events, so that no event is handled between the read and its evaluation. Events that are
 * still in the queue are either older than the read, or lead on from it, and the last one agrees
 * with the page.
 */
void tally_link_refresh(struct tally_dev *tdev)
{
	struct tally_pf *pf = to_pf(tdev);
	unsigned long flags;
	bool up;

	tally_events_flush(tdev);
	spin_lock_irqsave(&pf->eqs[0].lock, flags);
	up = readb(&pf_ident(pf)->port_state) == 1;
	if (up != pf->pub.link_up)
		eq_port_event(pf, up);
	spin_unlock_irqrestore(&pf->eqs[0].lock, flags);
}
EXPORT_SYMBOL_GPL(tally_link_refresh);
