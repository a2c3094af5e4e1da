// SPDX-License-Identifier: BSD-2-Clause
#include "campaign/campaign.h"

#define NAME(name, value, text)	[value] = #name,

static const char *const statuses[256] = { TALLY_COLL_LIST(NAME) };
static const char *const opcodes[32] = { TALLY_OPCODE_LIST(NAME) };
static const char *const ops[32] = { TALLY_OP_LIST(NAME) };
static const char *const message_modes[] = { TALLY_MODE_LIST(NAME) };
static const char *const types[256] = { TALLY_TYPE_LIST(NAME) };

void campaign_progress(const struct campaign *c, double cpu_s)
{
	fprintf(stderr, "%ju of %ju collectives, %.0f a second of CPU time, %.3f s virtual\n",
		(uintmax_t)c->count.collectives, (uintmax_t)c->opt.collectives,
		c->count.collectives / cpu_s, (double)sim_now(c->sim) / VT_S);
}

/* Prints a line or an object of the counts that are not 0. */
static void print_counts(const char *title, const uint64_t *count, const char *const *name,
			 size_t n, bool json, FILE *to)
{
	const char *separator = "";

	fprintf(to, json ? "  \"%s\": {" : "%-12s", title);
	for (size_t i = 0; i < n; i++) {
		if (!count[i])
			continue;
		fprintf(to, json ? "%s\"%s\": %ju" : "%s%s %ju", separator,
			name[i] ? name[i] : "unknown", (uintmax_t)count[i]);
		separator = ", ";
	}
	fprintf(to, json ? "},\n" : "\n");
}

static void print_all_counts(const struct campaign_count *n, bool json, FILE *to)
{
	const char *modes[JOB_MODES];

	for (unsigned int k = 0; k < JOB_MODES; k++)
		modes[k] = job_mode_name(k);
	print_counts("modes", n->mode, modes, JOB_MODES, json, to);
	if (n->mode[JOB_MIXED])
		print_counts("mixed", n->mixed, message_modes, TALLY_MODE_RING + 1, json, to);
	print_counts("outcomes", n->status, statuses, 256, json, to);
	print_counts("opcodes", n->opcode, opcodes, 32, json, to);
	print_counts("operations", n->op, ops, 32, json, to);
	print_counts("types", n->type, types, 256, json, to);
}

/* Returns a counter summed over all NICs, including replaced ones. */
static uintmax_t total(const struct campaign *c, enum tally_counter counter)
{
	return c->count.replaced[counter] + host_set_counter(&c->host_set, counter);
}

static void print_json(const struct campaign *c, double cpu_s, FILE *to)
{
	const struct fab_port_stats p = host_set_port_stats(&c->host_set);
	const struct campaign_count *n = &c->count;
	const struct {
		const char *name;
		uint64_t value;
	} lines[] = {
		{ "seed", c->opt.seed },
		{ "collectives", n->collectives },
		{ "narrowed", n->narrowed },
		{ "rounded", n->rounded },
		{ "special", n->special },
		{ "triggered", n->triggered },
		{ "requests", n->requests },
		{ "results", n->checked_results },
		{ "groups", n->jobs },
		{ "wide_groups", n->weight[JOB_WIDE] },
		{ "long_groups", n->weight[JOB_LONG] },
		{ "unlimited_groups", n->unlimited },
		{ "combined", n->combined },
		{ "most_ranks", n->most_ranks },
		{ "most_neighbours", n->most_neighbours },
		{ "most_bytes", n->most_bytes },
		{ "queries", n->queries },
		{ "aborts", n->aborts },
		{ "resets", n->resets },
		{ "deaths", n->deaths },
		{ "power_losses", n->power_losses },
		{ "mismatches", n->mismatches },
		{ "refused", n->refused },
		{ "silent", n->silent },
		{ "cq_overruns", n->overruns },
		{ "frames", p.tx_frames },
		{ "drops", p.fault_drops },
		{ "duplicates", p.fault_duplicates },
		{ "corruptions", p.fault_corruptions },
		{ "delays", p.fault_delays },
		{ "retransmits", total(c, TALLY_CTR_retransmits) },
		{ "multicasts", total(c, TALLY_CTR_mcast_sent) },
		{ "repaired", total(c, TALLY_CTR_mcast_repaired) },
		{ "delayed_for_cells", n->delayed_for_cells },
		{ "delayed_for_segs", n->delayed_for_segs },
		{ "segs_lent", total(c, TALLY_CTR_segs_lent) },
		{ "groups_owed", total(c, TALLY_CTR_groups_owed) },
		{ "ended_for_cells", n->ended_for_cells },
		{ "busy", total(c, TALLY_CTR_busy_sent) },
		{ "pushed", total(c, TALLY_CTR_pushed) },
		{ "virtual_ns", sim_now(c->sim) / VT_NS },
	};

	fprintf(to, "{\n");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		fprintf(to, "  \"%s\": %ju,\n", lines[i].name, (uintmax_t)lines[i].value);
	print_all_counts(n, true, to);
	fprintf(to, "  \"cpu_s\": %.3f,\n  \"collectives_per_cpu_s\": %.0f,\n", cpu_s,
		n->collectives / cpu_s);
	fprintf(to, "  \"digest\": \"%016jx\",\n  \"passed\": %s\n}\n", (uintmax_t)c->digest,
		c->failed ? "false" : "true");
}

void campaign_report(const struct campaign *c, double cpu_s, FILE *to)
{
	const struct fab_port_stats p = host_set_port_stats(&c->host_set);
	const struct campaign_count *n = &c->count;

	if (c->opt.json) {
		print_json(c, cpu_s, to);
		return;
	}
	fprintf(to, "collectives %ju (%ju of some ranks only, %ju with rounded sums, %ju "
		"with NaN or other special values, %ju of triggered descriptors) in %ju groups, %ju requests (%ju with combined entries), %ju results compared\n", (uintmax_t)n->collectives,
		(uintmax_t)n->narrowed, (uintmax_t)n->rounded, (uintmax_t)n->special, (uintmax_t)n->triggered, (uintmax_t)n->jobs,
		(uintmax_t)n->requests, (uintmax_t)n->combined, (uintmax_t)n->checked_results);
	fprintf(to, "extent      %ju wide groups, %ju with long messages, %ju without a time limit; at most %ju ranks and %ju "
		"neighbours of a node, %ju bytes of a result\n", (uintmax_t)n->weight[JOB_WIDE],
		(uintmax_t)n->weight[JOB_LONG], (uintmax_t)n->unlimited, (uintmax_t)n->most_ranks,
		(uintmax_t)n->most_neighbours, (uintmax_t)n->most_bytes);
	print_all_counts(n, false, to);
	fprintf(to, "events      %ju queries, %ju aborts, %ju resets, %ju deaths, "
		"%ju power losses, %ju mismatches, %ju refused requests, %ju silent processes, "
		"%ju CQ overruns, %ju groups delayed and %ju ended by lack of cells\n",
		(uintmax_t)n->queries, (uintmax_t)n->aborts, (uintmax_t)n->resets,
		(uintmax_t)n->deaths, (uintmax_t)n->power_losses, (uintmax_t)n->mismatches,
		(uintmax_t)n->refused, (uintmax_t)n->silent,
		(uintmax_t)n->overruns, (uintmax_t)n->delayed_for_cells,
		(uintmax_t)n->ended_for_cells);
	fprintf(to, "frames      %ju; dropped %ju, duplicated %ju, corrupted %ju, delayed %ju\n",
		(uintmax_t)p.tx_frames, (uintmax_t)p.fault_drops, (uintmax_t)p.fault_duplicates,
		(uintmax_t)p.fault_corruptions, (uintmax_t)p.fault_delays);
	fprintf(to, "segments    lent %ju; groups to which some were owed %ju, delayed by lack of them %ju\n",
		total(c, TALLY_CTR_segs_lent), total(c, TALLY_CTR_groups_owed),
		(uintmax_t)n->delayed_for_segs);
	fprintf(to, "retransmits %ju; multicast results %ju, repaired %ju; answered busy %ju; "
		"requests pushed %ju\n",
		total(c, TALLY_CTR_retransmits), total(c, TALLY_CTR_mcast_sent),
		total(c, TALLY_CTR_mcast_repaired), total(c, TALLY_CTR_busy_sent),
		total(c, TALLY_CTR_pushed));
	fprintf(to, "seed        %ju\ndigest      %016jx\n", (uintmax_t)c->opt.seed,
		(uintmax_t)c->digest);
	fprintf(to, "speed       %.0f collectives per second of CPU time (%.2f s), %.3f s virtual\n",
		n->collectives / cpu_s, cpu_s, (double)sim_now(c->sim) / VT_S);
	fprintf(to, "%s\n", c->failed ? "FAILED" : "passed");
}
