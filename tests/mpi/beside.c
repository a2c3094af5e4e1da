// SPDX-License-Identifier: BSD-2-Clause
/*
 * beside [threads]: collectives of MPI beside other calls of MPI: all calls that complete a request, long
 * messages, communicators and types that are freed early, communicators of MPI_Comm_idup(), and, if asked
 * for, threads with a communicator each. It knows of no Tally. Rank 0 ends with "beside: PASS".
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY 12
#define CROWD 80
#define THREADS 3

struct where {
	MPI_Comm comm;
	int rank, size;
};

static struct where where_of(MPI_Comm comm)
{
	struct where w = { .comm = comm };

	MPI_Comm_rank(comm, &w.rank);
	MPI_Comm_size(comm, &w.size);
	return w;
}

static void check(const struct where *w, int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "beside: rank %d of %d: %s: wrong\n", w->rank, w->size, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Completes a request by each call in turn, some of them beside a message to oneself. */
static void complete(MPI_Request *request, unsigned int turn)
{
	MPI_Request both[2] = { *request, MPI_REQUEST_NULL };
	int flag = 0, index, indices[2], in = 0, out = 1;
	MPI_Status status[2];

	switch (turn % 9) {
	case 0:
		MPI_Wait(&both[0], status);
		break;
	case 1:
		while (!flag)
			MPI_Test(&both[0], &flag, status);
		break;
	case 2:
		MPI_Irecv(&in, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &both[1]);
		MPI_Send(&out, 1, MPI_INT, 0, 5, MPI_COMM_SELF);
		MPI_Waitall(2, both, status);
		break;
	case 3:
		MPI_Waitany(2, both, &index, status);
		break;
	case 4:
		MPI_Waitsome(2, both, &index, indices, status);
		break;
	case 5:
		while (!flag)
			MPI_Testall(2, both, &flag, status);
		break;
	case 6:
		while (!flag)
			MPI_Testany(2, both, &index, &flag, status);
		break;
	case 7:
		while (!flag)
			MPI_Request_get_status(both[0], &flag, status);
		MPI_Wait(&both[0], status);
		break;
	default:
		while (flag != 1)
			MPI_Testsome(2, both, &flag, indices, status);
	}
	*request = both[0];
}

static void test_completions(const struct where *w)
{
	for (unsigned int turn = 0; turn < 16; turn++) {
		int mine = w->rank + turn, sum = 0;
		MPI_Request request;

		MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, w->comm, &request);
		complete(&request, turn);
		check(w, request == MPI_REQUEST_NULL, "the request after its end");
		check(w, sum == w->size * (w->size - 1) / 2 + w->size * (int)turn, "allreduce");
	}
}

/* A test must return before the operation ends: the next rank begins it only after a message. */
static void test_tests_return(const struct where *w)
{
	MPI_Request both[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
	int flag, index, indices[2], token = 0;
	MPI_Status status[2];

	if (w->rank)
		MPI_Recv(&token, 1, MPI_INT, w->rank - 1, 6, w->comm, status);
	MPI_Ibarrier(w->comm, &both[0]);
	if (w->rank < w->size - 1) {
		MPI_Test(&both[0], &flag, status);
		check(w, !flag, "an early end");
		MPI_Testall(2, both, &flag, status);
		MPI_Testany(2, both, &index, &flag, status);
		MPI_Testsome(2, both, &index, indices, status);
		MPI_Send(&token, 1, MPI_INT, w->rank + 1, 6, w->comm);
	}
	MPI_Wait(&both[0], status);
}

/* A blocking operation after many others that are in progress. */
static void test_many(const struct where *w)
{
	int from[MANY], to[MANY], last = 0;
	MPI_Request requests[MANY];
	MPI_Status status[MANY];

	for (int i = 0; i < MANY; i++) {
		from[i] = w->rank + i;
		MPI_Iallreduce(&from[i], &to[i], 1, MPI_INT, MPI_SUM, w->comm, &requests[i]);
	}
	MPI_Allreduce(&from[0], &last, 1, MPI_INT, MPI_MAX, w->comm);
	check(w, last == w->size - 1, "allreduce after many");
	MPI_Waitall(MANY, requests, status);
	for (int i = 0; i < MANY; i++)
		check(w, to[i] == w->size * (w->size - 1) / 2 + w->size * i, "one of many");
}

/*
 * A long message needs its sender's MPI library, while the sender waits in a collective for the
 * receiver, blocking or not.
 */
static void test_long_message(const struct where *w)
{
	enum { BYTES = 3 << 20 };
	char *data = malloc(BYTES);

	for (int later = 0; later < 2; later++) {
		MPI_Request message = MPI_REQUEST_NULL, request;

		memset(data, w->rank + 1, BYTES);
		if (w->rank == 0 && w->size > 1)
			MPI_Isend(data, BYTES, MPI_BYTE, 1, 9, w->comm, &message);
		if (w->rank == 1)
			MPI_Recv(data, BYTES, MPI_BYTE, 0, 9, w->comm, MPI_STATUS_IGNORE);
		if (later) {
			MPI_Ibarrier(w->comm, &request);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		} else {
			MPI_Barrier(w->comm);
		}
		MPI_Wait(&message, MPI_STATUS_IGNORE);
		check(w, w->rank != 1 || (data[0] == 1 && data[BYTES - 1] == 1), "a long message");
	}
	free(data);
}

/*
 * Far more operations than the queue of a NIC holds, and a message that the first rank awaits before it completes
 * them, while the last rank sends it after it has.
 */
static void test_crowd(const struct where *w)
{
	int one = 1, sum[CROWD] = { 0 }, token = 0;
	MPI_Request requests[CROWD];
	MPI_Status status[CROWD];

	for (int i = 0; i < CROWD; i++)
		MPI_Iallreduce(&one, &sum[i], 1, MPI_INT, MPI_SUM, w->comm, &requests[i]);
	if (w->rank == 0 && w->size > 1)
		MPI_Recv(&token, 1, MPI_INT, w->size - 1, 7, w->comm, MPI_STATUS_IGNORE);
	MPI_Waitall(CROWD, requests, status);
	if (w->rank == w->size - 1 && w->rank)
		MPI_Send(&token, 1, MPI_INT, 0, 7, w->comm);
	for (int i = 0; i < CROWD; i++)
		check(w, sum[i] == w->size, "one of a crowd");
}

/* Open MPI 4.1.4 crashes if a communicator is freed before an operation on it has ended. */
static void test_freed(const struct where *w)
{
	int value = 1, sum = 0, data[6] = { 0 };
	MPI_Request requests[2];
	MPI_Status status[2];
	MPI_Datatype type;
	MPI_Comm comm;

	MPI_Comm_dup(w->comm, &comm);
	MPI_Type_vector(2, 1, 2, MPI_INT, &type);
	MPI_Type_commit(&type);
	if (w->rank == 0)
		data[0] = data[2] = 42;
	MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[0]);
	MPI_Ibcast(data, 1, type, 0, comm, &requests[1]);
	MPI_Type_free(&type);
#ifndef OPEN_MPI
	MPI_Comm_free(&comm);
#endif
	MPI_Waitall(2, requests, status);
	check(w, sum == w->size, "allreduce on a freed communicator");
	check(w, data[0] == 42 && !data[1] && data[2] == 42, "bcast of a freed type");
#ifdef OPEN_MPI
	MPI_Comm_free(&comm);
#endif
}

static void test_all(const struct where *w)
{
	test_completions(w);
	test_tests_return(w);
	test_many(w);
	test_long_message(w);
	test_crowd(w);
	test_freed(w);
}

/* ---- Communicators ---- */
/* A communicator that appears without a call that blocks, and one of only one rank. */
static void test_communicators(const struct where *w)
{
	MPI_Request request;
	struct where of;
	MPI_Comm comm;

	MPI_Comm_idup(w->comm, &comm, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	of = where_of(comm);
	test_completions(&of);
	test_many(&of);
	test_all(&of);
	MPI_Comm_free(&comm);
	of = where_of(MPI_COMM_SELF);
	test_completions(&of);
	test_many(&of);
}

/* ---- Threads, each with its communicator ---- */
static void *run_thread(void *arg)
{
	for (int i = 0; i < 10; i++) {
		test_completions(arg);
		test_many(arg);
		test_tests_return(arg);
	}
	return NULL;
}

static void test_threads(void)
{
	struct where where[THREADS];
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++) {
		MPI_Comm comm;

		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		where[i] = where_of(comm);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, run_thread, &where[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		MPI_Comm_free(&where[i].comm);
	}
}

int main(int argc, char **argv)
{
	int threads = argc > 1 && !strcmp(argv[1], "threads"), provided = MPI_THREAD_SINGLE;
	struct where world;

	if (threads)
		MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	else
		MPI_Init(&argc, &argv);
	world = where_of(MPI_COMM_WORLD);
	test_all(&world);
	test_communicators(&world);
	if (provided == MPI_THREAD_MULTIPLE)
		test_threads();
	MPI_Finalize();
	if (world.rank == 0)
		printf("beside: PASS\n");
	return 0;
}
