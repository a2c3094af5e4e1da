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

/* Takes part in two allgathers, whatever fails: the others wait in them. */
static enum tallycoll_status exchange(struct tallycoll_context *c,
				      const struct tallycoll_context_params *params,
				      const struct tc_platform *platform, void *arg, char *why,
				      size_t size)
{
	const struct tallycoll_oob *oob = &params->oob;
	struct tc_process mine = { 0 };
	uint8_t (*id)[sizeof(mine.host)] = gather(oob, c->host->id, sizeof(mine.host));
	uint32_t local = 0, num_local = 0;
	char reason[TC_ERROR_MAX] = "";

	if (!id)
		return TALLYCOLL_ERR_OOB;
	for (uint32_t r = 0; r < oob->size; r++) {
		bool same = !memcmp(id[r], c->host->id, sizeof(mine.host));

		local += same && r < oob->rank;
		num_local += same;
	}
	free(id);
	memcpy(mine.host, c->host->id, sizeof(mine.host));
	mine.socket = c->host->socket;
	if (!platform->net_open(arg, c->host, local, num_local, &c->net, reason, sizeof(reason))) {
		tc_regs_init(&c->regs, c->net, params->memory_released, params->keep_bytes);
		mine.usable = tc_staging_init(&c->staging, c->net);
		mine.address = c->net->address;
		mine.caps = c->net->caps;
	} else {
		tc_trace_why(c, reason);
	}
	c->process = gather(oob, &mine, sizeof(mine));
	if (c->process)
		return TALLYCOLL_OK;
	snprintf(why, size, "The runtime's allgather failed.");
	return TALLYCOLL_ERR_OOB;
}

/* The variables of rank 0 hold for all. A rank whose own are wrong tells why, and all stop. */
static enum tallycoll_status agree_on_tune(struct tallycoll_context *c,
					   const struct tallycoll_oob *oob, char *why, size_t size)
{
	struct {
		struct tc_tune tune;
		uint32_t good;
	} mine, *all;
	enum tallycoll_status status = TALLYCOLL_OK;

	memset(&mine, 0, sizeof(mine));
	mine.good = tc_tune_read(&mine.tune, why, size);
	all = gather(oob, &mine, sizeof(mine));
	if (!all) {
		snprintf(why, size, "The runtime's allgather failed.");
		return TALLYCOLL_ERR_OOB;
	}
	for (uint32_t r = oob->size; r-- > 0;)
		if (!all[r].good) {
			status = TALLYCOLL_ERR_PARAM;
			if (mine.good)
				snprintf(why, size, "A variable of rank %u is wrong.", r);
		}
	c->tune = all[0].tune;
	free(all);
	return status;
}

static void find_reason(struct tallycoll_context *c)
{
	c->caps = UINT64_MAX;
	for (uint32_t r = 0; r < c->size; r++) {
		c->caps &= c->process[r].caps;
		if (!c->process[r].usable)
			c->reason = TALLYCOLL_REASON_NO_DEVICE;
	}
	if (c->tune.off)
		c->reason = TALLYCOLL_REASON_DISABLED;
}

enum tallycoll_status tc_context_create(const struct tallycoll_context_params *params,
					const struct tc_platform *platform, void *arg,
					struct tallycoll_context **context, char *why, size_t size)
{
	const struct tallycoll_oob *oob = &params->oob;
	struct tallycoll_context *c = calloc(1, sizeof(*c));
	enum tallycoll_status status;

	if (!c || platform->host_open(arg, params->threads, &c->host, why, size)) {
		if (!c)
			snprintf(why, size, "There is no memory left.");
		free(c);
		return TALLYCOLL_ERR_MEMORY;
	}
	c->rank = oob->rank;
	c->size = oob->size;
	c->threads = params->threads;
	status = agree_on_tune(c, oob, why, size);
	if (!status)
		status = exchange(c, params, platform, arg, why, size);
	if (status) {
		tallycoll_context_destroy(c);
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
	while (c->cache) {
		struct tc_member_group *mg = c->cache;

		c->cache = mg->next;
		tc_member_group_close(c, mg);
	}
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
	c->host->ops->close(c->host);
	free(c->process);
	free(c);
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

void tallycoll_context_summary(const struct tallycoll_context *c, FILE *to)
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
