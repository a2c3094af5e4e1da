// SPDX-License-Identifier: BSD-2-Clause
/*
 * Allgathers among threads. An allgather uses two buffers in turn, because a fast rank begins the next
 * one while a slow one still reads.
 */
#include <stdlib.h>
#include <string.h>

#include "testing/soft.h"

/* The first member that comes makes the communicator. It is broken if an allgather can never end. */
static struct job_comm *comm_new(struct job *j, const struct job_seat *seat)
{
	const uint32_t size = seat->oob.size;
	struct job_comm *c = calloc(1, sizeof(*c) + size * sizeof(c->world[0]));

	c->job = j;
	c->id = seat->id;
	c->size = size;
	memcpy(c->world, seat->world, size * sizeof(c->world[0]));
	for (uint32_t k = 0; k < size; k++)
		c->broken |= j->failed || j->ranks[c->world[k]].dead;
	c->next = j->comms;
	j->comms = c;
	return c;
}

static struct job_comm *find_comm(struct job *j, const struct job_seat *seat)
{
	for (struct job_comm *c = j->comms; c; c = c->next)
		if (c->id == seat->id && c->size == seat->oob.size)
			return c;
	return comm_new(j, seat);
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
	job_seats_free(j->seats);
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
static int gather(struct job_comm *c, uint32_t rank, const void *mine, void *all, size_t bytes)
{
	uint32_t generation = c->generation;
	uint8_t *data = room_for(c, c->size * bytes + 1);

	if (c->broken)
		return -1;
	if (bytes)
		memcpy(data + rank * bytes, mine, bytes);
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
	struct job_comm *c = seat->comm;
	int err;

	pthread_mutex_lock(&c->job->lock);
	err = gather(c, seat->oob.rank, mine, all, bytes);
	pthread_mutex_unlock(&c->job->lock);
	return err;
}

void job_seat_open(struct job_seat *seat)
{
	struct job *j = seat->r->job;

	pthread_mutex_lock(&j->lock);
	seat->comm = find_comm(j, seat);
	seat->oob.allgather = allgather;
	seat->oob.arg = seat;
	seat->next = j->seats;
	j->seats = seat;
	pthread_mutex_unlock(&j->lock);
}
