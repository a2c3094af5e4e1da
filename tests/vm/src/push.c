/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queue pairs with and without a push buffer. A new buffer is empty, requests go through it, each
 * buffer belongs to one queue pair, and a queue pair without a buffer works.
 */
#include "tally.h"

#include "check.h"
#include "knobs.h"
#include "work.h"

#define MESSAGES 100
#define MANY 140

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS], second[MAX_NICS], many[MANY];
static uint32_t next_mid;

static uint64_t pushed(unsigned int node)
{
	char path[128];
	uint64_t count;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/infiniband/tally%u/ports/1/hw_counters/pushed", node);
	/* The driver queries the device at most once in ten milliseconds. */
	usleep(20000);
	file = fopen(path, "r");
	REQUIRE(file && fscanf(file, "%lu", &count) == 1, "%s", path);
	fclose(file);
	return count;
}

/* Data that other processes or earlier queue pairs wrote to the buffer are gone. */
static void check_empty(const struct port *port)
{
	const volatile struct tally_push_buf *buf = to_tqp(port->qp)->push;

	REQUIRE(buf, "queue pair %u has no push buffer", port->qp->qp_num);
	for (unsigned int i = 0; i < 2 * TALLY_PUSH_LINES; i++) {
		const volatile struct tally_push_line *line = &buf->line[i];

		for (unsigned int k = 0; k < sizeof(line->data); k++)
			REQUIRE(!line->data[k] && !line->posted,
				"queue pair %u: line %u of its new push buffer has data",
				port->qp->qp_num, i);
	}
}

static void post_by(struct port *port, struct request *r)
{
	struct ibv_data_buf data = { .addr = (void *)(uintptr_t)r->give[0].addr, .length = 8 };

	if (next_mid % 3 == 0) {
		post(port, r);
	} else if (next_mid % 3 == 1) {
		r->w.wr.send_flags |= IBV_SEND_INLINE;
		post(port, r);
	} else {
		ibv_wr_start(port->ex);
		port->ex->wr_flags = IBV_SEND_SIGNALED;
		tallydv_wr_coll(port->dv, &r->w.coll);
		ibv_wr_set_inline_data_list(port->ex, 1, &data);
		tallydv_wr_set_result(port->dv, 1, r->get);
		REQUIRE(!ibv_wr_complete(port->ex), "post");
	}
}

/* Runs one sum over all nodes. They post through these queue pairs, in each of three ways. */
static void message(struct port *by)
{
	int64_t want = 0;
	struct request r;

	for (unsigned int node = 0; node < cluster.count; node++) {
		int64_t mine = (int64_t)(next_mid + 1) * (node + 1);

		*(int64_t *)cluster.nic[node].buf = mine;
		want += mine;
		request_allreduce(&r, &cluster.nic[node], TALLY_OP_SUM, TALLY_TYPE_INT64, 1, 8,
				  next_mid);
		post_by(&by[node], &r);
	}
	for (unsigned int node = 0; node < cluster.count; node++) {
		struct nic *nic = &cluster.nic[node];

		expect_success(nic, "allreduce");
		REQUIRE(*(int64_t *)(nic->buf + BUF_SIZE / 2) == want, "message %u at node %u",
			next_mid, node);
	}
	next_mid++;
}

static void messages(struct port *by, unsigned int count)
{
	uint64_t before[MAX_NICS];

	for (unsigned int node = 0; node < cluster.count; node++)
		before[node] = pushed(node);
	for (unsigned int i = 0; i < count; i++)
		message(by);
	for (unsigned int node = 0; node < cluster.count; node++) {
		uint64_t taken = pushed(node) - before[node];
		bool pushes = to_tqp(by[node].qp)->push;

		REQUIRE(taken == (pushes ? count : 0), "node %u: %lu of %u requests pushed", node,
			taken, count);
	}
}

/* Takes all push buffers. A queue pair without one must work. */
static void exhaust(void)
{
	unsigned int with = 0, without = 0;
	struct port by[MAX_NICS];

	memcpy(by, ports, sizeof(by));
	for (unsigned int i = 0; i < MANY; i++) {
		port_open(&many[i], &cluster.nic[0], team.group[0], 0, 10 + i);
		if (to_tqp(many[i].qp)->push)
			with++;
		else
			without++;
	}
	REQUIRE(with && without, "%u queue pairs have push buffers, %u have none", with, without);
	by[0] = many[MANY - 1];
	REQUIRE(!to_tqp(by[0].qp)->push, "the last one has a push buffer");
	messages(by, 10);
	/* The next queue pair gets the freed buffer, which is empty. */
	port_close(&many[0]);
	port_open(&many[0], &cluster.nic[0], team.group[0], 0, 10);
	check_empty(&many[0]);
	for (unsigned int i = 0; i < MANY; i++)
		port_close(&many[i]);
}

int main(void)
{
	struct team_spec spec = { .jid = random_jid(), .segs = 8 };

	limit_time(55);
	cluster_open(&cluster);
	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	ports_open(second, &team, 1);
	for (unsigned int node = 0; node < cluster.count; node++) {
		check_empty(&ports[node]);
		check_empty(&second[node]);
	}
	messages(ports, MESSAGES);
	messages(second, MESSAGES);
	say_ready();
	wait_for_end_of_input();
	exhaust();
	ports_close(second, &team);
	ports_close(ports, &team);
	team_destroy(&team);
	cluster_close(&cluster);
	return 0;
}
