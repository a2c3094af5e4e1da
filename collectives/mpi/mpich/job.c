// SPDX-License-Identifier: BSD-2-Clause
/* The job's context: from MPI_Init() to MPI_Finalize(). Communicators and their teams. */
#include "mpi/mpich/job.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/types.h"

static struct {
	struct tallycoll_context *context;	/* NULL: all goes to MPICH */
	MPI_Comm comm;		/* a duplicate of MPI_COMM_WORLD, for set-up and progress */
	int keyval;		/* of struct tcm_comm */
	bool idle;		/* no team of the job offloads anything */
	bool progresses;	/* MPICH makes the library progress at every rank */
	pthread_mutex_t lock;	/* of the list */
	struct tcm_comm *first;
} job = { .lock = PTHREAD_MUTEX_INITIALIZER };

void tcm_job_progress_mpi(void)
{
	int flag;

	/* A look for messages that do not exist. It makes MPICH progress all others. */
	PMPI_Iprobe(MPI_ANY_SOURCE, 0, job.comm, &flag, MPI_STATUS_IGNORE);
}

void tcm_job_progress_library(void)
{
	if (job.context)
		tallycoll_progress(job.context);
}

bool tcm_job_progresses(void)
{
	return job.progresses;
}

static int allgather(void *arg, const void *mine, void *all, size_t bytes)
{
	MPI_Comm *comm = arg;

	if (bytes > INT_MAX)
		return -1;
	return PMPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, *comm);
}

/* Whether all ranks are well. */
static bool all_well(MPI_Comm comm, bool well)
{
	int mine = well, all = 0;

	return !PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm) && all;
}

/* ---- Communicators ---- */
/*
 * The job's rank of each rank of a communicator. Returns false if there is no memory, or if a rank does
 * not belong to the job (MPI_Comm_spawn()).
 */
static bool find_ranks(const struct tcm_comm *c, uint32_t *ranks)
{
	int *from = malloc(c->size * sizeof(*from)), *to = malloc(c->size * sizeof(*to));
	MPI_Group group, world;
	bool good = from && to;

	for (uint32_t r = 0; good && r < c->size; r++)
		from[r] = r;
	PMPI_Comm_group(c->comm, &group);
	PMPI_Comm_group(job.comm, &world);
	good = good && !PMPI_Group_translate_ranks(group, c->size, from, world, to);
	for (uint32_t r = 0; good && r < c->size; r++) {
		good = to[r] != MPI_UNDEFINED;
		ranks[r] = to[r];
	}
	PMPI_Group_free(&group);
	PMPI_Group_free(&world);
	free(from);
	free(to);
	return good;
}

static void make_team(struct tcm_comm *c)
{
	struct tallycoll_team_params params = {
		.oob = { allgather, &c->comm, c->rank, c->size },
	};
	uint32_t *ranks = malloc(c->size * sizeof(*ranks));
	bool well = ranks && find_ranks(c, ranks), alone = job.idle || c->size == 1;

	params.ranks = ranks;
	if (!alone)
		well = all_well(c->comm, well);
	if (well && tallycoll_team_create(job.context, &params, &c->team))
		c->team = NULL;
	if (well && !alone && !all_well(c->comm, c->team) && c->team) {
		tallycoll_team_destroy(c->team);
		c->team = NULL;
	}
	free(ranks);
}

static struct tcm_comm *make_comm(MPI_Comm comm)
{
	struct tcm_comm *c = calloc(1, sizeof(*c));
	int inter = 1, rank, size;

	if (!c)
		return NULL;
	c->comm = comm;
	atomic_init(&c->users, 1);
	PMPI_Comm_test_inter(comm, &inter);
	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_size(comm, &size);
	c->rank = rank;
	c->size = size;
	if (!inter)
		make_team(c);
	pthread_mutex_lock(&job.lock);
	c->next = job.first;
	job.first = c;
	pthread_mutex_unlock(&job.lock);
	PMPI_Comm_set_attr(comm, job.keyval, c);
	return c;
}

struct tcm_comm *tcm_comm_get(MPI_Comm comm, bool make)
{
	struct tcm_comm *c = NULL;
	int flag = 0;

	if (!job.context || comm == MPI_COMM_NULL ||
	    PMPI_Comm_get_attr(comm, job.keyval, &c, &flag))
		return NULL;
	if (!flag)
		c = make ? make_comm(comm) : NULL;
	return c && c->team ? c : NULL;
}

void tcm_comm_put(struct tcm_comm *c)
{
	struct tcm_comm **at = &job.first;

	if (atomic_fetch_sub(&c->users, 1) > 1)
		return;
	pthread_mutex_lock(&job.lock);
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	pthread_mutex_unlock(&job.lock);
	if (c->team)
		tallycoll_team_destroy(c->team);
	free(c);
}

/* Called when a communicator is freed. Its operations may still be in progress. */
static int delete_attr(MPI_Comm comm, int keyval, void *attr, void *extra)
{
	struct tcm_comm *c = attr;

	(void)comm, (void)keyval, (void)extra;
	c->comm = MPI_COMM_NULL;
	tcm_comm_put(c);
	return MPI_SUCCESS;
}

/* ---- Begin and end ---- */
/* A job in which this fails at a rank runs without offload, and says why. */
static void begin(int provided)
{
	struct tallycoll_context_params params = { .threads = provided == MPI_THREAD_MULTIPLE };
	char why[256] = "";
	int rank, size;
	bool well;

	tcm_types_init();
	if (PMPI_Comm_dup(MPI_COMM_WORLD, &job.comm))
		return;
	PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attr, &job.keyval, NULL);
	PMPI_Comm_rank(job.comm, &rank);
	PMPI_Comm_size(job.comm, &size);
	params.oob = (struct tallycoll_oob){ allgather, &job.comm, rank, size };
	well = !tallycoll_context_create(&params, &job.context, why, sizeof(why));
	if (!well && *why)
		fprintf(stderr, "tallycoll: rank %d: nothing is offloaded: %s\n", rank, why);
	if (all_well(job.comm, well)) {
		enum tallycoll_reason reason;
		struct tcm_comm *world = make_comm(MPI_COMM_WORLD);

		tcm_job_progress_mpi();
		job.progresses = all_well(job.comm, tcm_progress_is_ours());
		reason = world && world->team ? tallycoll_team_reason(world->team) : 0;
		job.idle = reason == TALLYCOLL_REASON_DISABLED ||
			   reason == TALLYCOLL_REASON_NO_DEVICE;
		return;
	}
	if (well)
		tallycoll_context_destroy(job.context);
	job.context = NULL;
}

static void print_summary(void)
{
	const char *summary = getenv("TALLY_COLL_SUMMARY");
	int rank;

	PMPI_Comm_rank(job.comm, &rank);
	if (rank == 0 && summary && !strcmp(summary, "1"))
		tallycoll_context_summary(job.context, stderr);
}

/*
 * MPI_Finalize() deletes the attributes after this; they have no teams then. A program that has not
 * waited for all its operations keeps the context, since the NIC may still access memory.
 */
static void end(void)
{
	struct tallycoll_context *context = job.context;
	bool busy = false;

	if (!context)
		return;
	print_summary();
	job.context = NULL;
	pthread_mutex_lock(&job.lock);
	for (struct tcm_comm *c = job.first; c; c = c->next) {
		if (atomic_load(&c->users) > (c->comm != MPI_COMM_NULL)) {
			busy = true;
			continue;
		}
		if (c->team)
			tallycoll_team_destroy(c->team);
		c->team = NULL;
	}
	pthread_mutex_unlock(&job.lock);
	if (!busy)
		tallycoll_context_destroy(context);
	PMPI_Comm_free(&job.comm);
}

int MPI_Init(int *argc, char ***argv)
{
	int err = PMPI_Init(argc, argv), provided = MPI_THREAD_SINGLE;

	if (err)
		return err;
	PMPI_Query_thread(&provided);
	begin(provided);
	return MPI_SUCCESS;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	int err = PMPI_Init_thread(argc, argv, required, provided);

	if (!err)
		begin(*provided);
	return err;
}

int MPI_Finalize(void)
{
	end();
	return PMPI_Finalize();
}
