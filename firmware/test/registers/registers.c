// SPDX-License-Identifier: BSD-2-Clause
/* Registers without an engine. */
#include "firmware/test/registers/registers.h"

struct regs regs;

/* ---- Addresses ---- */

static uint8_t *within(void *block, size_t size, uint64_t at, unsigned int bytes)
{
	if (at % bytes || at + bytes > size)
		fail_msg("an access to %u bytes at %#lx", bytes, (unsigned long)at);
	return (uint8_t *)block + at;
}

static uint8_t *low_register(uint32_t reg, unsigned int bytes)
{
	uint32_t at = reg & 0xfff;

	switch (reg & ~0xfffu) {
	case TALLY_FW_CONTROL_BASE:
		return within(&regs.control, sizeof(regs.control), at, bytes);
	case TALLY_FW_EVENT_BASE:
		return within(&regs.event, sizeof(regs.event), at, bytes);
	case TALLY_FW_COMMAND_BASE:
		return within(&regs.command, sizeof(regs.command), at, bytes);
	case TALLY_FW_SEGMENT_BASE:
		return within(&regs.segment, sizeof(regs.segment), at, bytes);
	default:
		return within(&regs.arrival, sizeof(regs.arrival), at, bytes);
	}
}

static uint8_t *register_at(uint32_t reg, unsigned int bytes)
{
	assert_true(bytes == 4 || bytes == 8);
	if (reg >= TALLY_FW_GROUP_BASE)
		return within(regs.group, sizeof(regs.group), reg - TALLY_FW_GROUP_BASE, bytes);
	if (reg >= TALLY_FW_QP_BASE)
		return within(regs.qp, sizeof(regs.qp), reg - TALLY_FW_QP_BASE, bytes);
	assert_true(reg < TALLY_FW_ARRIVAL_BASE + 0x1000);
	return low_register(reg, bytes);
}

static bool is_at(uint32_t reg, uint32_t base, size_t offset)
{
	return reg == base + offset;
}

/* ---- What the hardware does ---- */

static void take_event(void)
{
	memset(&regs.event, 0, sizeof(regs.event));
	if (regs.taken < regs.events)
		regs.event = regs.waiting[regs.taken++];
}

static void select_segment(void)
{
	struct tally_fw_segment shown;

	assert_int_equal(regs.segment.group, G);
	assert_in_range(regs.segment.index, 0, TALLY_MAX_GROUP_SEGS - 1);
	shown = regs.segments[regs.segment.index];
	shown.group = regs.segment.group;
	shown.index = regs.segment.index;
	regs.segment = shown;
}

/* Select the oldest chunk of a message. */
static void find_segment(void)
{
	const uint32_t mid = regs.segment.find;
	uint32_t i;

	for (i = 0; i < TALLY_MAX_GROUP_SEGS; i++)
		if (regs.segments[i].state == TALLY_SEG_BUSY && regs.segments[i].mid == mid)
			break;
	regs.segment.index = i < TALLY_MAX_GROUP_SEGS ? i : 0;
	select_segment();
	if (i == TALLY_MAX_GROUP_SEGS)
		regs.segment.index = NO_CHUNK;
}

/* Show what the hardware knows of the ranks and message `late_mid`. */
static void select_late(struct tally_fw_group *g)
{
	g->late = g->late_mid == regs.late_mid ? regs.late_ranks : 0;
	g->begun = regs.late_begun && g->late_mid == regs.late_mid;
}

static void select_arrival(void)
{
	struct tally_fw_arrival shown;

	assert_int_equal(regs.arrival.group, G);
	assert_in_range(regs.arrival.index, 0, TALLY_NUM_ARRIVALS - 1);
	shown = regs.arrivals[regs.arrival.index];
	shown.group = regs.arrival.group;
	shown.index = regs.arrival.index;
	regs.arrival = shown;
}

static void learn_peer(struct tally_fw_edge *edge)
{
	edge->peer_key = regs.peer_key;
	edge->peer_nonce = regs.peer_nonce;
}

static void settle(struct tally_fw_edge *edge)
{
	edge->unconfirmed = 0;
	edge->timer = TALLY_FW_NEVER;
	if (!--regs_group()->to_open && regs_group()->state == TALLY_GROUP_OPENING)
		regs_group()->state = TALLY_GROUP_OPEN;
}

/* Record what an OPEN tells: not the epoch as long as the key of multicast is missing. */
static void send_open(struct regs_command *c)
{
	const struct tally_fw_group *g = regs_group();
	bool silent = fw_group_alive(G) && !fw_group_knows_epoch(G);

	c->flags = c->go == TALLY_FW_CMD_CONFIRM ? TALLY_TCH_F_CONFIRM : 0;
	c->challenge = c->go == TALLY_FW_CMD_CHALLENGE;
	c->epoch = c->challenge || silent ? 0 : g->epoch;
	c->go = TALLY_FW_CMD_SEND_OPEN;
}

static void renew(struct tally_fw_edge *edge)
{
	edge->state = TALLY_EDGE_OPENING;
	edge->unconfirmed = edge->kill = edge->awaits_epoch = edge->peer_key = 0;
	edge->peer_nonce = 0;
}

static struct regs_command command(void)
{
	const struct tally_fw_command *c = &regs.command;
	struct regs_command done = {
		.go = c->go & 0xff,
		.edge = c->go >> 8 & 0xff,
		.group = c->go >> 16,
		.kind = c->kind,
		.flags = c->flags,
		.epoch = c->epoch,
		.key = c->key,
		.mid = c->mid,
		.sid = c->sid,
		.length = c->length,
		.qp = c->qp,
		.contributors = c->contributors,
		.ranks = c->ranks,
	};

	memcpy(done.data, c->data, sizeof(done.data));
	return done;
}

static void carry_out(void)
{
	struct regs_command *c = &regs.done[regs.commands];

	assert_in_range(regs.commands, 0, REGS_MAX_COMMANDS - 1);
	regs.commands++;
	*c = command();
	switch (c->go) {
	case TALLY_FW_CMD_SEND_OPEN:
	case TALLY_FW_CMD_CONFIRM:
	case TALLY_FW_CMD_CHALLENGE:
		send_open(c);
		break;
	case TALLY_FW_CMD_FREEZE:
		regs_group()->state = TALLY_GROUP_COLLECT;
		break;
	case TALLY_FW_CMD_RENEW_EDGE:
		renew(regs_edge(c->edge));
		break;
	case TALLY_FW_CMD_OPEN_EDGE:
		regs_edge(c->edge)->state = TALLY_EDGE_OPEN;
		regs_edge(c->edge)->unconfirmed = 1;
		regs_edge(c->edge)->awaits_epoch = 0;
		break;
	case TALLY_FW_CMD_SETTLE_EDGE:
		settle(regs_edge(c->edge));
		break;
	case TALLY_FW_CMD_LEARN_PEER:
		learn_peer(regs_edge(c->edge));
		break;
	default:
		break;
	}
}

/* A write of the register `delay` of an edge starts its timer. */
static bool delays(uint32_t reg, struct tally_fw_edge **edge)
{
	const uint32_t first = fw_edge_base(G, 0);
	uint32_t i = (reg - first) / TALLY_FW_EDGE_STRIDE;

	if (reg < first || i > TALLY_MAX_CONTRIBUTORS ||
	    reg != fw_edge_base(G, i) + REG_AT(edge, delay))
		return false;
	*edge = regs_edge(i);
	return true;
}

static void act(uint32_t reg)
{
	const uint32_t group = TALLY_FW_GROUP_BASE + G * TALLY_FW_GROUP_STRIDE;
	struct tally_fw_edge *edge;

	if (delays(reg, &edge))
		edge->timer = edge->delay ? NOW + edge->delay * NS : TALLY_FW_NEVER;
	else if (is_at(reg, TALLY_FW_SEGMENT_BASE, REG_AT(segment, index)))
		select_segment();
	else if (is_at(reg, TALLY_FW_SEGMENT_BASE, REG_AT(segment, find)))
		find_segment();
	else if (is_at(reg, TALLY_FW_ARRIVAL_BASE, REG_AT(arrival, index)))
		select_arrival();
	else if (is_at(reg, TALLY_FW_COMMAND_BASE, REG_AT(command, go)))
		carry_out();
	else if (is_at(reg, TALLY_FW_CONTROL_BASE, REG_AT(control, count)))
		regs.counts[regs.control.count % REGS_COUNTERS]++;
	else if (is_at(reg, TALLY_FW_CONTROL_BASE, REG_AT(control, job)))
		regs.control.job_exists = regs.control.job == regs.job;
	else if (is_at(reg, group, REG_AT(group, late_mid)))
		select_late(regs_group());
}

/* ---- The port ---- */

uint64_t port_read(uint32_t reg, unsigned int bytes)
{
	uint32_t word;
	uint64_t value;

	if (regs.before_read)
		regs.before_read(reg);
	if (is_at(reg, TALLY_FW_EVENT_BASE, REG_AT(event, next)))
		take_event();
	if (bytes == 8) {
		memcpy(&value, register_at(reg, bytes), bytes);
		return value;
	}
	memcpy(&word, register_at(reg, bytes), bytes);
	return word;
}

void port_write(uint32_t reg, unsigned int bytes, uint64_t value)
{
	const uint32_t word = value;

	if (bytes == 8)
		memcpy(register_at(reg, bytes), &value, bytes);
	else
		memcpy(register_at(reg, bytes), &word, bytes);
	act(reg);
}

/* ---- For tests ---- */

struct tally_fw_group *regs_group(void)
{
	return (struct tally_fw_group *)regs.group[G];
}

struct tally_fw_edge *regs_edge(unsigned int edge)
{
	return (struct tally_fw_edge *)(regs.group[G] + TALLY_FW_EDGE_OFFSET +
					edge * TALLY_FW_EDGE_STRIDE);
}

struct tally_fw_setup *regs_setup(void)
{
	return (struct tally_fw_setup *)(regs.group[G] + TALLY_FW_SETUP_OFFSET);
}

struct tally_fw_round *regs_round(unsigned int round)
{
	return (struct tally_fw_round *)(regs.group[G] + TALLY_FW_ROUND_OFFSET +
					 round * TALLY_FW_ROUND_STRIDE);
}

struct tally_fw_neighbour *regs_neighbour(unsigned int edge)
{
	return (struct tally_fw_neighbour *)((uint8_t *)regs_edge(edge) + TALLY_FW_NEIGHBOUR_OFFSET);
}

struct tally_fw_traffic *regs_traffic(unsigned int edge)
{
	return (struct tally_fw_traffic *)((uint8_t *)regs_edge(edge) + TALLY_FW_TRAFFIC_OFFSET);
}

void regs_clear(void)
{
	memset(&regs, 0, sizeof(regs));
	memset(regs.group, REGS_FILL, sizeof(regs.group));
	regs_group()->state = TALLY_GROUP_NONE;
	regs_group()->destroyed = 0;
	regs.control.now = NOW;
}

static void open_edge(unsigned int edge)
{
	memset(regs_edge(edge), 0, TALLY_FW_EDGE_STRIDE);
	*regs_edge(edge) = (struct tally_fw_edge){
		.state = TALLY_EDGE_OPEN,
		.peer_key = 0x100 + edge,
		.peer_nonce = 0x200 + edge,
		.timer = TALLY_FW_NEVER,
	};
}

void regs_open_group(unsigned int num)
{
	unsigned int i;

	regs_clear();
	memset(regs.group[G], 0, sizeof(regs.group[G]));
	*regs_group() = (struct tally_fw_group){
		.state = TALLY_GROUP_OPEN,
		.epoch = EPOCH,
		.modes = TALLY_MODES_TREE,
		.node = 1,
		.num_nodes = 7,
		.level = 1,
		.num_edges = num,
		.parent = TALLY_FW_NO_EDGE,
		.upstream = TALLY_FW_NO_EDGE,
		.rank_mask = 3,
		.attached = 3,
		.total_ranks = 14,
		.subtree_ranks = 6,
		.timeout = 1000 * MS,
		.rto = 1 * MS,
		.max_backoff = 40 * MS,
		.retry_limit = 3,
		.timer = TALLY_FW_NEVER,
		.first_qp = TALLY_FW_NO_QP,
	};
	for (i = 0; i < num; i++)
		open_edge(i);
}

void regs_add_parent(void)
{
	open_edge(TALLY_MAX_CONTRIBUTORS);
	regs_group()->parent = regs_group()->upstream = TALLY_MAX_CONTRIBUTORS;
}

void regs_forget(void)
{
	regs.commands = 0;
	memset(regs.counts, 0, sizeof(regs.counts));
}

unsigned int regs_count(enum tally_fw_command_code code)
{
	unsigned int n = 0, i;

	for (i = 0; i < regs.commands; i++)
		n += regs.done[i].go == code;
	return n;
}

const struct regs_command *regs_command(enum tally_fw_command_code code, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < regs.commands; i++)
		if (regs.done[i].go == code && !n--)
			return &regs.done[i];
	fail_msg("no such command %d", code);
	abort();
}
