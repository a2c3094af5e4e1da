// SPDX-License-Identifier: BSD-2-Clause
#include "testing/seat.h"

#include <stdlib.h>
#include <string.h>

/* ---- Places ---- */
void job_cfg_complete(struct job_cfg *cfg)
{
	cfg->machines = cfg->machines ? cfg->machines : 1;
	cfg->nics = cfg->nics ? cfg->nics : 1;
	cfg->sockets = cfg->sockets ? cfg->sockets : 1;
}

uint32_t job_machine_of(const struct job_cfg *c, uint32_t rank)
{
	uint32_t machine = 0;

	if (c->mapping == JOB_ROUND_ROBIN)
		return rank % c->machines;
	if (c->mapping == JOB_CONTIGUOUS)
		return (uint64_t)rank * c->machines / c->ranks;
	while (machine + 1 < c->machines && rank > machine) {
		rank -= machine + 1;
		machine++;
	}
	return machine;
}

uint32_t job_nic_of(const struct job_cfg *c, uint32_t rank)
{
	uint32_t machine = job_machine_of(c, rank), local = 0, all = 0;

	for (uint32_t k = 0; k < c->ranks; k++)
		if (job_machine_of(c, k) == machine) {
			local += k < rank;
			all++;
		}
	return machine * c->nics + local * c->nics / all;
}

uint32_t job_machine(const struct job_rank *r, uint32_t rank)
{
	return job_machine_of(job_cfg_of(r), rank);
}

uint32_t job_nic(const struct job_rank *r, uint32_t rank)
{
	return job_nic_of(job_cfg_of(r), rank);
}

/* ---- Seats ---- */
/* The seat keeps @world. */
static struct job_seat *seat_new(struct job_rank *r, uint32_t id, uint32_t *world, uint32_t num)
{
	struct job_seat *seat = calloc(1, sizeof(*seat));

	seat->r = r;
	seat->id = id;
	seat->world = world;
	seat->oob.size = num;
	while (world[seat->oob.rank] != r->rank)
		seat->oob.rank++;
	job_seat_open(seat);
	return seat;
}

struct job_seat *job_seat_first(struct job_rank *r)
{
	uint32_t *world = calloc(r->size, sizeof(*world));

	for (uint32_t k = 0; k < r->size; k++)
		world[k] = k;
	return seat_new(r, 1, world, r->size);
}

void job_seats_free(struct job_seat *seat)
{
	while (seat) {
		struct job_seat *next = seat->next;

		free(seat->world);
		free(seat);
		seat = next;
	}
}

uint32_t job_seat_rank(const struct job_seat *seat)
{
	return seat->oob.rank;
}

uint32_t job_seat_size(const struct job_seat *seat)
{
	return seat->oob.size;
}

uint32_t job_seat_world(const struct job_seat *seat, uint32_t rank)
{
	return seat->world[rank];
}

struct tallycoll_oob job_oob(struct job_seat *seat)
{
	return seat->oob;
}

int job_barrier(struct job_seat *seat)
{
	uint8_t mine = 0, *all = malloc(seat->oob.size);
	int err = seat->oob.allgather(seat->oob.arg, &mine, all, 1);

	free(all);
	return err;
}

struct vote {
	int color, key;
	uint32_t rank, world;
};

static int compare(const void *a, const void *b)
{
	const struct vote *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* The name of a communicator is that of the split and the color. */
struct job_seat *job_split(struct job_rank *r, struct job_seat *parent, int color, int key)
{
	const uint32_t size = parent->oob.size;
	const uint32_t id = (parent->id * 0x01000193 ^ ++parent->splits) * 0x01000193 ^ (color + 1);
	struct vote mine = { color, key, parent->oob.rank, r->rank };
	struct vote *all = calloc(size, sizeof(*all));
	uint32_t *world = calloc(size, sizeof(*world)), num = 0;

	if (parent->oob.allgather(parent->oob.arg, &mine, all, sizeof(mine)))
		color = -1;
	qsort(all, size, sizeof(*all), compare);
	for (uint32_t k = 0; k < size; k++)
		if (all[k].color == color)
			world[num++] = all[k].world;
	free(all);
	if (color >= 0)
		return seat_new(r, id, world, num);
	free(world);
	return NULL;
}

enum tallycoll_status job_team(struct job_rank *r, struct job_seat *seat,
			       struct tallycoll_team **team)
{
	const struct tallycoll_team_params params = { .oob = seat->oob, .ranks = seat->world };

	return tallycoll_team_create(r->context, &params, team);
}
