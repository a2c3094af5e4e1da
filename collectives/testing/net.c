// SPDX-License-Identifier: BSD-2-Clause
/* The NIC of a rank of a test job: registered memory, outcomes, capabilities. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "alu/alu.h"
#include "testing/soft.h"

#define PAGE 4096
#define MAX_INLINE 256
#define QUEUE_DEPTH 64
#define MAX_GROUPS 64
#define ALL_CAPS                                                                    \
	(TALLY_CAP_TREE | TALLY_CAP_EXCHANGE | TALLY_CAP_RING | TALLY_CAP_CHUNKED | \
	 TALLY_CAP_FLAG_WORD)

static struct soft_net *soft(struct tc_net *net)
{
	return (struct soft_net *)net;
}

/* ---- Lists of requests ---- */
void soft_list_init(struct soft_list *list)
{
	list->first = NULL;
	list->last = &list->first;
}

void soft_append(struct soft_list *list, struct soft_request *q)
{
	q->next = NULL;
	*list->last = q;
	list->last = &q->next;
}

struct soft_request *soft_take(struct soft_list *list)
{
	struct soft_request *q = list->first;

	if (!q)
		return NULL;
	list->first = q->next;
	if (!list->first)
		list->last = &list->first;
	return q;
}

void soft_request_free(struct soft_request *q)
{
	free(q->data);
	free(q);
}

/* ---- Memory ---- */
static void add_region(struct soft_net *n, void *start, size_t bytes, struct tc_region *region)
{
	struct soft_region *m = calloc(1, sizeof(*m));

	m->key = ++n->next_key << 8 | (n->rank->rank & 0xff);
	m->start = (uintptr_t)start + SOFT_IOVA;
	m->bytes = bytes;
	m->next = n->regions;
	n->regions = m;
	*region = (struct tc_region){ .start = m->start, .key = m->key, .priv = m };
}

static int region_open(struct tc_net *net, void *start, size_t bytes, struct tc_region *region)
{
	static const int causes[] = { ENOMEM, EDQUOT, ENOSPC };
	struct soft_net *n = soft(net);
	struct job *j = n->rank->job;
	int err = 0;

	pthread_mutex_lock(&j->lock);
	if (soft_fault(n->rank, JOB_REGION_OPEN))
		err = -causes[n->refused++ % 3];
	else
		add_region(n, start, bytes, region);
	pthread_mutex_unlock(&j->lock);
	return err;
}

static void region_close(struct tc_net *net, struct tc_region *region)
{
	struct soft_net *n = soft(net);
	struct job *j = n->rank->job;

	pthread_mutex_lock(&j->lock);
	for (struct soft_region **at = &n->regions; *at; at = &(*at)->next)
		if (*at == region->priv) {
			*at = (*at)->next;
			free(((struct soft_region *)region->priv)->pages);
			free(region->priv);
			break;
		}
	pthread_mutex_unlock(&j->lock);
}

static void *memory_new(struct tc_net *net, size_t bytes, struct tc_region *region)
{
	struct soft_net *n = soft(net);
	struct job *j = n->rank->job;
	size_t room = (bytes + PAGE - 1) / PAGE * PAGE;
	void *memory = NULL;

	pthread_mutex_lock(&j->lock);
	if (!soft_fault(n->rank, JOB_MEMORY_NEW)) {
		memory = aligned_alloc(PAGE, room);
		memset(memory, 0, room);
		add_region(n, memory, bytes, region);
	}
	pthread_mutex_unlock(&j->lock);
	return memory;
}

static void memory_free(struct tc_net *net, void *memory, size_t bytes, struct tc_region *region)
{
	(void)bytes;
	region_close(net, region);
	free(memory);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The NIC keeps the pages of what is unmapped. Several parts count as one with all between them. */
static void detach(struct soft_region *m, uint64_t start, uint64_t end)
{
	const uint64_t first = most(start, m->start), last = least(end, m->start + m->bytes);

	if (first >= last)
		return;
	if (!m->pages) {
		m->pages = malloc(m->bytes);
		m->gone_start = first;
		m->gone_end = last;
		memcpy(m->pages, (void *)(uintptr_t)(m->start - SOFT_IOVA), m->bytes);
	}
	m->gone_start = least(m->gone_start, first);
	m->gone_end = most(m->gone_end, last);
}

void job_munmap(struct job_rank *r, void *start, size_t bytes)
{
	struct soft_net *n = r->net;
	const uint64_t at = (uintptr_t)start + SOFT_IOVA;

	if (job_cfg_of(r)->memory_released)
		tallycoll_memory_released(r->context, start, bytes);
	pthread_mutex_lock(&r->job->lock);
	for (struct soft_region *m = n->regions; m; m = m->next)
		detach(m, at, at + bytes);
	pthread_mutex_unlock(&r->job->lock);
	munmap(start, bytes);
}

void *soft_memory(const struct soft_net *net, uint64_t addr, uint32_t key, uint64_t bytes,
		  enum tally_coll_status *status)
{
	const struct soft_region *m = net->regions;

	while (m && m->key != key)
		m = m->next;
	*status = m ? TALLY_COLL_MR_RANGE : TALLY_COLL_BAD_LKEY;
	if (!m || addr < m->start || bytes > m->bytes || addr - m->start > m->bytes - bytes)
		return NULL;
	*status = TALLY_COLL_OK;
	if (m->pages && addr < m->gone_end && m->gone_start < addr + bytes)
		return m->pages + (addr - m->start);
	return (void *)(uintptr_t)(addr - SOFT_IOVA);
}

/* ---- Outcomes ---- */
void soft_complete(struct soft_request *q, const struct tc_outcome *outcome)
{
	if (!q->queue) {
		soft_request_free(q);
		return;
	}
	q->outcome = *outcome;
	q->outcome.id = q->work.id;
	soft_append(&q->queue->group->net->outcomes, q);
	soft_wake(q->queue->group->net->rank);
}

/* Frees the request's place in its queue. Returns whether the library sees the outcome. */
static bool retire(struct soft_request *q, struct tc_outcome *outcome)
{
	bool visible = q->queue && (q->outcome.status || !(q->work.flags & TC_WORK_QUIET));

	*outcome = q->outcome;
	if (q->queue)
		q->queue->used--;
	soft_request_free(q);
	return visible;
}

static int poll(struct tc_net *net, struct tc_outcome *outcome)
{
	struct soft_net *n = soft(net);
	struct job *j = n->rank->job;
	struct soft_request *q;
	int found = 0;

	pthread_mutex_lock(&j->lock);
	while (!found) {
		q = soft_take(&n->outcomes);
		if (!q)
			break;
		found = retire(q, outcome);
	}
	pthread_mutex_unlock(&j->lock);
	return found;
}

/* ---- Capabilities ---- */
static bool reduces(uint32_t opcode)
{
	return opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_REDUCE ||
	       opcode == TALLY_OPCODE_REDUCE_SCATTER;
}

enum tally_coll_status soft_can(struct tc_net *net, uint32_t opcode, uint32_t op, uint32_t dtype)
{
	(void)net;
	if (opcode < TALLY_OPCODE_ALLREDUCE || opcode > TALLY_OPCODE_SCATTER)
		return TALLY_COLL_BAD_OPCODE;
	if (dtype > UINT8_MAX || !alu_value_size(dtype))
		return TALLY_COLL_BAD_TYPE;
	if (opcode == TALLY_OPCODE_BARRIER && dtype)
		return TALLY_COLL_BAD_TYPE;
	if (reduces(opcode))
		return op > UINT8_MAX ? TALLY_COLL_BAD_OP : alu_check(op, dtype);
	return op ? TALLY_COLL_BAD_OP : TALLY_COLL_OK;
}

#define SENTENCE_CASE(name, value, doc) \
	case value:                     \
		return doc;

static const char *status_str(uint32_t status)
{
	switch (status) {
		TALLY_COLL_LIST(SENTENCE_CASE)
	default:
		return "The status is unknown.";
	}
}

/* ---- Begin and end ---- */
static void net_close(struct tc_net *net)
{
	struct soft_net *n = soft(net);
	struct job_rank *r = n->rank;
	struct tc_outcome outcome;

	if (n->regions || n->num_groups || n->num_queues)
		JOB_FAIL(r, "the NIC is closed with %u groups, %u queues%s", n->num_groups,
			 n->num_queues, n->regions ? " and memory" : "");
	while (poll(net, &outcome))
		;
	r->net = NULL;
	free(n);
}

static const struct tc_net_ops ops = {
	.group_open = soft_group_open,
	.group_close = soft_group_close,
	.group_state = soft_group_state,
	.group_abort = soft_group_abort,
	.queue_open = soft_queue_open,
	.queue_close = soft_queue_close,
	.post = soft_post,
	.poll = poll,
	.memory_new = memory_new,
	.memory_free = memory_free,
	.region_open = region_open,
	.region_close = region_close,
	.can = soft_can,
	.status_str = status_str,
	.close = net_close,
};

/* The address tells the number of the NIC, and the NIC its place on the machine. */
static void set_address(struct tc_address *a, uint32_t nic)
{
	a->gid[0] = 0xfe;
	a->gid[1] = 0x80;
	memcpy(a->gid + 12, &nic, sizeof(nic));
	memcpy(a->mac, &nic, sizeof(nic));
	a->mac[5] = 2;
}

int soft_net_open(void *arg, struct tc_host *host, const struct tc_neighbours *neighbours,
		  struct tc_net **net, char *why, size_t size)
{
	struct job_rank *r = arg;
	const struct job_cfg *c = &r->job->cfg;
	struct soft_net *n;
	bool fails;

	(void)host;
	pthread_mutex_lock(&r->job->lock);
	fails = soft_fault(r, JOB_NET_OPEN);
	pthread_mutex_unlock(&r->job->lock);
	if (fails) {
		snprintf(why, size, "The test wants no NIC.");
		return -ENODEV;
	}
	n = calloc(1, sizeof(*n));
	n->base.ops = &ops;
	set_address(&n->base.address,
		    job_machine(r, r->rank) * c->nics +
			    neighbours->local * c->nics / neighbours->num_local);
	n->base.caps = ALL_CAPS & ~c->no_caps;
	n->base.opcodes = UINT32_MAX;
	if (job_machine(r, r->rank) + 1 == c->machines)
		n->base.opcodes &= ~c->no_opcodes;
	n->base.max_inline = c->max_inline ? c->max_inline : MAX_INLINE;
	n->base.queue_depth = c->queue_depth ? c->queue_depth : QUEUE_DEPTH;
	n->base.max_groups = c->max_groups ? c->max_groups : MAX_GROUPS;
	n->rank = r;
	soft_list_init(&n->outcomes);
	r->net = n;
	*net = &n->base;
	return 0;
}
