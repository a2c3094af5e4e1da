/* SPDX-License-Identifier: BSD-2-Clause */
#include "cluster.h"

#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "shape.h"

uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

void say_ready(void)
{
	printf("ready\n");
	fflush(stdout);
}

void wait_for_end_of_input(void)
{
	char c;

	while (read(STDIN_FILENO, &c, 1) > 0)
		;
}

uint32_t random_jid(void)
{
	uint32_t jid;

	REQUIRE(getrandom(&jid, sizeof(jid), 0) == sizeof(jid), "no random number");
	return jid | 1;
}

/* ---- Devices ---- */
static struct ibv_device *find_device(struct ibv_device **list, int count, unsigned int index)
{
	char name[IBV_SYSFS_NAME_MAX];

	snprintf(name, sizeof(name), "tally%u", index);
	for (int i = 0; i < count; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			return list[i];
	return NULL;
}

static void open_nic(struct nic *nic, unsigned int index, struct ibv_device *device)
{
	struct ibv_cq_init_attr_ex cq_attr = { .cqe = CQ_DEPTH };
	const char *name = ibv_get_device_name(device);

	nic->context = ibv_open_device(device);
	REQUIRE(nic->context, "%s", name);
	REQUIRE(!ibv_query_gid(nic->context, 1, 0, &nic->gid), "%s", name);
	nic->pd = ibv_alloc_pd(nic->context);
	REQUIRE(nic->pd, "%s", name);
	nic->channel = ibv_create_comp_channel(nic->context);
	REQUIRE(nic->channel, "%s", name);
	cq_attr.channel = nic->channel;
	cq_attr.comp_vector = index % nic->context->num_comp_vectors;
	nic->cq = ibv_create_cq_ex(nic->context, &cq_attr);
	REQUIRE(nic->cq, "%s", name);
	nic->buf = aligned_alloc(4096, BUF_SIZE);
	REQUIRE(nic->buf, "buffer");
	memset(nic->buf, 0, BUF_SIZE);
	nic->mr = ibv_reg_mr(nic->pd, nic->buf, BUF_SIZE, IBV_ACCESS_LOCAL_WRITE);
	REQUIRE(nic->mr, "%s", name);
}

void cluster_open(struct cluster *c)
{
	int count;
	struct ibv_device **list = ibv_get_device_list(&count);
	struct ibv_device *device;

	REQUIRE(list, "device list");
	memset(c, 0, sizeof(*c));
	while (c->count < MAX_NICS && (device = find_device(list, count, c->count))) {
		open_nic(&c->nic[c->count], c->count, device);
		c->count++;
	}
	REQUIRE(c->count, "no device tally0 among %d devices", count);
	ibv_free_device_list(list);
}

void cluster_close(struct cluster *c)
{
	for (unsigned int i = 0; i < c->count; i++) {
		struct nic *nic = &c->nic[i];

		REQUIRE(!ibv_dereg_mr(nic->mr), "node %u", i);
		REQUIRE(!ibv_destroy_cq(ibv_cq_ex_to_cq(nic->cq)), "node %u", i);
		REQUIRE(!ibv_destroy_comp_channel(nic->channel), "node %u", i);
		REQUIRE(!ibv_dealloc_pd(nic->pd), "node %u", i);
		REQUIRE(!ibv_close_device(nic->context), "node %u", i);
		free(nic->buf);
	}
}

/* ---- Groups ---- */
union ibv_gid multicast_gid(uint32_t jid)
{
	union ibv_gid gid = { .raw = { 0xff, 0x12 } }; /* link-local and transient */

	memcpy(gid.raw + 12, &jid, sizeof(jid));
	return gid;
}

static void create_group(struct team *team, const struct team_spec *spec, unsigned int node)
{
	struct cluster *c = team->cluster;
	struct tallydv_group_attr attr;
	struct shape shape;
	char why[256];

	shape_fill(&shape, &attr, team, spec, node);
	team->group[node] =
		tallydv_create_group(c->nic[node].context, &attr, why, sizeof(why));
	REQUIRE(team->group[node], "group %#x at node %u: %s", spec->jid, node, why);
}

/* Returns a power of two with at least four segments for each round. */
static uint32_t default_segs(const struct team_spec *spec)
{
	uint32_t segs = 4;

	while (segs < 4U * spec->rounds)
		segs *= 2;
	return segs;
}

void team_create_at(struct team *team, const struct team_spec *spec, unsigned int node)
{
	team->seg[node] = tallydv_alloc_seg(team->cluster->nic[node].context,
					    spec->segs ? spec->segs : default_segs(spec));
	REQUIRE(team->seg[node], "segments at node %u", node);
	create_group(team, spec, node);
}

void team_create(struct team *team, struct cluster *c, const struct team_spec *spec,
		 uint32_t nodes)
{
	*team = (struct team){ .cluster = c, .ranks = spec->ranks ? spec->ranks : 1 };
	for (unsigned int i = 0; i < c->count; i++)
		if (nodes >> i & 1)
			team_create_at(team, spec, i);
}

void team_destroy(struct team *team)
{
	for (unsigned int i = 0; i < team->cluster->count; i++) {
		if (!team->group[i])
			continue;
		REQUIRE(!tallydv_destroy_group(team->group[i]), "group at node %u", i);
		REQUIRE(!team->seg[i] || !tallydv_free_seg(team->seg[i]), "segments at node %u", i);
	}
}
