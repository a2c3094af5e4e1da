// SPDX-License-Identifier: BSD-2-Clause
/* Copies of tables in the hardware, by its registers (docs/registers.md). */
#include "engine/mirror.h"
#include "engine/common.h"
#include "engine/mirror_put.h"
#include "engine/mode.h"
#include "engine/store_parts.h"

static bool is_copied(uint32_t at)
{
	if (at < TALLY_FW_EDGE_OFFSET)
		return at == AT(group, epoch) || at == AT(group, group_key) ||
		       at == AT(group, destroyed) || at == AT(group, retry_limit);
	at = (at - TALLY_FW_EDGE_OFFSET) % TALLY_FW_EDGE_STRIDE - TALLY_FW_NEIGHBOUR_OFFSET;
	return at - AT(neighbour, gid) < sizeof(((struct tally_fw_neighbour *)0)->gid);
}

/* Of those with which a host compares an OPEN. */
static bool is_compared(uint32_t at)
{
	return at >= TALLY_FW_EDGE_OFFSET &&
	       (at - TALLY_FW_EDGE_OFFSET) % TALLY_FW_EDGE_STRIDE == AT(edge, awaits_epoch);
}

/* Registers of 64 bits. */
static bool is_copied_wide(uint32_t at)
{
	return at == AT(group, rto) || at == AT(group, max_backoff);
}

void mirror_write(struct engine *e, uint32_t reg, uint64_t value)
{
	uint32_t at = (reg - TALLY_FW_GROUP_BASE) % TALLY_FW_GROUP_STRIDE;

	if (!e->host->table || reg < TALLY_FW_GROUP_BASE)
		return;
	if (is_copied(at) || (host_compares(e) && is_compared(at)))
		put(e, reg, value);
	else if (is_copied_wide(at))
		put_wide(e, reg, value);
}

void mirror_state(struct engine *e, const struct group *g)
{
	if (e->host->table)
		put(e, reg_of_group(e, g) + AT(group, state), g->state);
}

void mirror_group(struct engine *e, const struct group *g)
{
	uint32_t reg = reg_of_group(e, g);

	if (!e->host->table)
		return;
	put(e, reg + AT(group, flags), g->flags);
	put(e, reg + AT(group, parent), g->parent);
	put(e, reg + AT(group, epoch), g->epoch);
	put(e, reg + AT(group, group_key), g->mcast_key);
	put(e, reg + AT(group, destroyed), g->destroyed);
	put(e, reg + TALLY_FW_SETUP_OFFSET + AT(setup, jid), g->jid);
	put_gid(e, reg + TALLY_FW_SETUP_OFFSET + AT(setup, source_gid), g->source_gid);
	mirror_state(e, g);
}

static void mirror_route(struct engine *e, const struct group *g, const struct edge *ed)
{
	uint32_t reg = reg_of_edge(e, g, ed);

	put(e, reg + AT(edge, subtree_first), ed->first);
	put(e, reg + AT(edge, subtree_count), ed->count);
}

/* What both the segment store and the parser of requests need. */
static void put_common(struct engine *e, uint32_t reg, const struct group *g)
{
	put(e, reg + AT(group, modes), g->modes);
	put(e, reg + AT(group, mtu), g->mtu);
	put(e, reg + AT(group, node), g->node);
	put(e, reg + AT(group, num_nodes), g->num_nodes);
	put(e, reg + AT(group, total_ranks), g->total_ranks);
	put_wide(e, reg + AT(group, rank_mask), g->rank_mask);
	put_wide(e, reg + AT(group, children), g->children);
	put(e, reg + TALLY_FW_SETUP_OFFSET + AT(setup, max_segs), g->max_segs);
}

/* Parts of the chunks of a mode. */
static void put_parts(struct engine *e, uint32_t at, const struct store_parts *p)
{
	unsigned int i;

	for (i = 0; i < p->num; i++, at += TALLY_FW_PART_STRIDE) {
		const struct store_part *part = &p->part[i];

		put_wide(e, at + AT(part, ins), part->ins);
		put_wide(e, at + AT(part, outs), part->outs);
		put(e, at + AT(part, link),
		    part->next.part | part->next.right << 8 | part->inner << 16);
	}
}

static uint32_t num_parts(const struct store_tables *t)
{
	uint32_t value = 0;
	unsigned int m;

	for (m = 0; m < TALLY_FW_PART_MODES; m++)
		value |= t->mode[m].num << 8 * m;
	return value;
}

/* What a rank is to the parts of each mode. */
static uint32_t parts_of_rank(const struct store_tables *t, unsigned int rank)
{
	uint32_t value = 0;
	unsigned int m;

	for (m = 0; m < TALLY_FW_PART_MODES; m++) {
		const struct store_input *to = &t->mode[m].rank[rank];

		value |= (uint32_t)(to->part | to->right << 7) << 8 * m;
	}
	return value;
}

/* The same of an edge, and the round of its packets. */
static uint32_t parts_of_edge(const struct store_tables *t, const struct group *g, unsigned int i)
{
	uint32_t value = (uint32_t)g->edges[i].round << 24;
	unsigned int m;

	for (m = 0; m < TALLY_FW_PART_MODES; m++)
		value |= (uint32_t)t->mode[m].edge[i] << 8 * m;
	return value;
}

/* Whether the store has parts for the chunks of a group, and which. */
static void mirror_parts(struct engine *e, const struct group *g)
{
	uint32_t reg = reg_of_group(e, g), at = reg + TALLY_FW_PART_OFFSET;
	struct store_tables t;
	uint64_t left;
	unsigned int i;

	store_tables(g, &t);
	put(e, reg + TALLY_FW_SETUP_OFFSET + AT(setup, parts), num_parts(&t));
	if (!num_parts(&t))
		return;
	for (i = 0; i < TALLY_FW_PART_MODES; i++)
		put_parts(e, at + i * TALLY_FW_STORE_PARTS * TALLY_FW_PART_STRIDE, &t.mode[i]);
	for (left = g->rank_mask; left; left &= left - 1) {
		i = __builtin_ctzll(left);
		put(e, reg + TALLY_FW_INPUTS_OFFSET + AT(inputs, rank) + 4 * i, parts_of_rank(&t, i));
	}
	for (i = 0; i < g->num_contributors; i++) {
		at = reg_of_edge(e, g, &g->edges[i]) + TALLY_FW_NEIGHBOUR_OFFSET;
		put(e, at + AT(neighbour, part), parts_of_edge(&t, g, i));
	}
	put(e, reg + TALLY_FW_SETUP_OFFSET + AT(setup, part_log), t.words_log);
}

void mirror_store(struct engine *e, const struct group *g)
{
	uint32_t reg = reg_of_group(e, g);
	unsigned int i;

	if (!host_stores(e))
		return;
	put_common(e, reg, g);
	mirror_parts(e, g);
	if (!g->stored)
		return;
	put(e, reg + AT(group, num_segs), g->num_segs);
	put_wide(e, reg + AT(group, exchange_ins), g->exchange_ins);
	put(e, reg + AT(group, num_edges), g->num_contributors);
	put(e, reg + TALLY_FW_SETUP_OFFSET + AT(setup, left), g->left);
	put(e, reg + TALLY_FW_SETUP_OFFSET + AT(setup, right), g->right);
	put(e, reg + TALLY_FW_SETUP_OFFSET + AT(setup, nodes_inverse), g->by_nodes.inverse);
	put(e, reg + TALLY_FW_SETUP_OFFSET + AT(setup, nodes_shift), g->by_nodes.shift);
	for (i = 0; i < g->num_contributors; i++)
		mirror_route(e, g, &g->edges[i]);
}

static void put_choice(struct engine *e, uint32_t setup, unsigned int k, const struct choice *c)
{
	put(e, setup + AT(setup, choice_modes) + 4 * k, c->small | c->middle << 8 | c->large << 16);
	put(e, setup + AT(setup, choice_logs) + 4 * k, c->small_log | c->middle_log << 8);
}

void mirror_requests(struct engine *e, const struct group *g)
{
	uint32_t reg = reg_of_group(e, g), setup = reg + TALLY_FW_SETUP_OFFSET;
	unsigned int k;

	if (!host_fetches(e))
		return;
	put_common(e, reg, g);
	put(e, reg + AT(group, chunk), g->chunk);
	put_wide(e, reg + AT(group, combined), g->contributors);
	put_wide(e, reg + AT(group, peers), g->peers);
	put(e, setup + AT(setup, segs_inverse), g->by_segs.inverse);
	put(e, setup + AT(setup, segs_shift), g->by_segs.shift);
	put(e, setup + AT(setup, mode), g->mode);
	for (k = 0; k < NUM_CHOICES; k++)
		put_choice(e, setup, k, &g->choice[k]);
}

void mirror_qp_write(struct engine *e, uint32_t reg, uint64_t value)
{
	if (!host_fetches(e))
		return;
	switch (reg % TALLY_FW_QP_STRIDE) {
	case AT(qp, group):
	case AT(qp, stride):
	case AT(qp, pd):
		put(e, TALLY_FW_QP_BASE + reg, value);
		break;
	case AT(qp, ranks):
		put_wide(e, TALLY_FW_QP_BASE + reg, value);
		break;
	default:
		break;
	}
}

#define STATUS(field) (TALLY_FW_STATUS_BASE + AT(status, field))

static void put_report(struct engine *e, const struct report *r)
{
	put(e, STATUS(status), r->status);
	put(e, STATUS(detector), r->detector);
	put(e, STATUS(sid), r->sid);
	put_wide(e, STATUS(contributors), r->contributors);
	put_wide(e, STATUS(ranks), r->ranks);
}

static void go_status(struct engine *e, const struct qp *qp, enum tally_fw_status_code code)
{
	if (host_completes(e))
		put(e, STATUS(go), code | (uint32_t)(qp - e->qps) << 16);
}

void mirror_qp_state(struct engine *e, const struct qp *qp)
{
	static const enum tally_fw_request_code codes[] = {
		[TALLY_QPS_RESET] = TALLY_FW_REQUEST_RESET_QP,
		[TALLY_QPS_RTS] = TALLY_FW_REQUEST_START_QP,
		[TALLY_QPS_ERROR] = TALLY_FW_REQUEST_FAIL_QP,
	};

	static const enum tally_fw_status_code outcomes[] = {
		[TALLY_QPS_RESET] = TALLY_FW_STATUS_RESET_QP,
		[TALLY_QPS_RTS] = TALLY_FW_STATUS_START_QP,
		[TALLY_QPS_ERROR] = TALLY_FW_STATUS_FAIL_QP,
	};

	if (!host_fetches(e))
		return;
	if (host_completes(e) && qp->state == TALLY_QPS_ERROR)
		put_report(e, &e->groups[qp->cfg.group].report);
	/* The requests of a queue pair in RTS find its outcomes in RTS, too. */
	if (qp->used && qp->state == TALLY_QPS_RTS)
		go_status(e, qp, outcomes[qp->state]);
	put(e, TALLY_FW_REQUEST_BASE + AT(request, go),
	    codes[qp->state] | (uint32_t)(qp - e->qps) << 16);
	/* The end of its epoch, which is told by itself, puts it into ERROR. */
	if (qp->used && qp->state != TALLY_QPS_RTS &&
	    !(qp->state == TALLY_QPS_ERROR && qp->left_behind))
		go_status(e, qp, outcomes[qp->state]);
}

/* ---- Outcome of requests ---- */

void mirror_qp_create(struct engine *e, const struct qp *qp)
{
	const unsigned int num = qp->requests / TALLY_REQUEST_STEP;
	unsigned int k;

	put(e, STATUS(group), qp->cfg.group);
	put(e, STATUS(cqn), qp->cfg.cqn);
	put(e, STATUS(log_places), __builtin_ctz(num));
	for (k = 0; k < TALLY_QP_REQUESTS / TALLY_REQUEST_STEP; k += 2)
		put(e, STATUS(places) + 2 * k, qp->places[k] | (uint32_t)qp->places[k + 1] << 16);
	go_status(e, qp, TALLY_FW_STATUS_CREATE_QP);
	if (qp->state == TALLY_QPS_RTS)
		go_status(e, qp, TALLY_FW_STATUS_START_QP);
}

void mirror_qp_forget(struct engine *e, const struct qp *qp)
{
	go_status(e, qp, TALLY_FW_STATUS_RESET_QP);
}

void mirror_epoch_end(struct engine *e, const struct qp *qp, const struct report *r)
{
	put_report(e, r);
	go_status(e, qp, TALLY_FW_STATUS_END_EPOCH);
}

void mirror_report(struct engine *e, const struct group *g)
{
	uint32_t n;

	if (!host_completes(e))
		return;
	for (n = g->qps; n != NONE; n = e->qps[n].next_in_group) {
		const struct qp *qp = &e->qps[n];

		if (qp->state != TALLY_QPS_ERROR || qp->left_behind)
			continue;
		put_report(e, &g->report);
		go_status(e, qp, TALLY_FW_STATUS_FAIL_QP);
	}
}

void mirror_answer(struct engine *e, const struct qp *qp, const struct report *r, uint8_t flags)
{
	put_report(e, r);
	put(e, STATUS(flags), flags);
	go_status(e, qp, TALLY_FW_STATUS_ANSWER);
}

/* ---- The request sender ---- */

#define SENDER(field) (TALLY_FW_SENDER_BASE + AT(sender, field))

static void go_sender(struct engine *e, enum tally_fw_sender_code code, uint32_t index)
{
	put(e, SENDER(go), code | index << 16);
}

void mirror_sender_epoch(struct engine *e, const struct group *g, bool begins)
{
	put(e, SENDER(max_segs), g->max_segs);
	go_sender(e, begins ? TALLY_FW_SENDER_BEGIN_EPOCH : TALLY_FW_SENDER_END_EPOCH,
		  g - e->groups);
}

void mirror_sender_freeze(struct engine *e, const struct group *g)
{
	if (g->stored && host_delivers(e))
		mirror_sender_epoch(e, g, false);
}

void mirror_sender_qp(struct engine *e, const struct qp *qp)
{
	put(e, SENDER(flags), qp->told_flags);
	put_wide(e, SENDER(sole), qp->told_sole);
	go_sender(e, TALLY_FW_SENDER_SET_QP, qp - e->qps);
}

void mirror_sender_first(struct engine *e, const struct group *g)
{
	put(e, SENDER(next), g->qps);
	go_sender(e, TALLY_FW_SENDER_FIRST_QP, g - e->groups);
}

void mirror_sender_next(struct engine *e, const struct qp *qp)
{
	put(e, SENDER(next), qp->next_in_group);
	go_sender(e, TALLY_FW_SENDER_NEXT_QP, qp - e->qps);
}

/* ---- The pool of segments ---- */

#define POOL(field) (TALLY_FW_POOL_BASE + AT(pool, field))

static void go_pool(struct engine *e, enum tally_fw_pool_code code, uint32_t group)
{
	put(e, POOL(go), code | group << 16);
}

void mirror_pool_limits(struct engine *e)
{
	put(e, POOL(groups), e->max_groups);
	put(e, POOL(segs), e->max_segs);
	go_pool(e, TALLY_FW_POOL_SET_LIMITS, 0);
}

void mirror_pool_join(struct engine *e, const struct group *g)
{
	put(e, POOL(num), g->num_segs);
	put(e, POOL(max), g->max_segs);
	go_pool(e, TALLY_FW_POOL_JOIN, g - e->groups);
}

void mirror_pool_go(struct engine *e, const struct group *g, enum tally_fw_pool_code code)
{
	go_pool(e, code, g - e->groups);
}

void mirror_pool_borrow(struct engine *e, const struct group *g, uint32_t top)
{
	put(e, POOL(top), top);
	go_pool(e, TALLY_FW_POOL_BORROW, g - e->groups);
}

/* ---- The request processor ---- */

#define TRIGGER(field) (TALLY_FW_TRIGGER_BASE + AT(trigger, field))

static void go_trigger(struct engine *e, enum tally_fw_trigger_code code, uint32_t index)
{
	put(e, TRIGGER(go), code | index << 16);
}

/* The inputs of chunks in fixed order are in the store of the host, so no cells are kept for them. */
void mirror_trigger_group(struct engine *e, const struct group *g, uint32_t cells)
{
	put(e, TRIGGER(mtu), g->mtu);
	put_wide(e, TRIGGER(limit), g->timeout);
	go_trigger(e, TALLY_FW_TRIGGER_SET_GROUP, g - e->groups);
	put(e, TRIGGER(cells), cells);
	put(e, TRIGGER(keep), 0);
	go_trigger(e, TALLY_FW_TRIGGER_SET_CELLS, g - e->groups);
}

void mirror_trigger_port(struct engine *e, const struct qp *qp)
{
	put(e, TRIGGER(port), qp->cfg.port);
	go_trigger(e, TALLY_FW_TRIGGER_SET_QP, qp - e->qps);
}

void mirror_trigger_first(struct engine *e, const struct group *g)
{
	put(e, TRIGGER(next), g->qps);
	go_trigger(e, TALLY_FW_TRIGGER_FIRST_QP, g - e->groups);
}

void mirror_trigger_next(struct engine *e, const struct qp *qp)
{
	put(e, TRIGGER(next), qp->next_in_group);
	go_trigger(e, TALLY_FW_TRIGGER_NEXT_QP, qp - e->qps);
}

void mirror_edge(struct engine *e, const struct group *g, const struct edge *ed)
{
	uint32_t reg = reg_of_edge(e, g, ed);

	if (!e->host->table)
		return;
	put(e, reg + AT(edge, key), ed->key);
	put_wide(e, reg + AT(edge, nonce), ed->nonce);
	put_wide(e, reg + AT(edge, peer_nonce), ed->peer_nonce);
	put(e, reg + AT(edge, state), ed->state);
}

/* The registers of the neighbour come right before that which makes the row of its headers. */
void mirror_open(struct engine *e, const struct group *g, const struct edge *ed)
{
	uint32_t reg = reg_of_edge(e, g, ed), next = reg + TALLY_FW_NEIGHBOUR_OFFSET;

	if (!g->stored)
		return;
	put_gid(e, next + AT(neighbour, gid), ed->addr.gid);
	put_mac(e, next + AT(neighbour, mac), ed->addr.mac);
	put(e, next + AT(neighbour, remote_index), ed->remote_index);
	put(e, next + AT(neighbour, round), ed->round);
	put(e, reg + AT(edge, peer_key), ed->peer_key);
	put(e, reg + AT(edge, first_limit), ed->first_limit);
}

void mirror_settled(struct engine *e, const struct group *g, const struct edge *ed)
{
	if (g->stored || host_compares(e))
		put(e, reg_of_edge(e, g, ed) + AT(edge, unconfirmed), 0);
}

void mirror_headers(struct engine *e, const struct group *g)
{
	if (g->stored)
		put(e, reg_of_group(e, g) + AT(group, epoch), g->epoch);
}

void mirror_first(struct engine *e, const struct group *g, const struct edge *ed)
{
	if (e->host->table)
		put(e, reg_of_edge(e, g, ed) + AT(edge, first_seq), ed->first_seq);
}

void mirror_renewed(struct engine *e, const struct group *g, const struct edge *ed)
{
	if (e->host->table)
		put(e, reg_of_edge(e, g, ed) + AT(edge, own_first_seq), ed->own_first_seq);
}

static void go(struct engine *e, const struct group *g, enum tally_fw_command_code code)
{
	if (e->host->table)
		put(e, TALLY_FW_COMMAND_BASE + AT(command, go), code | events_number(e, g) << 16);
}

void mirror_renew(struct engine *e, const struct group *g, const struct edge *ed)
{
	put(e, TALLY_FW_COMMAND_BASE + AT(command, go),
	    TALLY_FW_CMD_RENEW_EDGE | (uint32_t)(ed - g->edges) << 8 | events_number(e, g) << 16);
}

void mirror_add(struct engine *e, const struct group *g)
{
	go(e, g, TALLY_FW_CMD_CREATE);
}

void mirror_remove(struct engine *e, const struct group *g)
{
	go(e, g, TALLY_FW_CMD_RELEASE);
}

void mirror_begin(struct engine *e, const struct group *g)
{
	if (host_queues_events(e))
		go(e, g, TALLY_FW_CMD_BEGIN);
}

void mirror_fence(struct engine *e, const struct group *g)
{
	if (host_raises(e))
		go(e, g, TALLY_FW_CMD_FENCE);
}

void mirror_freeze(struct engine *e, const struct group *g)
{
	go(e, g, TALLY_FW_CMD_FREEZE);
}

void mirror_tombstone(struct engine *e, const struct group *t)
{
	unsigned int i;

	if (!e->host->table)
		return;
	mirror_group(e, t);
	mirror_packets(e, t);
	mirror_add(e, t);
	for_each_edge(t, i) {
		put_gid(e, reg_of_edge(e, t, &t->edges[i]) + TALLY_FW_NEIGHBOUR_OFFSET +
				   AT(neighbour, gid),
			t->edges[i].addr.gid);
		mirror_edge(e, t, &t->edges[i]);
		mirror_compared(e, t, &t->edges[i]);
	}
}
