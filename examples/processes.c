// SPDX-License-Identifier: BSD-2-Clause
/*
 * A process for each rank, with several processes on each NIC. The first process of a NIC creates
 * the group, and the others attach to it. They know the job id and the join key, as if from a job
 * launcher. Each process posts for its own rank, on a queue pair of its own.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

enum { SUM, MAX, NUM_MESSAGES };

/* Results that the ranks pass to the parent: a table for each message. */
typedef struct demo_row demo_table[NUM_MESSAGES][TALLY_MAX_RANKS * DEMO_MAX_NODES];

/* The creator writes a byte for each of the others. If it dies, they read the end of the pipe. */
static int join_group(const struct demo_job *job, struct demo_node *node, unsigned int local,
		      const int pipe_fd[2])
{
	char token[TALLY_MAX_RANKS] = {};
	size_t others = job->ranks_per_node - 1;

	if (local) {
		close(pipe_fd[1]);
		if (read(pipe_fd[0], token, 1) != 1)
			return -1;
		return demo_attach_group(job, node, 1ULL << local);
	}
	if (demo_create_group(job, node, 1))
		return -1;
	return write(pipe_fd[1], token, others) == (ssize_t)others ? 0 : -1;
}

static int one_message(const struct demo_job *job, struct demo_node *node, unsigned int rank,
		       enum tally_op op, enum tally_type dtype, uint32_t mid, struct demo_row *row)
{
	demo_fill(node->buf, dtype, rank);
	if (demo_post_allreduce(node, op, dtype, mid) || demo_wait(node, row))
		return -1;
	row->result_ok = demo_check(node->buf, dtype, job->num_nodes * job->ranks_per_node);
	return 0;
}

static int run_rank(const struct demo_job *job, unsigned int index, unsigned int local,
		    const int pipe_fd[2], demo_table *table)
{
	unsigned int rank = index * job->ranks_per_node + local;
	struct demo_node node;
	int err;

	err = demo_open(job, index, &node);
	if (!err)
		err = join_group(job, &node, local, pipe_fd);
	if (!err)
		err = demo_create_queues(&node, local + 1);
	if (!err)
		err = one_message(job, &node, rank, TALLY_OP_SUM, TALLY_TYPE_FP64, SUM,
				  &(*table)[SUM][rank]);
	if (!err)
		err = one_message(job, &node, rank, TALLY_OP_MAX, TALLY_TYPE_INT64, MAX,
				  &(*table)[MAX][rank]);
	demo_close(&node);
	return err;
}

/* Starts the processes of one NIC, which share a pipe. */
static unsigned int start_node(const struct demo_job *job, unsigned int index, demo_table *table)
{
	unsigned int started = 0;
	int pipe_fd[2];

	if (pipe(pipe_fd)) {
		perror("demo: pipe");
		return 0;
	}
	fflush(stdout);
	for (unsigned int local = 0; local < job->ranks_per_node; local++) {
		pid_t pid = fork();

		if (!pid)
			exit(run_rank(job, index, local, pipe_fd, table) ? 1 : 0);
		if (pid < 0)
			perror("demo: fork");
		else
			started++;
	}
	close(pipe_fd[0]);
	close(pipe_fd[1]);
	return started;
}

static bool wait_for(unsigned int count)
{
	bool good = true;

	while (count--) {
		int status;

		if (wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
			good = false;
	}
	return good;
}

bool demo_processes(struct demo_job *job)
{
	unsigned int ranks = job->num_nodes * job->ranks_per_node, started = 0;
	demo_table *table = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool good;

	if (table == MAP_FAILED) {
		perror("demo: mmap");
		return false;
	}
	for (unsigned int i = 0; i < job->num_nodes; i++)
		started += start_node(job, i, table);
	good = wait_for(started) && started == ranks;
	good &= demo_print("ALLREDUCE by processes, sum of FP64", (*table)[SUM], ranks);
	good &= demo_print("ALLREDUCE by processes, max of INT64", (*table)[MAX], ranks);
	munmap(table, sizeof(*table));
	return good;
}
