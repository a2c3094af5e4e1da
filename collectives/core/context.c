// SPDX-License-Identifier: BSD-2-Clause
/* Contexts: which processes the job has, and on which NICs. */
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/create.h"
#include "core/tracing.h"


static void *gather(const struct tallycoll_oob *oob, const void *mine, size_t bytes)
{
	void *all = calloc(oob->size, bytes);

	if (all && oob->allgather(oob->arg, mine, all, bytes)) {
		free(all);
		return NULL;
	}
	return all;
}

/* Finds the processes of this machine among all. @near has room for as many. */
static struct tc_neighbours find_neighbours(const struct tallycoll_context *c,
					    const struct tc_greeting *all, uint64_t *near)
{
	struct tc_neighbours n = { .near = near };

	for (uint32_t r = 0; r < c->size; r++) {
		if (memcmp(all[r].host, c->host->id, sizeof(all[r].host)))
			continue;
		n.local += r < c->rank;
		near[n.num_local++] = all[r].near;
	}
	return n;
}

static void open_net(struct tallycoll_context *c, const struct tallycoll_context_params *params,
		     const struct tc_platform *platform, void *arg,
		     const struct tc_greeting *all, struct tc_process *mine)
{
	uint64_t *near = calloc(c->size, sizeof(*near));
	char why[TC_ERROR_MAX] = "There is no memory left.";
	struct tc_neighbours neighbours;
	int err = -1;

	if (near) {
		neighbours = find_neighbours(c, all, near);
		err = platform->net_open(arg, c->host, &neighbours, &c->net, why, sizeof(why));
		free(near);
	}
	if (err) {
		c->net = NULL;
		tc_trace_why(c, why);
		return;
	}
	tc_regs_init(&c->regs, c->net, params->memory_released, params->keep_bytes);
	mine->usable = tc_staging_init(&c->staging, c->net);
	mine->address = c->net->address;
	mine->caps = c->net->caps;
	mine->opcodes = c->net->opcodes;
	tc_trace_nic(c);
}

/* Takes part in two allgathers, whatever fails: the others wait in them. */
static enum tallycoll_status exchange(struct tallycoll_context *c,
				      const struct tallycoll_context_params *params,
				      const struct tc_platform *platform, void *arg, char *why,
				      size_t size)
{
	struct tc_process mine = { .socket = c->host->socket };
	struct tc_greeting greeting = { .near = platform->near ? platform->near(arg, c->host) : 0 };
	struct tc_greeting *all;

	memcpy(greeting.host, c->host->id, sizeof(greeting.host));
	memcpy(mine.host, c->host->id, sizeof(mine.host));
	all = gather(&params->oob, &greeting, sizeof(greeting));
	if (all) {
		open_net(c, params, platform, arg, all, &mine);
		free(all);
		c->process = gather(&params->oob, &mine, sizeof(mine));
	}
	if (c->process)
		return TALLYCOLL_OK;
	snprintf(why, size, "The runtime's allgather failed.");
	return TALLYCOLL_ERR_OOB;
}

/* ---- What all ranks must agree on ---- */
enum health {
	WRONG_VARIABLE,
	NO_HOST,
	FINE,
};

/*
 * How the state of the first rank in trouble ends the contexts of all. It says why itself; that a
 * variable is wrong is usually so at all ranks, and one sentence is enough.
 */
static enum tallycoll_status end_of(enum health health, uint32_t rank, bool own, char *why, size_t size)
{
	if (health == NO_HOST) {
		if (!own)
			snprintf(why, size, "Rank %u got no memory.", rank);
		return TALLYCOLL_ERR_MEMORY;
	}
	if (!own && size)
		*why = '\0';
	return TALLYCOLL_ERR_PARAM;
}

/*
 * The variables of rank 0 hold for all. A rank whose own are wrong, or which cannot go on, tells why,
 * and all stop. It takes part in the allgather, because the others wait there.
 */
static enum tallycoll_status agree(struct tallycoll_context *c,
				   const struct tallycoll_context_params *params,
				   char *why, size_t size)
{
	const struct tallycoll_oob *oob = &params->oob;
	struct {
		struct tc_tune tune;
		uint32_t health;
	} mine, *all;
	enum tallycoll_status status = TALLYCOLL_OK;

	memset(&mine, 0, sizeof(mine));
	mine.health = c->host ? FINE : NO_HOST;
	if (c->host && !tc_tune_read(&mine.tune, params->tune, why, size))
		mine.health = WRONG_VARIABLE;
	all = gather(oob, &mine, sizeof(mine));
	if (!all) {
		snprintf(why, size, "The runtime's allgather failed.");
		return TALLYCOLL_ERR_OOB;
	}
	for (uint32_t r = 0; r < oob->size && !status; r++)
		if (all[r].health != FINE)
			status = end_of(all[r].health, r, r == oob->rank, why, size);
	c->tune = all[0].tune;
	free(all);
	return status;
}

static void find_reason(struct tallycoll_context *c)
{
	c->caps = UINT64_MAX;
	c->opcodes = UINT32_MAX;
	for (uint32_t r = 0; r < c->size; r++) {
		c->caps &= c->process[r].caps;
		c->opcodes &= c->process[r].opcodes;
		if (!c->process[r].usable)
			c->reason = TALLYCOLL_REASON_NO_DEVICE;
	}
	if (c->tune.off)
		c->reason = TALLYCOLL_REASON_DISABLED;
}

void tc_context_free(struct tallycoll_context *c)
{
	tc_cache_close(c);
	while (c->spare) {
		struct tallycoll_request *r = c->spare;

		c->spare = r->next;
		free(r);
	}
	if (c->net) {
		tc_regs_free(&c->regs);
		tc_staging_free(&c->staging);
		c->net->ops->close(c->net);
	}
	if (c->host)
		c->host->ops->close(c->host);
	free(c->process);
	free(c);
}

static const char *params_fault(const struct tallycoll_context_params *params,
				struct tallycoll_context **context)
{
	if (!params || !context)
		return "The parameters, or the place for the context, are NULL.";
	if (!params->oob.allgather)
		return "oob.allgather is NULL.";
	return params->oob.rank < params->oob.size ? NULL : "oob.rank is not below oob.size.";
}

enum tallycoll_status tc_context_create(const struct tallycoll_context_params *params,
					const struct tc_platform *platform, void *arg,
					struct tallycoll_context **context, char *why, size_t size)
{
	const char *fault = params_fault(params, context);
	enum tallycoll_status status;
	struct tallycoll_context *c;

	size = why ? size : 0;
	c = fault ? NULL : calloc(1, sizeof(*c));
	if (!c) {
		snprintf(why, size, "%s", fault ? fault : "There is no memory left.");
		return fault ? TALLYCOLL_ERR_PARAM : TALLYCOLL_ERR_MEMORY;
	}
	if (platform->host_open(arg, params->threads, &c->host, why, size))
		c->host = NULL;
	c->rank = params->oob.rank;
	c->size = params->oob.size;
	c->threads = params->threads;
	status = agree(c, params, why, size);
	if (!status)
		status = exchange(c, params, platform, arg, why, size);
	if (status) {
		tc_context_free(c);
		return status;
	}
	find_reason(c);
	if (!c->reason)
		tc_fill_can(c);
	*context = c;
	return TALLYCOLL_OK;
}

void tallycoll_context_destroy(struct tallycoll_context *c)
{
	if (!c)
		return;
	c->host->ops->lock(c->host);
	c->destroyed = true;
	tc_context_unlock(c);
}

void tallycoll_memory_released(struct tallycoll_context *c, const void *start, size_t bytes)
{
	tc_regs_released(&c->regs, start, bytes);
}

static void print_regs(const struct tc_regs_count *count, FILE *to)
{
	if (count->made)
		fprintf(to, "%-16s %12llu  found again %llu, released %llu, evicted %llu\n",
			"registrations", (unsigned long long)count->made,
			(unsigned long long)count->hits, (unsigned long long)count->stale,
			(unsigned long long)count->evicted);
}

static void print_summary(const struct tallycoll_context *c, FILE *to)
{
	fprintf(to, "tallycoll: rank %u of %u\n%-16s %12s  %s\n", c->rank, c->size, "operation",
		"offloaded", "not offloaded, by reason");
	for (unsigned int op = 1; op < TC_NUM_OPCODES; op++) {
		const uint64_t *count = c->count[op];
		uint64_t all = 0;

		for (unsigned int r = 0; r < TALLYCOLL_NUM_REASONS; r++)
			all += count[r];
		if (!all)
			continue;
		fprintf(to, "%-16s %12llu ", tc_opcode_name(op), (unsigned long long)count[0]);
		for (unsigned int r = 1; r < TALLYCOLL_NUM_REASONS; r++)
			if (count[r])
				fprintf(to, " %s %llu", tallycoll_reason_name(r),
					(unsigned long long)count[r]);
		fputc('\n', to);
	}
	print_regs(&c->regs.count, to);
}

/*
 * The text is written at once, since a launcher forwards what several streams and ranks write as it
 * comes, and would put other text into the middle of a line.
 */
void tallycoll_context_summary(const struct tallycoll_context *c, FILE *to)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	print_summary(c, memory ? memory : to);
	if (!memory)
		return;
	if (!fclose(memory))
		fwrite(text, 1, size, to);
	free(text);
}
