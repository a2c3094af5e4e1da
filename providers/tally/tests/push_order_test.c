// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The order in which a pushed request, the flush of write-combined stores and the doorbell leave the
 * CPU. No memory of a test is write-combined, so the posting code is compiled here with a flush that
 * looks at what has been stored before it.
 */
#include "rig.h"
#include "wqe.h"

static struct rig *rig;
static struct tally_push_buf buf;
static unsigned int flushes;

/* All lines of the request that is being posted are in the buffer, and its doorbell is not rung. */
static void look_at_flush(void)
{
	uint64_t posted = rig->qp.tracker.posted;

	assert_true(rig_is_pushed(rig, posted));
	assert_int_equal(le64toh(*rig->qp.doorbell.counter), posted - 1);
	flushes++;
}

#undef mmio_flush_writes
#define mmio_flush_writes() look_at_flush()
#include "post.c"

static void flushed_before_the_doorbell(void **state)
{
	(void)state;
	rig = rig_new(15, 4);
	tally_set_post_ops(&rig->qp);
	rig->qp.push = &buf;
	for (uint64_t i = 1; i <= 3; i++) {
		assert_int_equal(rig_post(rig, TALLY_OPCODE_BARRIER, i), 0);
		assert_int_equal(flushes, i);
		assert_int_equal(le64toh(*rig->qp.doorbell.counter), i);
	}
	rig_free(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(flushed_before_the_doorbell) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
