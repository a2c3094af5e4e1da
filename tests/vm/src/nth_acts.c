/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations and queries on objects, for the sweeps. */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <rdma/rdma_netlink.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tally.h" /* the provider's own: where the status page is mapped from */

#include "check.h"
#include "nth.h"

#define TEXT_SIZE 65536
#define SOON_MS 5000
#define COUNTERS "/sys/class/infiniband/tally0/ports/1/hw_counters"

/* ---- Device, port, pages ---- */
static int query_device(void)
{
	struct ibv_device_attr_ex attr;

	return ibv_query_device_ex(world.nic->context, NULL, &attr);
}

static int query_port(void)
{
	struct ibv_port_attr attr;
	union ibv_gid gid;
	__be16 pkey;

	if (ibv_query_port(world.nic->context, 1, &attr) || ibv_query_gid(world.nic->context, 1, 0, &gid) ||
	    ibv_query_pkey(world.nic->context, 1, 0, &pkey))
		return errno;
	return 0;
}

static void *page;

static int map_status(void)
{
	struct ibv_context *context = world.nic->context;

	page = mmap(NULL, TALLY_PAGE_SIZE, PROT_READ, MAP_SHARED, context->cmd_fd,
		    to_tctx(context)->info.status_mmap_offset);
	return page == MAP_FAILED ? errno : 0;
}

static void unmap_status(int err)
{
	REQUIRE(err || !munmap(page, TALLY_PAGE_SIZE), "page");
}

/* ---- Events ---- */
static void await_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	REQUIRE(poll(&p, 1, SOON_MS) == 1, "no event");
}

static void make_event(void)
{
	REQUIRE(!ibv_req_notify_cq(ibv_cq_ex_to_cq(world.nic->cq), 0), "arming");
	expect_barrier(&world.port, &world.team, world.mid++);
	await_readable(world.nic->channel->fd);
}

static int get_event(void)
{
	struct ibv_cq *cq;
	void *arg;

	return ibv_get_cq_event(world.nic->channel, &cq, &arg) ? errno : 0;
}

/*
 * The core removes the event from its list and counts it before the copy, so the event is gone in
 * both cases.
 */
static void ack_event(int err)
{
	(void)err;
	ibv_ack_cq_events(ibv_cq_ex_to_cq(world.nic->cq), 1);
}

/* ---- The queue pair ---- */
static int set_state(enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return ibv_modify_qp(world.port.qp, &attr, IBV_QP_STATE);
}

static int reset_qp(void)
{
	int err = set_state(IBV_QPS_RESET);

	return err ? err : set_state(IBV_QPS_RTS);
}

static void expect_qp_works(int err)
{
	if (err)
		REQUIRE(!reset_qp(), "queue pair");
	expect_barrier(&world.port, &world.team, world.mid++);
}

static int query_qp(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int err = ibv_query_qp(world.port.qp, &attr, IBV_QP_STATE, &init);

	REQUIRE(err || attr.qp_state == IBV_QPS_RTS, "state %d", attr.qp_state);
	return err;
}

/* ---- The group ---- */
static uint32_t epoch;

static int query_group(void)
{
	struct tallydv_group_info info;
	int err = tallydv_query_group(world.team.group[0], &info);

	REQUIRE(err || info.state == TALLY_GROUP_OPEN, "state %d", info.state);
	return err;
}

static int query_edges(void)
{
	struct tallydv_edge_info edges[1];
	uint32_t count = 1;
	int err = tallydv_query_edges(world.team.group[0], edges, &count);

	REQUIRE(err || !count, "%u edges", count);
	return err;
}

static int query_segs(void)
{
	struct tallydv_seg_info segs[8];
	uint32_t count = 8;
	int err = tallydv_query_segs(world.team.group[0], segs, &count);

	REQUIRE(err || count == 4, "%u segments", count);
	return err;
}

static int query_arrivals(void)
{
	struct tallydv_arrival arrivals[TALLY_NUM_ARRIVALS];
	uint32_t count = TALLY_NUM_ARRIVALS;
	int err = tallydv_query_arrivals(world.team.group[0], arrivals, &count);

	REQUIRE(err || (count && arrivals[0].mid == world.mid - 1), "%u messages, the last one is %u",
		count, arrivals[0].mid);
	return err;
}

/* Ends the epoch. */
static void abort_group(void)
{
	struct tallydv_group_info info;
	struct outcome out;
	struct request r;

	request_plain(&r, TALLY_OPCODE_ABORT, 0);
	post(&world.port, &r);
	REQUIRE(wait_outcome(world.nic, &out, SOON_MS) && out.status == IBV_WC_SUCCESS, "ABORT");
	REQUIRE(!tallydv_query_group(world.team.group[0], &info), "group");
	epoch = info.epoch + 1 ? info.epoch + 1 : 1;
}

static int reset_group(void)
{
	return tallydv_reset_group(world.team.group[0], epoch);
}

static void expect_group_works(int err)
{
	if (err)
		REQUIRE(!reset_group(), "group");
	world.mid = 0;
	expect_qp_works(EIO);
}

/* ---- Files ---- */

/* The text read while calls fail must be the same as without failures. */
static char text[TEXT_SIZE], expected[TEXT_SIZE];

static void expect_same(const char *file, int err)
{
	REQUIRE(!read_debugfs(file, expected, sizeof(expected)), "%s", file);
	REQUIRE(err || !strcmp(text, expected), "%s says\n%snot\n%s", file, text, expected);
}

#define DEBUGFS(file) \
	static int read_##file(void) { return read_debugfs(#file, text, sizeof(text)); } \
	static void expect_##file(int err) { expect_same(#file, err); }
DEBUGFS(device)
DEBUGFS(groups)
DEBUGFS(segs)
DEBUGFS(edges)
DEBUGFS(arrivals)

static int read_counters(void)
{
	DIR *folder = opendir(COUNTERS);
	struct dirent *entry;
	char path[256];
	int err = 0;

	if (!folder)
		return errno;
	errno = 0;
	while (!err && (entry = readdir(folder))) {
		snprintf(path, sizeof(path), COUNTERS "/%.100s", entry->d_name);
		if (entry->d_type == DT_REG && strcmp(entry->d_name, "lifespan"))
			err = read_text(path, text, sizeof(text));
	}
	if (!err)
		err = errno;
	closedir(folder);
	return err;
}

/* ---- Netlink: the queries of rdma(8), including the driver's part ---- */
static int socket_fd;
static uint32_t device;

static void open_socket(void)
{
	socket_fd = nldev_open();
	device = nldev_index(socket_fd, "tally0");
}

static void close_socket(int err)
{
	(void)err;
	close(socket_fd);
}

static int dump(unsigned int command)
{
	size_t len;
	int err = nldev_dump(socket_fd, command, &device, text, sizeof(text), &len);

	REQUIRE(err || len, "nothing");
	/* Netlink reports ENOBUFS if it has no room for its answer. */
	return err == ENOBUFS ? ENOMEM : err;
}

static int dump_qps(void) { return dump(RDMA_NLDEV_CMD_RES_QP_GET); }
static int dump_cqs(void) { return dump(RDMA_NLDEV_CMD_RES_CQ_GET); }
static int dump_mrs(void) { return dump(RDMA_NLDEV_CMD_RES_MR_GET); }
static int dump_pds(void) { return dump(RDMA_NLDEV_CMD_RES_PD_GET); }

const struct nth_act nth_acts[] = {
	{ "querying the device", query_device, NULL, NULL },
	{ "querying the port", query_port, NULL, NULL },
	{ "mapping the status page", map_status, NULL, unmap_status },
	{ "getting an event", get_event, make_event, ack_event },
	{ "resetting the queue pair", reset_qp, NULL, expect_qp_works },
	{ "querying the queue pair", query_qp, NULL, NULL },
	{ "querying the group", query_group, NULL, NULL },
	{ "querying edges", query_edges, NULL, NULL },
	{ "querying segments", query_segs, NULL, NULL },
	{ "querying arrivals", query_arrivals, NULL, NULL },
	{ "resetting the group", reset_group, abort_group, expect_group_works },
	{ "reading device", read_device, NULL, expect_device },
	{ "reading groups", read_groups, NULL, expect_groups },
	{ "reading segs", read_segs, NULL, expect_segs },
	{ "reading edges", read_edges, NULL, expect_edges },
	{ "reading arrivals", read_arrivals, NULL, expect_arrivals },
	{ "reading counters", read_counters, NULL, NULL },
	{ "listing queue pairs", dump_qps, open_socket, close_socket },
	{ "listing completion queues", dump_cqs, open_socket, close_socket },
	{ "listing regions", dump_mrs, open_socket, close_socket },
	{ "listing protection domains", dump_pds, open_socket, close_socket },
};
const size_t nth_num_acts = sizeof(nth_acts) / sizeof(nth_acts[0]);
