// SPDX-License-Identifier: BSD-2-Clause
/*
 * Communicators of a job: what the runtime offers. An allgather uses two buffers in turn, because a
 * fast rank begins the next one while a slow one still reads.
 */
#include <stdlib.h>
#include <string.h>

#include "testing/soft.h"

struct vote {
	int color, key;
	uint32_t rank;
};

static struct job_comm *comm_new(struct job *j, uint32_t id, uint32_t size)
{
	struct job_comm *c = calloc(1, sizeof(*c) + size * sizeof(c->world[0]));

	c->job = j;
	c->id = id;
	c->size = size;
	c->next = j->comms;
	j->comms = c;
	return c;
}

static struct job_seat *seat_new(struct job_comm *c, uint32_t rank, uint32_t world)
{
	struct job_seat *seat = calloc(1, sizeof(*seat));

	seat->comm = c;
	seat->rank = rank;
	c->world[rank] = world;
	c->broken |= c->job->failed || c->job->ranks[world].dead;
	seat->next = c->job->seats;
	c->job->seats = seat;
	return seat;
}

struct job_seat *soft_world(struct job *j, uint32_t rank)
{
	if (!j->comms)
		comm_new(j, 1, j->cfg.ranks);
	return seat_new(j->comms, rank, rank);
}

/* Allgathers of the communicators of a rank, or of all, fail from now on. */
void soft_break_comms(struct job *j, uint32_t rank, bool all)
{
	for (struct job_comm *c = j->comms; c; c = c->next)
		for (uint32_t k = 0; k < c->size; k++)
			c->broken |= all || c->world[k] == rank;
	pthread_cond_broadcast(&j->gathered);
}

void soft_free_comms(struct job *j)
{
	while (j->seats) {
		struct job_seat *seat = j->seats;

		j->seats = seat->next;
		free(seat);
	}
	while (j->comms) {
		struct job_comm *c = j->comms;

		j->comms = c->next;
		free(c->data[0]);
		free(c->data[1]);
		free(c);
	}
}

static uint8_t *room_for(struct job_comm *c, size_t bytes)
{
	unsigned int turn = c->generation % 2;

	if (bytes > c->room[turn]) {
		c->data[turn] = realloc(c->data[turn], bytes);
		c->room[turn] = bytes;
	}
	return c->data[turn];
}

/* The lock of the job is held. */
static int gather(struct job_seat *seat, const void *mine, void *all, size_t bytes)
{
	struct job_comm *c = seat->comm;
	uint32_t generation = c->generation;
	uint8_t *data = room_for(c, c->size * bytes + 1);

	if (c->broken)
		return -1;
	if (bytes)
		memcpy(data + seat->rank * bytes, mine, bytes);
	if (++c->arrived == c->size) {
		c->arrived = 0;
		c->generation++;
		pthread_cond_broadcast(&c->job->gathered);
	}
	while (c->generation == generation && !c->broken)
		pthread_cond_wait(&c->job->gathered, &c->job->lock);
	if (c->generation == generation)
		return -1;
	if (bytes)
		memcpy(all, data, c->size * bytes);
	return 0;
}

static int allgather(void *arg, const void *mine, void *all, size_t bytes)
{
	struct job_seat *seat = arg;
	struct job *j = seat->comm->job;
	int err;

	pthread_mutex_lock(&j->lock);
	err = gather(seat, mine, all, bytes);
	pthread_mutex_unlock(&j->lock);
	return err;
}

struct tallycoll_oob job_oob(struct job_seat *seat)
{
	return (struct tallycoll_oob){
		.allgather = allgather,
		.arg = seat,
		.rank = seat->rank,
		.size = seat->comm->size,
	};
}

int job_barrier(struct job_seat *seat)
{
	return allgather(seat, NULL, NULL, 0);
}

static bool is_before(const struct vote *a, const struct vote *b)
{
	return a->key < b->key || (a->key == b->key && a->rank < b->rank);
}

/* The first member that comes makes the communicator. Its name is that of the split and the color. */
static struct job_comm *find_comm(struct job_seat *parent, int color, uint32_t size)
{
	struct job *j = parent->comm->job;
	uint32_t id = (parent->comm->id * 0x01000193 ^ parent->splits) * 0x01000193 ^ (color + 1);

	for (struct job_comm *c = j->comms; c; c = c->next)
		if (c->id == id && c->size == size)
			return c;
	return comm_new(j, id, size);
}

struct job_seat *job_split(struct job_rank *r, struct job_seat *parent, int color, int key)
{
	const uint32_t size = parent->comm->size;
	struct vote mine = { color, key, parent->rank };
	struct vote *all = calloc(size, sizeof(*all));
	struct job_seat *seat = NULL;
	uint32_t rank = 0, num = 0;
	int err;

	pthread_mutex_lock(&r->job->lock);
	err = gather(parent, &mine, all, sizeof(mine));
	parent->splits++;
	for (uint32_t k = 0; !err && k < size; k++)
		if (all[k].color == color) {
			rank += is_before(&all[k], &mine);
			num++;
		}
	if (!err && color >= 0)
		seat = seat_new(find_comm(parent, color, num), rank, r->rank);
	pthread_mutex_unlock(&r->job->lock);
	free(all);
	if (seat && job_barrier(seat)) /* all members have told their ranks */
		return NULL;
	return seat;
}

uint32_t job_seat_rank(const struct job_seat *seat)
{
	return seat->rank;
}

uint32_t job_seat_size(const struct job_seat *seat)
{
	return seat->comm->size;
}

uint32_t job_seat_world(const struct job_seat *seat, uint32_t rank)
{
	return seat->comm->world[rank];
}

enum tallycoll_status job_team(struct job_rank *r, struct job_seat *seat,
			       struct tallycoll_team **team)
{
	const struct tallycoll_team_params params = {
		.oob = job_oob(seat),
		.ranks = seat->comm->world,
	};

	return tallycoll_team_create(r->context, &params, team);
}
