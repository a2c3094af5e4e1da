/* SPDX-License-Identifier: BSD-2-Clause */
/* A described group, and what the checks say about it. */
#ifndef TALLY_FIRMWARE_TEST_DESCRIBED_H
#define TALLY_FIRMWARE_TEST_DESCRIBED_H

#include "firmware/bytes.h"
#include "firmware/group_check.h"
#include "firmware/test/groups.h"
#include "firmware/test/test.h"

#define NOWHERE 0xffff

struct setting {
	struct tally_group_cfg cfg;
	struct tally_group_edge edges[TALLY_MAX_CONTRIBUTORS + 1];
};

static inline void setting_new(struct setting *s, enum groups_base base)
{
	groups_describe(&s->cfg, s->edges, base);
}

/*
 * Edges that the configuration does not count have every role and are of round 1, so a check that
 * sees one fails.
 */
static inline struct setting *with_trap(const struct setting *s)
{
	static struct setting copy;
	unsigned int num = le16(s->cfg.num_edges), i;
	uint8_t *bytes;

	copy = *s;
	for (i = num; i <= TALLY_MAX_CONTRIBUTORS; i++) {
		for (bytes = (uint8_t *)&copy.edges[i]; bytes < (uint8_t *)&copy.edges[i + 1]; bytes++)
			*bytes = 0xff;
		copy.edges[i].round = 1;
	}
	return &copy;
}

static inline void expect_with(const struct setting *s, const struct group_room *room,
			       enum tally_admin_status status, uint32_t offset, const char *name)
{
	const struct setting *c = with_trap(s);
	struct engine_result r = group_check(&c->cfg, c->edges, le16(c->cfg.num_edges), room);

	/* one number, so that a failure shows both */
	test_equal(name, (uint64_t)r.status << 32 | r.bad_offset, (uint64_t)status << 32 | offset);
}

static inline void expect(const struct setting *s, enum tally_admin_status status, uint32_t offset,
			  const char *name)
{
	static const struct group_room all = { TALLY_MAX_SEG, TALLY_RMQ_CELLS, TALLY_MAX_EDGES };

	expect_with(s, &all, status, offset, name);
}

static inline void expect_taken(const struct setting *s, const char *name)
{
	expect(s, TALLY_ADMIN_STATUS_OK, NOWHERE, name);
}

static inline void expect_refused(const struct setting *s, uint32_t offset, const char *name)
{
	expect(s, TALLY_ADMIN_STATUS_BAD_FIELD, offset, name);
}

#endif
